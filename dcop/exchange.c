/* exchange.c - the agents' messages as parcels between ranks. */
#include <string.h>

#include "dcop/distributed_dfs.h"
#include "dcop/engine.h"

#define NAP_NS 200000

enum kind { KIND_UTIL = 1, KIND_VALUE, KIND_RESULT, KIND_BYE, KIND_STOP };

/*
 * In front of every body. UTIL: 'n' mini numbers follow, their tables are the
 * blobs. VALUE: n pairs of variable and value. RESULT: n agents' outcomes, then
 * n_pairs such pairs. Ranks are programs of one build: no byte order is converted.
 */
struct head {
	int32_t kind, from, to, n;
	double clock;
	int64_t total, n_pairs;
};

struct pair {
	int32_t var, value;
};

struct outcome {
	int32_t agent, unused;
	int64_t total;
	double clock, seconds_util, seconds_value;
};

uint64_t dcop__util_bytes(const struct dcop_plan *p, int32_t agent, int cell_bytes)
{
	uint64_t bytes = sizeof(struct head);

	for (int64_t k = p->sends_at[agent]; k < p->sends_at[agent + 1]; k++)
		bytes += sizeof(int32_t) +
			 (uint64_t)p->mbe.minis[p->sends[k]].cells * (uint64_t)cell_bytes;
	return bytes;
}

uint64_t dcop__value_bytes(const struct dcop_plan *p, int32_t agent)
{
	return sizeof(struct head) +
	       (uint64_t)(p->separator_at[agent + 1] - p->separator_at[agent]) *
		       sizeof(struct pair);
}

/* ---- sending --------------------------------------------------------------------------- */

static void free_tables(void *arg, struct dcop_parcel *p)
{
	struct dcop_engine *e = arg;

	for (int32_t k = 0; k < p->n_blobs; k++)
		gpube__ops_cpu()->free(e->ctx, p->blobs[k].at);
}

static int send_util(struct dcop_engine *e, int32_t a)
{
	const struct dcop_plan *plan = e->plan;
	int32_t n = (int32_t)(plan->sends_at[a + 1] - plan->sends_at[a]);
	const int32_t *ids = plan->sends + plan->sends_at[a];
	struct head head = {.kind = KIND_UTIL,
		.from = a,
		.to = plan->tree->parent[a],
		.n = n,
		.clock = e->nodes[a].clock + e->opts->latency,
		.total = e->nodes[a].total};
	struct dcop_parcel *p =
		dcop__parcel_new(e->ctx, &head, sizeof(head), (uint64_t)n * sizeof(*ids), n);

	if (!p)
		return GPUBE_ENOMEM;
	memcpy((char *)p->body + sizeof(head), ids, (size_t)n * sizeof(*ids));
	for (int32_t k = 0; k < n; k++) {
		p->blobs[k].at = e->tables[ids[k]];
		p->blobs[k].bytes =
			(uint64_t)plan->mbe.minis[ids[k]].cells * gpube__type_size(e->costs.type);
		e->tables[ids[k]] = NULL;
	}
	p->done = free_tables;
	p->arg = e;
	return dcop__world_send(e->world, plan->rank[head.to], p);
}

static int send_value(struct dcop_engine *e, int32_t to)
{
	const struct dcop_plan *plan = e->plan;
	int32_t from = plan->tree->parent[to];
	int64_t n = plan->separator_at[to + 1] - plan->separator_at[to];
	struct head head = {.kind = KIND_VALUE,
		.from = from,
		.to = to,
		.n = (int32_t)n,
		.clock = e->nodes[from].clock + e->opts->latency};
	struct dcop_parcel *p =
		dcop__parcel_new(e->ctx, &head, sizeof(head), (uint64_t)n * sizeof(struct pair), 0);

	if (!p)
		return GPUBE_ENOMEM;
	for (int64_t k = 0; k < n; k++) {
		int32_t var = plan->separator[plan->separator_at[to] + k];
		struct pair pair = {var, e->values[var]};

		memcpy((char *)p->body + sizeof(head) + (size_t)k * sizeof(pair), &pair,
			sizeof(pair));
	}
	return dcop__world_send(e->world, plan->rank[to], p);
}

int dcop__send_task(struct dcop_engine *e, struct dcop_task done)
{
	return done.phase == DCOP_UTIL ? send_util(e, done.agent) : send_value(e, done.agent);
}

