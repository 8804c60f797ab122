// Kernels for runs beside each other: any persistent kernel, whose blocks meet those of the other side before they begin, and a clock.
//
// The meeting proves that the blocks of both sides are resident at once: each counts itself in and goes on only when all have come. Then the
// side runs its kernel round after round, each with arguments of its own, which the other side does not notice, until its rounds are over or
// a flag says that the other side has ended.
//
// Macros: MS_MET_SOURCE, the file of the kernel, MS_MET, its name, and MS_MET_NAME, that of the kernel here; MS_MET_THREADS and MS_MET_CTAS,
// its launch bounds. MS_BUG_RELAXED plants a bug for the tests of the race detector: the words of the meeting order nothing.
#ifndef MS_HOST
// Launching the kernel itself is not wanted here: it becomes a function, and what is said of kernels alone is left out.
#undef __global__
#undef __launch_bounds__
#undef __cluster_dims__
#undef __grid_constant__
#define __global__ __device__ __forceinline__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __grid_constant__
#endif
#include MS_MET_SOURCE
#ifdef MS_HOST
#include "runtime.h"
#define MS_MET_KERNEL extern "C" void
#define MS_MET_FUNCTION static inline
#else
// As the compiler itself has those words, which mean something else above.
#define MS_MET_KERNEL extern "C" __attribute__((global)) void __attribute__((launch_bounds(MS_MET_THREADS, MS_MET_CTAS)))
#define MS_MET_FUNCTION static __device__ __forceinline__
#endif

namespace megasolve::met {

using u32 = unsigned int;
using u64 = unsigned long long;

// What these kernels know of the machine: on the CPU a thread is a fiber of the runtime.
#ifdef MS_HOST
#ifdef MS_BUG_RELAXED
constexpr int kAcquire = __ATOMIC_RELAXED, kRelease = __ATOMIC_RELAXED;
#else
constexpr int kAcquire = __ATOMIC_ACQUIRE, kRelease = __ATOMIC_RELEASE;
#endif
MS_MET_FUNCTION int thread_index() { return ms_current->thread_index.x; }
MS_MET_FUNCTION int block_index() { return ms_current->block_index.x; }
MS_MET_FUNCTION int blocks() { return ms_current->grid_dim.x; }
MS_MET_FUNCTION void barrier() { ms_block_barrier(); }
MS_MET_FUNCTION u32 load_acquire(const u32* word) { return __atomic_load_n(word, kAcquire); }
MS_MET_FUNCTION void add_release(u32* word, u32 amount) { __atomic_fetch_add(word, amount, kRelease), ms_progress(); }
MS_MET_FUNCTION u32 load_system(const u32* word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }
MS_MET_FUNCTION void store_system(u32* word, u32 value) { __atomic_store_n(word, value, __ATOMIC_RELAXED), ms_progress(); }
MS_MET_FUNCTION bool claim(u32* word) { return __atomic_fetch_add(word, 1, __ATOMIC_RELAXED) == 0; }
MS_MET_FUNCTION u64 now_ns() { return ms_now_ns(); }
MS_MET_FUNCTION u32 sm_index() { return ms_current->sm; }
MS_MET_FUNCTION void pause(u32 word, u32 seen, u32 wanted) { ms_note_wait(word, seen, wanted), ms_spin(); }
#else
MS_MET_FUNCTION int thread_index() { return threadIdx.x; }
MS_MET_FUNCTION int block_index() { return blockIdx.x; }
MS_MET_FUNCTION int blocks() { return gridDim.x; }
MS_MET_FUNCTION void barrier() { __syncthreads(); }
MS_MET_FUNCTION u32 load_acquire(const u32* word) {
    u32 value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
    return value;
}
MS_MET_FUNCTION void add_release(u32* word, u32 amount) {
    asm volatile("red.release.gpu.global.add.u32 [%0], %1;" ::"l"(word), "r"(amount) : "memory");
}
MS_MET_FUNCTION u32 load_system(const u32* word) {
    u32 value;
    asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
    return value;
}
MS_MET_FUNCTION void store_system(u32* word, u32 value) {
    asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}
// The first to add finds a zero.
MS_MET_FUNCTION bool claim(u32* word) {
    u32 before;
    asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(word) : "memory");
    return before == 0;
}
MS_MET_FUNCTION u64 now_ns() {
    u64 time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    return time;
}
MS_MET_FUNCTION u32 sm_index() {
    u32 sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    return sm;
}
MS_MET_FUNCTION void pause(u32, u32, u32) { __nanosleep(64); }
#endif

// Why a wait was given up, the first word of a diagnosis; then the block, and which word was at how much of what was wanted.
enum Reason : u32 { kTimeout = 1, kStopped = 2 };
enum Waited : u32 { kMeeting, kRoundOver, kRoundClosed };
// The words of a side: how many of its blocks have come to the end of their rounds, and how many rounds are closed, or that all are over.
enum Turn { kArrived, kClosed };
enum Seen { kSm, kMet, kDecided, kSeenPerBlock };
constexpr u32 kOver = 1u << 30;

// What the waits of one launch share.
struct Guards {
    u32 *stop, *diagnosis;
    u64 timeout_ns;
};

struct Rounds {
    u32* turns;
    const u32* until;  // null, or a flag that ends the rounds
    u32* tells;        // null, or a flag to raise at the end
    int most;
    u64* ended;  // when each round was over
};

