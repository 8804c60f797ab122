// One device: the work queued on its streams, the blocks that are resident, and the fibers that are ready to go on.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "grid.h"
#include "residency.h"

namespace megasolve {

// A launch, or an action of the host, in the order of its stream.
struct Work {
    uint32_t stream;
    std::vector<int64_t> after;
    std::unique_ptr<Grid> grid;
    void (*action)(void*) = nullptr;
    void* argument = nullptr;
    uint64_t queued_ps, delay_ps;
    uint64_t began_ps = 0, ended_ps = 0;
    bool has_begun = false, has_ended = false;
};

class Scheduler {
 public:
    Scheduler(const ms_device& device, uint64_t seed);

    int64_t launch(const ms_grid_request& request);
    int64_t call(uint32_t stream, void (*action)(void*), void* argument, uint64_t duration_ns);
    void order(uint32_t stream, int64_t ticket) { waits_[stream].push_back(ticket); }
    int run(int64_t ticket, uint64_t most_steps, uint32_t clock_jumps);
    void nudge(uint64_t pause_ns);

    const Work& work(int64_t ticket) const { return works_[ticket]; }
    uint64_t clock_ns() const { return clock_ps_ / kPsPerNs; }
    uint64_t steps() const { return steps_; }
    const std::string& explanation() const { return explanation_; }

    // What kernels call. The running fiber stops in them until it may go on.
    void block_barrier();
    const uint32_t* warp_share(const uint32_t* mine, int words);
    void poll();
    void progress();
    void note_wait(const NotedWait& wait) { running_->wait = wait; }
    void* shared() { return running_->cta->shared.get(); }
    [[noreturn]] void run_thread();

 private:
    static constexpr uint64_t kPsPerNs = 1000;

    int64_t queue(Work work);
    bool is_over(int64_t ticket) const { return ticket < 0 ? pending_.empty() : works_[ticket].has_ended; }
    uint64_t eligible_ps(const Work& work) const;
    void admit();
    void begin(Work& work);
    void start_ctas(Grid& grid);
    void start_cta(Grid& grid);
    void leave(Cta& cta);
    void finish(Work& work);

    void run_one_warp();
    void resume(Thread& thread);
    void stop(ThreadState state);
    void wake(Thread& thread);
    void wake_pollers();
    void block_barrier_passed(Cta& cta);
    void warp_share_passed(Warp& warp);
    void end_thread(Thread& thread);
    [[noreturn]] void fault(const char* rule);

    bool jump_to_next_admission();
    int deadlock();
    std::string why_waiting(const Work& work) const;
    uint64_t draw();

    Residency residency_;
    uint64_t random_;
    uint64_t clock_ps_ = 0, steps_ = 0, next_admission_ps_ = 0;
    bool admission_is_due_ = false;
    std::deque<Work> works_;
    std::vector<int64_t> pending_;
    std::map<uint32_t, int64_t> last_of_stream_;
    std::map<uint32_t, std::vector<int64_t>> waits_;
    std::map<unsigned, std::vector<std::unique_ptr<Stacks>>> spare_stacks_;
    size_t live_threads_ = 0;
    std::vector<Warp*> ready_;
    std::vector<Thread*> pollers_;
    std::vector<Cta*> emptied_;
    Thread* running_ = nullptr;
    Context home_;
    void* home_fiber_ = nullptr;
    const char* fault_ = nullptr;
    std::string explanation_;
};

}  // namespace megasolve
