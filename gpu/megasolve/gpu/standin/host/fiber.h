// One thread of control with a stack of its own, and what ThreadSanitizer must be told about it.
#pragma once

#include <stddef.h>

#if defined(__x86_64__) && !defined(MS_PORTABLE_CONTEXT)
#define MS_OWN_CONTEXT
#else
#include <ucontext.h>
#endif

namespace megasolve {

constexpr size_t kStackBytes = 128 << 10;

// Where a stopped thread of control goes on.
class Context {
 public:
    // Makes the context begin in `entry`, which must never return, on a stack of kStackBytes from `stack` on.
    void begin(char* stack, void (*entry)());

    // Stops here and goes on in `next`.
    void switch_to(Context& next);

 private:
#ifdef MS_OWN_CONTEXT
    void* stack_pointer_ = nullptr;
#else
    ucontext_t saved_;
#endif
};

// Zeroed stacks for the threads of one block, in one mapping. The lowest part of a stack is a guard: what is written there overflows.
class Stacks {
 public:
    explicit Stacks(size_t count);
    ~Stacks();
    Stacks(const Stacks&) = delete;
    Stacks& operator=(const Stacks&) = delete;

    char* at(size_t index) const { return base_ + index * kStackBytes; }
    bool overflowed(size_t index) const;

 private:
    char* base_;
    size_t bytes_;
};

// ThreadSanitizer's view. All of it is empty unless the process runs under libtsan.
namespace tsan {
bool is_active();
void* current_fiber();
void* create_fiber();
void destroy_fiber(void* fiber);
// An ordered switch makes all that happened here happen before what `fiber` does next.
void switch_to(void* fiber, bool ordered);
void acquire(void* tag);
void release(void* tag);
}  // namespace tsan

}  // namespace megasolve
