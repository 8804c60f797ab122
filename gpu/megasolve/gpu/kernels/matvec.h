// y = x W^T for few rows, without tensor cores: a warp streams the weights of two output columns and meets every row with them.
#pragma once

#include "device.h"
#include "operations.h"
#include "vectors.h"

namespace megasolve {

constexpr int kMatvecRows = 8, kMatvecColumns = 2;

MS_DEVICE void op_matvec(const Arenas& arenas, const MatvecArguments a, float*) {
    const int end = a.n_first + a.n;
    const float* x = arenas.floats + a.x + a.m_first * a.ldx;
    for (int column = a.n_first + warp_index() * kMatvecColumns; column < end; column += kWarps * kMatvecColumns) {
        float sums[kMatvecColumns * kMatvecRows] = {};
        for (int k = lane_index() * kVector; k < a.k; k += kLanes * kVector) {
            Words4 weights[kMatvecColumns];
            MS_UNROLL
            for (int j = 0; j < kMatvecColumns; ++j)  // a tile that ends within the pair reads its last column twice
                weights[j] = load_weights8(arenas.weights + a.weight + smaller(column + j, end - 1) * a.k + k);
            MS_UNROLL
            for (int m = 0; m < kMatvecRows; ++m) {
                if (m >= a.m) break;
                const Vector floats = load_floats8(x + m * a.ldx + k);
                MS_UNROLL
                for (int j = 0; j < kMatvecColumns; ++j)
                    sums[j * kMatvecRows + m] = add_products(sums[j * kMatvecRows + m], weights[j], floats);
            }
        }
        warp_sums(sums);
        MS_UNROLL
        for (int i = 0; i < kMatvecColumns * kMatvecRows; ++i) {
            const int m = i % kMatvecRows, n = column + i / kMatvecRows, at = (a.m_first + m) * a.ldy + n;
            if (lane_index() != i || m >= a.m || n >= end) continue;
            arenas.floats[a.y + at] = a.residual < 0 ? sums[i] : sums[i] + arenas.floats[a.residual + at];
        }
    }
}

}  // namespace megasolve
