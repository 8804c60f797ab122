// A grid on its way through the device: blocks, warps and threads, and how the threads of a block wait for each other.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fiber.h"
#include "launching.h"
#include "runtime.h"

namespace megasolve {

constexpr unsigned kWarpLanes = 32;
constexpr unsigned kMostSharedWords = 32;

struct Cta;
struct Grid;
struct Warp;

enum class ThreadState { kReady, kAtBlockBarrier, kAtWarpShare, kPolling, kEnded };

struct NotedWait {
    bool noted;
    unsigned counter, seen, wanted;
};

struct Thread {
    ms_position position;
    Context context;
    Cta* cta;
    Warp* warp;
    unsigned lane;
    ThreadState state = ThreadState::kReady;
    NotedWait wait = {};
    void* tsan_fiber = nullptr;
    bool has_begun = false;
};

// A meeting of threads. There are two tags, used in turns: with one, a thread that is slow to leave would also be ordered after what a
// fast one does on its way to the next meeting, and ThreadSanitizer would miss a race between the two.
struct Meeting {
    unsigned arrived = 0;
    unsigned turn = 0;
    char tags[2];

    void* tag() { return &tags[turn]; }
};

struct Warp {
    Cta* cta;
    Thread* lanes;
    unsigned lane_count, live;
    bool is_queued = false;
    Meeting meeting;
    int words = 0;
    // In turns too: a lane may hand in its next words while another still reads the last ones.
    uint32_t shared[2][kWarpLanes * kMostSharedWords];
};

struct FreeDeleter {
    void operator()(void* memory) const;
};

struct Cta {
    Cta(Grid& grid, unsigned index, unsigned sm, std::unique_ptr<Stacks> stacks);

    Grid& grid;
    unsigned index, sm, live;
    Meeting meeting;
    std::unique_ptr<Stacks> stacks;
    std::vector<Thread> threads;
    std::vector<Warp> warps;
    std::unique_ptr<void, FreeDeleter> shared;
};

struct Grid {
    explicit Grid(const ms_grid_request& request) : request(request), name(request.name) {}

    ms_grid_request request;
    std::string name;
    unsigned started = 0, ended = 0;
    std::vector<std::unique_ptr<Cta>> resident, left;
    char tag;

    unsigned ctas() const { return request.grid[0] * request.grid[1] * request.grid[2]; }
    unsigned block_threads() const { return request.block[0] * request.block[1] * request.block[2]; }
};

// "cta 3 on SM 1: 1 thread polls (counter 5 is 3 of 12), 255 at the block barrier"
std::string describe(const Cta& cta);

}  // namespace megasolve
