// The C names of the runtime, for kernels and for hosts. There is one device at a time.
#include "runtime.h"

#include <memory>

#include "launching.h"
#include "scheduler.h"

namespace {

std::unique_ptr<megasolve::Scheduler> device;

}  // namespace

extern "C" {

const ms_position* ms_current;

void ms_block_barrier(void) { device->block_barrier(); }
const uint32_t* ms_warp_share(const uint32_t* mine, int words) { return device->warp_share(mine, words); }
void ms_spin(void) { device->poll(); }
void ms_progress(void) { device->progress(); }
void ms_note_wait(unsigned counter, unsigned seen, unsigned wanted) { device->note_wait({true, counter, seen, wanted}); }
uint64_t ms_now_ns(void) { return device->clock_ns(); }
void* ms_shared(void) { return device->shared(); }

void ms_reset(const ms_device* description, uint64_t seed) { device = std::make_unique<megasolve::Scheduler>(*description, seed); }
int64_t ms_launch(const ms_grid_request* request) { return device->launch(*request); }
int64_t ms_call(uint32_t stream, void (*action)(void*), void* argument, uint64_t duration_ns) {
    return device->call(stream, action, argument, duration_ns);
}
void ms_order(uint32_t stream, int64_t ticket) { device->order(stream, ticket); }
int ms_run(int64_t ticket, uint64_t most_steps, uint32_t clock_jumps) { return device->run(ticket, most_steps, clock_jumps); }
void ms_nudge(uint64_t pause_ns) { device->nudge(pause_ns); }

int ms_is_done(int64_t ticket) { return device->work(ticket).has_ended; }
uint64_t ms_began_ns(int64_t ticket) { return device->work(ticket).began_ps / 1000; }
uint64_t ms_ended_ns(int64_t ticket) { return device->work(ticket).ended_ps / 1000; }
uint64_t ms_steps(void) { return device->steps(); }
uint64_t ms_clock_ns(void) { return device->clock_ns(); }
const char* ms_explanation(void) { return device->explanation().c_str(); }

}  // extern "C"
