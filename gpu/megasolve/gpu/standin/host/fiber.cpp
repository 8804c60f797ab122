#include "fiber.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <new>

#ifdef MS_OWN_CONTEXT
// Saves the registers that a callee must keep on this stack, its pointer at *from, and restores those below `to`. swapcontext does the
// same with two system calls for the signal mask, which nothing here changes.
extern "C" void ms_switch_stacks(void** from, void* to);
asm(R"(
    .text
    .hidden ms_switch_stacks
    .globl ms_switch_stacks
    .type ms_switch_stacks, @function
ms_switch_stacks:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size ms_switch_stacks, . - ms_switch_stacks
)");
#endif

namespace megasolve {

#ifdef MS_OWN_CONTEXT
void Context::begin(char* stack, void (*entry)()) {
    constexpr int kSavedRegisters = 6;
    // The ABI wants the pointer 8 bytes off a multiple of 16 where a function begins, which is right after the return address is popped.
    void** top = reinterpret_cast<void**>(stack + kStackBytes) - 2;
    *top = reinterpret_cast<void*>(entry);
    stack_pointer_ = top - kSavedRegisters;
}

void Context::switch_to(Context& next) { ms_switch_stacks(&stack_pointer_, next.stack_pointer_); }
#else
void Context::begin(char* stack, void (*entry)()) {
    getcontext(&saved_);
    saved_.uc_stack.ss_sp = stack;
    saved_.uc_stack.ss_size = kStackBytes;
    saved_.uc_link = nullptr;
    makecontext(&saved_, entry, 0);
}

void Context::switch_to(Context& next) { swapcontext(&saved_, &next.saved_); }
#endif

Stacks::Stacks(size_t count) : bytes_(count * kStackBytes) {
    void* mapped = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    base_ = static_cast<char*>(mapped);
}

Stacks::~Stacks() { munmap(base_, bytes_); }

bool Stacks::overflowed(size_t index) const {
    // A sample is enough: what comes so far down leaves no gaps of this size.
    constexpr size_t kGuardBytes = 4096, kStepBytes = 256;
    const char* lowest = at(index);
    for (size_t offset = 0; offset < kGuardBytes; offset += kStepBytes)
        if (*reinterpret_cast<const uint64_t*>(lowest + offset) != 0) return true;
    return false;
}

}  // namespace megasolve

extern "C" {
void* __tsan_get_current_fiber() __attribute__((weak));
void* __tsan_create_fiber(unsigned flags) __attribute__((weak));
void __tsan_destroy_fiber(void* fiber) __attribute__((weak));
void __tsan_switch_to_fiber(void* fiber, unsigned flags) __attribute__((weak));
void __tsan_acquire(void* tag) __attribute__((weak));
void __tsan_release(void* tag) __attribute__((weak));
}

namespace megasolve::tsan {

bool is_active() { return __tsan_switch_to_fiber != nullptr; }

void* current_fiber() { return is_active() ? __tsan_get_current_fiber() : nullptr; }

void* create_fiber() { return is_active() ? __tsan_create_fiber(0) : nullptr; }

void destroy_fiber(void* fiber) {
    if (is_active()) __tsan_destroy_fiber(fiber);
}

void switch_to(void* fiber, bool ordered) {
    constexpr unsigned kUnordered = 1;
    if (is_active()) __tsan_switch_to_fiber(fiber, ordered ? 0 : kUnordered);
}

void acquire(void* tag) {
    if (is_active()) __tsan_acquire(tag);
}

void release(void* tag) {
    if (is_active()) __tsan_release(tag);
}

}  // namespace megasolve::tsan
