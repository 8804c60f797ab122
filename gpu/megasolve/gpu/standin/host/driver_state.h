// What the stand-in driver knows: the device that it plays, the objects that were made, and how each of its entry points begins.
//
// It plays a CUDA driver for the calls that this project makes, on the fiber runtime. Time is virtual, nothing is measured, and the names
// of its devices say what they are. Types and numbers follow the CUDA Driver API reference, version 13.0.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "launching.h"

namespace megasolve::driver {

using CUresult = int;
using CUdeviceptr = unsigned long long;

enum : CUresult {
    kSuccess = 0,
    kInvalidValue = 1,
    kOutOfMemory = 2,
    kNotInitialized = 3,
    kNoDevice = 100,
    kInvalidDevice = 101,
    kInvalidImage = 200,
    kInvalidContext = 201,
    kNoBinaryForGpu = 209,
    kInvalidHandle = 400,
    kNotFound = 500,
    kNotReady = 600,
    kLaunchOutOfResources = 701,
    kLaunchTimeout = 702,
    kLaunchFailed = 719,
    kCooperativeLaunchTooLarge = 720,
    kNotSupported = 801,
    kStreamCaptureUnsupported = 900,
    kStreamCaptureInvalidated = 901,
};

// The file that MEGASOLVE_STAND_IN names: lines of `key = value`, where keys may repeat.
class Settings {
 public:
    static Settings read(const char* path);

    uint64_t number(const std::string& key) const;
    std::string text(const std::string& key) const;
    std::vector<std::string> all(const std::string& key) const;
    bool has(const std::string& key) const { return values_.count(key) > 0; }

 private:
    std::multimap<std::string, std::string> values_;
};

// One kernel as its cubin describes it.
struct KernelImage {
    std::string name;
    unsigned registers = 0, local_bytes = 0, shared_bytes = 0, most_threads = 1024;
    std::vector<size_t> argument_bytes;
};

// A cubin: an ELF file whose flags name the architecture and whose .nv.info sections describe the kernels.
struct Cubin {
    unsigned compute_capability = 0;  // 90 for 9.0
    std::map<std::string, KernelImage> kernels;

    // Returns false if the image is no cubin.
    bool read(const unsigned char* image);
};

struct Module;

struct Function {
    KernelImage image;
    Module* module;
    void (*thunk)(void** arguments);
    unsigned most_dynamic_shared_bytes;
};

struct Module {
    Cubin cubin;
    void* twin = nullptr;  // the library that holds the kernels for the CPU; null if any may hold them
    std::map<std::string, std::unique_ptr<Function>> functions;
};

// The values of the arguments of one launch, copied as a driver copies them.
struct Arguments {
    std::vector<std::vector<unsigned char>> values;
    std::vector<void*> addresses;
};

struct GraphNode {
    Function* function;
    ms_grid_request request;
    std::shared_ptr<Arguments> arguments;
    // A fill, where there is no function.
    void* address;
    unsigned value;
    size_t value_bytes, count;
};

struct Graph {
    std::vector<GraphNode> nodes;
};

struct Stream {
    uint32_t id = 0;
    bool waits_for_default = true;
    int64_t last = -1;
    std::unique_ptr<Graph> captured;
};

struct Event {
    int64_t ticket = -1;
    bool is_timed = true;
};

struct State {
    Settings settings;
    bool is_initialized = false;
    CUresult sticky = kSuccess;
    std::vector<void*> libraries;
    std::vector<std::pair<std::string, void*>> twins;  // the bytes of a cubin and the library for it
    std::map<CUdeviceptr, size_t> memory;
    uint64_t memory_used = 0;
    std::set<void*> host_memory, modules, streams, events, graphs, graph_execs;
    std::map<int64_t, std::shared_ptr<Arguments>> in_flight;
    Stream default_stream;
    uint32_t next_stream = 1;
    unsigned retained = 0;
    bool has_context = false;
    std::map<std::string, unsigned> calls;
};

extern State state;

// How every entry point begins: counts the call, plays a planted fault, and repeats the error that ended the context.
CUresult entered(const char* name, bool needs_context);

#define MS_BEGIN(name)                                                               \
    if (const CUresult refused = megasolve::driver::entered(name, true)) return refused
#define MS_BEGIN_WITHOUT_CONTEXT(name)                                               \
    if (const CUresult refused = megasolve::driver::entered(name, false)) return refused

// Says on stderr what a real driver cannot say.
void explain(const std::string& text);

// How many CTAs of such a block one SM holds, by the arithmetic of the CUDA occupancy calculator.
struct Footprint {
    unsigned registers_per_cta, shared_bytes_per_cta, ctas_per_sm;
};
Footprint footprint(const Function& function, unsigned threads, size_t dynamic_shared_bytes);

// What the end of a context takes with it.
void destroy_all();

Stream* stream_of(void* handle);
CUresult enqueue(Stream& stream, const GraphNode& node, uint32_t delay_ns);
CUresult synchronize(int64_t ticket);
CUresult query(int64_t ticket);
CUresult synchronize_default(Stream* beside);

}  // namespace megasolve::driver
