// Every operator: `op_NAME(arenas, arguments, shared)` computes one tile with all threads of a block.
#pragma once

#include "attention.h"
#include "conv_transpose1d.h"
#include "device.h"
#include "elementwise.h"
#include "matmul.h"
#include "matvec.h"
#include "norm.h"
#include "operations.h"
#include "positions.h"
#include "step.h"
#include "tokens.h"
