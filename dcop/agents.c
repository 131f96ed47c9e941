/* agents.c - who owns which variable, and the graph of the agents. */
#include <stdlib.h>
#include <string.h>

#include "dcop/plan.h"
#include "formats/io/io.h"
#include "formats/common/named.h"
#include "gpube/base/rows.h"

void dcop_agents_clear(struct gpube_ctx *ctx, struct dcop_agents *a)
{
	for (int32_t i = 0; a->names && i < a->n; i++)
		gpube__free(ctx, a->names[i]);
	gpube__free(ctx, a->names);
	gpube__free(ctx, a->owner);
	memset(a, 0, sizeof(*a));
}

/* One more agent; its number in a->n - 1. */
static int add_agent(struct gpube_ctx *ctx, struct dcop_agents *a, const char *name)
{
	if (name) {
		a->names[a->n] = gpube__strdup(ctx, name);
		if (!a->names[a->n])
			return GPUBE_ENOMEM;
	}
	a->n++;
	return GPUBE_OK;
}

/* Room for one agent a variable, which own nothing yet. */
static int init(struct dcop_agents *a, const struct gpube_model *m)
{
	uint64_t n = (uint64_t)m->n_vars;

	memset(a, 0, sizeof(*a));
	if (gpube__check_kind(m, GPUBE__NETWORKS))
		return GPUBE_EINVAL;
	a->owner = gpube__alloc(m->ctx, n, sizeof(*a->owner));
	a->names = gpube__alloc_zero(m->ctx, n, sizeof(*a->names));
	if (!a->owner || !a->names) {
		dcop_agents_clear(m->ctx, a);
		return GPUBE_ENOMEM;
	}
	for (int32_t i = 0; i < m->n_vars; i++)
		a->owner[i] = -1;
	return GPUBE_OK;
}

/* Whoever owns nothing so far is its own agent. */
static int fill_up(struct dcop_agents *a, const struct gpube_model *m)
{
	int status = GPUBE_OK;

	for (int32_t i = 0; i < m->n_vars && !status; i++)
		if (a->owner[i] < 0) {
			a->owner[i] = a->n;
			status = add_agent(m->ctx, a, m->vars[i].name);
		}
	if (status)
		dcop_agents_clear(m->ctx, a);
	return status;
}

int dcop_agents_each(struct dcop_agents *a, const struct gpube_model *m)
{
	int status = init(a, m);

	return status ? status : fill_up(a, m);
}

int dcop__check_agents(struct gpube_ctx *ctx, const struct dcop_agents *a, int32_t n_vars)
{
	uint8_t *owns = gpube__alloc_zero(ctx, (uint64_t)a->n, 1);
	int32_t n_idle = a->n;
	int status = owns ? GPUBE_OK : GPUBE_ENOMEM;

	for (int32_t v = 0; v < n_vars && !status; v++) {
		int32_t i = a->owner[v];

		if (i < 0 || i >= a->n) {
			status = gpube__fail(ctx, GPUBE_EINVAL,
				"variable %d belongs to agent %d, and there are %d", v, i, a->n);
		} else {
			n_idle -= !owns[i];
			owns[i] = 1;
		}
	}
	if (!status && n_idle)
		status = gpube__fail(
			ctx, GPUBE_EINVAL, "%d of the %d agents own no variable", n_idle, a->n);
	gpube__free(ctx, owns);
	return status;
}

/* A copy of the first line of *names, which becomes the rest; NULL: it is empty. */
static int add_line(struct gpube_ctx *ctx, struct dcop_agents *a, const char **names)
{
	const size_t n = *names ? strcspn(*names, "\n") : 0;
	char *line = n ? gpube__alloc(ctx, n + 1, 1) : NULL;

	if (n && !line)
		return GPUBE_ENOMEM;
	if (n)
		memcpy(line, *names, n);
	if (n)
		line[n] = 0;
	a->names[a->n++] = line;
	if (*names)
		*names += n + ((*names)[n] != 0);
	return GPUBE_OK;
}

int dcop_agents_given(struct dcop_agents *a, const struct gpube_model *m, int32_t n,
	const int32_t *owner, const char *names)
{
	int32_t n_agents = 0;
	int status = init(a, m);

	if (!status && n != m->n_vars)
		status = gpube__fail(m->ctx, GPUBE_EINVAL, "owner: %d agents of %d variable%s", n,
			m->n_vars, gpube__plural(m->n_vars));
	for (int32_t v = 0; v < n && !status; v++) {
		if (owner[v] < 0 || owner[v] >= n)
			status = gpube__fail(m->ctx, GPUBE_EINVAL,
				"variable %d belongs to agent %d, and there are at most %d", v,
				owner[v], n);
		else if (owner[v] >= n_agents)
			n_agents = owner[v] + 1;
	}
	for (int32_t k = 0; k < n_agents && !status; k++)
		status = add_line(m->ctx, a, &names);
	if (!status && names && *names)
		status = gpube__fail(
			m->ctx, GPUBE_EINVAL, "there are more names than %d agents", n_agents);
	if (!status && n)
		memcpy(a->owner, owner, (size_t)n * sizeof(*owner));
	if (!status)
		status = dcop__check_agents(m->ctx, a, m->n_vars);
	if (status)
		dcop_agents_clear(m->ctx, a);
	return status;
}

