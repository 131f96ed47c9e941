/* contract_box_f32.cu - the box kernels of float32. */
#include "gpube/ops/contract/boxes/contract_box_impl.cuh"

GPUBE_BOX_FUNCTIONS(f32, float)
