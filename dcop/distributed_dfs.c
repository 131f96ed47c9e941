/* distributed_dfs.c - what each agent does with a message: see distributed_dfs.h. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "dcop/distributed_dfs.h"

enum { HEADER_BYTES = 40 };

/*
 * An agent of this rank.
 * wave, father  the best wave that it knows, and from whom (-1: its own)
 * n_answers     neighbours that have sent that wave
 * next          place of the neighbour that the token is offered next
 */
struct agent {
	int32_t wave, father, n_answers, n_sent;
	int64_t next;
	double clock;
};

struct run {
	const struct dcop_dfs *dfs;
	struct dcop_construction *sums;
	struct dcop_rounds rounds;
	struct agent *agents; /* those here: of agent a at agents[a - first] */
	struct dcop_mail in, out;
};

static struct agent *agent_of(struct run *r, int32_t a)
{
	return &r->agents[a - r->rounds.first[r->rounds.rank]];
}

static double own_clock(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t))
		return gpube__now();
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The index, by which ties are broken, and what the rule compares. */
static uint64_t key_bytes(const struct dcop_tree_opts *o, int32_t a)
{
	switch (o->heuristic) {
	case GPUBE_PSEUDOTREE_MIN_ID:
	case GPUBE_PSEUDOTREE_MAX_ID:
		return 4;
	case GPUBE_PSEUDOTREE_MIN_NAME:
	case GPUBE_PSEUDOTREE_MAX_NAME:
		return 4 + (o->names && o->names[a] ? strlen(o->names[a])
						    : (uint64_t)snprintf(NULL, 0, "%d", a));
	default:
		return 4 + 4;
	}
}

/* What a token carries is the message's from here on. */
static int send(struct run *r, struct dcop_dfs_message m)
{
	const uint64_t bytes =
		HEADER_BYTES + (m.kind == DCOP_WAVE ? key_bytes(r->dfs->opts, m.wave)
						    : (uint64_t)m.n * sizeof(*m.visited));

	if (gpube__grow(r->dfs->ctx, &r->out.list, &r->out.capacity, r->out.n + 1,
		    sizeof(*r->out.list))) {
		gpube__free(r->dfs->ctx, m.visited);
		return GPUBE_ENOMEM;
	}
	m.nth = agent_of(r, m.from)->n_sent++;
	r->out.list[r->out.n++] = m;
	r->sums->messages++;
	r->sums->token_messages += m.kind != DCOP_WAVE;
	r->sums->bytes += bytes;
	if (bytes > r->sums->largest_bytes)
		r->sums->largest_bytes = bytes;
	return GPUBE_OK;
}

/* ---- waves --------------------------------------------------------------------------------- */

static bool better(const struct dcop_dfs *dfs, int32_t a, int32_t b)
{
	if (a == dfs->opts->root || b == dfs->opts->root)
		return a == dfs->opts->root && b != a;
	return dfs->place[a] < dfs->place[b];
}

/* Passes the agent's wave on to all neighbours but the one that it is from. */
static int pass_on(struct run *r, int32_t a)
{
	const struct gpube_graph *g = r->dfs->g;
	const struct agent *agent = agent_of(r, a);
	int status = GPUBE_OK;

	for (int64_t k = g->start[a]; k < g->start[a + 1] && !status; k++)
		if (g->adjacent[k] != agent->father)
			status = send(r, (struct dcop_dfs_message){.kind = DCOP_WAVE,
						 .from = a,
						 .to = g->adjacent[k],
						 .wave = agent->wave});
	return status;
}

/* ---- the token ------------------------------------------------------------------------------ */

/* Where agent a is, or would be, among the visited. */
static int32_t place_among(const struct dcop_dfs_message *t, int32_t a)
{
	return gpube__first_from32(t->visited, t->n, a);
}

static bool is_visited(const struct dcop_dfs_message *t, int32_t a)
{
	const int32_t at = place_among(t, a);

	return at < t->n && t->visited[at] == a;
}

/* The token, which is the agent's, goes to its next neighbour, or back; at the root it ends. */
static int pass_token(struct run *r, struct dcop_dfs_message t, int32_t a)
{
	const struct gpube_graph *g = r->dfs->g;
	struct agent *agent = agent_of(r, a);

	t.from = a;
	t.to = -1;
	while (t.to < 0 && agent->next < g->start[a + 1]) {
		const int32_t next = r->dfs->sorted[agent->next++];

		if (!is_visited(&t, next))
			t.to = next;
	}
	t.kind = t.to < 0 ? DCOP_TOKEN_BACK : DCOP_TOKEN;
	if (t.to < 0)
		t.to = r->dfs->parent[a];
	if (t.to >= 0)
		return send(r, t);
	gpube__free(r->dfs->ctx, t.visited);
	return GPUBE_OK;
}