/* What the agents here came to, for rank 0. */
static int send_results(struct dcop_engine *e)
{
	const struct dcop_plan *plan = e->plan;
	struct head head = {.kind = KIND_RESULT, .from = e->world->rank};
	struct dcop_parcel *p;
	char *to;

	for (int32_t a = 0; a < plan->agents->n; a++)
		if (plan->rank[a] == e->world->rank) {
			head.n++;
			head.n_pairs += plan->n_own[a];
		}
	p = dcop__parcel_new(e->ctx, &head, sizeof(head),
		sizeof(e->world->traffic) + (uint64_t)head.n * sizeof(struct outcome) +
			(uint64_t)head.n_pairs * sizeof(struct pair),
		0);
	if (!p)
		return GPUBE_ENOMEM;
	to = (char *)p->body + sizeof(head);
	memcpy(to, &e->world->traffic, sizeof(e->world->traffic));
	to += sizeof(e->world->traffic);
	for (int32_t a = 0; a < plan->agents->n; a++) {
		const struct dcop_node *node = &e->nodes[a];
		struct outcome o = {.agent = a,
			.total = node->total,
			.clock = node->clock,
			.seconds_util = node->seconds_util,
			.seconds_value = node->seconds_value};

		if (plan->rank[a] != e->world->rank)
			continue;
		memcpy(to, &o, sizeof(o));
		to += sizeof(o);
	}
	for (int32_t q = 0; q < plan->m->n_vars; q++) {
		struct pair pair = {plan->order[q], e->values[plan->order[q]]};

		if (plan->rank[plan->agent_at[q]] != e->world->rank)
			continue;
		memcpy(to, &pair, sizeof(pair));
		to += sizeof(pair);
	}
	return dcop__world_send(e->world, 0, p);
}

static int send_all(struct dcop_engine *e, enum kind kind)
{
	const struct head head = {.kind = kind};
	int status = GPUBE_OK;

	for (int r = 0; r < e->world->n_ranks && !status; r++) {
		struct dcop_parcel *p;

		if (r == e->world->rank)
			continue;
		p = dcop__parcel_new(e->ctx, &head, sizeof(head), 0, 0);
		status = p ? dcop__world_send(e->world, r, p) : GPUBE_ENOMEM;
	}
	return status;
}

/* ---- receiving --------------------------------------------------------------------------- */

/* A UTIL message is what the plan says, of an agent there to its parent here. */
static bool util_as_planned(const struct dcop_engine *e, int from, const struct head *h,
	const char *more, uint64_t bytes)
{
	const struct dcop_plan *p = e->plan;

	return h->from >= 0 && h->from < p->agents->n && p->rank[h->from] == from &&
	       p->tree->parent[h->from] == h->to && h->to >= 0 &&
	       p->rank[h->to] == e->world->rank &&
	       h->n == p->sends_at[h->from + 1] - p->sends_at[h->from] &&
	       bytes == (uint64_t)h->n * sizeof(int32_t) &&
	       (!bytes || !memcmp(more, p->sends + p->sends_at[h->from], (size_t)bytes));
}

static int on_body(void *arg, int from, const void *body, uint64_t bytes, struct dcop_blob **blobs,
	int32_t *n_blobs)
{
	struct dcop_engine *e = arg;
	const struct dcop_plan *plan = e->plan;
	struct head h;
	int status = GPUBE_OK;

	*blobs = NULL;
	*n_blobs = 0;
	if (bytes < sizeof(h))
		return dcop__wrong(e->ctx, from);
	memcpy(&h, body, sizeof(h));
	if (h.kind != KIND_UTIL)
		return GPUBE_OK;
	if (!util_as_planned(e, from, &h, (const char *)body + sizeof(h), bytes - sizeof(h)))
		return dcop__wrong(e->ctx, from);
	*blobs = gpube__alloc_zero(e->ctx, (uint64_t)h.n, sizeof(**blobs));
	if (!*blobs)
		return GPUBE_ENOMEM;
	*n_blobs = h.n;
	pthread_mutex_lock(&e->lock);
	for (int32_t k = 0; k < h.n && !status; k++) {
		int32_t mini = plan->sends[plan->sends_at[h.from] + k];

		(*blobs)[k].bytes =
			(uint64_t)plan->mbe.minis[mini].cells * gpube__type_size(e->costs.type);
		e->tables[mini] = gpube__ops_cpu()->alloc(e->ctx, (*blobs)[k].bytes);
		(*blobs)[k].at = e->tables[mini];
		if (!e->tables[mini])
			status = GPUBE_ENOMEM;
	}
	pthread_mutex_unlock(&e->lock);
	if (status) {
		gpube__free(e->ctx, *blobs);
		*blobs = NULL;
	}
	return status;
}

