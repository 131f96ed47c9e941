/* contract_panel.cuh - the kernels that execute the plans of contract_panel.h. */
#ifndef GPUBE_OPS_CONTRACT_PANEL_CUH
#define GPUBE_OPS_CONTRACT_PANEL_CUH

#include "gpube/ops/contract/boxes/contract_box_copy.cuh"
#include "gpube/ops/device/device.cuh"

extern "C" {
#include "gpube/ops/contract/contract_panel.h"
}

struct gpube__panel_io {
	void *out;
	const void *in[GPUBE_PANEL_OPS]; /* in the plan's order */
};

typedef void (*gpube__panel_function)(const struct gpube__panel d, const struct gpube__panel_io io);

gpube__panel_function gpube__panel_function_i32(uint32_t kernel);
gpube__panel_function gpube__panel_function_f32(uint32_t kernel);

/* Those by planes, for int32_t and float (contract_plane.cu). */
template <typename T> gpube__panel_function gpube__plane_function(uint32_t kernel);
template <> gpube__panel_function gpube__plane_function<int32_t>(uint32_t kernel);
template <> gpube__panel_function gpube__plane_function<float>(uint32_t kernel);

/* ---- results ---------------------------------------------------------------------------- */

template <typename T, int V>
__device__ static inline void store_row(
	const struct gpube__panel &d, uint32_t at_v, T *row, T *best, struct cut<T> cut)
{
	const uint32_t axis = (uint32_t)d.part[PANEL_V], last = d.axis[axis].last;
	const uint32_t step = (uint32_t)d.out[axis];

#pragma unroll
	for (int v = 0; v < V; v++)
		best[v] = cut_of(best[v], cut);
	if (V % 4 == 0 && d.out_wide) { /* of panels whose cells lie together */
#pragma unroll
		for (int v = 0; v + 4 <= V; v += 4) {
			const uint32_t value = gpube__panel_value(&d.axis[axis], at_v, (uint32_t)v);
			int4 w;

			memcpy(&w, best + v, sizeof(w));
			if (value <= last)
				*(int4 *)(row + value) = w;
		}
	} else {
#pragma unroll
		for (int v = 0; v < V; v++) {
			const uint32_t value = gpube__panel_value(&d.axis[axis], at_v, (uint32_t)v);

			if (value <= last)
				row[value * step] = best[v];
		}
	}
}

template <typename T, int P, int R, int V>
__device__ static inline void store(
	const struct gpube__panel &d, const uint32_t *at, T *out, T (*best)[R][V])
{
	const struct cut<T> cut = cut_init<T>(&d);
	const int axis_p = d.part[PANEL_P], axis_r = R > 1 ? d.part[PANEL_R] : -1;
	uint32_t at_p = 0, at_r = 0, at_v = 0;

#pragma unroll
	for (int i = 0; i < GPUBE_PANEL_AXES; i++) {
		if (i >= (int)d.n_axes)
			break;
		if (i == axis_p) {
			at_p = at[i];
		} else if (i == axis_r) {
			at_r = at[i];
		} else if (i == d.part[PANEL_V]) {
			at_v = at[i];
		} else {
			if (at[i] > d.axis[i].last)
				return;
			out += at[i] * (uint32_t)d.out[i];
		}
	}
#pragma unroll
	for (int p = 0; p < P; p++) {
		const uint32_t value_p = gpube__panel_value(&d.axis[axis_p], at_p, (uint32_t)p);

		if (value_p > d.axis[axis_p].last)
			continue;
#pragma unroll
		for (int r = 0; r < R; r++) {
			T *row = out + value_p * (uint32_t)d.out[axis_p];

			if constexpr (R > 1) {
				const uint32_t value_r =
					gpube__panel_value(&d.axis[axis_r], at_r, (uint32_t)r);

				if (value_r > d.axis[axis_r].last)
					continue;
				row += value_r * (uint32_t)d.out[axis_r];
			}
			store_row<T, V>(d, at_v, row, best[p][r], cut);
		}
	}
}

#endif
