// What a host finds on the CPU in place of a driver: one device, work queued on streams, and a run that stops at a result.
#pragma once

#include <stdint.h>

extern "C" {

// What one device holds. A limit of 0 is no limit.
struct ms_device {
    uint32_t sms;
    uint32_t ctas_per_sm;
    uint32_t threads_per_sm;
    uint32_t registers_per_sm;
    uint32_t shared_bytes_per_sm;
};

// One launch. Arguments follow cuLaunchKernel: pointers to the values, which must stay where they are until the launch has ended.
struct ms_grid_request {
    const char* name;
    void (*thunk)(void** arguments);
    void** arguments;
    uint32_t grid[3];
    uint32_t block[3];
    uint32_t shared_bytes;            // dynamic
    uint32_t shared_bytes_per_cta;    // what a CTA occupies of its SM: static, dynamic and reserved
    uint32_t registers_per_cta;
    uint32_t stream;
    uint32_t cooperative;             // all of the grid becomes resident at once, or none of it
    uint32_t reversed;                // blocks start from the last to the first
    uint32_t delay_ns;                // from the end of the work before it to its first block, on the virtual clock
};

enum ms_result {
    MS_DONE = 0,
    MS_DEADLOCK = -1,     // nothing can move any more; ms_explanation says who waits
    MS_TOO_LARGE = -2,    // a cooperative grid that could never be resident, or a block that fits no SM
    MS_STEPS_SPENT = -3,  // more to do; run again
    MS_FAULT = -4,        // a kernel broke a rule of the runtime; ms_explanation says which
};

// Begins with an empty device; whatever ran or waited on the old one is dropped. The seed draws the order of everything that has no order.
void ms_reset(const struct ms_device* device, uint64_t seed);

// Queues a launch and returns its ticket (0 or more), or MS_TOO_LARGE.
int64_t ms_launch(const struct ms_grid_request* request);

// Queues a call of `action` on a stream. It lasts `duration_ns` on the virtual clock and happens at its end.
int64_t ms_call(uint32_t stream, void (*action)(void*), void* argument, uint64_t duration_ns);

// Lets what is queued on `stream` from now on wait for the work behind `ticket`.
void ms_order(uint32_t stream, int64_t ticket);

// Runs until the work behind `ticket` has ended, or everything, if it is negative. Where all threads poll and nothing moves, the clock may
// jump ahead by a second `clock_jumps` times, for the time limits of the kernels themselves.
int ms_run(int64_t ticket, uint64_t most_steps, uint32_t clock_jumps);

// Lets every polling thread look again, after the host changed memory, and moves the clock on by `pause_ns`.
void ms_nudge(uint64_t pause_ns);

int ms_is_done(int64_t ticket);
uint64_t ms_began_ns(int64_t ticket);
uint64_t ms_ended_ns(int64_t ticket);
uint64_t ms_steps(void);
uint64_t ms_clock_ns(void);

// The text of the last result that was not MS_DONE.
const char* ms_explanation(void);

}  // extern "C"
