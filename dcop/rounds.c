/* rounds.c - messages of a round between the ranks that host agents: see distributed_dfs.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dcop/distributed_dfs.h"

/* In front of what a rank sends another: 'n' messages follow, or with a status a text. */
struct head {
	int32_t status, n;
	int64_t n_sent; /* to all ranks, itself included */
};

/* A message as it travels; the visited agents follow. Ranks are programs of one build. */
struct wire {
	int32_t kind, from, to, wave, nth, n;
	double clock;
};

int dcop__wrong(struct gpube_ctx *ctx, int from)
{
	return gpube__fail(ctx, GPUBE_EIO,
		"rank %d sent a message that does not belong to this run: do all ranks read the "
		"same file with the same options?",
		from);
}

void dcop__mail_clear(struct gpube_ctx *ctx, struct dcop_mail *mail)
{
	for (int64_t k = 0; k < mail->n; k++)
		gpube__free(ctx, mail->list[k].visited);
	gpube__free(ctx, mail->list);
	*mail = (struct dcop_mail){0};
}

int dcop__rounds_init(struct dcop_rounds *r, const struct dcop_dfs *dfs)
{
	struct dcop_world *world = dfs->opts->world;

	*r = (struct dcop_rounds){.ctx = dfs->ctx, .g = dfs->g, .n_ranks = 1};
	if (world && world->n_ranks > 1) {
		r->world = world;
		r->rank = world->rank;
		r->n_ranks = world->n_ranks;
	}
	r->first = gpube__alloc(dfs->ctx, (uint64_t)r->n_ranks + 1, sizeof(*r->first));
	r->came = gpube__alloc_zero(dfs->ctx, (uint64_t)r->n_ranks, sizeof(*r->came));
	if (!r->first || !r->came) {
		dcop__rounds_clear(r);
		return GPUBE_ENOMEM;
	}
	for (int k = 0; k <= r->n_ranks; k++)
		r->first[k] = (int32_t)((int64_t)dfs->g->n * k / r->n_ranks);
	return GPUBE_OK;
}

static void drop_first(struct dcop_rounds *r, int from)
{
	struct dcop_arrival *first = r->came[from];

	r->came[from] = first->next;
	gpube__free(r->ctx, first);
}

void dcop__rounds_clear(struct dcop_rounds *r)
{
	for (int k = 0; r->came && k < r->n_ranks; k++)
		while (r->came[k])
			drop_first(r, k);
	gpube__free(r->ctx, r->first);
	gpube__free(r->ctx, r->came);
	*r = (struct dcop_rounds){0};
}

/* ---- parcels ------------------------------------------------------------------------------- */

static int on_body(void *arg, int from, const void *body, uint64_t bytes, struct dcop_blob **blobs,
	int32_t *n_blobs)
{
	(void)arg;
	(void)from;
	(void)body;
	(void)bytes;
	*blobs = NULL;
	*n_blobs = 0;
	return GPUBE_OK;
}

/* A rank may be a round ahead: what comes is kept until its turn. */
static int on_parcel(void *arg, int from, const void *body, uint64_t bytes)
{
	struct dcop_rounds *r = arg;
	struct dcop_arrival **at = &r->came[from], *a;

	a = gpube__alloc(r->ctx, sizeof(*a) + bytes, 1);
	if (!a)
		return GPUBE_ENOMEM;
	*a = (struct dcop_arrival){.bytes = bytes};
	memcpy(a->body, body, (size_t)bytes);
	while (*at)
		at = &(*at)->next;
	*at = a;
	return GPUBE_OK;
}

/* Until everything has left this rank, and a parcel of every other one is there. */
static int wait_for_all(struct dcop_rounds *r)
{
	const struct dcop_listener listener = {.arg = r, .body = on_body, .parcel = on_parcel};

	for (;;) {
		bool all = dcop__world_drained(r->world);
		int status;

		for (int k = 0; k < r->n_ranks; k++)
			all &= k == r->rank || r->came[k];
		if (all)
			return GPUBE_OK;
		status = dcop__world_wait(r->world, &listener, 20000);
		if (status)
			return status;
	}
}

/* ---- a round ------------------------------------------------------------------------------- */

static bool is_on(const struct dcop_rounds *r, int32_t a, int rank)
{
	return a >= r->first[rank] && a < r->first[rank + 1];
}

