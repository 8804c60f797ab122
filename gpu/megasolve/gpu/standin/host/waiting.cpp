// How threads wait: the block barrier, the warp share, polling, and what to say when nobody can move any more.
#include <sstream>

#include "scheduler.h"

namespace megasolve {

void Scheduler::block_barrier() {
    Thread& thread = *running_;
    Meeting& meeting = thread.cta->meeting;
    void* tag = meeting.tag();
    tsan::release(tag);
    if (++meeting.arrived == thread.cta->live)
        block_barrier_passed(*thread.cta);
    else
        stop(ThreadState::kAtBlockBarrier);
    tsan::acquire(tag);
}

void Scheduler::block_barrier_passed(Cta& cta) {
    if (cta.meeting.arrived == 0) return;
    cta.meeting.arrived = 0;
    cta.meeting.turn ^= 1;
    for (Thread& thread : cta.threads)
        if (thread.state == ThreadState::kAtBlockBarrier) wake(thread);
}

const uint32_t* Scheduler::warp_share(const uint32_t* mine, int words) {
    Thread& thread = *running_;
    Warp& warp = *thread.warp;
    Meeting& meeting = warp.meeting;
    if (words < 0 || words > static_cast<int>(kMostSharedWords)) fault("a warp shares at most 32 words per lane");
    if (meeting.arrived && warp.words != words) fault("the lanes of a warp share different numbers of words");
    warp.words = words;
    uint32_t* all = warp.shared[meeting.turn];
    for (int word = 0; word < words; word++) all[thread.lane * words + word] = mine[word];
    void* tag = meeting.tag();
    tsan::release(tag);
    if (++meeting.arrived == warp.live)
        warp_share_passed(warp);
    else
        stop(ThreadState::kAtWarpShare);
    tsan::acquire(tag);
    return all;
}

void Scheduler::warp_share_passed(Warp& warp) {
    if (warp.meeting.arrived == 0) return;
    warp.meeting.arrived = 0;
    warp.meeting.turn ^= 1;
    for (unsigned lane = 0; lane < warp.lane_count; lane++)
        if (warp.lanes[lane].state == ThreadState::kAtWarpShare) wake(warp.lanes[lane]);
}

void Scheduler::poll() {
    pollers_.push_back(running_);
    stop(ThreadState::kPolling);
}

void Scheduler::progress() { wake_pollers(); }

void Scheduler::fault(const char* rule) {
    fault_ = rule;
    stop(ThreadState::kEnded);
    __builtin_unreachable();
}

std::string Scheduler::why_waiting(const Work& work) const {
    const Grid& grid = *work.grid;
    std::ostringstream text;
    text << grid.name << " (stream " << grid.request.stream << (grid.request.cooperative ? ", cooperative" : "") << "): ";
    for (const int64_t ticket : work.after)
        if (!works_[ticket].has_ended) {
            text << "waits for its turn in the stream";
            return text.str();
        }
    text << grid.resident.size() << " of " << grid.ctas() << " CTAs resident, " << grid.ended << " ended";
    if (grid.started < grid.ctas())
        text << ", " << grid.ctas() - grid.started << " wait for a slot, " << residency_.free_ctas(grid.request) << " free";
    constexpr size_t kMostShown = 8;
    for (size_t i = 0; i < grid.resident.size() && i < kMostShown; i++) text << "; " << describe(*grid.resident[i]);
    if (grid.resident.size() > kMostShown) text << "; and " << grid.resident.size() - kMostShown << " more";
    return text.str();
}

int Scheduler::deadlock() {
    std::ostringstream text;
    text << "deadlock at " << clock_ns() << " ns";
    for (const int64_t ticket : pending_)
        if (works_[ticket].grid) text << " | " << why_waiting(works_[ticket]);
    explanation_ = text.str();
    return MS_DEADLOCK;
}

}  // namespace megasolve