int dcop_agents_of(struct dcop_agents *a, const struct gpube_model *m)
{
	int32_t *number;
	int status = init(a, m);

	if (status || !m->agent_of)
		return status ? status : fill_up(a, m);
	number = gpube__alloc(m->ctx, (uint64_t)m->n_agents, sizeof(*number));
	if (!number)
		status = GPUBE_ENOMEM;
	for (int32_t k = 0; k < m->n_agents && !status; k++)
		number[k] = -1;
	for (int32_t i = 0; i < m->n_vars && !status; i++) {
		int32_t k = m->agent_of[i];

		if (k < 0)
			continue;
		if (number[k] < 0) {
			number[k] = a->n;
			status = add_agent(m->ctx, a, m->agents[k]);
		}
		a->owner[i] = number[k];
	}
	gpube__free(m->ctx, number);
	if (status) {
		dcop_agents_clear(m->ctx, a);
		return status;
	}
	return fill_up(a, m);
}

static int read_pair(struct dcop_agents *a, struct gpube_in *in, struct gpube_named *vars,
	struct gpube_names *names)
{
	char word[256];
	int32_t var, *agent;
	int status = gpube__in_name(in, word, "a variable");

	if (status)
		return status;
	status = gpube__named_var(&var, vars, word);
	if (status)
		return status == GPUBE_EINVAL ? gpube__named_fail(in) : status;
	if (a->owner[var] >= 0)
		return gpube__in_error(in, "expected every variable once, found '%s' again", word);
	if (gpube__in_at_end(in))
		return in->status ? in->status
				  : gpube__in_error(in, "expected an agent of '%s'", word);
	status = gpube__in_name(in, word, "an agent");
	if (status)
		return status;
	agent = gpube__names_find(names, 0, word);
	if (agent) {
		a->owner[var] = *agent;
		return GPUBE_OK;
	}
	a->owner[var] = a->n;
	status = add_agent(in->ctx, a, word);
	return status ? status : gpube__names_add(names, 0, a->names[a->n - 1], a->n - 1);
}

static int read_pairs(struct dcop_agents *a, const struct gpube_model *m, struct gpube_in *in)
{
	struct gpube_names names;
	struct gpube_named vars;
	int status = gpube__named_init(&vars, m);

	gpube__names_init(&names, m->ctx);
	while (!status && gpube__in_more(in, '#'))
		status = read_pair(a, in, &vars, &names);
	gpube__names_clear(&names);
	gpube__named_clear(&vars);
	return status ? status : in->status;
}

int dcop_agents_read(struct dcop_agents *a, const struct gpube_model *m, const char *path)
{
	struct gpube_in in;
	int status = init(a, m);

	if (status)
		return status;
	status = gpube__in_open(&in, m->ctx, path);
	if (!status) {
		status = read_pairs(a, m, &in);
		gpube__in_close(&in);
	}
	if (status) {
		dcop_agents_clear(m->ctx, a);
		return status;
	}
	return fill_up(a, m);
}

/* Each row once and ascending: they close up. */
static void close_up(struct gpube_graph *g)
{
	int64_t used = 0, from = 0;

	for (int32_t i = 0; i < g->n; i++) {
		const int64_t end = g->start[i + 1];

		if (end > from)
			qsort(g->adjacent + from, (size_t)(end - from), sizeof(*g->adjacent),
				gpube__compare_int32);
		g->start[i] = used;
		for (int64_t k = from; k < end; k++)
			if (k == from || g->adjacent[k] != g->adjacent[k - 1])
				g->adjacent[used++] = g->adjacent[k];
		from = end;
	}
	g->start[g->n] = used;
}

int dcop__agent_graph(struct gpube_graph *out, struct gpube_ctx *ctx, const struct gpube_graph *g,
	const struct dcop_agents *a)
{
	const int32_t *owner = a->owner;
	const uint64_t n = (uint64_t)a->n;

	*out = (struct gpube_graph){.n = a->n,
		.start = gpube__alloc_zero(ctx, n + 2, sizeof(*out->start)),
		.adjacent = gpube__alloc(ctx, (uint64_t)g->start[g->n], sizeof(*out->adjacent)),
		.domain = gpube__alloc(ctx, n, sizeof(*out->domain))};
	if (!out->start || !out->adjacent || !out->domain) {
		gpube__graph_clear(ctx, out);
		return GPUBE_ENOMEM;
	}
	for (int32_t i = 0; i < a->n; i++)
		out->domain[i] = 1;
	for (int32_t v = 0; v < g->n; v++) { /* an agent's domain: of all it owns, together */
		const int64_t cells = (int64_t)out->domain[owner[v]] * g->domain[v];

		out->domain[owner[v]] = cells < INT32_MAX ? (int32_t)cells : INT32_MAX;
		for (int64_t k = g->start[v]; k < g->start[v + 1]; k++)
			if (owner[g->adjacent[k]] != owner[v])
				GPUBE_ROW_COUNT(out->start, owner[v]);
	}
	GPUBE_ROWS_BEGIN(out->start, a->n);
	for (int32_t v = 0; v < g->n; v++)
		for (int64_t k = g->start[v]; k < g->start[v + 1]; k++)
			if (owner[g->adjacent[k]] != owner[v])
				out->adjacent[GPUBE_ROW_PLACE(out->start, owner[v])] =
					owner[g->adjacent[k]];
	close_up(out);
	return GPUBE_OK;
}
