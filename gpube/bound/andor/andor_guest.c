/* andor_guest.c - an AND/OR search on several ranks, as a method that tells (sharing/shared.h). */
#include <math.h>

#include "gpube/bound/andor/andor.h"
#include "gpube/bound/sharing/shared.h"

static void put_root(struct gpube__bytes *to, void *of)
{
	gpube__put_andor(to, of);
}

static void guest_free(void *of)
{
	gpube__andor_free(of);
}

static int guest_new(void **out, const struct gpube_model *given, const struct gpube_opts *opts,
	struct gpube__bytes *root, int rank)
{
	struct gpube_andor *a;
	int status =
		gpube__get_andor(&a, GPUBE__ANDOR_PART * (double)given->ctx->memory_bytes, root);

	(void)opts;
	if (!status)
		status = gpube__andor_far_open(a, rank);
	if (status)
		gpube__andor_free(a);
	else
		*out = a;
	return status;
}

static int search(void *of)
{
	struct gpube_andor *a = of;
	const struct gpube_budget turn = gpube__budget(a->ctx, INFINITY);
	int64_t value;
	bool ended;

	gpube__andor_search(a, 0, &turn, &value, NULL, &ended);
	return GPUBE_OK;
}

const struct gpube__shared gpube__shared_andor = {.kind = GPUBE__SHARED_ANDOR,
	.name = "AND/OR search",
	.root = put_root,
	.guest_new = guest_new,
	.guest_free = guest_free,
	.search = search,
	.state = gpube__andor_far_state,
	.give = gpube__andor_far_give,
	.take = gpube__andor_far_read};
