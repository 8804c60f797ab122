// y = x W^T on tensor cores, for up to 64 rows. Each activation is split in a high and a low bfloat16 part, so that the product keeps 16
// bits of it. Warps split the columns of the tile, and k where there are more warps than pairs of eight columns.
//
// The sum over k may run in any order, if both operands use the same: thread t of four takes elements 8 t to 8 t + 7 of each 32, which
// are one 128-bit load of weights and two of activations, and hands them to two products as if they were the pairs that these ask for.
#pragma once

#include "device.h"
#include "operations.h"
#include "vectors.h"

namespace megasolve {

constexpr int kMatmulRows = 64;
constexpr int kRowBlocks = kMatmulRows / 16, kColumnBlocks = 2, kColumns = kColumnBlocks * 8;
constexpr int kStep = 4 * kVector;
// Steps of weights on their way at a time; more threads need fewer each, and have fewer registers for them.
constexpr int kAhead = MS_THREADS == 512 ? 2 : 4;

// A warp's part of y: 64 rows of two blocks of eight columns, in the fragments of the product.
struct Sums {
    float of[kRowBlocks][kColumnBlocks][4];
};

constexpr int kSums = sizeof(Sums) / sizeof(float);
// Half of the warps hand their sums over at a time.
static_assert(kWarps / 2 * kLanes * sizeof(Sums) == kMatmulBytes);

// Eight floats as four pairs of bfloat16, and what these leave, rounded likewise.
struct Split {
    u32 high[kVector / 2], low[kVector / 2];
};

MS_DEVICE Split split(const Vector& floats) {
    Split parts;
    MS_UNROLL
    for (int i = 0; i < kVector / 2; ++i) {
        const float first = floats.value[2 * i], second = floats.value[2 * i + 1];
        parts.high[i] = bf16_pair(first, second);
        parts.low[i] = bf16_pair(first - first_of_pair(parts.high[i]), second - second_of_pair(parts.high[i]));
    }
    return parts;
}

// What one warp computes: columns from `column` on, every `stride`-th step of k from `first_step` on.
struct MatmulShare {
    int column, first_step, stride;
};

struct WeightStep {
    Words4 columns[kColumnBlocks];
};

MS_DEVICE WeightStep load_step(const Arenas& arenas, const MatmulArguments& a, int column, int k) {
    const int end = a.n_first + a.n, at = k + lane_index() % 4 * kVector;
    WeightStep step = {};
    MS_UNROLL
    for (int j = 0; j < kColumnBlocks; ++j) {
        const int n = column + 8 * j + lane_index() / 4;
        if (n < end && at < a.k) step.columns[j] = load_weights8(arenas.weights + a.weight + n * a.k + at);
    }
    return step;
}

MS_DEVICE Split load_row(const Arenas& arenas, const MatmulArguments& a, int m, int k) {
    const int at = k + lane_index() % 4 * kVector;
    if (m >= a.m || at >= a.k) return {};
    return split(load_floats8(arenas.floats + a.x + (a.m_first + m) * a.ldx + at));
}

MS_DEVICE void multiply(Sums& sums, const Arenas& arenas, const MatmulArguments& a, int column, int k, const WeightStep& step) {
    MS_UNROLL
    for (int i = 0; i < kRowBlocks; ++i) {
        if (i * 16 >= a.m) break;
        const int row = i * 16 + lane_index() / 4;
        const Split upper = load_row(arenas, a, row, k), lower = load_row(arenas, a, row + 8, k);
        MS_UNROLL
        for (int j = 0; j < kColumnBlocks; ++j) {
            if (column + j * 8 >= a.n_first + a.n) break;
            MS_UNROLL
            for (int pair = 0; pair < 4; pair += 2) {
                const u32 weights[2] = {step.columns[j].word[pair], step.columns[j].word[pair + 1]};
                mma(sums.of[i][j], {upper.high[pair], lower.high[pair], upper.high[pair + 1], lower.high[pair + 1]}, weights);
                mma(sums.of[i][j], {upper.low[pair], lower.low[pair], upper.low[pair + 1], lower.low[pair + 1]}, weights);
            }
        }
    }
}

MS_DEVICE void multiply_share(Sums& sums, const Arenas& arenas, const MatmulArguments& a, const MatmulShare share) {
    WeightStep ahead[kAhead];
    MS_UNROLL
    for (int i = 0; i < kAhead; ++i) ahead[i] = load_step(arenas, a, share.column, (share.first_step + i * share.stride) * kStep);
    for (int first = share.first_step; first * kStep < a.k; first += kAhead * share.stride) {
        MS_UNROLL
        for (int i = 0; i < kAhead; ++i) {
            const int k = (first + i * share.stride) * kStep;
            if (k >= a.k) break;
            const WeightStep step = ahead[i];
            ahead[i] = load_step(arenas, a, share.column, k + kAhead * share.stride * kStep);
            multiply(sums, arenas, a, share.column, k, step);
        }
    }
}

// Calls body(row block, column block, element, position) for each of a lane's sums.
template <class Body>
MS_DEVICE void for_each_sum(Body body) {
    MS_UNROLL
    for (int i = 0; i < kSums; ++i) body(i / (4 * kColumnBlocks), i / 4 % kColumnBlocks, i % 4, i);
}

// Adds the sums of the warps that split k: each round the upper half hands its sums to the lower half, so the order never varies.
MS_DEVICE void reduce(Sums& sums, float* shared, int part, int parts, int peer, int peers) {
    for (int half = parts / 2; half > 0; half /= 2) {
        float* slot = shared + (part % half * peers + peer) * kSums * kLanes + lane_index();
        if (part >= half && part < 2 * half) for_each_sum([&](int i, int j, int e, int at) { slot[at * kLanes] = sums.of[i][j][e]; });
        block_barrier();
        if (part < half) for_each_sum([&](int i, int j, int e, int at) { sums.of[i][j][e] += slot[at * kLanes]; });
        block_barrier();
    }
}

MS_DEVICE void store(const Sums& sums, const Arenas& arenas, const MatmulArguments& a, int column) {
    for_each_sum([&](int i, int j, int e, int) {
        const int m = i * 16 + e / 2 * 8 + lane_index() / 4, n = column + j * 8 + lane_index() % 4 * 2 + e % 2;
        if (m >= a.m || n >= a.n_first + a.n) return;
        const int at = (a.m_first + m) * a.ldy + n;
        arenas.floats[a.y + at] = a.residual < 0 ? sums.of[i][j][e] : sums.of[i][j][e] + arenas.floats[a.residual + at];
    });
}

MS_DEVICE void op_matmul(const Arenas& arenas, const MatmulArguments a, float* shared) {
    const int groups = blocks_of(a.n, kColumns);
    int peers = 1;
    while (peers < groups && peers < kWarps) peers *= 2;
    const int parts = kWarps / peers, part = warp_index() / peers, peer = warp_index() % peers;
    for (int pass = 0; pass < groups; pass += peers) {
        const int column = a.n_first + (pass + peer) * kColumns;
        Sums sums = {};
        if (pass + peer < groups) multiply_share(sums, arenas, a, {column, part, parts});
        reduce(sums, shared, part, parts, peer, peers);
        if (part == 0 && pass + peer < groups) store(sums, arenas, a, column);
    }
}

}  // namespace megasolve