/* What is in 'out' for one rank, whose visited agents are freed. */
static int send_to(struct dcop_rounds *r, int rank, int status, struct dcop_mail *out)
{
	struct head head = {.status = status, .n_sent = out->n};
	const char *text = gpube_error(r->ctx);
	uint64_t bytes = status ? strlen(text) + 1 : 0;
	struct dcop_parcel *p;
	char *to;

	for (int64_t k = 0; k < out->n && !status; k++)
		if (is_on(r, out->list[k].to, rank)) {
			head.n++;
			bytes += sizeof(struct wire) +
				 (uint64_t)out->list[k].n * sizeof(*out->list[k].visited);
		}
	p = dcop__parcel_new(r->ctx, &head, sizeof(head), bytes, 0);
	if (!p)
		return GPUBE_ENOMEM;
	to = (char *)p->body + sizeof(head);
	if (status)
		memcpy(to, text, strlen(text) + 1);
	for (int64_t k = 0; k < out->n && !status; k++) {
		struct dcop_dfs_message *m = &out->list[k];
		const struct wire w = {m->kind, m->from, m->to, m->wave, m->nth, m->n, m->clock};

		if (!is_on(r, m->to, rank))
			continue;
		memcpy(to, &w, sizeof(w));
		to += sizeof(w);
		if (m->n)
			memcpy(to, m->visited, (size_t)m->n * sizeof(*m->visited));
		to += (size_t)m->n * sizeof(*m->visited);
		gpube__free(r->ctx, m->visited);
		m->visited = NULL;
	}
	return dcop__world_send(r->world, rank, p);
}

static bool is_neighbour(const struct gpube_graph *g, int32_t a, int32_t other)
{
	for (int64_t k = g->start[a]; k < g->start[a + 1]; k++)
		if (g->adjacent[k] == other)
			return true;
	return false;
}

/* Of neighbours, and with agents that there are. */
static bool is_sound(const struct dcop_rounds *r, int from, const struct wire *w)
{
	return w->kind >= DCOP_WAVE && w->kind <= DCOP_TOKEN_BACK && is_on(r, w->from, from) &&
	       is_on(r, w->to, r->rank) && is_neighbour(r->g, w->to, w->from) && w->n >= 0 &&
	       w->n <= r->g->n &&
	       (w->kind == DCOP_WAVE ? w->wave >= 0 && w->wave < r->g->n && !w->n : w->n > 0);
}

static int add(struct dcop_rounds *r, struct dcop_mail *mail, struct dcop_dfs_message m)
{
	if (gpube__grow(r->ctx, &mail->list, &mail->capacity, mail->n + 1, sizeof(*mail->list))) {
		gpube__free(r->ctx, m.visited);
		return GPUBE_ENOMEM;
	}
	mail->list[mail->n++] = m;
	return GPUBE_OK;
}

static int read_messages(struct dcop_rounds *r, int from, const char *at, const char *end,
	int32_t n, struct dcop_mail *in)
{
	int status = GPUBE_OK;

	for (int32_t k = 0; k < n && !status; k++) {
		struct dcop_dfs_message m;
		struct wire w;

		if ((size_t)(end - at) < sizeof(w))
			return dcop__wrong(r->ctx, from);
		memcpy(&w, at, sizeof(w));
		at += sizeof(w);
		if (!is_sound(r, from, &w) ||
			(uint64_t)(end - at) < (uint64_t)w.n * sizeof(*m.visited))
			return dcop__wrong(r->ctx, from);
		m = (struct dcop_dfs_message){w.kind, w.from, w.to, w.wave, w.nth, w.n, w.clock,
			gpube__alloc(r->ctx, (uint64_t)w.n, sizeof(*m.visited)), w.n};
		if (!m.visited)
			return GPUBE_ENOMEM;
		if (w.n)
			memcpy(m.visited, at, (size_t)w.n * sizeof(*m.visited));
		at += (size_t)w.n * sizeof(*m.visited);
		status = add(r, in, m);
	}
	return status || at == end ? status : dcop__wrong(r->ctx, from);
}

/* How the round is for another rank, whose parcel has come. */
static int read_head(struct dcop_rounds *r, int from, struct head *head)
{
	const struct dcop_arrival *a = r->came[from];

	*head = (struct head){0};
	if (a->bytes < sizeof(*head))
		return dcop__wrong(r->ctx, from);
	memcpy(head, a->body, sizeof(*head));
	if (head->status == GPUBE_ESTOP)
		return gpube__fail_stopped(r->ctx);
	return !head->status ? GPUBE_OK
			     : gpube__fail(r->ctx, GPUBE_EIO, "rank %d: %.*s", from,
				       (int)(a->bytes - sizeof(*head)), a->body + sizeof(*head));
}

/* All that is said between ranks in a round; 'over' as all ranks know it. */
static int exchange(
	struct dcop_rounds *r, int status, struct dcop_mail *in, struct dcop_mail *out, bool *over)
{
	const int mine = status;
	bool busy = out->n > 0;
	char text[sizeof(r->ctx->error)];
	struct head head;

