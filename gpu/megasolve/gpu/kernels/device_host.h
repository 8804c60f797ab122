// The host half of device.h: g++ compiles the operators, and the fiber runtime gives threads, barriers, warps and a clock.
#pragma once

#include <math.h>
#include <string.h>

#include <utility>

#include "runtime.h"

#define MS_DEVICE static inline
#define MS_KERNEL extern "C" void
#define MS_UNROLL
#define MS_SHARED_MEMORY(name) float* name = static_cast<float*>(ms_shared())
// A kernel that can be launched through pointers to its arguments, as cuLaunchKernel passes them.
#define MS_EXPORT(kernel) MS_EXPORT_NAMED(kernel)
#define MS_EXPORT_NAMED(kernel) \
    extern "C" void ms_thunk_##kernel(void** arguments) { megasolve::call_with(kernel, arguments); }

namespace megasolve {

MS_DEVICE int thread_index() { return ms_current->thread_index.x; }
MS_DEVICE int block_index() { return ms_current->block_index.x; }
MS_DEVICE void block_barrier() { ms_block_barrier(); }
MS_DEVICE void warp_barrier() { ms_warp_share(nullptr, 0); }

MS_DEVICE float float_of_bits(u32 bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

MS_DEVICE u32 bits_of_float(float value) {
    u32 bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// Rounds to nearest even; a NaN stays one, because the carry of rounding could make it an infinity.
MS_DEVICE u32 bf16_of_float(float value) {
    const u32 bits = bits_of_float(value);
    return value != value ? 0x7fffu : (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
}

MS_DEVICE u32 bf16_pair(float first, float second) { return bf16_of_float(first) | bf16_of_float(second) << 16; }

#ifdef MS_BUG_RELAXED
constexpr int kAcquire = __ATOMIC_RELAXED;
constexpr int kRelease = __ATOMIC_RELAXED;
#else
constexpr int kAcquire = __ATOMIC_ACQUIRE;
constexpr int kRelease = __ATOMIC_RELEASE;
#endif

MS_DEVICE u32 load_acquire(const u32* word) { return __atomic_load_n(word, kAcquire); }

MS_DEVICE void add_release(u32* word, u32 amount) {
    __atomic_fetch_add(word, amount, kRelease);
    ms_progress();
}

MS_DEVICE u32 take_ticket(u32* tickets) { return __atomic_fetch_add(tickets, 1, __ATOMIC_RELAXED); }

MS_DEVICE bool claim(u32* word) {
    u32 unclaimed = 0;
    return __atomic_compare_exchange_n(word, &unclaimed, 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

MS_DEVICE u32 load_system(const u32* word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }

MS_DEVICE void store_system(u32* word, u32 value) {
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
    ms_progress();
}

MS_DEVICE u64 now_ns() { return ms_now_ns(); }
MS_DEVICE u32 sm_index() { return ms_current->sm; }

MS_DEVICE void pause(u32 counter, u32 seen, u32 wanted) {
    ms_note_wait(counter, seen, wanted);
    ms_spin();
}

MS_DEVICE u16 load_weight(const u16* weight) { return *weight; }

MS_DEVICE Words4 load_weights8(const u16* weights) {
    Words4 loaded;
    memcpy(&loaded, weights, sizeof loaded);
    return loaded;
}

MS_DEVICE u32 broadcast(u32 value, int lane) { return ms_warp_share(&value, 1)[lane]; }
MS_DEVICE float shuffle_xor(float value, int mask) {
    return float_of_bits(broadcast(bits_of_float(value), (thread_index() % kLanes) ^ mask));
}
MS_DEVICE int shuffle_xor(int value, int mask) { return broadcast(value, (thread_index() % kLanes) ^ mask); }

MS_DEVICE bool warp_all(bool condition) {
    const u32 mine = condition;
    const u32* all = ms_warp_share(&mine, 1);
    bool every = true;
    for (int lane = 0; lane < kLanes; ++lane) every = every && all[lane];
    return every;
}

template <int COUNT>
MS_DEVICE void warp_sums(float (&values)[COUNT]) {
    u32 mine[COUNT];
    for (int i = 0; i < COUNT; ++i) mine[i] = bits_of_float(values[i]);
    const u32* all = ms_warp_share(mine, COUNT);
    for (int i = 0; i < COUNT; ++i) {
        values[i] = 0.f;
        for (int lane = 0; lane < kLanes; ++lane) values[i] += float_of_bits(all[lane * COUNT + i]);
    }
}

MS_DEVICE float warp_max(float value) {
    const u32 mine = bits_of_float(value);
    const u32* all = ms_warp_share(&mine, 1);
    for (int lane = 0; lane < kLanes; ++lane) value = fmaxf(value, float_of_bits(all[lane]));
    return value;
}

// The twin of mma.m16n8k16: lane 4 g + t holds columns 2 t, 2 t + 1 (and 8 more) of rows g and g + 8 of a, the same rows of column g of b.
MS_DEVICE void mma(float (&d)[4], const u32 (&a)[4], const u32 (&b)[2]) {
    constexpr int kWords = 6;
    const u32 mine[kWords] = {a[0], a[1], a[2], a[3], b[0], b[1]};
    const u32* all = ms_warp_share(mine, kWords);
    const int lane = thread_index() % kLanes;
    for (int i = 0; i < 4; ++i) {
        const int row = lane / 4, lower = i / 2, column = lane % 4 * 2 + i % 2;
        for (int pair = 0; pair < 8; ++pair) {
            const u32 left = all[(row * 4 + pair % 4) * kWords + lower + pair / 4 * 2];
            const u32 right = all[(column * 4 + pair % 4) * kWords + 4 + pair / 4];
            d[i] += float_of_bits(left << 16) * float_of_bits(right << 16);
            d[i] += float_of_bits(left & 0xffff0000u) * float_of_bits(right & 0xffff0000u);
        }
    }
}

MS_DEVICE float exponential(float x) { return expf(x); }
MS_DEVICE float reduced_sine(float x) { return sinf(x); }
MS_DEVICE float reduced_cosine(float x) { return cosf(x); }
MS_DEVICE float inverse_root(float x) { return 1.f / sqrtf(x); }

template <class... Parameters, size_t... I>
void call_with(void (*kernel)(Parameters...), void** arguments, std::index_sequence<I...>) {
    kernel(*static_cast<Parameters*>(arguments[I])...);
}

template <class... Parameters>
void call_with(void (*kernel)(Parameters...), void** arguments) {
    call_with(kernel, arguments, std::make_index_sequence<sizeof...(Parameters)>());
}

}  // namespace megasolve
