/* contract_panel.cuh - the kernels that execute the plans of contract_panel.h. */
#ifndef GPUBE_OPS_CONTRACT_PANEL_CUH
#define GPUBE_OPS_CONTRACT_PANEL_CUH

#include "gpube/ops/device.cuh"

extern "C" {
#include "gpube/ops/contract_panel.h"
}

struct gpube__panel_io {
	void *out;
	const void *in[GPUBE_PANEL_OPS]; /* in the plan's order */
};

typedef void (*gpube__panel_function)(const struct gpube__panel d, const struct gpube__panel_io io);

gpube__panel_function gpube__panel_function_i32(uint32_t kernel);
gpube__panel_function gpube__panel_function_f32(uint32_t kernel);

#endif
