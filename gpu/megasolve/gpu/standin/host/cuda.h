// What CUDA C++ finds on the CPU: the part of the language and of its built-in functions that the stand-in knows.
//
// A thread is a fiber and one OS thread runs them all, so a loop that polls memory must call __nanosleep, which lets the others run. Shared
// memory is `extern __shared__ T name[];`: a block has that of its launch and no other.
#pragma once

#include <math.h>
#include <string.h>

#include <utility>

#include "runtime.h"

#define __global__
#define __device__ static inline
#define __host__
#define __forceinline__ inline
#define __noinline__
#define __restrict__
#define __constant__ static const
#define __launch_bounds__(...)
#define __align__(bytes) alignas(bytes)
#define __shared__ the_stand_in_knows_only_extern__shared__with_empty_brackets
#define threadIdx (ms_current->thread_index)
#define blockIdx (ms_current->block_index)
#define blockDim (ms_current->block_dim)
#define gridDim (ms_current->grid_dim)

// The host's library has some of these names for itself.
#define rsqrtf(x) (1.f / sqrtf(x))
#define __expf(x) expf(x)
#define __logf(x) logf(x)
#define __sinf(x) sinf(x)
#define __cosf(x) cosf(x)
#define __powf(x, y) powf(x, y)
#define __fdividef(x, y) ((x) / (y))

constexpr int warpSize = 32;

static inline void __syncthreads() { ms_block_barrier(); }
static inline void __syncwarp(unsigned = 0xffffffffu) { ms_warp_share(nullptr, 0); }
static inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __nanosleep(unsigned) { ms_spin(); }

namespace megasolve::plain {

static inline unsigned lane() {
    const ms_dim3 &at = ms_current->thread_index, &of = ms_current->block_dim;
    return (at.x + of.x * (at.y + of.y * at.z)) % 32;
}

// The value that another lane of the warp hands in; all lanes take part, as the mask of a full warp says.
template <class T>
T shuffled(T value, unsigned from) {
    static_assert(sizeof(T) == 4, "the stand-in shuffles values of 32 bits");
    uint32_t mine;
    memcpy(&mine, &value, sizeof mine);
    const uint32_t theirs = ms_warp_share(&mine, 1)[from % 32];
    memcpy(&value, &theirs, sizeof value);
    return value;
}

static inline unsigned ballot(bool condition) {
    const uint32_t mine = condition;
    const uint32_t* all = ms_warp_share(&mine, 1);
    unsigned votes = 0;
    for (int i = 0; i < 32; ++i) votes |= (all[i] != 0 ? 1u : 0u) << i;
    return votes;
}

// Changes a word as one step, and lets those look again that poll.
template <class T, class Change>
T exchanged(T* word, Change change) {
    T before, after;
    __atomic_load(word, &before, __ATOMIC_SEQ_CST);
    do after = change(before);
    while (!__atomic_compare_exchange(word, &before, &after, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    ms_progress();
    return before;
}

}  // namespace megasolve::plain

template <class T>
T atomicAdd(T* word, T amount) {
    return megasolve::plain::exchanged(word, [=](T before) { return static_cast<T>(before + amount); });
}
static inline unsigned atomicAdd(unsigned* word, int amount) { return atomicAdd(word, static_cast<unsigned>(amount)); }
template <class T>
T atomicSub(T* word, T amount) {
    return megasolve::plain::exchanged(word, [=](T before) { return static_cast<T>(before - amount); });
}
template <class T>
T atomicMax(T* word, T value) {
    return megasolve::plain::exchanged(word, [=](T before) { return before < value ? value : before; });
}
template <class T>
T atomicMin(T* word, T value) {
    return megasolve::plain::exchanged(word, [=](T before) { return value < before ? value : before; });
}
template <class T>
T atomicExch(T* word, T value) {
    return megasolve::plain::exchanged(word, [=](T) { return value; });
}
template <class T>
T atomicCAS(T* word, T expected, T value) {
    return megasolve::plain::exchanged(word, [=](T before) { return before == expected ? value : before; });
}

template <class T>
T __shfl_sync(unsigned, T value, int from) {
    return megasolve::plain::shuffled(value, static_cast<unsigned>(from));
}
template <class T>
T __shfl_xor_sync(unsigned, T value, int mask) {
    return megasolve::plain::shuffled(value, megasolve::plain::lane() ^ static_cast<unsigned>(mask));
}
template <class T>
T __shfl_down_sync(unsigned, T value, unsigned by) {
    const unsigned from = megasolve::plain::lane() + by;
    return megasolve::plain::shuffled(value, from < 32 ? from : megasolve::plain::lane());
}
template <class T>
T __shfl_up_sync(unsigned, T value, unsigned by) {
    const unsigned lane = megasolve::plain::lane();
    return megasolve::plain::shuffled(value, lane < by ? lane : lane - by);
}
static inline unsigned __ballot_sync(unsigned, bool condition) { return megasolve::plain::ballot(condition); }
static inline int __all_sync(unsigned, bool condition) { return megasolve::plain::ballot(condition) == 0xffffffffu; }
static inline int __any_sync(unsigned, bool condition) { return megasolve::plain::ballot(condition) != 0; }

template <class T>
T __ldg(const T* address) {
    return *address;
}
template <class T>
T min(T a, T b) {
    return b < a ? b : a;
}
template <class T>
T max(T a, T b) {
    return a < b ? b : a;
}
static inline unsigned __float_as_uint(float value) {
    unsigned bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
static inline float __uint_as_float(unsigned bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

namespace megasolve {

template <class... Parameters, size_t... I>
void call_with(void (*kernel)(Parameters...), void** arguments, std::index_sequence<I...>) {
    kernel(*static_cast<Parameters*>(arguments[I])...);
}

template <class... Parameters>
void call_with(void (*kernel)(Parameters...), void** arguments) {
    call_with(kernel, arguments, std::make_index_sequence<sizeof...(Parameters)>());
}

}  // namespace megasolve

// A kernel that can be launched through pointers to its arguments, as cuLaunchKernel passes them.
#define MS_EXPORT_NAMED(kernel) \
    extern "C" void ms_thunk_##kernel(void** arguments) { megasolve::call_with(kernel, arguments); }
