/* nested.c - the states of an ascent on nested regions: see nested.h. */
#include "gpube/relax/nested.h"
#include "gpube/relax/moved.h"
#include "gpube/options/options.h"

#include <math.h>
#include <string.h>

#include "gpube/ops/regions/regions_cell.h"

bool gpube__nested_suits(const struct gpube_model *m, const struct gpube_regions_ops *regions)
{
	bool any = false;

	for (int32_t i = 0; i < m->n_vars; i++)
		if (m->vars[i].domain > regions->most_values(m->ctx))
			return false;
	for (int32_t f = 0; f < m->n_functions; f++) {
		if (m->functions[f].arity > 2)
			return false;
		any |= m->functions[f].arity == 2;
	}
	return any && m->n_vars <= 5000;
}

/* Cells of the tables of variables and pairs, which come first. */
static int64_t small_cells(const struct gpube_nested *n, const struct gpube_nested_problem *p)
{
	return p->r.at[n->plan.n + n->plan.n_pairs];
}

int gpube__nested_init(struct gpube_nested *n, struct gpube_pairs *c, const struct gpube_ops *ops,
	const struct gpube_regions_ops *regions, double bytes,
	const struct gpube_nested_triples *only)
{
	int64_t values = 0, cells = 0;
	int status;

	memset(n, 0, sizeof(*n));
	n->ctx = c->ctx;
	n->ops = ops;
	n->regions = regions;
	n->c = c;
	for (int32_t i = 0; i < c->n; i++) {
		values += c->domain[i];
		cells += gpube__row(c, i);
	}
	for (int32_t e = 0; e < c->n_pairs; e++)
		cells += c->domain[c->pairs[e].a] * gpube__row(c, c->pairs[e].b);
	n->kept = gpube__alloc(n->ctx, (uint64_t)(c->n + 1 + values), sizeof(*n->kept));
	n->cells = gpube__alloc(n->ctx, (uint64_t)cells, sizeof(*n->cells));
	status = n->kept && n->cells ? gpube__nested_find(n, bytes, only) : GPUBE_ENOMEM;
	if (status)
		gpube__nested_clear(n);
	return status;
}

void gpube__nested_clear(struct gpube_nested *n)
{
	if (!n->ctx)
		return;
	GPUBE_FREE_ALL(n->ctx, n->plan.words, n->plan.quad_group, n->plan.triple_group,
		n->plan.variable_group);
	if (n->plan.on_device)
		n->ops->free(n->ctx, n->plan.on_device);
	gpube__free(n->ctx, n->kept);
	gpube__free(n->ctx, n->cells);
	memset(n, 0, sizeof(*n));
}

/* ---- states ---------------------------------------------------------------------------------- */

void gpube__nested_free(struct gpube_nested *n, struct gpube_nested_problem *p)
{
	if (!p)
		return;
	if (p->r.memory)
		n->ops->free(n->ctx, p->r.memory);
	GPUBE_FREE_ALL(n->ctx, p->r.domain, p->r.at, p->values, p);
}

static int64_t table_cells(const struct regions_view *v, const int32_t *domain, int64_t t)
{
	int32_t vars[3];
	const int n = regions_scope(v, t, vars);
	int64_t cells = regions_row(domain[vars[n - 1]]);

	for (int k = 0; k + 1 < n; k++)
		cells *= domain[vars[k]];
	return cells;
}

