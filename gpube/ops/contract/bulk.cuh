/*
 * bulk.cuh - copies between a GPU's memory and shared memory that run beside the threads, and the
 * barriers in shared memory at which their bytes arrive: from compute capability 9.0 on (a kernel
 * for older cards is empty, and its plan refuses them).
 *
 * Addresses `to` and barriers are of shared memory: address_of().
 */
#ifndef GPUBE_OPS_BULK_CUH
#define GPUBE_OPS_BULK_CUH

#include <stdint.h>

#if __CUDA_ARCH__ >= 900 || !defined(__CUDA_ARCH__)
#define GPUBE_HAS_BULK 1

__device__ static inline uint32_t address_of(const void *p)
{
	return (uint32_t)__cvta_generic_to_shared(p);
}

/* ---- barriers ------------------------------------------------------------------------------- */

/* A barrier that so many arrivals and the bytes that they said would come complete. */
__device__ static inline void barrier_init(uint32_t barrier, uint32_t arrivals)
{
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals)
		     : "memory");
}

/* Copies begun later see the barriers that this thread has made. */
__device__ static inline void barriers_made(void)
{
	asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ static inline void barrier_arrive(uint32_t barrier)
{
	asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

/* Arrives, and so many bytes are to come. */
__device__ static inline void barrier_expect(uint32_t barrier, uint32_t bytes)
{
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
		     "r"(bytes)
		     : "memory");
}

/* Waits until the use of the barrier that has this parity is complete. */
__device__ static inline void barrier_wait(uint32_t barrier, uint32_t parity)
{
	asm volatile("{\n"
		     ".reg .pred p;\n"
		     "again:\n"
		     "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
		     "@p bra done;\n"
		     "bra again;\n"
		     "done:\n"
		     "}" ::"r"(barrier),
		     "r"(parity)
		     : "memory");
}

/* ---- copies; all addresses and sizes are multiples of 16 bytes ------------------------------ */

/* For tables that are read once: the cache keeps what else it has. */
__device__ static inline uint64_t read_once(void)
{
	uint64_t policy;

	asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
	return policy;
}

__device__ static inline void bulk_load(
	uint32_t to, const void *from, uint32_t bytes, uint32_t barrier, uint64_t policy)
{
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
		     ".L2::cache_hint [%0], [%1], %2, [%3], %4;" ::"r"(to),
		     "l"(from), "r"(bytes), "r"(barrier), "l"(policy)
		     : "memory");
}

/* A box of the five-dimensional tensor that 'map' (CUtensorMap) describes, from cell at[] on. */
__device__ static inline void bulk_load_box(
	uint32_t to, const void *map, const int32_t *at, uint32_t barrier)
{
	asm volatile(
		"cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
		" [%0], [%1, {%2, %3, %4, %5, %6}], [%7];" ::"r"(to),
		"l"(map), "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]), "r"(barrier)
		: "memory");
}

__device__ static inline void bulk_store(void *to, uint32_t from, uint32_t bytes)
{
	asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n"
		     "cp.async.bulk.commit_group;" ::"l"(to),
		     "r"(from), "r"(bytes)
		     : "memory");
}

/* Waits until what this thread stores has been read. */
__device__ static inline void bulk_stores_read(void)
{
	asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

/* What the thread wrote to shared memory before is seen by copies begun later. */
__device__ static inline void before_bulk(void)
{
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

#endif
#endif
