// Initialization, devices and contexts.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fstream>
#include <iterator>

#include "driver_state.h"

using namespace megasolve::driver;

namespace {

int context;

std::string contents(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void* opened(const std::string& path) {
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) explain(dlerror());
    return library;
}

// `twin = CUBIN LIBRARY`: the kernels of this cubin are in this library, whatever others hold.
void open_twins() {
    for (const std::string& twin : state.settings.all("twin")) {
        const size_t space = twin.find(' ');
        state.twins.emplace_back(contents(twin.substr(0, space)), opened(twin.substr(space + 1)));
    }
}

bool is_device(int device) { return device >= 0 && device < static_cast<int>(state.settings.number("devices")); }

const struct {
    int attribute;
    const char* key;
} kAttributes[] = {
    {1, "threads_per_cta"},      {2, "threads_per_cta"},      {8, "shared_bytes_by_default"}, {12, "registers_per_cta"},
    {13, "clock_khz"},           {16, "sms"},                 {36, "memory_clock_khz"},       {38, "l2_bytes"},
    {39, "threads_per_sm"},      {75, "compute_major"},       {76, "compute_minor"},          {81, "shared_bytes_per_sm"},
    {82, "registers_per_sm"},    {95, "cooperative_launch"},  {97, "shared_bytes_per_cta"},   {106, "ctas_per_sm"},
    {111, "shared_reserve_bytes"},
};

// Yes-or-no attributes and constants that no shipped device differs in.
int constant_attribute(int attribute) {
    switch (attribute) {
        case 5: return 0x7fffffff;  // the first extent of a grid
        case 6: case 7: return 65535;
        case 10: return 32;
        case 17: return 0;  // no watchdog
        case 19: case 31: case 41: case 78: case 90: return 1;
        default: return 0;
    }
}

}  // namespace

CUresult cuInit(unsigned flags) {
    if (flags != 0) return kInvalidValue;
    if (state.is_initialized) return kSuccess;
    const char* path = getenv("MEGASOLVE_STAND_IN");
    if (!path) {
        explain("MEGASOLVE_STAND_IN names no settings");
        return kNoDevice;
    }
    state.settings = Settings::read(path);
    if (state.settings.number("devices") == 0) return kNoDevice;
    state.is_initialized = true;
    if (const CUresult planted = entered("cuInit", false)) {
        state.is_initialized = false;
        return planted;
    }
    for (const std::string& library : state.settings.all("kernels")) state.libraries.push_back(opened(library));
    open_twins();
    const Settings& settings = state.settings;
    const auto limit = [&settings](const char* key) { return static_cast<uint32_t>(settings.number(key)); };
    const ms_device device = {limit("sms"), limit("ctas_per_sm"), limit("threads_per_sm"), limit("registers_per_sm"),
                              limit("shared_bytes_per_sm")};
    ms_reset(&device, settings.number("seed"));
    return kSuccess;
}

CUresult cuDriverGetVersion(int* version) {
    const char* path = getenv("MEGASOLVE_STAND_IN");
    *version = path ? Settings::read(path).number("driver_version") : 0;
    return kSuccess;
}

CUresult cuDeviceGetCount(int* count) {
    MS_BEGIN_WITHOUT_CONTEXT("cuDeviceGetCount");
    *count = state.settings.number("devices");
    return kSuccess;
}

CUresult cuDeviceGet(int* device, int ordinal) {
    MS_BEGIN_WITHOUT_CONTEXT("cuDeviceGet");
    *device = ordinal;
    return is_device(ordinal) ? kSuccess : kInvalidDevice;
}

CUresult cuDeviceGetName(char* name, int size, int device) {
    MS_BEGIN_WITHOUT_CONTEXT("cuDeviceGetName");
    if (!is_device(device)) return kInvalidDevice;
    snprintf(name, size, "%s", state.settings.text("name").c_str());
    return kSuccess;
}

CUresult cuDeviceGetUuid(unsigned char* uuid, int device) {
    MS_BEGIN_WITHOUT_CONTEXT("cuDeviceGetUuid");
    if (!is_device(device)) return kInvalidDevice;
    memcpy(uuid, "ms-stand-in-no-", 15);
    uuid[15] = static_cast<unsigned char>('0' + device);
    return kSuccess;
}

CUresult cuDeviceTotalMem(size_t* bytes, int device) {
    MS_BEGIN_WITHOUT_CONTEXT("cuDeviceTotalMem");
    *bytes = state.settings.number("memory_bytes");
    return is_device(device) ? kSuccess : kInvalidDevice;
}

CUresult cuDeviceGetAttribute(int* value, int attribute, int device) {
    MS_BEGIN_WITHOUT_CONTEXT("cuDeviceGetAttribute");
    if (!is_device(device)) return kInvalidDevice;
    *value = constant_attribute(attribute);
    for (const auto& known : kAttributes)
        if (known.attribute == attribute) *value = state.settings.number(known.key);
    return kSuccess;
}

CUresult cuDevicePrimaryCtxRetain(void** handle, int device) {
    MS_BEGIN_WITHOUT_CONTEXT("cuDevicePrimaryCtxRetain");
    if (!is_device(device)) return kInvalidDevice;
    *handle = &context;
    state.retained++;
    return kSuccess;
}

CUresult cuDevicePrimaryCtxRelease(int device) {
    MS_BEGIN_WITHOUT_CONTEXT("cuDevicePrimaryCtxRelease");
    if (!is_device(device)) return kInvalidDevice;
    if (state.retained == 0) return kInvalidContext;
    if (--state.retained > 0) return kSuccess;
    state.has_context = false;
    destroy_all();
    return kSuccess;
}

CUresult cuCtxSetCurrent(void* handle) {
    MS_BEGIN_WITHOUT_CONTEXT("cuCtxSetCurrent");
    if (handle && handle != &context) return kInvalidContext;
    state.has_context = handle != nullptr;
    return kSuccess;
}

CUresult cuCtxSynchronize() {
    MS_BEGIN("cuCtxSynchronize");
    return synchronize(-1);
}
