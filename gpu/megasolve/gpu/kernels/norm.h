// RMS normalization; the block sums one row at a time.
#pragma once

#include "device.h"
#include "operations.h"

namespace megasolve {

// One sum per warp.
static_assert(kWarps * sizeof(float) == kNormBytes);

MS_DEVICE void op_norm(const Arenas& arenas, const NormArguments a, float* shared) {
    constexpr float kEpsilon = 1e-5f;
    for (int row = a.row_first; row < a.row_first + a.rows; ++row) {
        const float* x = arenas.floats + a.x + row * a.ldx;
        float squares[1] = {0.f};
        for (int i = thread_index(); i < a.dim; i += MS_THREADS) squares[0] += x[i] * x[i];
        warp_sums(squares);
        if (lane_index() == 0) shared[warp_index()] = squares[0];
#ifndef MS_BUG_SHARED
        block_barrier();
#endif
        float sum = 0.f;
        MS_UNROLL
        for (int warp = 0; warp < kWarps; ++warp) sum += shared[warp];
        const float scale = inverse_root(sum / a.dim + kEpsilon);
        for (int i = thread_index(); i < a.dim; i += MS_THREADS)
            arenas.floats[a.y + row * a.ldy + i] = x[i] * scale * weight_at(arenas, a.weight + i);
        block_barrier();
    }
}

}  // namespace megasolve