/* Pairs of variable and value; false if one is none. */
static bool take_values(struct dcop_engine *e, const char *from, int64_t n)
{
	for (int64_t k = 0; k < n; k++) {
		struct pair pair;

		memcpy(&pair, from + (size_t)k * sizeof(pair), sizeof(pair));
		if (pair.var < 0 || pair.var >= e->plan->m->n_vars || pair.value < 0 ||
			pair.value >= e->plan->m->vars[pair.var].domain)
			return false;
		e->values[pair.var] = pair.value;
	}
	return true;
}

static bool take_results(
	struct dcop_engine *e, int from, const struct head *h, const char *more, uint64_t bytes)
{
	struct dcop_traffic t, *all = &e->world->traffic;

	if (h->n < 0 || h->n_pairs < 0 || h->n > e->plan->agents->n ||
		h->n_pairs > e->plan->m->n_vars ||
		bytes != sizeof(t) + (uint64_t)h->n * sizeof(struct outcome) +
				 (uint64_t)h->n_pairs * sizeof(struct pair))
		return false;
	memcpy(&t, more, sizeof(t));
	more += sizeof(t);
	all->n_parcels += t.n_parcels;
	all->n_pieces += t.n_pieces;
	all->raw_bytes += t.raw_bytes;
	all->sent_bytes += t.sent_bytes;
	for (int32_t k = 0; k < h->n; k++, more += sizeof(struct outcome)) {
		struct outcome o;

		memcpy(&o, more, sizeof(o));
		if (o.agent < 0 || o.agent >= e->plan->agents->n || e->plan->rank[o.agent] != from)
			return false;
		e->nodes[o.agent] = (struct dcop_node){.total = o.total,
			.clock = o.clock,
			.seconds_util = o.seconds_util,
			.seconds_value = o.seconds_value};
	}
	e->n_results++;
	return take_values(e, more, h->n_pairs);
}

static bool take(struct dcop_engine *e, int from, const char *body, uint64_t bytes)
{
	struct head h;

	memcpy(&h, body, sizeof(h));
	body += sizeof(h);
	bytes -= sizeof(h);
	switch (h.kind) {
	case KIND_UTIL:
		dcop__deliver_util(e, h.from, h.total, h.clock);
		return true;
	case KIND_VALUE:
		if (h.to < 0 || h.to >= e->plan->agents->n || h.n < 0 ||
			e->plan->rank[h.to] != e->world->rank ||
			bytes != (uint64_t)h.n * sizeof(struct pair) || !take_values(e, body, h.n))
			return false;
		dcop__deliver_value(e, h.to, h.clock);
		return true;
	case KIND_RESULT:
		return e->world->rank == 0 && take_results(e, from, &h, body, bytes);
	case KIND_BYE:
		e->released = true;
		return from == 0;
	case KIND_STOP:
		e->n_stopped++;
		return true;
	default:
		return false;
	}
}

static int on_parcel(void *arg, int from, const void *body, uint64_t bytes)
{
	struct dcop_engine *e = arg;
	bool good;

	pthread_mutex_lock(&e->lock);
	good = take(e, from, body, bytes);
	pthread_mutex_unlock(&e->lock);
	return good ? GPUBE_OK : dcop__wrong(e->ctx, from);
}

int dcop__exchange(struct dcop_engine *e, bool *busy, bool *over)
{
	const struct dcop_listener listener = {.arg = e, .body = on_body, .parcel = on_parcel};
	bool all_here;
	int status = dcop__world_poll(e->world, &listener, busy);

	pthread_mutex_lock(&e->lock);
	all_here = e->n_left == 0 && e->n_outbox == 0 &&
		   (e->world->rank || e->n_results == e->world->n_ranks - 1);
	pthread_mutex_unlock(&e->lock);
	if (!status && all_here && !e->reported) {
		e->reported = true;
		status = e->world->rank ? send_results(e) : send_all(e, KIND_BYE);
	}
	*over = e->reported && (e->released || e->world->rank == 0) &&
		dcop__world_drained(e->world);
	return status;
}

int dcop__exchange_stop(struct dcop_engine *e)
{
	const struct dcop_listener listener = {.arg = e, .body = on_body, .parcel = on_parcel};
	int status = send_all(e, KIND_STOP);

	while (!status && (e->n_stopped < e->world->n_ranks - 1 || !dcop__world_drained(e->world)))
		status = dcop__world_wait(e->world, &listener, NAP_NS);
	return status;
}
