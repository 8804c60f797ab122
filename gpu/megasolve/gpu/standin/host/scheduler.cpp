#include "scheduler.h"

#include <limits.h>

#include <algorithm>

namespace megasolve {

namespace {

// What a warp does between two waits lasts this long on the virtual clock, however much it is.
constexpr uint64_t kWarpTurnPs = 100'000;
constexpr uint64_t kClockJumpPs = 1'000'000'000'000;

Scheduler* entered = nullptr;

void thread_entry() { entered->run_thread(); }

}  // namespace

Scheduler::Scheduler(const ms_device& device, uint64_t seed)
    : residency_(device), random_(seed * 0x9E3779B97F4A7C15u + 0x2545F4914F6CDD1Du) {}

// ---- the queue

int64_t Scheduler::queue(Work work) {
    const int64_t ticket = works_.size();
    work.queued_ps = clock_ps_;
    work.after = std::move(waits_[work.stream]);
    waits_[work.stream].clear();
    if (const auto last = last_of_stream_.find(work.stream); last != last_of_stream_.end()) work.after.push_back(last->second);
    last_of_stream_[work.stream] = ticket;
    works_.push_back(std::move(work));
    pending_.push_back(ticket);
    admission_is_due_ = true;
    return ticket;
}

int64_t Scheduler::launch(const ms_grid_request& request) {
    auto grid = std::make_unique<Grid>(request);
    const unsigned most = residency_.most_ctas(request);
    if (most == 0 || (request.cooperative && grid->ctas() > most)) {
        const std::string needed = std::to_string(grid->ctas()), held = std::to_string(most);
        explanation_ = grid->name + ": " + needed + " CTAs, and the device holds " + held + " at once";
        return MS_TOO_LARGE;
    }
    Work work{};
    work.stream = request.stream;
    work.delay_ps = request.delay_ns * kPsPerNs;
    work.grid = std::move(grid);
    return queue(std::move(work));
}

int64_t Scheduler::call(uint32_t stream, void (*action)(void*), void* argument, uint64_t duration_ns) {
    Work work{};
    work.stream = stream;
    work.action = action;
    work.argument = argument;
    work.delay_ps = duration_ns * kPsPerNs;
    return queue(std::move(work));
}

uint64_t Scheduler::eligible_ps(const Work& work) const {
    uint64_t from_ps = work.queued_ps;
    for (const int64_t ticket : work.after) {
        if (!works_[ticket].has_ended) return ULLONG_MAX;
        from_ps = std::max(from_ps, works_[ticket].ended_ps);
    }
    return from_ps + work.delay_ps;
}

// In the order of the queue: what comes later may pass what does not fit or has to wait.
void Scheduler::admit() {
    admission_is_due_ = false;
    next_admission_ps_ = ULLONG_MAX;
    for (const int64_t ticket : std::vector<int64_t>(pending_)) {
        Work& work = works_[ticket];
        if (work.has_ended) continue;
        const uint64_t eligible = work.has_begun ? clock_ps_ : eligible_ps(work);
        if (eligible <= clock_ps_)
            begin(work);
        else
            next_admission_ps_ = std::min(next_admission_ps_, eligible);
    }
    pending_.erase(std::remove_if(pending_.begin(), pending_.end(), [this](int64_t t) { return works_[t].has_ended; }), pending_.end());
}

void Scheduler::begin(Work& work) {
    if (work.grid) {
        start_ctas(*work.grid);
        if (work.grid->started && !work.has_begun) {
            work.has_begun = true;
            work.began_ps = clock_ps_;
        }
        return;
    }
    work.has_begun = true;
    work.began_ps = clock_ps_ - work.delay_ps;
    work.action(work.argument);
    finish(work);
}

void Scheduler::start_ctas(Grid& grid) {
    const unsigned left = grid.ctas() - grid.started;
    const unsigned free = residency_.free_ctas(grid.request);
    if (grid.request.cooperative && free < left) return;
    for (unsigned i = 0; i < std::min(left, free); i++) start_cta(grid);
}

void Scheduler::start_cta(Grid& grid) {
    const unsigned threads = grid.block_threads();
    auto& spare = spare_stacks_[threads];
    std::unique_ptr<Stacks> stacks = spare.empty() ? std::make_unique<Stacks>(threads) : std::move(spare.back());
    if (!spare.empty()) spare.pop_back();
    const unsigned index = grid.request.reversed ? grid.ctas() - 1 - grid.started : grid.started;
    grid.started++;
    grid.resident.push_back(std::make_unique<Cta>(grid, index, residency_.place(grid.request), std::move(stacks)));
    Cta& cta = *grid.resident.back();
    live_threads_ += threads;
    // Nothing that a fiber does may grow these: memory would move between threads that ThreadSanitizer sees as unordered.
    ready_.reserve(live_threads_);
    pollers_.reserve(live_threads_);
    emptied_.reserve(live_threads_);
    for (unsigned t = 0; t < threads; t++) {
        cta.threads[t].context.begin(cta.stacks->at(t), thread_entry);
        cta.threads[t].tsan_fiber = tsan::create_fiber();
        wake(cta.threads[t]);
    }
}

void Scheduler::leave(Cta& cta) {
    Grid& grid = cta.grid;
    grid.ended++;
    live_threads_ -= grid.block_threads();
    // A warp may be queued for a thread that then went on in the same turn.
    ready_.erase(std::remove_if(ready_.begin(), ready_.end(), [&cta](const Warp* warp) { return warp->cta == &cta; }), ready_.end());
    residency_.release(cta.sm, grid.request);
    admission_is_due_ = true;
    for (unsigned t = 0; t < cta.threads.size(); t++) {
        if (cta.stacks->overflowed(t)) fault_ = "a thread overflowed its stack; keep large arrays in shared memory";
        tsan::destroy_fiber(cta.threads[t].tsan_fiber);
    }
    auto owner = std::find_if(grid.resident.begin(), grid.resident.end(), [&cta](const auto& held) { return held.get() == &cta; });
    // Under ThreadSanitizer the memory of a block is not used again before its grid has ended, as that would order its blocks.
    grid.left.push_back(std::move(*owner));
    grid.resident.erase(owner);
    const bool is_last = grid.ended == grid.ctas();
    if (tsan::is_active() && !is_last) return;
    if (is_last) tsan::acquire(&grid.tag);
    for (auto& left : grid.left) spare_stacks_[grid.block_threads()].push_back(std::move(left->stacks));
    grid.left.clear();
}

void Scheduler::finish(Work& work) {
    work.has_ended = true;
    work.ended_ps = clock_ps_;
    work.grid.reset();
    admission_is_due_ = true;
}

// ---- the loop

int Scheduler::run(int64_t ticket, uint64_t most_steps, uint32_t clock_jumps) {
    const uint64_t last_step = most_steps < ULLONG_MAX - steps_ ? steps_ + most_steps : ULLONG_MAX;
    home_fiber_ = tsan::current_fiber();
    entered = this;
    while (true) {
        while (admission_is_due_ || clock_ps_ >= next_admission_ps_) admit();
        if (is_over(ticket)) return MS_DONE;
        if (steps_ >= last_step) return MS_STEPS_SPENT;
        if (!ready_.empty()) {
            run_one_warp();
        } else if (jump_to_next_admission()) {
            continue;
        } else if (!pollers_.empty() && clock_jumps > 0) {
            clock_jumps--;
            nudge(kClockJumpPs / kPsPerNs);
        } else {
            return deadlock();
        }
        if (fault_) {
            explanation_ = fault_;
            return MS_FAULT;
        }
    }
}

bool Scheduler::jump_to_next_admission() {
    if (next_admission_ps_ == ULLONG_MAX) return false;
    clock_ps_ = next_admission_ps_;
    return true;
}

void Scheduler::nudge(uint64_t pause_ns) {
    clock_ps_ += pause_ns * kPsPerNs;
    wake_pollers();
}

void Scheduler::run_one_warp() {
    // All warps that are ready go on at once, so one turn of one of them is a share of a turn of all.
    clock_ps_ += std::max<uint64_t>(kWarpTurnPs / ready_.size(), 1);
    const uint64_t drawn = draw();
    const size_t chosen = (drawn >> 1) % ready_.size();
    Warp& warp = *ready_[chosen];
    ready_[chosen] = ready_.back();
    ready_.pop_back();
    warp.is_queued = false;
    const bool backwards = drawn & 1;
    for (unsigned i = 0; i < warp.lane_count; i++) {
        Thread& thread = warp.lanes[backwards ? warp.lane_count - 1 - i : i];
        if (thread.state == ThreadState::kReady) resume(thread);
    }
    for (Cta* cta : emptied_) leave(*cta);
    emptied_.clear();
    // The work of a grid that ended is found in admit(), through the queue.
    if (admission_is_due_)
        for (const int64_t ticket : pending_)
            if (Work& work = works_[ticket]; work.grid && work.grid->ended == work.grid->ctas()) finish(work);
}

void Scheduler::resume(Thread& thread) {
    steps_++;
    running_ = &thread;
    ms_current = &thread.position;
    const bool is_first = !thread.has_begun;
    thread.has_begun = true;
    tsan::switch_to(thread.tsan_fiber, is_first);
    home_.switch_to(thread.context);
}

void Scheduler::stop(ThreadState state) {
    Thread& thread = *running_;
    thread.state = state;
    tsan::switch_to(home_fiber_, false);
    thread.context.switch_to(home_);
}

void Scheduler::run_thread() {
    Thread& thread = *running_;
    const ms_grid_request& request = thread.cta->grid.request;
    request.thunk(request.arguments);
    end_thread(thread);
    stop(ThreadState::kEnded);
    __builtin_unreachable();
}

void Scheduler::end_thread(Thread& thread) {
    Cta& cta = *thread.cta;
    Warp& warp = *thread.warp;
    tsan::release(&cta.grid.tag);
    thread.state = ThreadState::kEnded;
    if (--warp.live && warp.meeting.arrived == warp.live) warp_share_passed(warp);
    if (--cta.live == 0)
        emptied_.push_back(&cta);
    else if (cta.meeting.arrived == cta.live)
        block_barrier_passed(cta);
}

void Scheduler::wake(Thread& thread) {
    thread.state = ThreadState::kReady;
    thread.wait.noted = false;
    if (thread.warp->is_queued) return;
    thread.warp->is_queued = true;
    ready_.push_back(thread.warp);
}

void Scheduler::wake_pollers() {
    for (Thread* thread : pollers_) wake(*thread);
    pollers_.clear();
}

uint64_t Scheduler::draw() {
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    return random_;
}

}  // namespace megasolve
