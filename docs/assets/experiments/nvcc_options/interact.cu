#define LINKAGE
#include <cuda_runtime.h>
#include "interact.inc"
