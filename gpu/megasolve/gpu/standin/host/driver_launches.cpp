// Launches, and graphs of launches that a stream captured.
#include <string.h>

#include "driver_state.h"

using namespace megasolve::driver;

namespace megasolve::driver {

namespace {

struct Fill {
    void* address;
    unsigned value;
    size_t value_bytes, count;
};

void fill(void* argument) {
    Fill* fill = static_cast<Fill*>(argument);
    if (fill->value_bytes == 1)
        memset(fill->address, static_cast<int>(fill->value), fill->count);
    else
        for (size_t i = 0; i < fill->count; i++) static_cast<unsigned*>(fill->address)[i] = fill->value;
    delete fill;
}

void order_with_default(Stream& stream) {
    Stream& fallback = state.default_stream;
    if (&stream != &fallback) {
        if (stream.waits_for_default && fallback.last >= 0) ms_order(stream.id, fallback.last);
        return;
    }
    for (void* handle : state.streams) {
        const Stream& other = *static_cast<Stream*>(handle);
        if (other.waits_for_default && other.last >= 0) ms_order(stream.id, other.last);
    }
}

}  // namespace

CUresult enqueue(Stream& stream, const GraphNode& node, uint32_t delay_ns) {
    order_with_default(stream);
    if (!node.function) {
        const uint64_t duration_ns = delay_ns + node.value_bytes * node.count / state.settings.number("fill_bytes_per_ns");
        stream.last = ms_call(stream.id, fill, new Fill{node.address, node.value, node.value_bytes, node.count}, duration_ns);
        return kSuccess;
    }
    ms_grid_request request = node.request;
    request.stream = stream.id;
    request.delay_ns = delay_ns;
    const int64_t ticket = ms_launch(&request);
    if (ticket < 0) return kCooperativeLaunchTooLarge;
    state.in_flight[ticket] = node.arguments;
    stream.last = ticket;
    return kSuccess;
}

}  // namespace megasolve::driver

namespace {

std::shared_ptr<Arguments> copied(const KernelImage& kernel, void** values) {
    auto arguments = std::make_shared<Arguments>();
    for (size_t i = 0; i < kernel.argument_bytes.size(); i++) {
        const auto* value = static_cast<const unsigned char*>(values[i]);
        arguments->values.emplace_back(value, value + kernel.argument_bytes[i]);
    }
    for (auto& value : arguments->values) arguments->addresses.push_back(value.data());
    return arguments;
}

struct Shape {
    unsigned grid[3], block[3], shared_bytes;

    uint64_t threads() const { return uint64_t{block[0]} * block[1] * block[2]; }
    bool is_empty() const { return threads() == 0 || grid[0] == 0 || grid[1] == 0 || grid[2] == 0; }
};

CUresult launch(void* handle, const Shape& shape, void* stream_handle, void** values, bool cooperative) {
    Function& function = *static_cast<Function*>(handle);
    const Settings& settings = state.settings;
    if (shape.is_empty() || shape.threads() > settings.number("threads_per_cta")) return kInvalidValue;
    if (shape.shared_bytes > function.most_dynamic_shared_bytes) return kInvalidValue;
    if (shape.threads() > function.image.most_threads) return kLaunchOutOfResources;
    if (cooperative && !settings.number("cooperative_launch")) return kNotSupported;
    const Footprint held = footprint(function, shape.threads(), shape.shared_bytes);
    if (held.ctas_per_sm == 0) return kLaunchOutOfResources;
    if (cooperative && uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2] > held.ctas_per_sm * settings.number("sms"))
        return kCooperativeLaunchTooLarge;
    GraphNode node{};
    node.function = &function;
    node.arguments = copied(function.image, values);
    ms_grid_request& request = node.request;
    request.name = function.image.name.c_str();
    request.thunk = function.thunk;
    request.arguments = node.arguments->addresses.data();
    memcpy(request.grid, shape.grid, sizeof request.grid);
    memcpy(request.block, shape.block, sizeof request.block);
    request.shared_bytes = shape.shared_bytes;
    request.shared_bytes_per_cta = held.shared_bytes_per_cta;
    request.registers_per_cta = held.registers_per_cta;
    request.cooperative = cooperative;
    Stream& stream = *stream_of(stream_handle);
    if (stream.captured) {
        stream.captured->nodes.push_back(node);
        return kSuccess;
    }
    return enqueue(stream, node, settings.number(cooperative ? "cooperative_launch_ns" : "launch_ns"));
}

}  // namespace

CUresult cuLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                        unsigned block_z, unsigned shared_bytes, void* stream, void** arguments, void** extra) {
    MS_BEGIN("cuLaunchKernel");
    if (extra) return kNotSupported;
    return launch(function, {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes}, stream, arguments, false);
}

CUresult cuLaunchCooperativeKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                                   unsigned block_z, unsigned shared_bytes, void* stream, void** arguments) {
    MS_BEGIN("cuLaunchCooperativeKernel");
    return launch(function, {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes}, stream, arguments, true);
}

CUresult cuStreamBeginCapture(void* handle, int) {
    MS_BEGIN("cuStreamBeginCapture");
    Stream& stream = *stream_of(handle);
    // The default stream cannot be captured.
    if (&stream == &state.default_stream || stream.captured) return kStreamCaptureUnsupported;
    stream.captured = std::make_unique<Graph>();
    return kSuccess;
}

CUresult cuStreamEndCapture(void* handle, void** graph) {
    MS_BEGIN("cuStreamEndCapture");
    Stream& stream = *stream_of(handle);
    if (!stream.captured) return kStreamCaptureInvalidated;
    *graph = stream.captured.release();
    state.graphs.insert(*graph);
    return kSuccess;
}

CUresult cuGraphInstantiateWithFlags(void** exec, void* graph, unsigned long long) {
    MS_BEGIN("cuGraphInstantiate");
    if (!state.graphs.count(graph)) return kInvalidHandle;
    *exec = new Graph(*static_cast<Graph*>(graph));
    state.graph_execs.insert(*exec);
    return kSuccess;
}

CUresult cuGraphUpload(void* exec, void*) {
    MS_BEGIN("cuGraphUpload");
    return state.graph_execs.count(exec) ? kSuccess : kInvalidHandle;
}

CUresult cuGraphLaunch(void* exec, void* stream) {
    MS_BEGIN("cuGraphLaunch");
    if (!state.graph_execs.count(exec)) return kInvalidHandle;
    uint64_t delay_ns = state.settings.number("graph_launch_ns");
    for (const GraphNode& node : static_cast<Graph*>(exec)->nodes) {
        if (const CUresult failed = enqueue(*stream_of(stream), node, delay_ns)) return failed;
        delay_ns = state.settings.number("graph_gap_ns");
    }
    return kSuccess;
}

CUresult cuGraphExecDestroy(void* exec) {
    MS_BEGIN("cuGraphExecDestroy");
    if (!state.graph_execs.erase(exec)) return kInvalidHandle;
    delete static_cast<Graph*>(exec);
    return kSuccess;
}

CUresult cuGraphDestroy(void* graph) {
    MS_BEGIN("cuGraphDestroy");
    if (!state.graphs.erase(graph)) return kInvalidHandle;
    delete static_cast<Graph*>(graph);
    return kSuccess;
}
