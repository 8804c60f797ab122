// Reads what a cubin says of its kernels: an ELF file with one .nv.info section per kernel and one for all of them. The layout of these
// sections is not documented; it was read off the output of NVRTC 13.0 and compared with what ptxas reports.
#include <elf.h>
#include <string.h>

#include "driver_state.h"

namespace megasolve::driver {

namespace {

enum Attribute : unsigned char {
    kMaxThreads = 0x05,
    kFrameSize = 0x11,
    kParameter = 0x17,
    kRegisterCount = 0x2f,
};
constexpr unsigned char kSizedValue = 4;
constexpr unsigned kReservedSharedBytes = 1024;

struct Elf {
    const unsigned char* image;
    const Elf64_Ehdr& header() const { return *reinterpret_cast<const Elf64_Ehdr*>(image); }
    const Elf64_Shdr& section(unsigned index) const {
        return reinterpret_cast<const Elf64_Shdr*>(image + header().e_shoff)[index];
    }
    const unsigned char* bytes(const Elf64_Shdr& section) const { return image + section.sh_offset; }
    std::string name(const Elf64_Shdr& of) const {
        return reinterpret_cast<const char*>(bytes(section(header().e_shstrndx))) + of.sh_name;
    }
};

unsigned word(const unsigned char* bytes, unsigned index) {
    unsigned value;
    memcpy(&value, bytes + 4 * index, sizeof value);
    return value;
}

// Calls visit(attribute, bytes, size) for each attribute of an .nv.info section that has a value of its own size.
template <class Visit>
void for_each_attribute(const Elf& elf, const Elf64_Shdr& section, Visit visit) {
    const unsigned char* at = elf.bytes(section);
    const unsigned char* end = at + section.sh_size;
    while (at + 4 <= end) {
        const unsigned char format = at[0], attribute = at[1];
        const unsigned size = at[2] | at[3] << 8;
        at += 4;
        if (format != kSizedValue) continue;
        visit(attribute, at, size);
        at += size;
    }
}

void read_launch(const Elf& elf, const Elf64_Shdr& section, KernelImage& kernel) {
    for_each_attribute(elf, section, [&kernel](unsigned char attribute, const unsigned char* bytes, unsigned) {
        if (attribute == kMaxThreads) kernel.most_threads = word(bytes, 0) * word(bytes, 1) * word(bytes, 2);
        if (attribute != kParameter) return;
        const unsigned ordinal = word(bytes, 1) & 0xffff;
        if (kernel.argument_bytes.size() <= ordinal) kernel.argument_bytes.resize(ordinal + 1);
        kernel.argument_bytes[ordinal] = word(bytes, 2) >> 18;
    });
}

// Attributes of all kernels name theirs by its place in the table of symbols.
void read_usage(const Elf& elf, const Elf64_Shdr& section, std::map<std::string, KernelImage>& kernels) {
    const Elf64_Shdr& table = elf.section(section.sh_link);
    const Elf64_Sym* symbols = reinterpret_cast<const Elf64_Sym*>(elf.bytes(table));
    const char* names = reinterpret_cast<const char*>(elf.bytes(elf.section(table.sh_link)));
    for_each_attribute(elf, section, [&](unsigned char attribute, const unsigned char* bytes, unsigned) {
        if (attribute != kRegisterCount && attribute != kFrameSize) return;
        const auto kernel = kernels.find(names + symbols[word(bytes, 0)].st_name);
        if (kernel == kernels.end()) return;
        (attribute == kRegisterCount ? kernel->second.registers : kernel->second.local_bytes) = word(bytes, 1);
    });
}

std::string after(const std::string& text, const char* prefix) {
    return text.rfind(prefix, 0) == 0 ? text.substr(strlen(prefix)) : "";
}

}  // namespace

bool Cubin::read(const unsigned char* image) {
    constexpr unsigned char kAbiWithWideArchitecture = 8;
    constexpr Elf64_Half kCuda = 190;
    const Elf elf{image};
    if (memcmp(image, ELFMAG, SELFMAG) != 0 || elf.header().e_machine != kCuda) return false;
    const unsigned flags = elf.header().e_flags;
    compute_capability = image[EI_ABIVERSION] >= kAbiWithWideArchitecture ? flags >> 8 & 0xff : flags & 0xff;
    for (unsigned i = 0; i < elf.header().e_shnum; i++)
        if (const std::string name = after(elf.name(elf.section(i)), ".nv.info."); !name.empty()) {
            kernels[name].name = name;
            read_launch(elf, elf.section(i), kernels[name]);
        }
    const unsigned reserved = compute_capability >= 90 ? kReservedSharedBytes : 0;
    for (unsigned i = 0; i < elf.header().e_shnum; i++) {
        const Elf64_Shdr& section = elf.section(i);
        const std::string name = elf.name(section);
        if (name == ".nv.info") read_usage(elf, section, kernels);
        const auto kernel = kernels.find(after(name, ".nv.shared."));
        if (kernel != kernels.end() && section.sh_size > reserved) kernel->second.shared_bytes = section.sh_size - reserved;
    }
    return true;
}

}  // namespace megasolve::driver
