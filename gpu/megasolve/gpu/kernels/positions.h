// What depends on the position of a token: rotary embedding, and its place in the cache of keys and values.
#pragma once

#include "angles.h"
#include "device.h"
#include "operations.h"

namespace megasolve {

// The offset of one head at one position of one sequence in a cache [sequence, head, position, :].
MS_DEVICE int cache_offset(int sequence, int kv_heads, int head, int capacity, int position, int head_dim) {
    return ((sequence * kv_heads + head) * capacity + position) * head_dim;
}

MS_DEVICE void op_rotary(const Arenas& arenas, const RotaryArguments a, float*) {
    constexpr float kLog2Of10000 = 13.287712379549449f;
    const int half = a.head_dim / 2;
    for_each_element(a.rows, a.heads * half, [&](int row, int pair) {
        const int r = a.row_first + row, i = pair % half, at = (a.head_first + pair / half) * a.head_dim + i;
        const float angle = (a.position_first + r % a.tokens) * exp2f(-2 * i * kLog2Of10000 / a.head_dim);
        const float s = sine(angle), c = cosine(angle);
        const float first = arenas.floats[a.x + r * a.ldx + at], second = arenas.floats[a.x + r * a.ldx + at + half];
        arenas.floats[a.y + r * a.ldy + at] = first * c - second * s;
        arenas.floats[a.y + r * a.ldy + at + half] = second * c + first * s;
    });
}

MS_DEVICE void op_kv_append(const Arenas& arenas, const KvAppendArguments a, float*) {
    for_each_element(a.rows, a.heads * a.head_dim, [&](int row, int element) {
        const int r = a.row_first + row, head = a.head_first + element / a.head_dim, i = element % a.head_dim;
        const int position = a.position_first + r % a.tokens, from = head * a.head_dim + i;
        const int to = cache_offset(r / a.tokens, a.kv_heads, head, a.capacity, position, a.head_dim) + i;
        arenas.floats[a.k_cache + to] = arenas.floats[a.k + r * a.ldk + from];
        arenas.floats[a.v_cache + to] = arenas.floats[a.v + r * a.ldv + from];
    });
}

}  // namespace megasolve
