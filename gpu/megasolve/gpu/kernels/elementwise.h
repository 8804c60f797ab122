// Element by element, and in place where y is an input.
#pragma once

#include "angles.h"
#include "device.h"
#include "operations.h"

namespace megasolve {

MS_DEVICE float silu(float x) { return x / (1.f + exponential(-x)); }

MS_DEVICE float snake(float x) {
    const float s = sine(x);
    return x + s * s;
}

MS_DEVICE void op_elementwise(const Arenas& arenas, const ElementwiseArguments a, float*) {
    const bool is_binary = a.function == kAdd || a.function == kSiluMul;
    for_each_element(a.rows, a.cols, [&](int row, int column) {
        const int r = a.row_first + row, c = a.col_first + column;
        const float left = arenas.floats[a.a + r * a.lda + c];
        const float right = is_binary ? arenas.floats[a.b + r * a.ldb + c] : 0.f;
        float& y = arenas.floats[a.y + r * a.ldy + c];
        switch (a.function) {
            case kAdd: y = left + right; break;
            case kSiluMul: y = silu(left) * right; break;
            case kTanh: y = tanhf(left); break;
            case kSnake: y = snake(left); break;
        }
    });
}

}  // namespace megasolve