/* The first time that the token is here. */
static int visit(struct run *r, struct dcop_dfs_message t, int32_t a, int32_t parent)
{
	const int32_t at = place_among(&t, a);

	if (gpube__grow(
		    r->dfs->ctx, &t.visited, &t.capacity, (int64_t)t.n + 1, sizeof(*t.visited))) {
		gpube__free(r->dfs->ctx, t.visited);
		return GPUBE_ENOMEM;
	}
	memmove(t.visited + at + 1, t.visited + at, (size_t)(t.n - at) * sizeof(*t.visited));
	t.visited[at] = a;
	r->dfs->parent[a] = parent;
	r->dfs->number[a] = t.n++;
	return pass_token(r, t, a);
}

/* ---- an agent at work ------------------------------------------------------------------------ */

static int answer(struct run *r, int32_t a)
{
	const struct agent *agent = agent_of(r, a);

	if (agent->n_answers < r->dfs->g->start[a + 1] - r->dfs->g->start[a])
		return GPUBE_OK;
	if (agent->wave == a)
		return visit(r, (struct dcop_dfs_message){.wave = -1}, a, -1);
	return send(
		r, (struct dcop_dfs_message){
			   .kind = DCOP_WAVE, .from = a, .to = agent->father, .wave = agent->wave});
}

static int hear(struct run *r, const struct dcop_dfs_message *m)
{
	struct agent *agent = agent_of(r, m->to);
	int status = GPUBE_OK;

	if (better(r->dfs, m->wave, agent->wave)) {
		agent->wave = m->wave;
		agent->father = m->from;
		agent->n_answers = 0;
		status = pass_on(r, m->to);
	}
	if (status || m->wave != agent->wave)
		return status;
	agent->n_answers++;
	return answer(r, m->to);
}

static int begin(struct run *r, int32_t a)
{
	const struct gpube_graph *g = r->dfs->g;

	*agent_of(r, a) = (struct agent){.wave = a, .father = -1, .next = g->start[a]};
	return g->start[a] < g->start[a + 1] ? pass_on(r, a) : answer(r, a);
}

/* One message, or with NULL the agent's beginning, by its clock. */
static int work(struct run *r, int32_t a, struct dcop_dfs_message *m)
{
	struct agent *agent = agent_of(r, a);
	const int64_t from = r->out.n;
	const double start = own_clock();
	int status;

	if (!m) {
		status = begin(r, a);
	} else if (m->kind == DCOP_WAVE) {
		status = hear(r, m);
	} else {
		struct dcop_dfs_message token = *m;

		m->visited = NULL;
		status = token.kind == DCOP_TOKEN ? visit(r, token, a, token.from)
						  : pass_token(r, token, a);
	}
	agent->clock = fmax(agent->clock, m ? m->clock : 0) + own_clock() - start;
	r->sums->seconds = fmax(r->sums->seconds, agent->clock);
	for (int64_t k = from; k < r->out.n; k++)
		r->out.list[k].clock = agent->clock + r->dfs->opts->latency;
	return status;
}

static int run_rounds(struct run *r, int status)
{
	const int32_t *first = r->rounds.first + r->rounds.rank;
	bool over = false;

	for (int32_t a = first[0]; a < first[1] && !status; a++)
		status = work(r, a, NULL);
	for (;;) {
		if (!status && gpube__stopped(r->dfs->ctx))
			status = gpube__fail_stopped(r->dfs->ctx);
		status = dcop__round(&r->rounds, status, &r->in, &r->out, &over);
		if (over)
			return status;
		r->sums->rounds++;
		for (int64_t k = 0; k < r->in.n && !status; k++)
			status = work(r, r->in.list[k].to, &r->in.list[k]);
	}
}

int dcop__distributed_dfs(struct dcop_construction *out, const struct dcop_dfs *dfs)
{
	struct run r = {.dfs = dfs, .sums = out};
	int status = dcop__rounds_init(&r.rounds, dfs);
	int32_t here;

	*out = (struct dcop_construction){0};
	if (status)
		return status;
	if (r.rounds.world)
		dcop__test_hook(r.rounds.world);
	here = r.rounds.first[r.rounds.rank + 1] - r.rounds.first[r.rounds.rank];
	r.agents = gpube__alloc(dfs->ctx, (uint64_t)here, sizeof(*r.agents));
	status = run_rounds(&r, r.agents ? GPUBE_OK : GPUBE_ENOMEM);
	if (!status)
		status = dcop__rounds_end(&r.rounds, dfs, out);
	dcop__mail_clear(dfs->ctx, &r.in);
	dcop__mail_clear(dfs->ctx, &r.out);
	gpube__free(dfs->ctx, r.agents);
	dcop__rounds_clear(&r.rounds);
	return status;
}