	memcpy(text, r->ctx->error, sizeof(text));
	status = GPUBE_OK;
	for (int k = 0; k < r->n_ranks && !status; k++)
		if (k != r->rank)
			status = send_to(r, k, mine, out);
	if (!status)
		status = wait_for_all(r);
	*over = true;
	if (mine)
		return gpube__fail(r->ctx, (enum gpube_status)mine, "%s", text);
	for (int k = 0; k < r->n_ranks && !status; k++)
		if (k != r->rank) {
			status = read_head(r, k, &head);
			busy |= head.n_sent > 0;
		}
	if (status)
		return status;
	*over = !busy;
	for (int k = 0; k < r->n_ranks && !status; k++)
		if (k != r->rank) {
			const struct dcop_arrival *a = r->came[k];

			memcpy(&head, a->body, sizeof(head));
			status = read_messages(
				r, k, a->body + sizeof(head), a->body + a->bytes, head.n, in);
			drop_first(r, k);
		}
	return status;
}

static int by_receiver(const void *a, const void *b)
{
	const struct dcop_dfs_message *x = a, *y = b;

	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->nth > y->nth) - (x->nth < y->nth);
}

int dcop__round(
	struct dcop_rounds *r, int status, struct dcop_mail *in, struct dcop_mail *out, bool *over)
{
	for (int64_t k = 0; k < in->n; k++) /* of those that a failure has left */
		gpube__free(r->ctx, in->list[k].visited);
	in->n = 0;
	*over = !out->n;
	for (int64_t k = 0; k < out->n && !status; k++)
		if (is_on(r, out->list[k].to, r->rank)) {
			status = add(r, in, out->list[k]);
			out->list[k].visited = NULL;
			out->list[k].n = 0;
		}
	if (r->n_ranks > 1)
		status = exchange(r, status, in, out, over);
	else
		*over |= status != GPUBE_OK;
	for (int64_t k = 0; k < out->n; k++)
		gpube__free(r->ctx, out->list[k].visited);
	out->n = 0;
	if (in->n > 1)
		qsort(in->list, (size_t)in->n, sizeof(*in->list), by_receiver);
	return status;
}

/* ---- the end --------------------------------------------------------------------------------- */

static int send_result(struct dcop_rounds *r, int to, const struct dcop_dfs *dfs,
	const struct dcop_construction *sums)
{
	const int32_t first = r->first[r->rank], n = r->first[r->rank + 1] - first;
	const size_t bytes = (size_t)n * sizeof(*dfs->parent);
	struct dcop_parcel *p = dcop__parcel_new(r->ctx, sums, sizeof(*sums), 2 * bytes, 0);
	char *at = p ? p->body : NULL;

	if (!p)
		return GPUBE_ENOMEM;
	if (bytes) {
		memcpy(at + sizeof(*sums), dfs->parent + first, bytes);
		memcpy(at + sizeof(*sums) + bytes, dfs->number + first, bytes);
	}
	return dcop__world_send(r->world, to, p);
}

static int take_result(
	struct dcop_rounds *r, int from, const struct dcop_dfs *dfs, struct dcop_construction *sums)
{
	const int32_t first = r->first[from], n = r->first[from + 1] - first;
	const size_t bytes = (size_t)n * sizeof(*dfs->parent);
	const struct dcop_arrival *a = r->came[from];
	struct dcop_construction theirs;

	if (a->bytes != sizeof(theirs) + 2 * bytes)
		return dcop__wrong(r->ctx, from);
	memcpy(&theirs, a->body, sizeof(theirs));
	if (bytes) {
		memcpy(dfs->parent + first, a->body + sizeof(theirs), bytes);
		memcpy(dfs->number + first, a->body + sizeof(theirs) + bytes, bytes);
	}
	sums->messages += theirs.messages;
	sums->token_messages += theirs.token_messages;
	sums->bytes += theirs.bytes;
	if (theirs.largest_bytes > sums->largest_bytes)
		sums->largest_bytes = theirs.largest_bytes;
	sums->seconds = fmax(sums->seconds, theirs.seconds);
	drop_first(r, from);
	return GPUBE_OK;
}

int dcop__rounds_end(
	struct dcop_rounds *r, const struct dcop_dfs *dfs, struct dcop_construction *sums)
{
	int status = GPUBE_OK;

	if (r->n_ranks == 1)
		return GPUBE_OK;
	for (int k = 0; k < r->n_ranks && !status; k++)
		if (k != r->rank)
			status = send_result(r, k, dfs, sums);
	if (!status)
		status = wait_for_all(r);
	for (int k = 0; k < r->n_ranks && !status; k++)
		if (k != r->rank)
			status = take_result(r, k, dfs, sums);
	/* no rank begins what comes next before all have this */
	return status ? status : dcop_world_agree(r->world, GPUBE_OK);
}