// Returns whether the word came to what is wanted; if not, the launch is given up, and every block leaves at its next look at the stop word.
MS_MET_FUNCTION bool wait_for(const Guards& guards, const u32* word, Waited what, u32 wanted) {
    constexpr u32 kSpinsPerLook = 16;
    u64 begun = 0;
    for (u32 spins = 1;; ++spins) {
        const u32 seen = load_acquire(word);
        if (seen >= wanted) return true;
        if (spins % kSpinsPerLook == 0) {
            const u64 now = now_ns();
            if (begun == 0) begun = now;
            const bool is_stopped = load_system(guards.stop) != 0;
            if (is_stopped || now - begun > guards.timeout_ns) {
                if (claim(guards.diagnosis + 7)) {
                    const u32 words[5] = {is_stopped ? kStopped : kTimeout, static_cast<u32>(block_index()), what, seen, wanted};
                    for (int i = 0; i < 5; ++i) store_system(guards.diagnosis + i, words[i]);
                }
                store_system(guards.stop, 1);
                return false;
            }
        }
        pause(what, seen, wanted);
    }
}

// Lets one thread decide, and all threads of the block learn what, through global memory: shared memory is the kernel's own.
template <class Decide>
MS_MET_FUNCTION bool decided(u64* mine, Decide decide) {
    barrier();
    if (thread_index() == 0) mine[kDecided] = decide();
    barrier();
    const bool decision = *const_cast<volatile u64*>(mine + kDecided) != 0;
    barrier();
    return decision;
}

MS_MET_FUNCTION bool meet(const Guards& guards, u32* meeting, u32 wanted) {
    add_release(meeting, 1);
    return wait_for(guards, meeting, kMeeting, wanted);
}

// The end of a round: block 0 waits for all blocks, notes the time, and says to all whether there is another round.
MS_MET_FUNCTION bool goes_on(const Guards& guards, const Rounds& rounds, int round) {
    // A kernel that gave up in one of its own waits has said why.
    if (load_system(guards.stop) != 0) return false;
    add_release(rounds.turns + kArrived, 1);
    if (block_index() == 0) {
        if (!wait_for(guards, rounds.turns + kArrived, kRoundOver, blocks() * (round + 1))) return false;
        rounds.ended[round] = now_ns();
        const bool is_over = round + 1 == rounds.most || (rounds.until && load_acquire(rounds.until) != 0);
        if (is_over && rounds.tells) add_release(rounds.tells, 1);
        add_release(rounds.turns + kClosed, is_over ? kOver : 1);
    } else if (!wait_for(guards, rounds.turns + kClosed, kRoundClosed, round + 1)) {
        return false;
    }
    return load_acquire(rounds.turns + kClosed) < kOver;
}

// Calls a kernel with arguments that lie in memory, 64 bits each.
template <auto kernel, class... Left>
struct Called;
template <auto kernel>
struct Called<kernel> {
    template <class... Given>
    MS_MET_FUNCTION void with(const u64*, Given... given) {
        kernel(given...);
    }
};
template <auto kernel, class Next, class... Left>
struct Called<kernel, Next, Left...> {
    template <class... Given>
    MS_MET_FUNCTION void with(const u64* arguments, Given... given) {
        Called<kernel, Left...>::with(arguments + 1, given..., *reinterpret_cast<const Next*>(arguments));
    }
};
template <auto kernel, class... Parameters>
MS_MET_FUNCTION void call(void (*)(Parameters...), const u64* arguments) {
    Called<kernel, Parameters...>::with(arguments);
}

}  // namespace megasolve::met

// The kernel, with the arguments of each round, `arguments_per_round` apart. `meeting` counts the blocks of both sides up to `wanted`. `seen`
// gets of each block its SM and when it had met, and has a word to decide in; `ended` gets when each round was over.
MS_MET_KERNEL MS_MET_NAME(const megasolve::met::u64* arguments, int arguments_per_round, megasolve::met::u32* stop,
                          megasolve::met::u32* diagnosis, megasolve::met::u64 timeout_ns, megasolve::met::u32* meeting, int wanted,
                          megasolve::met::u32* turns, const megasolve::met::u32* until, megasolve::met::u32* tells, int most_rounds,
                          megasolve::met::u64* seen, megasolve::met::u64* ended) {
    namespace met = megasolve::met;
    const met::Guards guards = {stop, diagnosis, timeout_ns};
    const met::Rounds rounds = {turns, until, tells, most_rounds, ended};
    met::u64* mine = seen + met::kSeenPerBlock * met::block_index();
    const bool is_first = met::thread_index() == 0;
    if (is_first) mine[met::kSm] = met::sm_index();
    if (!met::decided(mine, [&] { return met::meet(guards, meeting, wanted); })) return;
    if (is_first) mine[met::kMet] = met::now_ns();
    for (int round = 0; round < most_rounds; ++round) {
        met::call<MS_MET>(MS_MET, arguments + static_cast<met::u64>(round) * arguments_per_round);
        if (!met::decided(mine, [&] { return met::goes_on(guards, rounds, round); })) return;
    }
}

// Notes the time once `wanted` blocks have met, and raises a flag, if there is one.
MS_MET_KERNEL ms_clock(const megasolve::met::u32* meeting, int wanted, megasolve::met::u32* stop, megasolve::met::u32* diagnosis,
                       megasolve::met::u64 timeout_ns, megasolve::met::u64* when, megasolve::met::u32* tells) {
    namespace met = megasolve::met;
    if (met::thread_index() != 0) return;
    const met::Guards guards = {stop, diagnosis, timeout_ns};
    if (wanted > 0 && !met::wait_for(guards, meeting, met::kMeeting, wanted)) return;
    *when = met::now_ns();
    if (tells) met::add_release(tells, 1);
}

// Sources that are portable say how kernels are launched on the CPU; for CUDA C++ as it is, whoever builds its twin does.
#ifdef MS_EXPORT
MS_EXPORT(MS_MET_NAME)
MS_EXPORT(ms_clock)
#endif
