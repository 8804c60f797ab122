// The runtime as one translation unit, which builds in half the time of its parts.
#include "fiber.cpp"
#include "grid.cpp"
#include "residency.cpp"
#include "runtime.cpp"
#include "scheduler.cpp"
#include "waiting.cpp"
