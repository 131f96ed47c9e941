/*
 * memory.cu - where a device's arena has its memory from: address ranges that are backed as far as
 * they are used, so that a piece becomes longer without being moved or given back; or, where the
 * driver or CUDA before 12.5 cannot do that, cudaMalloc.
 *
 * The driver's functions are asked for by name, since the runtime alone is linked: the library is
 * loaded on machines without a driver, too.
 */
#include "gpube/ops/device/device.cuh"

#include <cuda.h>

#define MAX_RANGES 4 /* pieces; one more comes from cudaMalloc */

struct range {
	char *at;
	uint64_t bytes; /* that are backed; 0: the range is free */
};

struct gpube__memory {
	struct gpube__source source; /* first, so that one is the other */
	uint64_t reserve;            /* bytes of a range */
	struct range ranges[MAX_RANGES];
	CUmemAccessDesc users[1 + GPUBE_MAX_PEERS]; /* devices that read and write it */
	int n_users;
#if CUDART_VERSION >= 12050
	decltype(&cuMemAddressReserve) reserve_range;
	decltype(&cuMemAddressFree) free_range;
	decltype(&cuMemCreate) create;
	decltype(&cuMemRelease) release;
	decltype(&cuMemMap) map;
	decltype(&cuMemUnmap) unmap;
	decltype(&cuMemSetAccess) set_access;
#endif
};

#if CUDART_VERSION >= 12050

/* A function of the driver; false: it has none of that name. */
template <class Function> static bool find(Function *f, const char *name)
{
	cudaDriverEntryPointQueryResult found;
	void *at = NULL;

	*f = NULL;
	if (cudaGetDriverEntryPointByVersion(name, &at, 12000, cudaEnableDefault, &found) !=
			cudaSuccess ||
		found != cudaDriverEntryPointSuccess) {
		(void)cudaGetLastError();
		return false;
	}
	*f = (Function)at;
	return true;
}

static CUmemAllocationProp properties(int id)
{
	CUmemAllocationProp p;

	memset(&p, 0, sizeof(p));
	p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
	p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	p.location.id = id;
	return p;
}

/* The driver's functions, and what memory is a multiple of; false: cudaMalloc it is. */
static bool find_driver(struct gpube__memory *m, int id)
{
	const CUmemAllocationProp p = properties(id);
	decltype(&cuMemGetAllocationGranularity) granularity;
	size_t step;

	if (!find(&granularity, "cuMemGetAllocationGranularity") ||
		!find(&m->reserve_range, "cuMemAddressReserve") ||
		!find(&m->free_range, "cuMemAddressFree") || !find(&m->create, "cuMemCreate") ||
		!find(&m->release, "cuMemRelease") || !find(&m->map, "cuMemMap") ||
		!find(&m->unmap, "cuMemUnmap") || !find(&m->set_access, "cuMemSetAccess"))
		return false;
	if (granularity(&step, &p, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED) != CUDA_SUCCESS || !step)
		return false;
	m->source.step = step;
	return true;
}

/* Backs so many more bytes of the range. */
static CUresult back(struct gpube__memory *m, struct range *r, uint64_t bytes)
{
	const CUmemAllocationProp p = properties(m->users[0].location.id);
	const CUdeviceptr at = (CUdeviceptr)(uintptr_t)(r->at + r->bytes);
	CUmemGenericAllocationHandle handle;
	CUresult result;

	if (bytes > m->reserve - r->bytes)
		return CUDA_ERROR_INVALID_VALUE;
	result = m->create(&handle, bytes, &p, 0);
	if (result != CUDA_SUCCESS)
		return result;
	result = m->map(at, bytes, 0, handle, 0);
	m->release(handle); /* the mapping keeps it */
	if (result != CUDA_SUCCESS)
		return result;
	result = m->set_access(at, bytes, m->users, (size_t)m->n_users);
	if (result != CUDA_SUCCESS)
		m->unmap(at, bytes);
	else
		r->bytes += bytes;
	return result;
}

