// What measuring needs beside the operators: a kernel that does nothing, and two blocks that wait for each other in turn.
#include "device.h"

namespace megasolve {

MS_KERNEL ms_empty(const u32*) {}
MS_EXPORT(ms_empty)

// Blocks 0 and 1 take turns on one counter, in the way in which a tile follows the one that it waits for: one thread waits, the block
// meets before its work and after it, and one thread signals.
MS_KERNEL ms_turns(u32* counter, const u32* stop, int turns) {
    constexpr u32 kSpinsPerLook = 16;
    for (int turn = block_index(); turn < turns; turn += 2) {
        if (thread_index() == 0) {
            const u32 wanted = turn;
            u32 spins = 1;
            for (u32 seen; (seen = load_acquire(counter)) < wanted; ++spins) {
                if (spins % kSpinsPerLook == 0 && load_system(stop) != 0) break;
                pause(0, seen, wanted);
            }
        }
        block_barrier();
        block_barrier();
        if (thread_index() == 0) add_release(counter, 1);
    }
}
MS_EXPORT(ms_turns)

}  // namespace megasolve
