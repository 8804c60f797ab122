// Attention over a cache of float32 keys and values. A warp meets 32 keys at a time, one per lane, and keeps a running maximum, so that the
// scores of a row are never stored. Heads have at most 128 elements.
#pragma once

#include "device.h"
#include "operations.h"
#include "positions.h"

namespace megasolve {

constexpr int kKeys = kLanes, kMostHeadDim = 128;
constexpr int kOutputs = kMostHeadDim / kLanes;

// One query's state after the keys so far: lane l holds outputs l, l + 32, ...
struct Running {
    float max = -1e30f, sum = 0.f, output[kOutputs] = {};
};

MS_DEVICE float dot(const float* query, const float* key, int head_dim) {
    float sum = 0.f;
    for (int i = 0; i < head_dim; i += 4) {
        const Floats4 q = *reinterpret_cast<const Floats4*>(query + i), k = *reinterpret_cast<const Floats4*>(key + i);
        MS_UNROLL
        for (int j = 0; j < 4; ++j) sum += q.value[j] * k.value[j];
    }
    return sum;
}

// Takes in up to 32 keys: `score` is that of the lane's key, `visible` how many there are, `values` their rows. `probabilities` is room for
// 32 of them.
MS_DEVICE void absorb(Running& running, float score, int visible, const float* values, int head_dim, float* probabilities) {
    const bool sees = lane_index() < visible;
    const float max = fmaxf(running.max, warp_max(sees ? score : running.max));
    float mass[1] = {sees ? exponential(score - max) : 0.f};
    probabilities[lane_index()] = mass[0];
    warp_sums(mass);
    warp_barrier();
    const float kept = exponential(running.max - max);
    running.max = max;
    running.sum = running.sum * kept + mass[0];
    MS_UNROLL
    for (int i = 0; i < kOutputs; ++i) {
        const int d = lane_index() + i * kLanes;
        if (d >= head_dim) break;
        float output = running.output[i] * kept;
        for (int key = 0; key < smaller(visible, kKeys); ++key) output += probabilities[key] * values[key * head_dim + d];
        running.output[i] = output;
    }
    warp_barrier();
}

// The queries of one pass of prefill: rows of one sequence times the query heads of one kv head.
constexpr int kQueries = 16, kQueriesPerWarp = kQueries / kWarps;
// Rows of keys in shared memory are four floats apart from a multiple of 32 banks.
constexpr int kKeyPadding = 4;

struct PrefillMemory {
    float keys[kKeys * (kMostHeadDim + kKeyPadding)], values[kKeys * kMostHeadDim], queries[kQueries * kMostHeadDim];
    float probabilities[kQueries * kKeys];
};

static_assert(sizeof(PrefillMemory) == kAttentionPrefillBytes);

struct PrefillPass {
    int row, head, first, count;  // queries `first` on, counted from the first head of `row`
};

MS_DEVICE void load_queries(const Arenas& arenas, const AttentionPrefillArguments& a, const PrefillPass& pass, PrefillMemory& memory) {
    const float scale = inverse_root(a.head_dim);
    for_each_element(pass.count, a.head_dim, [&](int query, int i) {
        const int row = pass.row + (pass.first + query) / a.group, head = pass.head * a.group + (pass.first + query) % a.group;
        memory.queries[query * a.head_dim + i] = arenas.floats[a.q + row * a.ldq + head * a.head_dim + i] * scale;
    });
}

MS_DEVICE void load_keys(const Arenas& arenas, const AttentionPrefillArguments& a, int from, int count, PrefillMemory& memory) {
    const int quads = a.head_dim / 4;
    for_each_element(count, quads, [&](int key, int quad) {
        const int at = key * a.head_dim + quad * 4;
        float* row = memory.keys + key * (a.head_dim + kKeyPadding);
        reinterpret_cast<Floats4*>(row)[quad] = *reinterpret_cast<const Floats4*>(arenas.floats + a.k_cache + from + at);
        *reinterpret_cast<Floats4*>(memory.values + at) = *reinterpret_cast<const Floats4*>(arenas.floats + a.v_cache + from + at);
    });
}

MS_DEVICE void attend(const Arenas& arenas, const AttentionPrefillArguments& a, const PrefillPass& pass, PrefillMemory& memory) {
    const int keys = (pass.row + (pass.first + pass.count - 1) / a.group) % a.tokens + 1;
    Running running[kQueriesPerWarp];
    load_queries(arenas, a, pass, memory);
    for (int first = 0; first < keys; first += kKeys) {
        const int from = cache_offset(pass.row / a.tokens, a.kv_heads, pass.head, a.capacity, first, a.head_dim);
        load_keys(arenas, a, from, smaller(keys - first, kKeys), memory);
        block_barrier();
        MS_UNROLL
        for (int i = 0; i < kQueriesPerWarp; ++i) {
            const int query = warp_index() * kQueriesPerWarp + i;
            const int visible = (pass.row + (pass.first + query) / a.group) % a.tokens + 1 - first;
            if (query >= pass.count || visible <= 0) continue;
            const float* key = memory.keys + smaller(lane_index(), visible - 1) * (a.head_dim + kKeyPadding);
            const float score = dot(memory.queries + query * a.head_dim, key, a.head_dim);
            absorb(running[i], score, visible, memory.values, a.head_dim, memory.probabilities + query * kKeys);
        }
        block_barrier();
    }
    MS_UNROLL
    for (int i = 0; i < kQueriesPerWarp; ++i) {
        const int query = warp_index() * kQueriesPerWarp + i, index = pass.first + query;
        if (query >= pass.count) continue;
        float* y = arenas.floats + a.y + (pass.row + index / a.group) * a.ldy + (pass.head * a.group + index % a.group) * a.head_dim;
        MS_UNROLL
        for (int j = 0; j < kOutputs; ++j)
            if (lane_index() + j * kLanes < a.head_dim) y[lane_index() + j * kLanes] = running[i].output[j] / running[i].sum;
    }
}

MS_DEVICE void op_attention_prefill(const Arenas& arenas, const AttentionPrefillArguments a, float* shared) {
    PrefillMemory& memory = *reinterpret_cast<PrefillMemory*>(shared);
    const int end = a.row_first + a.rows;
    for (int head = a.head_first; head < a.head_first + a.heads; ++head) {
        for (int row = a.row_first, next; row < end; row = next) {
            next = smaller(end, (row / a.tokens + 1) * a.tokens);
            const int queries = (next - row) * a.group;
            for (int first = 0; first < queries; first += kQueries)
                attend(arenas, a, {row, head, first, smaller(queries - first, kQueries)}, memory);
        }
    }
}

// Query heads that decode serves with one reading of the cache.
constexpr int kHeadsAtOnce = 4;

// What a warp hands to the merge: per head the outputs, their maximum and their sum. Before, the same room holds its probabilities.
struct DecodePart {
    float output[kHeadsAtOnce][kMostHeadDim], max[kHeadsAtOnce], sum[kHeadsAtOnce];
};

struct DecodeMemory {
    float queries[kHeadsAtOnce * kMostHeadDim];
    DecodePart parts[kWarps];
};

static_assert(sizeof(DecodeMemory) == kAttentionDecodeBytes);

MS_DEVICE void meet_cache(Running (&running)[kHeadsAtOnce], const Arenas& arenas, const AttentionDecodeArguments& a, int heads, int cache,
                          DecodeMemory& memory) {
    for (int first = warp_index() * kKeys; first < a.kv_tokens; first += kWarps * kKeys) {
        const int visible = smaller(a.kv_tokens - first, kKeys), from = cache + first * a.head_dim;
        const float* key = arenas.floats + a.k_cache + from + smaller(lane_index(), visible - 1) * a.head_dim;
        MS_UNROLL
        for (int i = 0; i < kHeadsAtOnce; ++i) {
            if (i >= heads) break;
            const float score = dot(memory.queries + i * a.head_dim, key, a.head_dim);
            absorb(running[i], score, visible, arenas.floats + a.v_cache + from, a.head_dim, memory.parts[warp_index()].output[i]);
        }
    }
}

MS_DEVICE void hand_over(const Running (&running)[kHeadsAtOnce], int heads, DecodePart& part) {
    MS_UNROLL
    for (int i = 0; i < kHeadsAtOnce; ++i) {
        if (i >= heads) break;
        MS_UNROLL
        for (int j = 0; j < kOutputs; ++j) part.output[i][lane_index() + j * kLanes] = running[i].output[j];
        if (lane_index() == 0) {
            part.max[i] = running[i].max;
            part.sum[i] = running[i].sum;
        }
    }
}

MS_DEVICE float merged(const DecodeMemory& memory, int head, int d) {
    float max = memory.parts[0].max[head], sum = 0.f, output = 0.f;
    for (int warp = 1; warp < kWarps; ++warp) max = fmaxf(max, memory.parts[warp].max[head]);
    for (int warp = 0; warp < kWarps; ++warp) {
        const float weight = exponential(memory.parts[warp].max[head] - max);
        sum += weight * memory.parts[warp].sum[head];
        output += weight * memory.parts[warp].output[head][d];
    }
    return output / sum;
}

MS_DEVICE void op_attention_decode(const Arenas& arenas, const AttentionDecodeArguments a, float* shared) {
    DecodeMemory& memory = *reinterpret_cast<DecodeMemory*>(shared);
    const float scale = inverse_root(a.head_dim);
    const int batches = blocks_of(a.group, kHeadsAtOnce);
    for (int unit = 0; unit < a.rows * a.heads * batches; ++unit) {
        const int row = a.row_first + unit / batches / a.heads, kv_head = a.head_first + unit / batches % a.heads;
        const int done = unit % batches * kHeadsAtOnce, heads = smaller(a.group - done, kHeadsAtOnce);
        const int columns = (kv_head * a.group + done) * a.head_dim;
        const float* q = arenas.floats + a.q + row * a.ldq + columns;
        for_each_element(1, heads * a.head_dim, [&](int, int i) { memory.queries[i] = q[i] * scale; });
        block_barrier();
        Running running[kHeadsAtOnce];
        meet_cache(running, arenas, a, heads, cache_offset(row, a.kv_heads, kv_head, a.capacity, 0, a.head_dim), memory);
        hand_over(running, heads, memory.parts[warp_index()]);
        block_barrier();
        for_each_element(heads, a.head_dim, [&](int head, int d) {
            arenas.floats[a.y + row * a.ldy + columns + head * a.head_dim + d] = merged(memory, head, d);
        });
        // The barrier after the next queries keeps the parts until all are read.
    }
}

}  // namespace megasolve
