// The settings of the stand-in driver, the faults that are planted in them, and how an entry point begins.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>

#include "driver_state.h"

namespace megasolve::driver {

State state;

namespace {

std::string trimmed(const std::string& text) {
    const size_t first = text.find_first_not_of(" \t\r");
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// Errors after which a real context can only be destroyed.
bool is_sticky(CUresult error) { return (error >= 700 && error != 701 && error < 720) || error == 214; }

// A fault is `fault = cuMemAlloc#2 2`: the second call of this entry point fails with this error. Without a number every call does.
// In place of an error, `hang` never returns and `crash` kills the process.
CUresult planted_fault(const std::string& name, unsigned call) {
    for (const std::string& fault : state.settings.all("fault")) {
        const size_t space = fault.find(' ');
        const std::string where = fault.substr(0, space), what = trimmed(fault.substr(space + 1));
        if (where != name && where != name + "#" + std::to_string(call)) continue;
        if (what == "hang")
            while (true) pause();
        if (what == "crash") raise(SIGSEGV);
        return std::stoi(what);
    }
    return kSuccess;
}

}  // namespace

Settings Settings::read(const char* path) {
    Settings settings;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        const size_t sign = line.find('=');
        if (sign != std::string::npos) settings.values_.emplace(trimmed(line.substr(0, sign)), trimmed(line.substr(sign + 1)));
    }
    return settings;
}

std::string Settings::text(const std::string& key) const {
    const auto found = values_.find(key);
    return found == values_.end() ? "" : found->second;
}

uint64_t Settings::number(const std::string& key) const { return strtoull(text(key).c_str(), nullptr, 10); }

std::vector<std::string> Settings::all(const std::string& key) const {
    std::vector<std::string> found;
    const auto range = values_.equal_range(key);
    for (auto value = range.first; value != range.second; ++value) found.push_back(value->second);
    return found;
}

CUresult entered(const char* name, bool needs_context) {
    if (!state.is_initialized) return kNotInitialized;
    if (const CUresult planted = planted_fault(name, ++state.calls[name])) {
        if (is_sticky(planted)) state.sticky = planted;
        return planted;
    }
    if (!needs_context) return kSuccess;
    if (state.sticky) return state.sticky;
    return state.has_context ? kSuccess : kInvalidContext;
}

void explain(const std::string& text) { fprintf(stderr, "stand-in driver: %s\n", text.c_str()); }

}  // namespace megasolve::driver
