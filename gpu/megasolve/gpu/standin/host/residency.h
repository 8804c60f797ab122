// Which blocks are on which SM, and whether more fit.
#pragma once

#include <vector>

#include "launching.h"

namespace megasolve {

class Residency {
 public:
    explicit Residency(const ms_device& device);

    // The CTAs of such a grid that an empty device holds.
    unsigned most_ctas(const ms_grid_request& request) const;

    // The CTAs that fit beside what is resident now.
    unsigned free_ctas(const ms_grid_request& request) const;

    // Takes room for one CTA on the SM that holds the fewest, the first of equal ones; there must be room.
    unsigned place(const ms_grid_request& request);

    void release(unsigned sm, const ms_grid_request& request);

 private:
    struct Sm {
        unsigned ctas = 0, threads = 0, registers = 0, shared_bytes = 0;
    };

    unsigned room(const Sm& sm, const ms_grid_request& request) const;

    ms_device device_;
    std::vector<Sm> sms_;
};

}  // namespace megasolve
