// One persistent kernel that interprets a program of tiles. Blocks take tickets for the instructions of a stream in order, wait until the
// counters of an instruction have reached their targets, run its operator, and signal.
//
// The streams are in topological order, so all that an instruction waits for was taken before it, by a block that is resident: any number
// of resident blocks per pool, one or more, finishes. A block serves the common stream first, then that of its pool, X or Y.
//
// Macros beside those of device.h: MS_ENTRY, the name in the symbol `ms_ENTRY`; MS_OPERATIONS, a bit per code of the operators that the
// entry holds (all unless given).
#include "operators.h"

#ifndef MS_OPERATIONS
#define MS_OPERATIONS MS_ALL_OPERATIONS
#endif
#define MS_JOINED(prefix, name) prefix##name
#define MS_SYMBOL(entry) MS_JOINED(ms_, entry)

namespace megasolve {

struct Instruction {
    i32 code, wait_first, wait_count, signal_first, signal_count, operator_number;
    i32 index;  // its place in the program; zero in the program itself
    i32 unused;
    i32 arguments[kArguments];
};

constexpr int kWords = sizeof(Instruction) / sizeof(i32), kIndexWord = 6;
static_assert(kWords == kLanes, "a warp reads an instruction at once");

// Codes that no operator has: the stream holds no more, and the program is given up.
constexpr i32 kEndOfStream = 0, kGivenUp = -1;

// Why a program was given up, the first word of a diagnosis.
enum Reason : u32 { kTimeout = 1, kStopped = 2, kUnknownOperation = 3 };

struct Program {
    const i32 *instructions, *waits, *signals;
    u32 *counters, *tickets, *stop, *diagnosis;
    u64* trace;
    u64 timeout_ns;
};

struct Stream {
    i32 first, count;
    u32* tickets;
};

// Ends the launch: every block leaves at its next look at the stop word. The first to give up says why, in all of the words but the last,
// which is its claim.
MS_DEVICE void give_up(const Program& program, Reason reason, int instruction, u32 counter, u32 seen, u32 wanted) {
    if (claim(program.diagnosis + 7)) {
        const u32 words[6] = {reason, static_cast<u32>(block_index()), static_cast<u32>(instruction), counter, seen, wanted};
        for (int i = 0; i < 6; ++i) store_system(program.diagnosis + i, words[i]);
    }
    store_system(program.stop, 1);
}

// Returns whether the counter reached its target; if not, the program is given up.
MS_DEVICE bool wait_for(const Program& program, int instruction, u32 counter, u32 wanted) {
    constexpr u32 kSpinsPerLook = 16;
    u64 begun = 0;
    for (u32 spins = 1;; ++spins) {
        const u32 seen = load_acquire(program.counters + counter);
        if (seen >= wanted) return true;
        if (spins % kSpinsPerLook == 0) {
            const u64 now = now_ns();
            if (begun == 0) begun = now;
            const bool is_stopped = load_system(program.stop) != 0;
            if (is_stopped || now - begun > program.timeout_ns) {
                give_up(program, is_stopped ? kStopped : kTimeout, instruction, counter, seen, wanted);
                return false;
            }
        }
        pause(counter, seen, wanted);
    }
}

MS_DEVICE void trace_time(const Program& program, int instruction, int event, u64 value) {
    if (program.trace && lane_index() == 0) program.trace[static_cast<u64>(instruction) * 4 + event] = value;
}

// One warp takes the next instruction of a stream into shared memory and waits for all that it waits for, a lane per counter.
MS_DEVICE void fetch(const Program& program, const Stream& stream, Instruction& fetched) {
    i32* words = reinterpret_cast<i32*>(&fetched);
    const u32 ticket = broadcast(lane_index() == 0 ? take_ticket(stream.tickets) : 0, 0);
    if (ticket >= static_cast<u32>(stream.count)) {
        if (lane_index() == 0) fetched.code = kEndOfStream;
        return;
    }
    const int index = stream.first + static_cast<int>(ticket);
    const i32 word = program.instructions[index * kWords + lane_index()];
    const i32 code = broadcast(word, 0), wait_first = broadcast(word, 1), wait_count = broadcast(word, 2);
    trace_time(program, index, 0, now_ns());
    bool goes_on = code > 0 && code < 32 && (MS_OPERATIONS >> code & 1);
    if (!goes_on && lane_index() == 0) give_up(program, kUnknownOperation, index, 0, code, 0);
    for (int i = lane_index(); goes_on && i < wait_count; i += kLanes) {
        const i32* pair = program.waits + 2 * (wait_first + i);
        goes_on = wait_for(program, index, pair[0], pair[1]);
    }
    const bool all_go_on = warp_all(goes_on);
    words[lane_index()] = lane_index() == 0 && !all_go_on ? kGivenUp : lane_index() == kIndexWord ? index : word;
    trace_time(program, index, 1, now_ns());
}

MS_DEVICE void run(const Arenas& arenas, const Instruction& instruction, float* shared) {
    switch (instruction.code) {
#define MS_CASE(CODE, NAME, ARGUMENTS) \
    case CODE: \
        if constexpr (MS_OPERATIONS >> CODE & 1) op_##NAME(arenas, *reinterpret_cast<const ARGUMENTS*>(instruction.arguments), shared); \
        break;
        MS_FOR_EACH_OPERATION(MS_CASE)
#undef MS_CASE
    }
}

// One warp announces that the tile is done, a lane per counter. The barrier before orders the writes of all threads before the release.
MS_DEVICE void signal(const Program& program, const Instruction& done) {
    trace_time(program, done.index, 2, now_ns());
    trace_time(program, done.index, 3, sm_index());
    const i32* signals = program.signals + done.signal_first;
    for (int i = lane_index(); i < done.signal_count; i += kLanes) add_release(program.counters + signals[i], 1);
    // All lanes have read `done` before the next fetch overwrites it.
    warp_barrier();
}

// Returns whether the stream was served to its end. The acquire of the first warp and the barrier after it order the reads of all threads.
MS_DEVICE bool serve(const Program& program, const Arenas& arenas, const Stream& stream, Instruction& current, float* shared) {
    for (;;) {
        if (warp_index() == 0) fetch(program, stream, current);
        block_barrier();
        if (current.code <= 0) break;
        run(arenas, current, shared);
#ifndef MS_BUG_NO_BARRIER
        block_barrier();
#endif
        if (warp_index() == 0) signal(program, current);
    }
    const bool is_served = current.code == kEndOfStream;
    block_barrier();
    return is_served;
}

}  // namespace megasolve

