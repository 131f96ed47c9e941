/* daoopt_tables.c - see daoopt_tables.h. */
#include "gpube/cli/daoopt_tables.h"
#include "gpube/options/options.h"

#include <math.h>
#include <string.h>

#include "gpube/ir/dense.h"
#include "gpube/ir/graph.h"

void daoopt_tables_clear(struct daoopt_tables *t)
{
	for (int64_t k = 0; t->values && k < t->n_values; k++)
		gpube__free(t->ctx, t->values[k]);
	if (t->ctx) {
		GPUBE_FREE_ALL(t->ctx, t->values, t->order, t->functions, t->scopes, t->over);
	}
	memset(t, 0, sizeof(*t));
}

/* ---- daoopt's view of the model -------------------------------------------------------- */

struct view {
	const struct gpube_model *given;
	struct gpube_model *m;     /* of potentials: what daoopt searches */
	struct gpube_model *costs; /* the same in integers */
	int32_t *to, *from;        /* variables: given to m's, -1: taken out; and back */
};

/* A function without the variables that are taken out, unless none is left. */
static int add_conditioned(struct view *v, int32_t f)
{
	const struct gpube_model *m = v->given;
	struct gpube_ctx *ctx = m->ctx;
	const struct gpube_table *t = gpube__table(m, f);
	const int32_t *scope = gpube__scope(m, f);
	uint64_t arity = (uint64_t)t->arity;
	int32_t *live = gpube__alloc(ctx, arity, sizeof(*live));
	int32_t *domains = gpube__alloc(ctx, arity, sizeof(*domains));
	int32_t *tuple = gpube__alloc_zero(ctx, arity, sizeof(*tuple));
	double *values = NULL;
	int64_t cells = 1;
	int n = 0, status = live && domains && tuple ? GPUBE_OK : GPUBE_ENOMEM;

	for (int k = 0; k < t->arity && !status; k++) {
		domains[k] = m->vars[scope[k]].domain;
		if (v->to[scope[k]] < 0) {
			tuple[k] = m->evidence && m->evidence[scope[k]] >= 0 ? m->evidence[scope[k]]
									     : 0;
			continue;
		}
		cells = gpube__mul_size(cells, domains[k]);
		live[n++] = v->to[scope[k]];
	}
	if (!status && n) {
		values = gpube__alloc(
			ctx, cells < 0 ? UINT64_MAX : (uint64_t)cells, sizeof(*values));
		status = values ? GPUBE_OK : GPUBE_ENOMEM;
	}
	for (int64_t c = 0; c < cells && values; c++) {
		int64_t at = gpube__table_find(t, domains, tuple);

		values[c] = at < 0 ? t->dflt.f : gpube__table_stored(t, at);
		for (int k = t->arity - 1; k >= 0; k--) { /* the next tuple of what is left */
			if (v->to[scope[k]] < 0)
				continue;
			if (++tuple[k] < domains[k])
				break;
			tuple[k] = 0;
		}
	}
	if (!status && n)
		status = gpube_model_add_potentials(v->m, n, live, values);
	if (!status && n)
		v->m->tables[v->m->n_tables - 1].power = t->power;
	GPUBE_FREE_ALL(ctx, live, domains, tuple, values);
	return status;
}

static int view_init(struct view *v, const struct gpube_model *m, int precision)
{
	uint64_t n = (uint64_t)m->n_vars;
	int status = gpube_model_new(&v->m, m->ctx, GPUBE_POTENTIALS);

	v->given = m;
	v->to = gpube__alloc(m->ctx, n, sizeof(*v->to));
	v->from = gpube__alloc(m->ctx, n, sizeof(*v->from));
	if (!v->to || !v->from)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < m->n_vars && !status; i++) {
		v->to[i] = -1;
		if (m->vars[i].domain == 1 || (m->evidence && m->evidence[i] >= 0))
			continue;
		status = gpube_model_add_var(v->m, &v->to[i], m->vars[i].domain, NULL);
		if (!status)
			v->from[v->to[i]] = i;
	}
	for (int32_t f = 0; f < m->n_functions && !status; f++)
		status = add_conditioned(v, f);
	return status ? status : gpube__quantise(&v->costs, v->m, precision);
}

