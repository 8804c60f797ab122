// What a kernel finds on the CPU in place of CUDA: every GPU thread is a fiber, and one OS thread runs them all in an order drawn from a
// seed. Kernel sources include this header when they are compiled with -DMS_HOST; the functions live in the runtime library.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct ms_dim3 {
    unsigned x, y, z;
};

// Where the running thread stands. The fields are CUDA's threadIdx, blockIdx, blockDim, gridDim and %smid.
struct ms_position {
    ms_dim3 thread_index, block_index, block_dim, grid_dim;
    unsigned sm;
};

extern "C" {

// The position of the fiber that runs now; valid inside a kernel only.
extern const ms_position* ms_current;

// __syncthreads(): returns once every thread of the block that has not ended is here.
void ms_block_barrier(void);

// A collective of the warp: each lane hands in `words` (at most 32) words; all get the words of all lanes, lane l at l * words.
// With 0 words it is a barrier. The result is valid until the calling lane's next ms_warp_share. All lanes that have not ended take part.
const uint32_t* ms_warp_share(const uint32_t* mine, int words);

// Waits until some fiber calls ms_progress; call it in every loop that polls memory. It may return early, as any poll may.
void ms_spin(void);

// Says that a counter or flag changed that others may poll. Call it after the change.
void ms_progress(void);

// Says what the calling thread polls for, for the text of a deadlock. Optional.
void ms_note_wait(unsigned counter, unsigned seen, unsigned wanted);

// The virtual clock. It never runs backwards and does not depend on the speed of the machine.
uint64_t ms_now_ns(void);

// The dynamic shared memory of the block, aligned to 128 bytes and poisoned with 0xAA when the block starts.
void* ms_shared(void);

}  // extern "C"
