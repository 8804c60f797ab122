// What the operators know of the machine below them. The CUDA half is PTX and builtins, so NVRTC needs no CUDA header; the host half
// (-DMS_HOST) runs the same operators on the CPU, where every GPU thread is a fiber.
//
// Macros that the compilation sets: MS_THREADS (threads of a block: 128, 256 or 512) and MS_MIN_CTAS (blocks that must fit on one SM;
// 1 unless given). For the tests of the race detector, each of these plants one bug: MS_BUG_RELAXED (counters order nothing),
// MS_BUG_NO_BARRIER (a block signals before all of its threads have written), MS_BUG_SHARED (a sum in shared memory is read too early).
#pragma once

#ifndef MS_THREADS
#error "compile with -DMS_THREADS=128, 256 or 512"
#endif
#ifndef MS_MIN_CTAS
#define MS_MIN_CTAS 1
#endif

namespace megasolve {

using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
using i32 = int;

constexpr int kLanes = 32;
constexpr int kWarps = MS_THREADS / kLanes;
constexpr u32 kMinusInfinity = 0xff800000u;
static_assert(MS_THREADS == 128 || MS_THREADS == 256 || MS_THREADS == 512, "the operators are written for 4, 8 or 16 warps");

struct alignas(16) Words4 {
    u32 word[4];
};

struct alignas(16) Floats4 {
    float value[4];
};

// The three arenas of device memory that operands are offsets into; weights are bfloat16 and never change during a launch.
struct Arenas {
    float* floats;
    const u16* weights;
    i32* ids;
};

}  // namespace megasolve

#ifdef MS_HOST
#include "device_host.h"
#else
#include "device_cuda.h"
#endif

namespace megasolve {

MS_DEVICE int lane_index() { return thread_index() % kLanes; }
MS_DEVICE int warp_index() { return thread_index() / kLanes; }

MS_DEVICE int smaller(int a, int b) { return a < b ? a : b; }
MS_DEVICE int blocks_of(int count, int size) { return (count + size - 1) / size; }

MS_DEVICE float float_of_bf16(u16 value) { return float_of_bits(static_cast<u32>(value) << 16); }
// The halves of a word that holds two bfloat16, the first in the low bits.
MS_DEVICE float first_of_pair(u32 pair) { return float_of_bits(pair << 16); }
MS_DEVICE float second_of_pair(u32 pair) { return float_of_bits(pair & 0xffff0000u); }

MS_DEVICE float weight_at(const Arenas& arenas, int offset) { return float_of_bf16(load_weight(arenas.weights + offset)); }

// Calls body(row, column) once for each element of a tile, over the threads of the block.
template <class Body>
MS_DEVICE void for_each_element(int rows, int columns, Body body) {
    for (int i = thread_index(); i < rows * columns; i += MS_THREADS) body(i / columns, i % columns);
}

}  // namespace megasolve
