#include "grid.h"

#include <stdlib.h>
#include <string.h>

#include <sstream>

namespace megasolve {

namespace {

ms_dim3 unrolled(unsigned index, const uint32_t extent[3]) {
    return {index % extent[0], index / extent[0] % extent[1], index / extent[0] / extent[1]};
}

void* poisoned(size_t bytes) {
    constexpr size_t kAlignment = 128;
    const size_t whole = (bytes / kAlignment + 1) * kAlignment;
    void* memory = aligned_alloc(kAlignment, whole);
    memset(memory, 0xAA, whole);
    return memory;
}

unsigned count(const Cta& cta, ThreadState state) {
    unsigned found = 0;
    for (const Thread& thread : cta.threads) found += thread.state == state;
    return found;
}

const Thread* polling_thread(const Cta& cta) {
    for (const Thread& thread : cta.threads)
        if (thread.state == ThreadState::kPolling) return &thread;
    return nullptr;
}

}  // namespace

void FreeDeleter::operator()(void* memory) const { free(memory); }

Cta::Cta(Grid& grid, unsigned index, unsigned sm, std::unique_ptr<Stacks> stacks)
    : grid(grid), index(index), sm(sm), live(grid.block_threads()), stacks(std::move(stacks)), threads(live),
      warps((live + kWarpLanes - 1) / kWarpLanes), shared(poisoned(grid.request.shared_bytes)) {
    const ms_grid_request& request = grid.request;
    const ms_dim3 block_dim = {request.block[0], request.block[1], request.block[2]};
    const ms_dim3 grid_dim = {request.grid[0], request.grid[1], request.grid[2]};
    for (unsigned t = 0; t < live; t++) {
        Warp& warp = warps[t / kWarpLanes];
        if (t % kWarpLanes == 0) {
            warp.cta = this;
            warp.lanes = &threads[t];
            warp.lane_count = warp.live = t + kWarpLanes <= live ? kWarpLanes : live - t;
        }
        Thread& thread = threads[t];
        thread.position = {unrolled(t, request.block), unrolled(index, request.grid), block_dim, grid_dim, sm};
        thread.cta = this;
        thread.warp = &warp;
        thread.lane = t % kWarpLanes;
    }
}

std::string describe(const Cta& cta) {
    std::ostringstream text;
    text << "cta " << cta.index << " on SM " << cta.sm << ":";
    const char* separator = " ";
    if (const Thread* polling = polling_thread(cta)) {
        text << separator << count(cta, ThreadState::kPolling) << " polling";
        if (polling->wait.noted)
            text << " (counter " << polling->wait.counter << " is " << polling->wait.seen << " of " << polling->wait.wanted << ")";
        separator = ", ";
    }
    if (const unsigned waiting = count(cta, ThreadState::kAtBlockBarrier)) {
        text << separator << waiting << " at the block barrier";
        separator = ", ";
    }
    if (const unsigned waiting = count(cta, ThreadState::kAtWarpShare)) {
        text << separator << waiting << " at a warp share";
        separator = ", ";
    }
    if (const unsigned ended = count(cta, ThreadState::kEnded)) text << separator << ended << " ended";
    return text.str();
}

}  // namespace megasolve
