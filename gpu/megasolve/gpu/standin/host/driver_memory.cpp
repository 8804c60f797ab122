// Device memory, which is memory of the process, and host memory that is mapped, which is the same.
#include <stdlib.h>
#include <string.h>

#include "driver_state.h"

using namespace megasolve::driver;

namespace {

bool is_allocated(CUdeviceptr address, size_t bytes) {
    auto after = state.memory.upper_bound(address);
    if (after != state.memory.begin()) {
        const auto& [start, size] = *--after;
        if (address + bytes <= start + size) return true;
    }
    for (void* host : state.host_memory)
        if (address == reinterpret_cast<CUdeviceptr>(host)) return true;
    return false;
}

void* pointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

CUresult fill(CUdeviceptr address, unsigned value, size_t value_bytes, size_t count, void* stream) {
    if (!is_allocated(address, value_bytes * count)) return kInvalidValue;
    GraphNode node{};
    node.address = pointer(address);
    node.value = value;
    node.value_bytes = value_bytes;
    node.count = count;
    Stream& on = *stream_of(stream);
    if (on.captured) {
        on.captured->nodes.push_back(node);
        return kSuccess;
    }
    return enqueue(on, node, state.settings.number("launch_ns"));
}

template <class Object>
void destroy(std::set<void*>& handles) {
    for (void* handle : handles) delete static_cast<Object*>(handle);
    handles.clear();
}

}  // namespace

void megasolve::driver::destroy_all() {
    for (const auto& [address, bytes] : state.memory) free(pointer(address));
    for (void* memory : state.host_memory) free(memory);
    state.memory.clear();
    state.host_memory.clear();
    state.memory_used = 0;
    destroy<Module>(state.modules);
    destroy<Stream>(state.streams);
    destroy<Event>(state.events);
    destroy<Graph>(state.graphs);
    destroy<Graph>(state.graph_execs);
}

CUresult cuMemAlloc(CUdeviceptr* address, size_t bytes) {
    MS_BEGIN("cuMemAlloc");
    if (bytes == 0) return kInvalidValue;
    if (state.memory_used + bytes > state.settings.number("memory_bytes")) return kOutOfMemory;
    void* memory = aligned_alloc(256, (bytes + 255) / 256 * 256);
    if (!memory) return kOutOfMemory;
    // What was never written is no number that anybody expects.
    memset(memory, 0xFF, bytes);
    *address = reinterpret_cast<CUdeviceptr>(memory);
    state.memory[*address] = bytes;
    state.memory_used += bytes;
    return kSuccess;
}

CUresult cuMemFree(CUdeviceptr address) {
    MS_BEGIN("cuMemFree");
    const auto found = state.memory.find(address);
    if (found == state.memory.end()) return kInvalidValue;
    // Freeing waits for the device, as a real driver does.
    if (const CUresult failed = synchronize(-1)) return failed;
    state.memory_used -= found->second;
    state.memory.erase(found);
    free(pointer(address));
    return kSuccess;
}

CUresult cuMemGetInfo(size_t* unused, size_t* total) {
    MS_BEGIN("cuMemGetInfo");
    *total = state.settings.number("memory_bytes");
    *unused = *total - state.memory_used;
    return kSuccess;
}

CUresult cuMemHostAlloc(void** memory, size_t bytes, unsigned) {
    MS_BEGIN("cuMemHostAlloc");
    *memory = calloc(bytes, 1);
    state.host_memory.insert(*memory);
    return kSuccess;
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr* address, void* memory, unsigned) {
    MS_BEGIN("cuMemHostGetDevicePointer");
    *address = reinterpret_cast<CUdeviceptr>(memory);
    return state.host_memory.count(memory) ? kSuccess : kInvalidValue;
}

CUresult cuMemFreeHost(void* memory) {
    MS_BEGIN("cuMemFreeHost");
    if (!state.host_memory.erase(memory)) return kInvalidValue;
    free(memory);
    return kSuccess;
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t bytes) {
    MS_BEGIN("cuMemcpyHtoD");
    if (!is_allocated(to, bytes)) return kInvalidValue;
    if (const CUresult failed = synchronize_default(nullptr)) return failed;
    memcpy(pointer(to), from, bytes);
    return kSuccess;
}

CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t bytes) {
    MS_BEGIN("cuMemcpyDtoH");
    if (!is_allocated(from, bytes)) return kInvalidValue;
    if (const CUresult failed = synchronize_default(nullptr)) return failed;
    memcpy(to, pointer(from), bytes);
    return kSuccess;
}

CUresult cuMemsetD8Async(CUdeviceptr address, unsigned char value, size_t count, void* stream) {
    MS_BEGIN("cuMemsetD8Async");
    return fill(address, value, 1, count, stream);
}

CUresult cuMemsetD32Async(CUdeviceptr address, unsigned value, size_t count, void* stream) {
    MS_BEGIN("cuMemsetD32Async");
    return fill(address, value, 4, count, stream);
}
