// Eight consecutive elements of k at a time: the unit in which operators read weights and the activations beside them.
#pragma once

#include "device.h"

namespace megasolve {

constexpr int kVector = 8;

struct Vector {
    float value[kVector];
};

// Plain loads, never the non-coherent ones: another block may have written these floats in the same launch.
MS_DEVICE Vector load_floats8(const float* floats) {
    const Floats4 low = reinterpret_cast<const Floats4*>(floats)[0], high = reinterpret_cast<const Floats4*>(floats)[1];
    Vector loaded;
    MS_UNROLL
    for (int i = 0; i < kVector; ++i) loaded.value[i] = i < 4 ? low.value[i % 4] : high.value[i % 4];
    return loaded;
}

// Returns sum + the dot product of eight weights and eight floats.
MS_DEVICE float add_products(float sum, const Words4& weights, const Vector& floats) {
    MS_UNROLL
    for (int i = 0; i < kVector / 2; ++i) {
        sum += first_of_pair(weights.word[i]) * floats.value[2 * i];
        sum += second_of_pair(weights.word[i]) * floats.value[2 * i + 1];
    }
    return sum;
}

}  // namespace megasolve