/* A part with memory for the domains; its head, offsets and domains are there, its cells are 0. */
static int problem_new(struct gpube_nested_problem **out, struct gpube_nested *n,
	const int32_t *domain, int64_t constant, int64_t target)
{
	const struct gpube_regions_plan *plan = &n->plan;
	const int64_t tables = gpube__regions_tables(plan);
	const struct gpube_regions_head head = {.constant = constant, .target = target};
	struct gpube_nested_problem *p = gpube__alloc_zero(n->ctx, 1, sizeof(*p));
	const uint64_t header = regions_header(plan);
	char *front = gpube__alloc_zero(n->ctx, header, 1);
	int64_t total = 0, values = 0;
	struct regions_view v;
	int status = GPUBE_ENOMEM;

	*out = NULL;
	if (!p || !front)
		goto fail;
	p->constant = constant;
	p->target = target;
	p->states = INFINITY;
	p->r.plan = plan;
	p->r.domain = gpube__alloc(n->ctx, (uint64_t)plan->n, sizeof(*domain));
	p->r.at = gpube__alloc(n->ctx, (uint64_t)tables + 1, sizeof(*p->r.at));
	if (!p->r.domain || !p->r.at)
		goto fail;
	memcpy(p->r.domain, domain, (size_t)plan->n * sizeof(*domain));
	p->r.memory = front; /* for the plan's part of the view alone */
	v = regions_view(&p->r, plan->words);
	p->r.memory = NULL;
	for (int64_t t = 0; t < tables; t++) {
		p->r.at[t] = total;
		total += table_cells(&v, domain, t);
	}
	p->r.at[tables] = total;
	for (int32_t i = 0; i < plan->n; i++)
		values += domain[i];
	p->values = gpube__alloc(n->ctx, (uint64_t)values, sizeof(*p->values));
	p->r.bytes = header + sizeof(int32_t) * (uint64_t)total;
	p->r.memory = p->values ? n->ops->alloc(n->ctx, p->r.bytes) : NULL;
	if (!p->r.memory)
		goto fail;
	/* padding is never written: its sums mean nothing, but shall not overflow */
	status = n->regions->zero(n->ctx, p->r.memory, p->r.bytes);
	if (status)
		goto fail;
	memcpy(front, &head, sizeof(head));
	memcpy(front + sizeof(head), p->r.at, sizeof(*p->r.at) * (size_t)(tables + 1));
	memcpy(front + sizeof(head) + sizeof(*p->r.at) * (size_t)(tables + 1), domain,
		sizeof(*domain) * (size_t)plan->n);
	status = n->ops->upload(n->ctx, p->r.memory, front, header);
	if (status)
		goto fail;
	gpube__free(n->ctx, front);
	*out = p;
	return GPUBE_OK;
fail:
	gpube__free(n->ctx, front);
	gpube__nested_free(n, p);
	return status;
}

int gpube__nested_first(struct gpube_nested_problem **out, struct gpube_nested *n)
{
	struct gpube_pairs *c = n->c;
	struct gpube_nested_problem *p;
	int32_t *value;
	char *cells;
	int64_t small;
	int status = problem_new(&p, n, c->domain, c->constant, c->target);

	*out = NULL;
	if (status)
		return status;
	value = p->values;
	for (int32_t i = 0; i < c->n; i++) {
		memcpy(value, c->value[i], (size_t)c->domain[i] * sizeof(*value));
		value += c->domain[i];
		memcpy(n->cells + p->r.at[i], c->unary[i],
			(size_t)c->domain[i] * sizeof(*n->cells));
	}
	for (int32_t e = 0; e < n->plan.n_pairs; e++) {
		const struct gpube_pair *pair = &c->pairs[e];

		memcpy(n->cells + p->r.at[c->n + e], pair->t,
			(size_t)(c->domain[pair->a] * gpube__row(c, pair->b)) * sizeof(*n->cells));
	}
	small = small_cells(n, p);
	cells = (char *)p->r.memory + regions_header(&n->plan);
	status = n->ops->upload(n->ctx, cells, n->cells, sizeof(int32_t) * (uint64_t)small);
	if (status) {
		gpube__nested_free(n, p);
		return status;
	}
	*out = p;
	return GPUBE_OK;
}

static int read_head(struct gpube_nested *n, struct gpube_nested_problem *p)
{
	struct gpube_regions_head head;
	int status = n->ops->download(n->ctx, &head, p->r.memory, sizeof(head));

	if (!status)
		p->constant = head.closed || head.constant > p->target ? p->target : head.constant;
	return status;
}

/*
 * Work of a pass: every cell of the regions is read and written several times; a card does that at
 * so many times a core's rate.
 */
enum { CELL_TICKS = 3 };

static int64_t pass_ticks(const struct gpube_nested *n, const struct gpube_nested_problem *p)
{
	const int64_t ticks = CELL_TICKS * p->r.at[gpube__regions_tables(&n->plan)];

	return n->ops == gpube__ops_cpu() ? ticks : ticks / GPUBE_CARD_CORES;
}

int gpube__nested_passes(
	struct gpube_nested *n, struct gpube_nested_problem *p, int n_passes, int what)
{
	int status = GPUBE_OK;

	for (int k = 0; k < n_passes && !status; k++)
		status = n->regions->pass(
			n->ctx, &p->r, what | (k % 2 ? GPUBE_REGIONS_BACKWARD : 0));
	/* (a pass shares its groups; a card is waited for) */
	gpube__work_shared(
		n->ctx, n->ops == gpube__ops_cpu() ? n->plan.n : 1, n_passes * pass_ticks(n, p));
	return status ? status : read_head(n, p);
}

int gpube__nested_target(struct gpube_nested *n, struct gpube_nested_problem *p, int64_t target)
{
	struct gpube_regions_head head = {.constant = p->constant, .target = target};

	if (target >= p->target)
		return GPUBE_OK;
	p->target = target;
	if (p->constant > target)
		p->constant = head.constant = target;
	return n->ops->upload(n->ctx, p->r.memory, &head, sizeof(head));
}

