// Sines and cosines of angles of any size that a model uses. The library's sinf would need a stack frame for its largest arguments.
#pragma once

#include "device.h"

namespace megasolve {

// Returns the angle less whole turns, from -pi to pi; 2 pi is subtracted in two parts, the first of which is exact in few bits.
MS_DEVICE float reduced_angle(float angle) {
    constexpr float kTurnHigh = 6.28125f, kTurnLow = 1.9353071795864769e-3f, kTurns = 0.15915494309189535f;
    const float turns = rintf(angle * kTurns);
    return angle - turns * kTurnHigh - turns * kTurnLow;
}

MS_DEVICE float sine(float angle) { return reduced_sine(reduced_angle(angle)); }
MS_DEVICE float cosine(float angle) { return reduced_cosine(reduced_angle(angle)); }

}  // namespace megasolve
