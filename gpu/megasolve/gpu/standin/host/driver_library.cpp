// The stand-in driver as one translation unit, and how a program finds its entry points. One that it lacks is reported as not found, with
// the name of the missing function, by whoever asked for it.
#include "driver_cubin.cpp"
#include "driver_device.cpp"
#include "driver_launches.cpp"
#include "driver_memory.cpp"
#include "driver_modules.cpp"
#include "driver_settings.cpp"
#include "driver_streams.cpp"

namespace {

struct EntryPoint {
    const char* name;
    int since;  // the version of CUDA that brought this form of the function
    void* function;
};

#define MS_POINT(name, since) {#name, since, reinterpret_cast<void*>(name)}
const EntryPoint kEntryPoints[] = {
    MS_POINT(cuCtxSetCurrent, 4000),
    MS_POINT(cuCtxSynchronize, 2000),
    MS_POINT(cuDeviceGet, 2000),
    MS_POINT(cuDeviceGetAttribute, 2000),
    MS_POINT(cuDeviceGetCount, 2000),
    MS_POINT(cuDeviceGetName, 2000),
    MS_POINT(cuDeviceGetUuid, 9020),
    MS_POINT(cuDevicePrimaryCtxRelease, 11000),
    MS_POINT(cuDevicePrimaryCtxRetain, 7000),
    MS_POINT(cuDeviceTotalMem, 3020),
    MS_POINT(cuDriverGetVersion, 2020),
    MS_POINT(cuEventCreate, 2000),
    MS_POINT(cuEventDestroy, 4000),
    MS_POINT(cuEventElapsedTime, 2000),
    MS_POINT(cuEventQuery, 2000),
    MS_POINT(cuEventRecord, 2000),
    MS_POINT(cuEventSynchronize, 2000),
    MS_POINT(cuFuncGetAttribute, 2020),
    MS_POINT(cuFuncLoad, 12040),
    MS_POINT(cuFuncSetAttribute, 9000),
    MS_POINT(cuGraphDestroy, 10000),
    MS_POINT(cuGraphExecDestroy, 10000),
    MS_POINT(cuGraphInstantiateWithFlags, 11040),
    MS_POINT(cuGraphLaunch, 10000),
    MS_POINT(cuGraphUpload, 11010),
    MS_POINT(cuInit, 2000),
    MS_POINT(cuLaunchCooperativeKernel, 9000),
    MS_POINT(cuLaunchKernel, 4000),
    MS_POINT(cuMemAlloc, 3020),
    MS_POINT(cuMemFree, 3020),
    MS_POINT(cuMemFreeHost, 2000),
    MS_POINT(cuMemGetInfo, 3020),
    MS_POINT(cuMemHostAlloc, 2020),
    MS_POINT(cuMemHostGetDevicePointer, 3020),
    MS_POINT(cuMemcpyDtoH, 3020),
    MS_POINT(cuMemcpyHtoD, 3020),
    MS_POINT(cuMemsetD32Async, 3020),
    MS_POINT(cuMemsetD8Async, 3020),
    MS_POINT(cuModuleGetFunction, 2000),
    MS_POINT(cuModuleLoadData, 2000),
    MS_POINT(cuModuleUnload, 2000),
    MS_POINT(cuOccupancyMaxActiveBlocksPerMultiprocessor, 6050),
    MS_POINT(cuStreamBeginCapture, 10010),
    MS_POINT(cuStreamCreateWithPriority, 5050),
    MS_POINT(cuStreamDestroy, 4000),
    MS_POINT(cuStreamEndCapture, 10000),
    MS_POINT(cuStreamQuery, 2000),
    MS_POINT(cuStreamSynchronize, 2000),
    MS_POINT(cuStreamWaitEvent, 3020),
};

}  // namespace

extern "C" {

CUresult cuGetProcAddress_v2(const char* name, void** function, int version, uint64_t, int* status) {
    enum Status { kFound, kUnknown, kVersionTooLow };
    *function = nullptr;
    int found = kUnknown;
    for (const EntryPoint& point : kEntryPoints)
        if (strcmp(point.name, name) == 0) {
            found = point.since <= version ? kFound : kVersionTooLow;
            *function = found == kFound ? point.function : nullptr;
        }
    if (status) *status = found;
    return found == kFound ? kSuccess : kNotFound;
}

// NVRTC looks for a driver too and asks it for tables that are not documented.
CUresult cuGetExportTable(const void** table, const void*) {
    *table = nullptr;
    return kInvalidValue;
}

// The objects that were made and never destroyed, for the tests of the code above.
int ms_stand_in_live_objects(void) {
    return static_cast<int>(state.memory.size() + state.host_memory.size() + state.modules.size() + state.streams.size() +
                            state.events.size() + state.graphs.size() + state.graph_execs.size());
}

}  // extern "C"
