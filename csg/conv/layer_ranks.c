/*
 * layer_ranks.c - the ranks of gpube-mpi that share conv's layers: see conv.h.
 *
 * All ranks have the game and all sums. The pieces of a layer are given out so that
 * each has about the same number of pairs; a rank that has done its own sends them to
 * all others and goes on when theirs are there. A rank that is ahead may send a layer
 * that this one has not begun: nothing of it is in use yet.
 *
 * Designs weighed. (1) MPI_Allgatherv: it waits inside of MPI, where a dead rank
 * cannot be told from a slow one. (2) The parcels of gpube/ranks/world.h, this one: the same
 * bytes, signs of life, pieces below 2^31, compression where it is asked for.
 */
#include <string.h>

#include "csg/conv/conv.h"

#define LAST_LAYER GPUBE_MAX_AGENTS /* what the farewell names */
#define NAP_NS     200000

/* In front of a layer's pieces; layer LAST_LAYER: a farewell, status 0 or ESTOP. */
struct body {
	int32_t layer, bits, status;
};

struct csg__layer_ranks {
	struct gpube_ctx *ctx;
	struct dcop_world *world;
	char *sums;
	size_t size;
	struct csg__conv_plan plan;
	uint8_t *owner; /* of the pieces of the layer at hand */
	int layer, bits, n_layers;
	int n_came[GPUBE_MAX_AGENTS + 1]; /* ranks whose pieces of a layer are here */
	bool one_stopped;
};

int csg__agree(struct csg__search *s, int status)
{
	if (csg__n_ranks(s) == 1 || s->agreed)
		return status;
	s->agreed = true;
	return dcop_world_agree(s->opts->world, status);
}

int csg__ranks_open(struct csg__layer_ranks **out, const struct csg__search *s, char *sums,
	size_t size, const struct csg__conv_plan *plan)
{
	struct csg__layer_ranks *r;

	*out = NULL;
	if (csg__n_ranks(s) == 1)
		return GPUBE_OK;
	r = gpube__alloc_zero(s->g->ctx, 1, sizeof(*r));
	if (!r)
		return GPUBE_ENOMEM;
	r->ctx = s->g->ctx;
	r->world = s->opts->world;
	r->sums = sums;
	r->size = size;
	r->n_layers = s->g->n - 1;
	r->plan = *plan;
	*out = r;
	dcop__test_hook(r->world);
	return GPUBE_OK;
}

/* Whose the pieces of layer h are; *bits: as the name of a piece has. */
static uint8_t *owners_of(struct csg__layer_ranks *r, int h, int *bits)
{
	const int n_ranks = r->world->n_ranks;
	uint8_t *owner;

	*bits = h - csg__layer_bits(&r->plan, h, n_ranks);
	owner = gpube__alloc(r->ctx, (uint64_t)1 << *bits, 1);
	if (owner)
		gpube__share_segments(owner, *bits, n_ranks);
	return owner;
}

int csg__ranks_begin(struct csg__layer_ranks *r, int h)
{
	if (!r)
		return GPUBE_OK;
	gpube__free(r->ctx, r->owner);
	r->layer = h;
	r->owner = owners_of(r, h, &r->bits);
	return r->owner ? GPUBE_OK : GPUBE_ENOMEM;
}

/* A layer of one piece is not worth sending: all ranks do it. */
bool csg__ranks_owns(const struct csg__layer_ranks *r, uint64_t piece)
{
	return !r || r->bits == 0 || r->owner[piece] == r->world->rank;
}

/* ---- what is sent ----------------------------------------------------------------------- */

/* The pieces of layer h that are a rank's, where they are. */
static int pieces_of(
	struct csg__layer_ranks *r, int rank, int h, struct dcop_blob **blobs, int32_t *n_blobs)
{
	int bits;
	uint8_t *owner = owners_of(r, h, &bits);
	const uint64_t bytes = (uint64_t)r->size << (h - bits);
	char *layer = r->sums + ((uint64_t)r->size << h);

	*n_blobs = 0;
	*blobs = owner ? gpube__alloc(r->ctx, (uint64_t)1 << bits, sizeof(**blobs)) : NULL;
	for (uint64_t x = 0; *blobs && x >> bits == 0; x++)
		if (owner[x] == rank)
			(*blobs)[(*n_blobs)++] = (struct dcop_blob){layer + x * bytes, bytes};
	gpube__free(r->ctx, owner);
	return *blobs ? GPUBE_OK : GPUBE_ENOMEM;
}