static void view_clear(struct view *v)
{
	if (!v->given)
		return;
	gpube__free(v->given->ctx, v->to);
	gpube__free(v->given->ctx, v->from);
	gpube_model_free(v->m);
	gpube_model_free(v->costs);
}

/* ---- the pseudo tree --------------------------------------------------------------------- */

/* Over the view's variables; a bucket's tables come from the buckets below it. */
struct tree {
	const int32_t *order;
	int32_t *position, *parent; /* parent: -1 is daoopt's root */
	/* costs that were moved out of the functions below; [n]: of all */
	double *below;
};

/*
 * The parent is the first to be eliminated after it among the neighbours in the
 * filled graph: the elimination tree of the order (Liu, 1990), by path compression.
 */
static int grow_tree(struct tree *t, const struct gpube_model *m)
{
	struct gpube_ctx *ctx = m->ctx;
	int32_t *top = gpube__alloc(ctx, (uint64_t)m->n_vars, sizeof(*top));
	struct gpube_graph g;
	int status = top ? gpube__graph_of_model(&g, m) : GPUBE_ENOMEM;

	if (status) {
		gpube__free(ctx, top);
		return status;
	}
	for (int32_t p = 0; p < m->n_vars; p++)
		t->position[t->order[p]] = p;
	for (int32_t p = 0; p < m->n_vars; p++) {
		int32_t var = t->order[p];

		top[var] = t->parent[var] = -1;
		for (int64_t k = g.start[var]; k < g.start[var + 1]; k++) {
			int32_t i = g.adjacent[k];

			if (t->position[i] >= p)
				continue;
			while (i != var) { /* up to the root of what is there, shortening the way */
				int32_t next = top[i];

				top[i] = var;
				if (next < 0)
					t->parent[i] = var;
				i = next < 0 ? var : next;
			}
		}
	}
	gpube__graph_clear(ctx, &g);
	gpube__free(ctx, top);
	return GPUBE_OK;
}

/* The least cost of each function was moved to the constant; it belongs to its bucket. */
static void sum_constants(struct tree *t, const struct gpube_model *costs)
{
	for (int32_t i = 0; i <= costs->n_vars; i++)
		t->below[i] = 0;
	for (int32_t f = 0; f < costs->n_functions; f++) {
		const struct gpube_table *table = gpube__table(costs, f);
		const int32_t *scope = gpube__scope(costs, f);
		int64_t least = GPUBE_INF;
		int32_t var = scope[0];

		for (int64_t k = 0; k < table->n; k++) {
			int64_t v = gpube__table_int(table, k);

			least = v < least ? v : least;
		}
		for (int k = 1; k < table->arity; k++)
			var = t->position[scope[k]] < t->position[var] ? scope[k] : var;
		t->below[costs->n_vars] += (double)least;
		for (int32_t up = t->parent[var]; up >= 0; up = t->parent[up])
			t->below[up] += (double)least;
	}
}

/* ---- the functions of the file -------------------------------------------------------------- */

/* A cost as daoopt's logarithm. */
static double log10_of(const struct gpube_heuristic_info *info, double cost)
{
	return -ldexp(cost, -info->shift) * pow(10, -info->scale) / log(10);
}

static int add_values(struct daoopt_tables *t, struct gpube_minibucket_function *f)
{
	double *values = gpube__alloc(t->ctx, (uint64_t)f->n, sizeof(*values));

	if (!values)
		return GPUBE_ENOMEM;
	t->values[t->n_values++] = values;
	f->log10_values = values;
	return GPUBE_OK;
}

