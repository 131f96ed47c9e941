/*
 * ranks.c - support enumeration shared by ranks. See ranks.h.
 *
 * Every rank takes each n-th pair, and rank 0 gathers what they propose, once. Over
 * gpube/ranks/world.h and not by MPI_Gather(), which waits inside of MPI, where a dead rank cannot
 * be told from a slow one.
 *
 * Source of the division by round-robin and one gathering at the end: Widger and Grosu, Computing
 * equilibria in bimatrix games by parallel support enumeration, ISPDC 2008.
 */
#include "nash/ranks.h"

#include <string.h>

#define NAP_NS       200000
#define POLL_SECONDS 0.02

/* In front of a rank's proposals; a release has none, and goes from rank 0 to the others. */
struct body {
	int64_t status, n_pairs, n_unsure, n_found;
};

struct nash_ranks {
	struct gpube_ctx *ctx;
	struct dcop_world *world;
	double polled;
	int n_came; /* parcels */
	struct body *bodies;
	struct gpube_support_pair **found; /* of each rank */
};

int nash__ranks_open(struct nash_ranks **out, struct gpube_ctx *ctx, struct dcop_world *world)
{
	struct nash_ranks *r;

	*out = NULL;
	if (!world || world->n_ranks == 1)
		return GPUBE_OK;
	r = gpube__alloc_zero(ctx, 1, sizeof(*r));
	if (!r)
		return GPUBE_ENOMEM;
	r->ctx = ctx;
	r->world = world;
	r->bodies = gpube__alloc_zero(ctx, (uint64_t)world->n_ranks, sizeof(*r->bodies));
	r->found = gpube__alloc_zero(ctx, (uint64_t)world->n_ranks, sizeof(*r->found));
	if (!r->bodies || !r->found) {
		nash__ranks_close(r);
		return GPUBE_ENOMEM;
	}
	*out = r;
	dcop__test_hook(world);
	return GPUBE_OK;
}

void nash__ranks_close(struct nash_ranks *r)
{
	if (!r)
		return;
	for (int k = 0; r->found && k < r->world->n_ranks; k++)
		gpube__free(r->ctx, r->found[k]);
	GPUBE_FREE_ALL(r->ctx, r->found, r->bodies, r);
}

/* ---- what comes ------------------------------------------------------------------------- */

static int on_body(void *arg, int from, const void *bytes, uint64_t n, struct dcop_blob **blobs,
	int32_t *n_blobs)
{
	struct nash_ranks *r = arg;
	struct body *body = &r->bodies[from];

	if (n != sizeof(*body) || r->found[from] || (r->world->rank && from))
		return gpube__fail(r->ctx, GPUBE_EIO, "rank %d sent what nobody expects", from);
	memcpy(body, bytes, sizeof(*body));
	if (body->n_found <= 0)
		return GPUBE_OK;
	r->found[from] = gpube__alloc(r->ctx, (uint64_t)body->n_found, sizeof(**r->found));
	*blobs = gpube__alloc(r->ctx, 1, sizeof(**blobs));
	if (!r->found[from] || !*blobs)
		return GPUBE_ENOMEM;
	(*blobs)[0] =
		(struct dcop_blob){r->found[from], (uint64_t)body->n_found * sizeof(**r->found)};
	*n_blobs = 1;
	return GPUBE_OK;
}

static int on_parcel(void *arg, int from, const void *bytes, uint64_t n)
{
	struct nash_ranks *r = arg;

	(void)from;
	(void)bytes;
	(void)n; /* on_body() looked */
	r->n_came++;
	return GPUBE_OK;
}

static struct dcop_listener listener(struct nash_ranks *r)
{
	return (struct dcop_listener){r, on_body, on_parcel};
}

int nash__ranks_poll(void *ranks)
{
	struct nash_ranks *r = ranks;
	const struct dcop_listener l = listener(r);
	const double now = gpube__now();
	bool busy;

	if (now - r->polled < POLL_SECONDS)
		return GPUBE_OK;
	r->polled = now;
	return dcop__world_poll(r->world, &l, &busy);
}

/* Until so many parcels are here, and what was sent has left. */
static int await(struct nash_ranks *r, int n_parcels)
{
	const struct dcop_listener l = listener(r);
	int status = GPUBE_OK;

	while (!status && (r->n_came < n_parcels || !dcop__world_drained(r->world)))
		status = dcop__world_wait(r->world, &l, NAP_NS);
	return status;
}

/* ---- what is sent ----------------------------------------------------------------------- */

/* The proposals stay until they have left. */
static int send(struct nash_ranks *r, int to, struct body body, struct gpube_support_pair *found)
{
	struct dcop_parcel *p = dcop__parcel_new(r->ctx, &body, sizeof(body), 0, body.n_found > 0);

	if (!p)
		return GPUBE_ENOMEM;
	if (p->blobs)
		*p->blobs = (struct dcop_blob){found, (uint64_t)body.n_found * sizeof(*found)};
	return dcop__world_send(r->world, to, p);
}

static int append(struct nash_ranks *r, struct gpube_support_scan *s, int from)
{
	const int64_t n = r->bodies[from].n_found;

	if (gpube__grow(r->ctx, &s->found, &s->capacity, s->n_found + n, sizeof(*s->found)))
		return GPUBE_ENOMEM;
	if (n > 0)
		memcpy(s->found + s->n_found, r->found[from], (size_t)n * sizeof(*s->found));
	s->n_found += n;
	s->n_pairs += r->bodies[from].n_pairs;
	s->n_unsure += r->bodies[from].n_unsure;
	return GPUBE_OK;
}

int nash__ranks_gather(struct nash_ranks *r, struct gpube_support_scan *s, int status)
{
	const struct body mine = {status, s->n_pairs, s->n_unsure, s->n_found};
	bool stopped = status == GPUBE_ESTOP;

	if (status && !stopped)
		return status; /* the program ends all ranks */
	if (r->world->rank) {
		status = send(r, 0, mine, s->found);
		if (!status)
			status = await(r, 1); /* the release */
		s->n_found = 0;
		return status ? status : mine.status ? gpube__fail_stopped(r->ctx) : GPUBE_OK;
	}
	status = await(r, r->world->n_ranks - 1);
	for (int k = 1; k < r->world->n_ranks && !status; k++) {
		stopped |= r->bodies[k].status == GPUBE_ESTOP;
		status = append(r, s, k);
		if (!status)
			status = send(r, k, (struct body){0}, NULL);
	}
	if (!status)
		status = await(r, 0);
	return status ? status : stopped ? gpube__fail_stopped(r->ctx) : GPUBE_OK;
}
