/* parcel.c - parcels in the making, and the wait for those of others: see world.h. */
#define _POSIX_C_SOURCE 200809L

#include <string.h>
#include <time.h>

#include "gpube/ranks/world.h"

struct dcop_parcel *dcop__parcel_new(struct gpube_ctx *ctx, const void *head, uint64_t head_bytes,
	uint64_t more_bytes, int32_t n_blobs)
{
	struct dcop_parcel *p = gpube__alloc_zero(ctx, 1, sizeof(*p));

	if (!p)
		return NULL;
	p->body_bytes = head_bytes + more_bytes;
	p->body = gpube__alloc(ctx, p->body_bytes, 1);
	p->n_blobs = n_blobs;
	p->blobs = n_blobs ? gpube__alloc(ctx, (uint64_t)n_blobs, sizeof(*p->blobs)) : NULL;
	if (!p->body || (n_blobs && !p->blobs)) {
		GPUBE_FREE_ALL(ctx, p->body, p->blobs, p);
		return NULL;
	}
	memcpy(p->body, head, (size_t)head_bytes);
	return p;
}

int dcop__world_wait(struct dcop_world *w, const struct dcop_listener *l, long nap_ns)
{
	bool busy = false;
	int status = dcop__world_poll(w, l, &busy);

	if (!status && !busy)
		nanosleep(&(struct timespec){.tv_nsec = nap_ns}, NULL);
	return status;
}
