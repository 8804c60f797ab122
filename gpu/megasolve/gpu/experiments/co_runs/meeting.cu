// Kernels for runs beside each other: an entry whose blocks meet all those of the other side before they begin, and a clock.
//
// The meeting proves that the blocks of both sides are resident at once: each counts itself in and goes on only when all have come. Then the
// side runs its program round after round, which the other side does not notice, until its rounds are over or a flag says that the other
// side has ended.
#include "operators.h"

// Compiling the entry itself, which is not wanted here, would take as long again: its kernel becomes a function that nobody calls.
#undef MS_KERNEL
#undef MS_EXPORT
#define MS_KERNEL MS_DEVICE void
#define MS_EXPORT(kernel)
#include "interpreter.cu"
#undef MS_KERNEL
#undef MS_EXPORT
#ifdef MS_HOST
#define MS_KERNEL extern "C" void
#define MS_EXPORT(kernel) MS_EXPORT_NAMED(kernel)
#else
#define MS_KERNEL extern "C" __global__ void __launch_bounds__(MS_THREADS, MS_MIN_CTAS)
#define MS_EXPORT(kernel)
#endif

#define MS_MEETING_JOINED(entry) ms_##entry##_met
#define MS_MEETING(entry) MS_MEETING_JOINED(entry)

namespace megasolve {

// What a wait for other blocks says in place of an instruction when it gives up.
constexpr int kNoInstruction = -1;
constexpr u32 kOver = 1u << 30;
constexpr i32 kGoesOn = 1;
// The words of a side: how many of its blocks have come to the end of their rounds, and how many rounds are closed, or that all are over.
enum Turn { kArrived, kClosed };
enum Seen { kSm, kMet, kLeft, kSeenPerBlock };

struct Rounds {
    u32* turns;
    const u32* until;  // null, or a flag that ends the rounds
    u32* tells;        // null, or a flag to raise at the end
    int most, blocks;
    u64* ended;        // when each round was over
};

// Waits on one of the words in the place of a program's counters.
MS_DEVICE bool wait_for_blocks(const Program& program, u32* words, u32 word, u32 wanted) {
    Program of_words = program;
    of_words.counters = words;
    return wait_for(of_words, kNoInstruction, word, wanted);
}

// Lets one thread decide, and all threads of the block learn what.
template <class Decide>
MS_DEVICE i32 decided(Instruction& current, Decide decide) {
    block_barrier();
    if (thread_index() == 0) current.code = decide();
    block_barrier();
    const i32 decision = current.code;
    block_barrier();
    return decision;
}

MS_DEVICE i32 meet(const Program& program, u32* meeting, u32 wanted) {
    add_release(meeting, 1);
    return wait_for_blocks(program, meeting, 0, wanted) ? kGoesOn : kGivenUp;
}

// The end of a round: block 0 waits for all blocks, notes the time, and says to all whether there is another round.
MS_DEVICE i32 close(const Program& program, const Rounds& rounds, int round) {
    add_release(rounds.turns + kArrived, 1);
    if (block_index() == 0) {
        if (!wait_for_blocks(program, rounds.turns, kArrived, rounds.blocks * (round + 1))) return kGivenUp;
        rounds.ended[round] = now_ns();
        const bool is_over = round + 1 == rounds.most || (rounds.until && load_acquire(rounds.until) != 0);
        if (is_over && rounds.tells) add_release(rounds.tells, 1);
        add_release(rounds.turns + kClosed, is_over ? kOver : 1);
    } else if (!wait_for_blocks(program, rounds.turns, kClosed, round + 1)) {
        return kGivenUp;
    }
    return load_acquire(rounds.turns + kClosed) >= kOver ? kEndOfStream : kGoesOn;
}

}  // namespace megasolve

// As the entry itself for its common stream, with counters and one ticket for each round, `counters_per_round` apart. `meeting` counts the
// blocks of both sides up to `wanted`. `seen` gets of each block its SM, when it had met and when it left; `ended` when each round was over.
MS_KERNEL MS_MEETING(MS_ENTRY)(const megasolve::i32* instructions, const megasolve::i32* waits, const megasolve::i32* signals,
                               const megasolve::i32* streams, megasolve::u32* counters, megasolve::u32* tickets, float* floats,
                               const megasolve::u16* weights, megasolve::i32* ids, megasolve::u32* stop, megasolve::u32* diagnosis,
                               megasolve::u64 timeout_ns, megasolve::i32 counters_per_round, megasolve::u32* meeting,
                               megasolve::i32 wanted, megasolve::u32* turns, const megasolve::u32* until, megasolve::u32* tells,
                               megasolve::i32 most_rounds, megasolve::i32 blocks, megasolve::u64* seen, megasolve::u64* ended) {
    using namespace megasolve;
    MS_SHARED_MEMORY(memory);
    Instruction& current = *reinterpret_cast<Instruction*>(memory);
    Program program = {instructions, waits, signals, counters, tickets, stop, diagnosis, nullptr, timeout_ns};
    const Arenas arenas = {floats, weights, ids};
    const Rounds rounds = {turns, until, tells, most_rounds, blocks, ended};
    u64* mine = seen + kSeenPerBlock * block_index();
    const bool is_first = thread_index() == 0;
    if (is_first) mine[kSm] = sm_index();
    if (decided(current, [&] { return meet(program, meeting, wanted); }) == kGivenUp) return;
    if (is_first) mine[kMet] = now_ns();
    i32 next = kGoesOn;
    for (int round = 0; next == kGoesOn; ++round) {
        const Stream stream = {streams[0], streams[1], tickets + round};
        if (!serve(program, arenas, stream, current, memory + kWords)) return;
        program.counters += counters_per_round;
        next = decided(current, [&] { return close(program, rounds, round); });
    }
    if (is_first && next == kEndOfStream) mine[kLeft] = now_ns();
}

MS_EXPORT(MS_MEETING(MS_ENTRY))

// Notes the time once `wanted` blocks have met, and raises a flag, if there is one.
MS_KERNEL ms_clock(megasolve::u32* meeting, megasolve::i32 wanted, megasolve::u32* stop, megasolve::u32* diagnosis,
                   megasolve::u64 timeout_ns, megasolve::u64* when, megasolve::u32* tells) {
    using namespace megasolve;
    if (thread_index() != 0) return;
    const Program program = {nullptr, nullptr, nullptr, meeting, nullptr, stop, diagnosis, nullptr, timeout_ns};
    if (wanted > 0 && !wait_for(program, kNoInstruction, 0, wanted)) return;
    *when = now_ns();
    if (tells) add_release(tells, 1);
}

MS_EXPORT(ms_clock)