static CUresult get_range(struct gpube__memory *m, struct gpube__piece *p, uint64_t bytes)
{
	struct range *r = m->ranges;
	CUdeviceptr at;
	CUresult result;

	while (r < m->ranges + MAX_RANGES && r->bytes)
		r++;
	if (r == m->ranges + MAX_RANGES)
		return CUDA_ERROR_NOT_SUPPORTED;
	result = m->reserve_range(&at, m->reserve, 0, 0, 0);
	if (result != CUDA_SUCCESS)
		return result;
	r->at = (char *)(uintptr_t)at;
	result = back(m, r, bytes);
	if (result != CUDA_SUCCESS) {
		m->free_range(at, m->reserve);
		return result;
	}
	p->at = r->at;
	p->source = r;
	return result;
}

static bool extend(struct gpube__source *s, struct gpube__piece *p, uint64_t bytes)
{
	struct gpube__memory *m = (struct gpube__memory *)s;

	if (!p->source || back(m, (struct range *)p->source, bytes) != CUDA_SUCCESS)
		return false;
	p->bytes += bytes;
	return true;
}

/* Kernels that were begun may still use it. */
static void give_range(struct gpube__memory *m, struct range *r)
{
	cudaDeviceSynchronize();
	m->unmap((CUdeviceptr)(uintptr_t)r->at, r->bytes);
	m->free_range((CUdeviceptr)(uintptr_t)r->at, m->reserve);
	r->bytes = 0;
}

#else

static bool find_driver(struct gpube__memory *m, int id)
{
	(void)m;
	(void)id;
	return false;
}

static CUresult get_range(struct gpube__memory *m, struct gpube__piece *p, uint64_t bytes)
{
	(void)m;
	(void)p;
	(void)bytes;
	return CUDA_ERROR_NOT_SUPPORTED;
}

static bool extend(struct gpube__source *s, struct gpube__piece *p, uint64_t bytes)
{
	(void)s;
	(void)p;
	(void)bytes;
	return false;
}

static void give_range(struct gpube__memory *m, struct range *r)
{
	(void)m;
	(void)r;
}

#endif

static const char *get(struct gpube__source *s, struct gpube__piece *p, uint64_t bytes)
{
	struct gpube__memory *m = (struct gpube__memory *)s;
	CUresult result = CUDA_ERROR_NOT_SUPPORTED;
	cudaError_t error;
	void *at;

	p->bytes = bytes;
	p->source = NULL;
	if (s->lengthens)
		result = get_range(m, p, bytes);
	if (result == CUDA_SUCCESS)
		return NULL;
	if (result == CUDA_ERROR_OUT_OF_MEMORY)
		return cudaGetErrorString(cudaErrorMemoryAllocation);
	s->lengthens = false;
	error = cudaMalloc(&at, bytes);
	if (error != cudaSuccess) {
		(void)cudaGetLastError();
		return cudaGetErrorString(error);
	}
	p->at = (char *)at;
	return NULL;
}

static void give(struct gpube__source *s, struct gpube__piece *p)
{
	if (p->source)
		give_range((struct gpube__memory *)s, (struct range *)p->source);
	else
		cudaFree(p->at);
}

static void add_user(struct gpube__memory *m, int id)
{
	CUmemAccessDesc *user = &m->users[m->n_users++];

	memset(user, 0, sizeof(*user));
	user->location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	user->location.id = id;
	user->flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
}

int gpube__memory_new(struct gpube__memory **out, struct gpube_ctx *ctx, int id, uint64_t limit)
{
	struct gpube__memory *m =
		(struct gpube__memory *)gpube__alloc_zero(ctx, 1, sizeof(struct gpube__memory));

	*out = m;
	if (!m)
		return GPUBE_ENOMEM;
	m->source = {get, extend, give, 1, false};
	add_user(m, id);
	m->source.lengthens = find_driver(m, id);
	if (!m->source.lengthens)
		m->source.step = 1;
	m->reserve = (limit / m->source.step + 1) * m->source.step;
	return GPUBE_OK;
}

void gpube__memory_share(struct gpube__memory *m, int id)
{
#if CUDART_VERSION >= 12050
	const int n = m->n_users;

	if (!m->source.lengthens || n == 1 + GPUBE_MAX_PEERS)
		return;
	add_user(m, id);
	for (int k = 0; k < MAX_RANGES; k++)
		if (m->ranges[k].bytes &&
			m->set_access((CUdeviceptr)(uintptr_t)m->ranges[k].at, m->ranges[k].bytes,
				m->users, (size_t)m->n_users) != CUDA_SUCCESS)
			m->n_users = n; /* copies go through the host */
#else
	(void)m;
	(void)id;
#endif
}
