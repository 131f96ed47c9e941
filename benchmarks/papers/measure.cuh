/*
 * measure.cuh - what the parts of bench_papers share: calls that have to succeed, drawn values,
 * seconds of a card.
 */
#ifndef BENCH_PAPERS_MEASURE_CUH
#define BENCH_PAPERS_MEASURE_CUH

#include "gpube/ops/device/device.cuh"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <vector>

extern "C" {
#include "gpube/base/base.h"
}

#define MUST(call)                                                                                 \
	do {                                                                                       \
		cudaError_t error_ = (call);                                                       \
		if (error_ != cudaSuccess) {                                                       \
			fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error_));            \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

__global__ void fill_values(int32_t *to, uint64_t n, uint64_t seed, int32_t most)
{
	for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
		i += (uint64_t)gridDim.x * blockDim.x) {
		uint64_t x = (seed + i) * 0x9e3779b97f4a7c15u;

		x = (x ^ (x >> 31)) * 0xbf58476d1ce4e5b9u;
		to[i] = i ? (int32_t)((x >> 32) % (uint64_t)most) * (most < 1000 ? 1 : __popcll(i))
			  : 0;
	}
}

static float timed(cudaEvent_t from, cudaEvent_t to)
{
	float ms;

	MUST(cudaEventRecord(to, 0));
	MUST(cudaEventSynchronize(to));
	MUST(cudaEventElapsedTime(&ms, from, to));
	return ms * 1e-3f;
}

static float middle(std::vector<float> v)
{
	std::sort(v.begin(), v.end());
	return v[v.size() / 2];
}

#endif
