// One kernel per operator, `k_NAME`: block b runs tile b, whose arguments stand at table + 24 b. The launch orders what a counter orders
// in the interpreter; the operators are the same.
#include "operators.h"

#define MS_CONVENTIONAL(CODE, NAME, ARGUMENTS) \
    MS_KERNEL k_##NAME(float* floats, const megasolve::u16* weights, megasolve::i32* ids, const megasolve::i32* table) { \
        using namespace megasolve; \
        MS_SHARED_MEMORY(memory); \
        op_##NAME({floats, weights, ids}, *reinterpret_cast<const ARGUMENTS*>(table + kArguments * block_index()), memory); \
    } \
    MS_EXPORT(k_##NAME)

MS_FOR_EACH_OPERATION(MS_CONVENTIONAL)
