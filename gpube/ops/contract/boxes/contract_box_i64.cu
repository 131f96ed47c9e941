/* contract_box_i64.cu - the box kernels of int64. */
#include "gpube/ops/contract/boxes/contract_box_impl.cuh"

GPUBE_BOX_FUNCTIONS(i64, int64_t)