/* A message: its table, and the buckets on its way, which are counted for later. */
static int add_message(struct daoopt_tables *t, const struct view *v, const struct tree *tree,
	const struct gpube_heuristic *h, int32_t which, int32_t **scopes, int64_t *n_over)
{
	struct gpube_minibucket_function *f = &t->functions[t->mb.n_functions];
	struct gpube_heuristic_table table;
	int32_t up;
	int64_t *cells;
	int status;

	gpube_heuristic_table(&table, h, which);
	up = tree->parent[table.from];
	*f = (struct gpube_minibucket_function){.id = (int32_t)t->mb.n_functions,
		.bucket = table.to < 0 ? -1 : v->from[table.to],
		.arity = table.arity,
		.scope = *scopes,
		.n = table.cells};
	for (int k = 0; k < table.arity; k++)
		*(*scopes)++ = v->from[table.scope[k]];
	for (; up != table.to; up = tree->parent[up], f->n_over++) {
		if (up < 0)
			return gpube__fail(t->ctx, GPUBE_EBUG,
				"internal error: a message leaves the pseudo tree; please report "
				"this");
		if (gpube__grow(t->ctx, &t->over, &t->over_capacity, *n_over + 1, sizeof(*t->over)))
			return GPUBE_ENOMEM;
		t->over[(*n_over)++] = v->from[up];
	}
	status = add_values(t, f);
	cells = gpube__alloc(t->ctx, (uint64_t)table.cells, sizeof(*cells));
	if (!status && cells) {
		double *values = t->values[t->n_values - 1];

		gpube_heuristic_cells(cells, h, which);
		for (int64_t c = 0; c < table.cells; c++)
			values[c] = cells[c] == GPUBE_INF
					    ? -INFINITY
					    : log10_of(gpube_heuristic_info(h), (double)cells[c]);
		t->mb.n_functions++;
	}
	gpube__free(t->ctx, cells);
	return cells ? status : GPUBE_ENOMEM;
}

/* What was moved out of the functions below a bucket: a table of no variables in it. */
static int add_constant(struct daoopt_tables *t, int32_t bucket, double cost)
{
	struct gpube_minibucket_function *f = &t->functions[t->mb.n_functions];
	int status;

	if (cost == 0)
		return GPUBE_OK;
	*f = (struct gpube_minibucket_function){
		.id = (int32_t)t->mb.n_functions, .bucket = bucket, .scope = t->scopes, .n = 1};
	status = add_values(t, f);
	if (!status) {
		t->values[t->n_values - 1][0] = log10_of(&t->info, cost);
		t->mb.n_functions++;
	}
	return status;
}

static int add_functions(struct daoopt_tables *t, const struct view *v, const struct tree *tree,
	const struct gpube_heuristic *h)
{
	int32_t n = gpube_heuristic_info(h)->n_tables, n_vars = v->m->n_vars, *scopes;
	uint64_t n_all = (uint64_t)n + (uint64_t)n_vars + 1, n_scopes = 1;
	struct gpube_heuristic_table table;
	double unit = ldexp(1, t->info.shift);
	int64_t n_over = 0;
	int status = GPUBE_OK;

	for (int32_t k = 0; k < n; k++) {
		gpube_heuristic_table(&table, h, k);
		n_scopes += (uint64_t)table.arity;
	}
	t->functions = gpube__alloc_zero(t->ctx, n_all, sizeof(*t->functions));
	t->values = gpube__alloc_zero(t->ctx, n_all, sizeof(*t->values));
	t->scopes = scopes = gpube__alloc(t->ctx, n_scopes, sizeof(*scopes));
	if (!t->functions || !t->values || !t->scopes)
		return GPUBE_ENOMEM;
	for (int32_t k = 0; k < n && !status; k++) {
		gpube_heuristic_table(&table, h, k);
		if (table.from >= 0)
			status = add_message(t, v, tree, h, k, &scopes, &n_over);
	}
	n_over = 0; /* now that 'over' stays where it is */
	for (int64_t f = 0; f < t->mb.n_functions; f++) {
		t->functions[f].over = t->over + n_over;
		n_over += t->functions[f].n_over;
	}
	for (int32_t i = 0; i <= n_vars && !status; i++)
		status = add_constant(t, i < n_vars ? v->from[i] : -1, unit * tree->below[i]);
	t->mb.functions = t->functions;
	return status;
}

