// Transposed convolution over time. Output rows that are a multiple of the stride apart meet the same weights, so a warp takes up to eight
// of them and one output channel, and reads each weight once for all.
#pragma once

#include "device.h"
#include "operations.h"
#include "vectors.h"

namespace megasolve {

constexpr int kConvRows = 8;

MS_DEVICE void convolve(const Arenas& arenas, const ConvTranspose1dArguments& a, int first_row, int rows, int channel) {
    const int period = a.stride * a.t_in, phase = first_row % a.stride, chunks = a.c_in / kVector;
    const int taps = phase < a.kernel ? blocks_of(a.kernel - phase, a.stride) : 0;
    float sums[kConvRows] = {};
    for (int i = lane_index(); i < taps * chunks; i += kLanes) {
        const int tap = i / chunks, k = i % chunks * kVector;
        const int weight = a.weight + ((phase + tap * a.stride) * a.c_out + channel) * a.c_in + k;
        const Words4 weights = load_weights8(arenas.weights + weight);
        MS_UNROLL
        for (int m = 0; m < kConvRows; ++m) {
            const int row = first_row + m * a.stride, time = row % period / a.stride - tap;
            if (m >= rows || time < 0) continue;
            const float* x = arenas.floats + a.x + (row / period * a.t_in + time) * a.ldx + k;
            sums[m] = add_products(sums[m], weights, load_floats8(x));
        }
    }
    warp_sums(sums);
    const float bias = weight_at(arenas, a.bias + channel);
    MS_UNROLL
    for (int m = 0; m < kConvRows; ++m)
        if (lane_index() == m && m < rows) arenas.floats[a.y + (first_row + m * a.stride) * a.ldy + channel] = sums[m] + bias;
}

MS_DEVICE void op_conv_transpose1d(const Arenas& arenas, const ConvTranspose1dArguments a, float*) {
    const int per_phase = blocks_of(blocks_of(a.rows, a.stride), kConvRows), phases = smaller(a.rows, a.stride);
    for (int unit = warp_index(); unit < phases * per_phase * a.cols; unit += kWarps) {
        const int channel = a.col_first + unit % a.cols, phase = unit / a.cols % phases, done = unit / a.cols / phases * kConvRows;
        const int rows = blocks_of(a.rows - phase, a.stride) - done;
        if (rows > 0) convolve(arenas, a, a.row_first + phase + done * a.stride, smaller(rows, kConvRows), channel);
    }
}

}  // namespace megasolve
