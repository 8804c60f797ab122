// Modules from real cubins, and their functions, which run as what g++ made of the same source.
#include <dlfcn.h>
#include <string.h>

#include <algorithm>

#include "driver_state.h"

using namespace megasolve::driver;

namespace {

constexpr unsigned kWarpThreads = 32;

unsigned rounded_up(unsigned amount, unsigned unit) { return (amount + unit - 1) / unit * unit; }
unsigned setting(const char* key) { return state.settings.number(key); }

bool runs_here(const Cubin& cubin) {
    const unsigned major = setting("compute_major"), minor = setting("compute_minor");
    return cubin.compute_capability / 10 == major && cubin.compute_capability % 10 <= minor;
}

void* twin_of(const void* image) {
    for (const auto& [bytes, library] : state.twins)
        if (memcmp(image, bytes.data(), bytes.size()) == 0) return library;
    return nullptr;
}

void* thunk_of(const Module& module, const std::string& kernel) {
    const std::string symbol = "ms_thunk_" + kernel;
    if (module.twin) return dlsym(module.twin, symbol.c_str());
    for (void* library : state.libraries)
        if (void* thunk = library ? dlsym(library, symbol.c_str()) : nullptr) return thunk;
    return nullptr;
}

unsigned most_dynamic_shared_bytes(const Function& function) { return setting("shared_bytes_per_cta") - function.image.shared_bytes; }

unsigned ctas_by_registers(unsigned registers, unsigned warps) {
    const unsigned per_warp = rounded_up(std::max(registers, 1u) * kWarpThreads, setting("register_unit_per_warp"));
    const unsigned share = std::min(setting("registers_per_cta"), setting("registers_per_sm"));
    const unsigned unit = setting("warp_unit_per_sm");
    return share / per_warp / unit * unit / warps * (setting("registers_per_sm") / share);
}

}  // namespace

namespace megasolve::driver {

Footprint footprint(const Function& function, unsigned threads, size_t dynamic_shared_bytes) {
    Footprint found{};
    const size_t shared = function.image.shared_bytes + dynamic_shared_bytes;
    const unsigned most_threads = std::min(setting("threads_per_cta"), function.image.most_threads);
    if (threads > most_threads || shared > setting("shared_bytes_per_cta")) return found;
    const unsigned warps = (threads + kWarpThreads - 1) / kWarpThreads;
    const unsigned by_registers = ctas_by_registers(function.image.registers, warps);
    if (by_registers == 0) return found;
    found.registers_per_cta = setting("registers_per_sm") / by_registers;
    found.shared_bytes_per_cta = rounded_up(shared, setting("shared_unit_bytes")) + setting("shared_reserve_bytes");
    const unsigned by_threads = setting("threads_per_sm") / kWarpThreads / warps;
    const unsigned by_shared = found.shared_bytes_per_cta ? setting("shared_bytes_per_sm") / found.shared_bytes_per_cta : by_threads;
    found.ctas_per_sm = std::min({by_registers, by_threads, by_shared, setting("ctas_per_sm")});
    return found;
}

}  // namespace megasolve::driver

CUresult cuModuleLoadData(void** handle, const void* image) {
    MS_BEGIN("cuModuleLoadData");
    auto module = std::make_unique<Module>();
    if (!module->cubin.read(static_cast<const unsigned char*>(image))) return kInvalidImage;
    if (!runs_here(module->cubin)) return kNoBinaryForGpu;
    module->twin = twin_of(image);
    *handle = module.release();
    state.modules.insert(*handle);
    return kSuccess;
}

CUresult cuModuleUnload(void* handle) {
    MS_BEGIN("cuModuleUnload");
    if (!state.modules.erase(handle)) return kInvalidHandle;
    delete static_cast<Module*>(handle);
    return kSuccess;
}

CUresult cuModuleGetFunction(void** handle, void* module_handle, const char* name) {
    MS_BEGIN("cuModuleGetFunction");
    if (!state.modules.count(module_handle)) return kInvalidHandle;
    Module& module = *static_cast<Module*>(module_handle);
    const auto found = module.cubin.kernels.find(name);
    if (found == module.cubin.kernels.end()) return kNotFound;
    std::unique_ptr<Function>& function = module.functions[name];
    if (!function) {
        void* thunk = thunk_of(module, name);
        if (!thunk) {
            explain(std::string("the cubin has the kernel ") + name + ", but no library in the settings has it for the CPU");
            return kNotFound;
        }
        constexpr unsigned kWithoutOptIn = 48 << 10;
        function = std::make_unique<Function>(Function{found->second, &module, reinterpret_cast<void (*)(void**)>(thunk), kWithoutOptIn});
        function->most_dynamic_shared_bytes = std::min(kWithoutOptIn - found->second.shared_bytes, kWithoutOptIn);
    }
    *handle = function.get();
    return kSuccess;
}

CUresult cuFuncLoad(void*) {
    MS_BEGIN("cuFuncLoad");
    return kSuccess;
}

CUresult cuFuncGetAttribute(int* value, int attribute, void* handle) {
    MS_BEGIN("cuFuncGetAttribute");
    const Function& function = *static_cast<Function*>(handle);
    switch (attribute) {
        case 0: *value = function.image.most_threads; return kSuccess;
        case 1: *value = function.image.shared_bytes; return kSuccess;
        case 2: *value = 0; return kSuccess;
        case 3: *value = function.image.local_bytes; return kSuccess;
        case 4: *value = function.image.registers; return kSuccess;
        case 5: case 6: *value = function.module->cubin.compute_capability; return kSuccess;
        case 8: *value = function.most_dynamic_shared_bytes; return kSuccess;
        default: return kInvalidValue;
    }
}

CUresult cuFuncSetAttribute(void* handle, int attribute, int value) {
    MS_BEGIN("cuFuncSetAttribute");
    constexpr int kMostDynamicShared = 8;
    Function& function = *static_cast<Function*>(handle);
    if (attribute != kMostDynamicShared) return kSuccess;
    if (value < 0 || static_cast<unsigned>(value) > most_dynamic_shared_bytes(function)) return kInvalidValue;
    function.most_dynamic_shared_bytes = value;
    return kSuccess;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* ctas, void* handle, int threads, size_t dynamic_shared_bytes) {
    MS_BEGIN("cuOccupancyMaxActiveBlocksPerMultiprocessor");
    if (threads < 1) return kInvalidValue;
    *ctas = footprint(*static_cast<Function*>(handle), threads, dynamic_shared_bytes).ctas_per_sm;
    return kSuccess;
}
