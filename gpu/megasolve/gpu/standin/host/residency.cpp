#include "residency.h"

#include <limits.h>

#include <algorithm>

namespace megasolve {

namespace {

unsigned times(unsigned limit, unsigned used, unsigned needed) {
    if (limit == 0 || needed == 0) return UINT_MAX;
    return limit > used ? (limit - used) / needed : 0;
}

unsigned threads_of(const ms_grid_request& request) { return request.block[0] * request.block[1] * request.block[2]; }

}  // namespace

Residency::Residency(const ms_device& device) : device_(device), sms_(device.sms) {}

unsigned Residency::room(const Sm& sm, const ms_grid_request& request) const {
    return std::min({times(device_.ctas_per_sm, sm.ctas, 1), times(device_.threads_per_sm, sm.threads, threads_of(request)),
                     times(device_.registers_per_sm, sm.registers, request.registers_per_cta),
                     times(device_.shared_bytes_per_sm, sm.shared_bytes, request.shared_bytes_per_cta)});
}

unsigned Residency::most_ctas(const ms_grid_request& request) const {
    const uint64_t most = uint64_t{room(Sm{}, request)} * device_.sms;
    return most < UINT_MAX ? most : UINT_MAX;
}

unsigned Residency::free_ctas(const ms_grid_request& request) const {
    uint64_t free = 0;
    for (const Sm& sm : sms_) free += room(sm, request);
    return free < UINT_MAX ? free : UINT_MAX;
}

unsigned Residency::place(const ms_grid_request& request) {
    Sm* chosen = nullptr;
    for (Sm& sm : sms_)
        if (room(sm, request) && (!chosen || sm.ctas < chosen->ctas)) chosen = &sm;
    chosen->ctas++;
    chosen->threads += threads_of(request);
    chosen->registers += request.registers_per_cta;
    chosen->shared_bytes += request.shared_bytes_per_cta;
    return chosen - sms_.data();
}

void Residency::release(unsigned index, const ms_grid_request& request) {
    Sm& sm = sms_[index];
    sm.ctas--;
    sm.threads -= threads_of(request);
    sm.registers -= request.registers_per_cta;
    sm.shared_bytes -= request.shared_bytes_per_cta;
}

}  // namespace megasolve