/* ---- the call ------------------------------------------------------------------------ */

/* Orders: of the given model's variables to the view's, and back. */
static int reduce_order(int32_t **out, const struct view *v, const int32_t *given)
{
	int32_t n = 0;

	*out = gpube__alloc(v->m->ctx, (uint64_t)v->m->n_vars, sizeof(**out));
	if (!*out)
		return GPUBE_ENOMEM;
	for (int32_t p = 0; p < v->given->n_vars && n < v->m->n_vars; p++)
		if (given[p] >= 0 && given[p] < v->given->n_vars && v->to[given[p]] >= 0)
			(*out)[n++] = v->to[given[p]];
	return n == v->m->n_vars
		       ? GPUBE_OK
		       : gpube__fail(v->m->ctx, GPUBE_EINVAL, "the order is not a permutation");
}

static int extend_order(struct daoopt_tables *t, const struct view *v, const int32_t *order)
{
	int32_t n = 0;

	t->order = gpube__alloc(t->ctx, (uint64_t)v->given->n_vars, sizeof(*t->order));
	if (!t->order)
		return GPUBE_ENOMEM;
	for (; n < v->m->n_vars; n++)
		t->order[n] = v->from[order[n]];
	for (int32_t i = 0; i < v->given->n_vars; i++)
		if (v->to[i] < 0)
			t->order[n++] = i;
	return GPUBE_OK;
}

static int fill(struct daoopt_tables *t, const struct view *v, const struct gpube_heuristic *h)
{
	struct gpube_ctx *ctx = t->ctx;
	uint64_t n = (uint64_t)v->m->n_vars;
	struct tree tree = {.order = gpube_heuristic_info(h)->order,
		.position = gpube__alloc(ctx, n, sizeof(*tree.position)),
		.parent = gpube__alloc(ctx, n, sizeof(*tree.parent)),
		.below = gpube__alloc(ctx, n + 1, sizeof(*tree.below))};
	int status =
		tree.position && tree.parent && tree.below ? grow_tree(&tree, v->m) : GPUBE_ENOMEM;

	t->info = *gpube_heuristic_info(h);
	t->mb.ibound = t->info.ibound;
	t->mb.log10_upper = -(double)t->info.bound * pow(10, -t->info.scale) / log(10);
	if (!status)
		status = extend_order(t, v, tree.order);
	if (!status) {
		sum_constants(&tree, v->costs);
		status = add_functions(t, v, &tree, h);
	}
	GPUBE_FREE_ALL(ctx, tree.position, tree.parent, tree.below);
	return status;
}

int daoopt_tables_make(
	struct daoopt_tables *out, const struct gpube_model *m, const struct gpube_opts *opts)
{
	struct gpube_opts with = *opts;
	struct view v = {0};
	struct gpube_heuristic *h = NULL;
	int32_t *order = NULL;
	int status;

	memset(out, 0, sizeof(*out));
	out->ctx = m->ctx;
	if (m->kind != GPUBE_POTENTIALS)
		return gpube__fail(m->ctx, GPUBE_EINVAL, "daoopt reads .uai models alone");
	status = view_init(&v, m, opts->precision);
	if (!status && opts->order)
		status = reduce_order(&order, &v, opts->order);
	with.order = order;
	with.no_simplify = 1;
	if (!status)
		status = gpube_heuristic_new(&h, v.costs, &with);
	if (!status && gpube_heuristic_info(h)->bound == GPUBE_INF)
		status = gpube__fail(
			m->ctx, GPUBE_ERANGE, "no assignment has a probability above 0");
	if (!status)
		status = fill(out, &v, h);
	gpube_heuristic_free(h);
	gpube__free(m->ctx, order);
	view_clear(&v);
	if (status)
		daoopt_tables_clear(out);
	return status;
}
