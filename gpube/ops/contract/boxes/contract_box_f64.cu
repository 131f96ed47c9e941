/* contract_box_f64.cu - the box kernels of float64. */
#include "gpube/ops/contract/boxes/contract_box_impl.cuh"

GPUBE_BOX_FUNCTIONS(f64, double)
