/* aligned.c - 64-byte aligned memory; the word before is what realloc_fn gave. See base.h. */
#define _DEFAULT_SOURCE /* madvise */
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#include "gpube/base/base.h"

/*
 * Large tables are written once and read once: a page fault every 4 KiB took
 * half of the time of an elimination. Where the system offers pages of 2 MiB
 * on request, ask.
 */
static void ask_for_large_pages(char *p, uint64_t bytes)
{
#ifdef MADV_HUGEPAGE
	enum { LARGE = 2 << 20 };
	char *from = p + (-(uintptr_t)p & (LARGE - 1));

	if (bytes >= 2 * LARGE)
		(void)madvise(from, (size_t)(p + bytes - from) & ~(size_t)(LARGE - 1),
			MADV_HUGEPAGE); /* a refusal costs nothing but speed */
#else
	(void)p;
	(void)bytes;
#endif
}

void *gpube__aligned_alloc(struct gpube_ctx *ctx, uint64_t bytes)
{
	const uint64_t extra = 64 + sizeof(void *);
	char *p, *aligned;

	p = gpube__alloc(ctx, 1, bytes > UINT64_MAX - extra ? UINT64_MAX : bytes + extra);
	if (!p)
		return NULL;
	aligned = p + sizeof(void *);
	aligned += -(uintptr_t)aligned & 63;
	memcpy(aligned - sizeof(void *), &p, sizeof(void *));
	ask_for_large_pages(aligned, bytes);
	return aligned;
}

void gpube__aligned_free(struct gpube_ctx *ctx, void *aligned)
{
	void *p;

	if (!aligned)
		return;
	memcpy(&p, (char *)aligned - sizeof(void *), sizeof(void *));
	gpube__free(ctx, p);
}
