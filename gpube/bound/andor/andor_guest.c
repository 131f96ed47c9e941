/* andor_guest.c - an AND/OR search on several ranks, as a method that tells (sharing/shared.h). */
#include <math.h>

#include "gpube/bound/andor/andor.h"
#include "gpube/bound/sharing/shared.h"

static void put_root(struct gpube__bytes *to, void *of)
{
	struct gpube__bytes tables = {.ctx = to->ctx};

	gpube__put_andor(&tables, of);
	(void)gpube__pack(to, &tables);
	gpube__bytes_clear(&tables);
}

static void guest_free(void *of)
{
	gpube__andor_free(of);
}

static int guest_new(void **out, const struct gpube_model *given, const struct gpube_opts *opts,
	struct gpube__bytes *root, int rank)
{
	struct gpube__bytes tables = {.ctx = given->ctx};
	struct gpube_andor *a = NULL;
	int status = gpube__unpack(&tables, root);

	(void)opts;
	if (!status)
		status = gpube__get_andor(
			&a, GPUBE__ANDOR_PART * (double)given->ctx->memory_bytes, &tables);
	gpube__bytes_clear(&tables);
	if (!status)
		status = gpube__andor_far_open(a, rank);
	if (status)
		gpube__andor_free(a);
	else
		*out = a;
	return status;
}

static struct gpube__shared_state state_of(void *of)
{
	struct gpube_andor *a = of;

	return (struct gpube__shared_state){
		.n_open = gpube__andor_far_asks(a), .n_nodes = a->n_nodes};
}

/* 'most' and the rest are of methods that lend. */
static int64_t give(void *of, struct gpube__bytes *to, int64_t most, int to_rank, int64_t number)
{
	(void)most;
	(void)to_rank;
	(void)number;
	gpube__andor_far_write(of, to);
	return to->n;
}

static int take(void *of, struct gpube__bytes *from)
{
	return gpube__andor_far_read(of, from);
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
	.state = state_of,
	.give = give,
	.take = take};
