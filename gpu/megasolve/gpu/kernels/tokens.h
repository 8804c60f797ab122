// From tokens to activations and back: embedding and sampling.
#pragma once

#include "device.h"
#include "operations.h"

namespace megasolve {

MS_DEVICE void op_embedding(const Arenas& arenas, const EmbeddingArguments a, float*) {
    for_each_element(a.rows, a.cols, [&](int row, int column) {
        const int r = a.row_first + row, c = a.col_first + column;
        const int token = arenas.ids[a.ids_first + r * a.ids_stride];
        arenas.floats[a.y + r * a.ldy + c] = weight_at(arenas, a.table + token * a.dim + c);
    });
}

// The largest element so far and where it stands; the lowest of equal ones.
struct Largest {
    float value;
    int index;
};

static_assert(kWarps * sizeof(Largest) == kSamplingBytes);

MS_DEVICE void meet(Largest& largest, float value, int index) {
    if (value > largest.value || (value == largest.value && index < largest.index)) largest = {value, index};
}

MS_DEVICE Largest largest_in_warp(Largest largest) {
    MS_UNROLL
    for (int mask = kLanes / 2; mask > 0; mask /= 2) {
        const float value = shuffle_xor(largest.value, mask);
        meet(largest, value, shuffle_xor(largest.index, mask));
    }
    return largest;
}

MS_DEVICE void op_sampling(const Arenas& arenas, const SamplingArguments a, float* shared) {
    Largest* of_warps = reinterpret_cast<Largest*>(shared);
    for (int row = a.row_first; row < a.row_first + a.rows; ++row) {
        Largest largest = {float_of_bits(kMinusInfinity), a.dim};
        for (int i = thread_index(); i < a.dim; i += MS_THREADS) meet(largest, arenas.floats[a.x + row * a.ldx + i], i);
        largest = largest_in_warp(largest);
        if (lane_index() == 0) of_warps[warp_index()] = largest;
        block_barrier();
        if (thread_index() == 0) {
            for (int warp = 1; warp < kWarps; ++warp) meet(largest, of_warps[warp].value, of_warps[warp].index);
            // A row of NaN has no largest element; the token must still be one that the embedding can read.
            arenas.ids[a.ids_first + row * a.ids_stride] = largest.index < a.dim ? largest.index : 0;
        }
        block_barrier();
    }
}

}  // namespace megasolve