/* To all others: a layer's pieces, or the farewell. */
static int send_all(struct csg__layer_ranks *r, int layer, int status)
{
	const struct body body = {layer, r->bits, status};

	for (int to = 0; to < r->world->n_ranks; to++) {
		struct dcop_parcel *p;
		int failed = GPUBE_OK;

		if (to == r->world->rank)
			continue;
		p = dcop__parcel_new(r->ctx, &body, sizeof(body), 0, 0);
		if (p && layer < LAST_LAYER)
			failed = pieces_of(r, r->world->rank, layer, &p->blobs, &p->n_blobs);
		if (p && !failed)
			failed = dcop__world_send(r->world, to, p);
		else if (p)
			GPUBE_FREE_ALL(r->ctx, p->body, p);
		if (!p || failed)
			return p ? failed : GPUBE_ENOMEM;
	}
	return GPUBE_OK;
}

/* ---- what comes ------------------------------------------------------------------------- */

static int on_body(void *arg, int from, const void *bytes, uint64_t n, struct dcop_blob **blobs,
	int32_t *n_blobs)
{
	struct csg__layer_ranks *r = arg;
	struct body body;

	if (n == sizeof(body))
		memcpy(&body, bytes, sizeof(body));
	if (n == sizeof(body) && body.layer == LAST_LAYER)
		return GPUBE_OK;
	/* it may be ahead: layers of one piece are not waited for */
	if (n != sizeof(body) || body.layer < r->layer || body.layer > r->n_layers - 1 ||
		body.bits != body.layer - csg__layer_bits(&r->plan, body.layer, r->world->n_ranks))
		return gpube__fail(r->ctx, GPUBE_EIO,
			"rank %d sent sums that are not expected: does it solve the same game?",
			from);
	return pieces_of(r, from, body.layer, blobs, n_blobs);
}

static int on_parcel(void *arg, int from, const void *bytes, uint64_t n)
{
	struct csg__layer_ranks *r = arg;
	struct body body;

	(void)from;
	(void)n; /* on_body() looked */
	memcpy(&body, bytes, sizeof(body));
	r->n_came[body.layer]++;
	r->one_stopped |= body.status == GPUBE_ESTOP;
	return GPUBE_OK;
}

static struct dcop_listener listener(struct csg__layer_ranks *r)
{
	return (struct dcop_listener){r, on_body, on_parcel};
}

int csg__ranks_poll(struct csg__layer_ranks *r)
{
	const struct dcop_listener l = listener(r);
	bool busy;
	int status = r ? dcop__world_poll(r->world, &l, &busy) : GPUBE_OK;

	if (!status && r && r->one_stopped)
		return gpube__fail(r->ctx, GPUBE_ESTOP, "another rank has stopped");
	return status;
}

int csg__ranks_gather(struct csg__layer_ranks *r)
{
	const struct dcop_listener l = listener(r);
	int status;

	if (!r || r->bits == 0)
		return GPUBE_OK;
	status = send_all(r, r->layer, GPUBE_OK);
	while (!status && r->n_came[r->layer] < r->world->n_ranks - 1) {
		status = dcop__world_wait(r->world, &l, NAP_NS);
		if (!status && (r->one_stopped || gpube__stopped(r->ctx)))
			return gpube__fail_stopped(r->ctx);
	}
	return status;
}

/* Others have what was sent to them, and have said farewell. */
static bool all_left(const struct csg__layer_ranks *r)
{
	return dcop__world_drained(r->world) && r->n_came[LAST_LAYER] == r->world->n_ranks - 1;
}

int csg__ranks_close(struct csg__layer_ranks *r, int status)
{
	const struct dcop_listener l = listener(r);
	int own = GPUBE_OK;

	if (!r)
		return status;
	if (!status || status == GPUBE_ESTOP)
		own = send_all(r, LAST_LAYER, status);
	while ((!status || status == GPUBE_ESTOP) && !own && !all_left(r))
		own = dcop__world_wait(r->world, &l, NAP_NS);
	gpube__free(r->ctx, r->owner);
	gpube__free(r->ctx, r);
	return own ? own : status;
}
