/* contract_box_i32.cu - the box kernels of int32. */
#include "gpube/ops/contract/boxes/contract_box_impl.cuh"

GPUBE_BOX_FUNCTIONS(i32, int32_t)
