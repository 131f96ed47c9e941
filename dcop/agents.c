/* agents.c - who owns which variable, and the graph of the agents. */
#include <stdlib.h>
#include <string.h>

#include "dcop/plan.h"
#include "formats/io/io.h"
#include "formats/common/names.h"

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

int dcop_agents_given(struct dcop_agents *a, const struct gpube_model *m, int32_t n,
	const int32_t *owner, const char *const *names)
{
	int status = init(a, m);

	if (!status && n > m->n_vars)
		status = gpube__fail(m->ctx, GPUBE_EINVAL, "%d agents share %d variable%s", n,
			m->n_vars, gpube__plural(m->n_vars));
	for (int32_t k = 0; k < n && !status; k++)
		status = add_agent(m->ctx, a, names ? names[k] : NULL);
	if (!status && m->n_vars)
		memcpy(a->owner, owner, (size_t)m->n_vars * sizeof(*owner));
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

enum { SPACE_VARIABLE, SPACE_AGENT };

/* The variable that a word names: a name first, so that variables named 0, 1… are found. */
static int32_t find_variable(
	const struct gpube_names *names, const struct gpube_model *m, const char *word)
{
	int32_t *found = gpube__names_find(names, SPACE_VARIABLE, word);
	int64_t index = 0;

	if (found)
		return *found;
	for (const char *p = word; *p; p++) {
		if (*p < '0' || *p > '9' || index >= m->n_vars)
			return -1;
		index = 10 * index + (*p - '0');
	}
	return *word && index < m->n_vars ? (int32_t)index : -1;
}

static int read_pair(struct dcop_agents *a, const struct gpube_model *m, struct gpube_in *in,
	struct gpube_names *names)
{
	char word[256];
	int32_t var, *agent;
	int status = gpube__in_token(in, word, "a variable");

	if (status)
		return status;
	var = find_variable(names, m, word);
	if (var < 0)
		return gpube__in_refuse(in, "a variable's index or name");
	if (a->owner[var] >= 0)
		return gpube__in_error(in, "expected every variable once, found '%s' again", word);
	status = gpube__in_token(in, word, "an agent");
	if (status)
		return status;
	agent = gpube__names_find(names, SPACE_AGENT, word);
	if (agent) {
		a->owner[var] = *agent;
		return GPUBE_OK;
	}
	a->owner[var] = a->n;
	status = add_agent(m->ctx, a, word);
	return status ? status : gpube__names_add(names, SPACE_AGENT, a->names[a->n - 1], a->n - 1);
}

static int read_pairs(struct dcop_agents *a, const struct gpube_model *m, struct gpube_in *in)
{
	struct gpube_names names;
	int status = GPUBE_OK;

	gpube__names_init(&names, m->ctx);
	for (int32_t i = 0; i < m->n_vars && !status; i++)
		if (m->vars[i].name && !gpube__names_find(&names, SPACE_VARIABLE, m->vars[i].name))
			status = gpube__names_add(&names, SPACE_VARIABLE, m->vars[i].name, i);
	while (!status && !gpube__in_at_end(in)) {
		if (*in->p == '#')
			gpube__in_skip_line(in);
		else
			status = read_pair(a, m, in, &names);
	}
	gpube__names_clear(&names);
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

int dcop__agent_graph(struct gpube_graph *out, struct gpube_ctx *ctx, const struct gpube_graph *g,
	const struct dcop_agents *a)
{
	uint64_t n = (uint64_t)a->n;
	int32_t *seen = gpube__alloc(ctx, n, sizeof(*seen));
	int32_t *head = gpube__alloc(ctx, n, sizeof(*head));
	int32_t *next = gpube__alloc(ctx, (uint64_t)g->n, sizeof(*next));
	int64_t used = 0;
	int status = GPUBE_ENOMEM;

	*out = (struct gpube_graph){.n = a->n,
		.start = gpube__alloc(ctx, n + 1, sizeof(*out->start)),
		.adjacent = gpube__alloc(ctx, (uint64_t)g->start[g->n], sizeof(*out->adjacent)),
		.domain = gpube__alloc(ctx, n, sizeof(*out->domain))};
	if (!seen || !head || !next || !out->start || !out->adjacent || !out->domain)
		goto out;
	for (int32_t i = 0; i < a->n; i++) {
		seen[i] = head[i] = -1;
		out->domain[i] = 1;
	}
	for (int32_t v = g->n - 1; v >= 0; v--) { /* an agent's domain: of all it owns, together */
		int32_t i = a->owner[v];
		int64_t cells = (int64_t)out->domain[i] * g->domain[v];

		next[v] = head[i];
		head[i] = v;
		out->domain[i] = cells < INT32_MAX ? (int32_t)cells : INT32_MAX;
	}
	for (int32_t i = 0; i < a->n; i++) {
		out->start[i] = used;
		seen[i] = i;
		for (int32_t v = head[i]; v >= 0; v = next[v])
			for (int64_t k = g->start[v]; k < g->start[v + 1]; k++) {
				int32_t other = a->owner[g->adjacent[k]];

				if (seen[other] != i)
					out->adjacent[used++] = other;
				seen[other] = i;
			}
		if (used > out->start[i])
			qsort(out->adjacent + out->start[i], (size_t)(used - out->start[i]),
				sizeof(*out->adjacent), gpube__compare_int32);
	}
	out->start[a->n] = used;
	status = GPUBE_OK;
out:
	gpube__free(ctx, seen);
	gpube__free(ctx, head);
	gpube__free(ctx, next);
	if (status)
		gpube__graph_clear(ctx, out);
	return status;
}