// `streams`: first and count of the common stream, of X and of Y, then the number of blocks of pool X. `counters` and `tickets` (three)
// start at zero. `stop` may lie in mapped host memory, all else in device memory. `diagnosis`: eight words, zero at the start; then reason,
// block, instruction, counter, what it showed, what was wanted. `trace` may be null; per instruction it gets the nanoseconds when it was
// taken, begun and done, and its SM.
MS_KERNEL MS_SYMBOL(MS_ENTRY)(const megasolve::i32* instructions, const megasolve::i32* waits, const megasolve::i32* signals,
                              const megasolve::i32* streams, megasolve::u32* counters, megasolve::u32* tickets, float* floats,
                              const megasolve::u16* weights, megasolve::i32* ids, megasolve::u32* stop, megasolve::u32* diagnosis,
                              megasolve::u64* trace, megasolve::u64 timeout_ns) {
    using namespace megasolve;
    MS_SHARED_MEMORY(memory);
    Instruction& current = *reinterpret_cast<Instruction*>(memory);
    const Program program = {instructions, waits, signals, counters, tickets, stop, diagnosis, trace, timeout_ns};
    const Arenas arenas = {floats, weights, ids};
    const int pool = block_index() < streams[6] ? 1 : 2;
    for (int turn = 0; turn < 2; ++turn) {
        const int chosen = turn == 0 ? 0 : pool;
        const Stream stream = {streams[2 * chosen], streams[2 * chosen + 1], tickets + chosen};
        if (!serve(program, arenas, stream, current, memory + kWords)) return;
    }
}

MS_EXPORT(MS_SYMBOL(MS_ENTRY))
