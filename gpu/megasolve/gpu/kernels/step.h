// One token of a state-space layer. A warp owns one row of a state, so the state is read and written once, in whole lines.
#pragma once

#include "device.h"
#include "operations.h"

namespace megasolve {

MS_DEVICE float softplus(float x) { return fmaxf(x, 0.f) + log1pf(exponential(-fabsf(x))); }

MS_DEVICE void op_step(const Arenas& arenas, const StepArguments a, float*) {
    for (int unit = warp_index(); unit < a.rows * a.head_count * a.head_dim; unit += kWarps) {
        const int r = a.row_first + unit / (a.head_count * a.head_dim), p = unit % a.head_dim;
        const int head = a.head_first + unit / a.head_dim % a.head_count;
        const float dt = softplus(arenas.floats[a.dt + r * a.lddt + head] + weight_at(arenas, a.dt_bias + head));
        const float decay = exponential(-dt * exponential(weight_at(arenas, a.a_log + head)));
        const float x = arenas.floats[a.x + r * a.ldx + head * a.head_dim + p];
        float* state = arenas.floats + a.state + ((r * a.heads + head) * a.head_dim + p) * a.states;
        float sums[1] = {0.f};
        for (int n = lane_index(); n < a.states; n += kLanes) {
            const float next = state[n] * decay + dt * x * arenas.floats[a.b + r * a.ldb + n];
            state[n] = next;
            sums[0] += next * arenas.floats[a.c + r * a.ldc + n];
        }
        warp_sums(sums);
        if (lane_index() == 0) arenas.floats[a.y + r * a.ldy + head * a.head_dim + p] = sums[0] + weight_at(arenas, a.d + head) * x;
    }
}

}  // namespace megasolve
