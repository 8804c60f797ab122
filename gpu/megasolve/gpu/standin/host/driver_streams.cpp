// Streams, events and waiting. Nothing runs before somebody waits or asks, so launches on several streams run beside each other.
#include "driver_state.h"

using namespace megasolve::driver;

namespace megasolve::driver {

namespace {

// A real kernel that polls would wait for ever; so many seconds of the virtual clock are enough for any time limit of its own.
constexpr uint32_t kClockJumps = 64;
constexpr uint64_t kStepsPerQuery = 100'000;
constexpr uint64_t kPausePerQueryNs = 10'000'000;

void forget_ended() {
    for (auto held = state.in_flight.begin(); held != state.in_flight.end();)
        held = ms_is_done(held->first) ? state.in_flight.erase(held) : std::next(held);
}

CUresult failed(int result) {
    explain(ms_explanation());
    state.sticky = result == MS_FAULT ? kLaunchFailed : kLaunchTimeout;
    return state.sticky;
}

}  // namespace

Stream* stream_of(void* handle) { return state.streams.count(handle) ? static_cast<Stream*>(handle) : &state.default_stream; }

CUresult synchronize(int64_t ticket) {
    const int result = ms_run(ticket, UINT64_MAX, kClockJumps);
    if (result != MS_DONE) return failed(result);
    forget_ended();
    return kSuccess;
}

CUresult query(int64_t ticket) {
    // The host may have changed a word that threads poll.
    ms_nudge(0);
    const int result = ms_run(ticket, kStepsPerQuery, 0);
    if (result == MS_FAULT) return failed(result);
    if (result == MS_DONE) return kSuccess;
    if (result == MS_DEADLOCK) ms_nudge(kPausePerQueryNs);
    return kNotReady;
}

// The default stream waits for all streams that were not made as non-blocking, and they for it.
CUresult synchronize_default(Stream* beside) {
    for (void* handle : state.streams) {
        Stream* stream = static_cast<Stream*>(handle);
        if (stream == beside || !stream->waits_for_default || stream->last < 0) continue;
        if (const CUresult error = synchronize(stream->last)) return error;
    }
    return state.default_stream.last < 0 ? kSuccess : synchronize(state.default_stream.last);
}

}  // namespace megasolve::driver

CUresult cuStreamCreateWithPriority(void** handle, unsigned flags, int) {
    MS_BEGIN("cuStreamCreateWithPriority");
    constexpr unsigned kNonBlocking = 1;
    auto* stream = new Stream;
    stream->id = state.next_stream++;
    stream->waits_for_default = !(flags & kNonBlocking);
    *handle = stream;
    state.streams.insert(stream);
    return kSuccess;
}

CUresult cuStreamDestroy(void* handle) {
    MS_BEGIN("cuStreamDestroy");
    if (!state.streams.erase(handle)) return kInvalidHandle;
    delete static_cast<Stream*>(handle);
    return kSuccess;
}

CUresult cuStreamSynchronize(void* handle) {
    MS_BEGIN("cuStreamSynchronize");
    const Stream& stream = *stream_of(handle);
    return stream.last < 0 ? kSuccess : synchronize(stream.last);
}

CUresult cuStreamQuery(void* handle) {
    MS_BEGIN("cuStreamQuery");
    const Stream& stream = *stream_of(handle);
    return stream.last < 0 ? kSuccess : query(stream.last);
}

CUresult cuStreamWaitEvent(void* handle, void* event, unsigned) {
    MS_BEGIN("cuStreamWaitEvent");
    if (!state.events.count(event)) return kInvalidHandle;
    const int64_t ticket = static_cast<Event*>(event)->ticket;
    if (ticket >= 0) ms_order(stream_of(handle)->id, ticket);
    return kSuccess;
}

CUresult cuEventCreate(void** handle, unsigned flags) {
    MS_BEGIN("cuEventCreate");
    constexpr unsigned kWithoutTiming = 2;
    auto* event = new Event;
    event->is_timed = !(flags & kWithoutTiming);
    *handle = event;
    state.events.insert(event);
    return kSuccess;
}

CUresult cuEventDestroy(void* handle) {
    MS_BEGIN("cuEventDestroy");
    if (!state.events.erase(handle)) return kInvalidHandle;
    delete static_cast<Event*>(handle);
    return kSuccess;
}

CUresult cuEventRecord(void* handle, void* stream_handle) {
    MS_BEGIN("cuEventRecord");
    if (!state.events.count(handle)) return kInvalidHandle;
    Stream& stream = *stream_of(stream_handle);
    if (stream.captured) return kStreamCaptureUnsupported;
    stream.last = static_cast<Event*>(handle)->ticket = ms_call(stream.id, [](void*) {}, nullptr, 0);
    return kSuccess;
}

CUresult cuEventQuery(void* handle) {
    MS_BEGIN("cuEventQuery");
    if (!state.events.count(handle)) return kInvalidHandle;
    const int64_t ticket = static_cast<Event*>(handle)->ticket;
    return ticket < 0 ? kSuccess : query(ticket);
}

CUresult cuEventSynchronize(void* handle) {
    MS_BEGIN("cuEventSynchronize");
    if (!state.events.count(handle)) return kInvalidHandle;
    const int64_t ticket = static_cast<Event*>(handle)->ticket;
    return ticket < 0 ? kSuccess : synchronize(ticket);
}

CUresult cuEventElapsedTime(float* ms, void* from, void* to) {
    MS_BEGIN("cuEventElapsedTime");
    if (!state.events.count(from) || !state.events.count(to)) return kInvalidHandle;
    const Event &first = *static_cast<Event*>(from), &second = *static_cast<Event*>(to);
    if (first.ticket < 0 || second.ticket < 0 || !first.is_timed || !second.is_timed) return kInvalidHandle;
    if (!ms_is_done(first.ticket) || !ms_is_done(second.ticket)) return kNotReady;
    *ms = (static_cast<double>(ms_ended_ns(second.ticket)) - static_cast<double>(ms_ended_ns(first.ticket))) * 1e-6;
    return kSuccess;
}