int gpube__nested_read(struct gpube_nested *n, const struct gpube_nested_problem *p)
{
	struct gpube_pairs *c = n->c;
	const int32_t *value = p->values;
	int status = n->ops->download(n->ctx, n->cells,
		(const char *)p->r.memory + regions_header(&n->plan),
		sizeof(int32_t) * (uint64_t)small_cells(n, p));

	if (status)
		return status;
	c->constant = p->constant;
	c->target = p->target;
	for (int32_t i = 0; i < c->n; i++) {
		c->domain[i] = p->r.domain[i];
		memcpy(c->value[i], value, (size_t)c->domain[i] * sizeof(*value));
		memcpy(c->unary[i], n->cells + p->r.at[i],
			(size_t)c->domain[i] * sizeof(*n->cells));
		value += c->domain[i];
	}
	for (int32_t e = 0; e < n->plan.n_pairs; e++) {
		struct gpube_pair *pair = &c->pairs[e];

		memcpy(pair->t, n->cells + p->r.at[c->n + e],
			(size_t)(c->domain[pair->a] * gpube__row(c, pair->b)) * sizeof(*n->cells));
	}
	return GPUBE_OK;
}

int gpube__nested_model(struct gpube_model **out, const struct gpube_nested *n,
	const struct gpube_nested_problem *p, const struct gpube_model *from)
{
	const struct regions_view v = regions_view(&p->r, n->plan.words);
	const int64_t tables = (int64_t)n->plan.n + n->plan.n_pairs + n->plan.n_triples;
	struct gpube_moved w;
	int status = gpube__moved_begin(&w, from, n->c->shift, gpube__slack(n->c));

	for (int64_t t = 0; t < tables && !status; t++) {
		int32_t vars[3];
		const int k = regions_scope(&v, t, vars);

		status = gpube__moved_table(
			&w, k, vars, v.cells + v.at[t], regions_row(v.domain[vars[k - 1]]));
	}
	return gpube__moved_end(out, &w, p->constant, status);
}

int32_t gpube__nested_n_dead(const struct gpube_nested *n)
{
	const int32_t slack = gpube__slack(n->c);
	int32_t dead = 0;

	for (int32_t i = 0; i < n->c->n; i++)
		for (int32_t x = 0; x < n->c->domain[i]; x++)
			dead += n->c->unary[i][x] >= slack;
	return dead;
}

int gpube__nested_shrink(struct gpube_nested_problem **out, struct gpube_nested *n,
	const struct gpube_nested_problem *p, int32_t var, const uint8_t *keep)
{
	struct gpube_pairs *c = n->c;
	const int32_t slack = gpube__slack(c);
	int32_t *kept_at = n->kept, *kept = n->kept + c->n + 1, *domain, total = 0, *on_device;
	struct gpube_nested_problem *to = NULL;
	int64_t bytes;
	int status;

	*out = NULL;
	domain = gpube__alloc(n->ctx, (uint64_t)c->n, sizeof(*domain));
	if (!domain)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < c->n; i++) {
		kept_at[i] = total;
		for (int32_t x = 0; x < c->domain[i]; x++)
			if (c->unary[i][x] < slack && (i != var || keep[x]))
				kept[total++] = x;
		domain[i] = total - kept_at[i];
		if (domain[i] == 0) {
			gpube__free(n->ctx, domain);
			return GPUBE_OK;
		}
	}
	kept_at[c->n] = total;
	status = problem_new(&to, n, domain, p->constant, p->target);
	gpube__free(n->ctx, domain);
	if (status)
		return status;
	for (int32_t i = 0; i < c->n; i++)
		for (int32_t k = kept_at[i]; k < kept_at[i + 1]; k++)
			to->values[k] = c->value[i][kept[k]];
	to->depth = p->depth;
	to->seconds = p->seconds;
	to->states = p->states;
	bytes = (int64_t)sizeof(*kept) * (c->n + 1 + (int64_t)total);
	on_device = n->ops->alloc(n->ctx, (uint64_t)bytes);
	status = on_device ? n->ops->upload(n->ctx, on_device, n->kept, (uint64_t)bytes)
			   : GPUBE_ENOMEM;
	if (!status)
		status = n->regions->gather(n->ctx, &to->r, &p->r, on_device, on_device + c->n + 1);
	if (on_device)
		n->ops->free(n->ctx, on_device);
	if (status) {
		gpube__nested_free(n, to);
		return status;
	}
	*out = to;
	return GPUBE_OK;
}
