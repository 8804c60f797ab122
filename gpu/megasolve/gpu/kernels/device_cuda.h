// The CUDA half of device.h. PTX instructions and memory orders: PTX ISA 9.0, "Memory Consistency Model" and "mma".
#pragma once

#define MS_DEVICE static __device__ __forceinline__
#define MS_KERNEL extern "C" __global__ void __launch_bounds__(MS_THREADS, MS_MIN_CTAS)
#define MS_UNROLL _Pragma("unroll")
// Dynamic shared memory, as floats.
#define MS_SHARED_MEMORY(name) extern __shared__ __align__(128) float name[]
#define MS_EXPORT(kernel)

namespace megasolve {

MS_DEVICE int thread_index() { return threadIdx.x; }
MS_DEVICE int block_index() { return blockIdx.x; }
MS_DEVICE void block_barrier() { __syncthreads(); }
MS_DEVICE void warp_barrier() { __syncwarp(); }

MS_DEVICE float float_of_bits(u32 bits) { return __uint_as_float(bits); }
MS_DEVICE u32 bits_of_float(float value) { return __float_as_uint(value); }

// Two floats, rounded to nearest even, in one word; the first in the low bits.
MS_DEVICE u32 bf16_pair(float first, float second) {
    u32 pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
    return pair;
}

#ifdef MS_BUG_RELAXED
#define MS_ACQUIRE "relaxed"
#define MS_RELEASE "relaxed"
#else
#define MS_ACQUIRE "acquire"
#define MS_RELEASE "release"
#endif

MS_DEVICE u32 load_acquire(const u32* word) {
    u32 value;
    asm volatile("ld." MS_ACQUIRE ".gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
    return value;
}

MS_DEVICE void add_release(u32* word, u32 amount) {
    asm volatile("red." MS_RELEASE ".gpu.global.add.u32 [%0], %1;" ::"l"(word), "r"(amount) : "memory");
}

// Returns the number of tickets that were taken before.
MS_DEVICE u32 take_ticket(u32* tickets) {
    u32 before;
    asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(tickets) : "memory");
    return before;
}

// Returns whether the caller is the first that claims *word.
MS_DEVICE bool claim(u32* word) {
    u32 before;
    asm volatile("atom.relaxed.gpu.global.cas.b32 %0, [%1], 0, 1;" : "=r"(before) : "l"(word) : "memory");
    return before == 0;
}

MS_DEVICE u32 load_system(const u32* word) {
    u32 value;
    asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
    return value;
}

MS_DEVICE void store_system(u32* word, u32 value) {
    asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}

MS_DEVICE u64 now_ns() {
    u64 time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    return time;
}

MS_DEVICE u32 sm_index() {
    u32 sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    return sm;
}

MS_DEVICE void pause(u32, u32, u32) { __nanosleep(64); }

// The non-coherent path is right for weights only, because nothing writes them during a launch.
MS_DEVICE u16 load_weight(const u16* weight) {
    u16 value;
    asm("ld.global.nc.u16 %0, [%1];" : "=h"(value) : "l"(weight));
    return value;
}

// Eight consecutive weights; each is read once per launch or tile, so they leave L1 to the activations.
MS_DEVICE Words4 load_weights8(const u16* weights) {
    Words4 loaded;
    asm("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(loaded.word[0]), "=r"(loaded.word[1]), "=r"(loaded.word[2]), "=r"(loaded.word[3])
        : "l"(weights));
    return loaded;
}

MS_DEVICE u32 broadcast(u32 value, int lane) { return __shfl_sync(0xffffffffu, value, lane); }
MS_DEVICE float shuffle_xor(float value, int mask) { return __shfl_xor_sync(0xffffffffu, value, mask); }
MS_DEVICE int shuffle_xor(int value, int mask) { return __shfl_xor_sync(0xffffffffu, value, mask); }
MS_DEVICE bool warp_all(bool condition) { return __all_sync(0xffffffffu, condition); }

template <int COUNT>
MS_DEVICE void warp_sums(float (&values)[COUNT]) {
    MS_UNROLL
    for (int mask = kLanes / 2; mask > 0; mask /= 2) {
        MS_UNROLL
        for (int i = 0; i < COUNT; ++i) values[i] += shuffle_xor(values[i], mask);
    }
}

MS_DEVICE float warp_max(float value) {
    MS_UNROLL
    for (int mask = kLanes / 2; mask > 0; mask /= 2) value = fmaxf(value, shuffle_xor(value, mask));
    return value;
}

// d += a b for a of 16 x 16, b of 16 x 8, d of 16 x 8 over the warp, in the fragments of mma.m16n8k16 with bf16 operands.
MS_DEVICE void mma(float (&d)[4], const u32 (&a)[4], const u32 (&b)[2]) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

MS_DEVICE float exponential(float x) { return __expf(x); }
// For |x| of at most pi.
MS_DEVICE float reduced_sine(float x) { return __sinf(x); }
MS_DEVICE float reduced_cosine(float x) { return __cosf(x); }
MS_DEVICE float inverse_root(float x) { return rsqrtf(x); }

}  // namespace megasolve
