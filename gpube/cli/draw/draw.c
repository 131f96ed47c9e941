/* draw.c - models in Graphviz's language. See draw.h. */
#include "gpube/cli/draw/draw.h"

#include <string.h>

#include "dcop/dcop.h"
#include "gpube/cli/session/measure.h"
#include "gpube/cli/session/session.h"
#include "gpube/order/elimination.h"
#include "gpube/simplify/simplify.h"

enum {
	NAME_BYTES = 40, /* of a name that is shown */
	NAMED = 8,       /* members of a long list that are shown */
	LABEL_BYTES = 256
};

/*
 * A picture is of 'm', whose variable i has the name that variable original[i] of
 * 'given' has.
 */
struct picture {
	struct gpube_out *out;
	const struct gpube_model *given, *m;
	int32_t *original;
	int32_t *order;
	struct gpube_elimination along; /* the order */
};

/* ---- labels ------------------------------------------------------------------------- */

/* Quoted: in a label, what follows a backslash, and braces, have a meaning. */
static void put_escaped(struct gpube_out *out, const char *text)
{
	size_t n = strlen(text), shown = n > NAME_BYTES ? NAME_BYTES : n;

	/* no character of several bytes is cut */
	while (shown < n && shown > 0 && ((unsigned char)text[shown] & 0xc0) == 0x80)
		shown--;
	for (size_t k = 0; k < shown; k++) {
		if (strchr("\"\\", text[k]))
			gpube__out_text(out, "\\");
		gpube__out_bytes(out, (unsigned char)text[k] < ' ' ? " " : text + k, 1);
	}
	if (shown < n)
		gpube__out_text(out, "...");
}

static void put_name(const struct picture *p, int32_t var)
{
	int32_t i = p->original ? p->original[var] : var;

	if (p->given->vars[i].name)
		put_escaped(p->out, p->given->vars[i].name);
	else
		gpube__out_printf(p->out, "%d", i);
}

static void put_domain(const struct picture *p, int32_t var)
{
	int32_t n = p->m->vars[var].domain;

	gpube__out_printf(p->out, "\\n%d value%s", n, plural(n));
	if (p->m->evidence && p->m->evidence[var] >= 0)
		gpube__out_printf(p->out, ", is %d", p->m->evidence[var]);
}

/* "3125 cells", of a sparse table "12 of 3125 cells" */
static void put_cells(const struct picture *p, int32_t function)
{
	const struct gpube_table *t = gpube__table(p->m, function);

	if (t->sparse)
		gpube__out_printf(p->out, "%lld of ", (long long)t->n);
	gpube__out_printf(p->out, "%s cells", cells_text(cells_of(p->m, function), 0));
}

static void put_function(const struct picture *p, int32_t function)
{
	if (p->m->functions[function].name)
		put_escaped(p->out, p->m->functions[function].name);
	else
		gpube__out_printf(p->out, "f%d", function);
}

static void begin(const struct picture *p, const char *kind, const char *options)
{
	gpube__out_printf(p->out,
		"%s {\n\tnode [fontname=\"sans-serif\", fontsize=10];\n"
		"\tedge [fontname=\"sans-serif\", fontsize=8];\n%s",
		kind, options);
}

/* ---- the graph ------------------------------------------------------------------------ */

static void draw_function(const struct picture *p, int32_t f)
{
	const int32_t *scope = gpube__scope(p->m, f);
	int arity = p->m->functions[f].arity;

	if (arity == 2) {
		gpube__out_printf(p->out, "\tv%d -- v%d [label=\"", scope[0], scope[1]);
		put_cells(p, f);
		gpube__out_text(p->out, "\"];\n");
		return;
	}
	gpube__out_printf(p->out, "\tf%d [shape=box, label=\"", f);
	put_function(p, f);
	gpube__out_text(p->out, "\\n");
	put_cells(p, f);
	gpube__out_text(p->out, "\"];\n");
	for (int k = 0; k < arity; k++)
		gpube__out_printf(p->out, "\tf%d -- v%d;\n", f, scope[k]);
}

static void draw_graph(const struct picture *p)
{
	begin(p, "graph model", "\tlayout=neato;\n\toverlap=false;\n");
	for (int32_t i = 0; i < p->m->n_vars; i++) {
		gpube__out_printf(p->out, "\tv%d [label=\"", i);
		put_name(p, i);
		put_domain(p, i);
		gpube__out_text(p->out, "\"];\n");
	}
	for (int32_t f = 0; f < p->m->n_functions; f++)
		draw_function(p, f);
	gpube__out_text(p->out, "}\n");
}

/* ---- an elimination without tables ----------------------------------------------------------- */

static int eliminate(struct picture *p)
{
	struct gpube_graph graph;
	int status = gpube__graph_of_model(&graph, p->m);

	if (status)
		return status;
	status = gpube__eliminate_graph(&p->along, p->m->ctx, &graph, p->order);
	gpube__graph_clear(p->m->ctx, &graph);
	return status;
}

/* The variable at index s of the message at k. */
static int32_t in_scope(const struct picture *p, int32_t k, int64_t s)
{
	return p->order[p->along.scope[p->along.at[k] + s]];
}

static int64_t n_scope(const struct picture *p, int32_t k)
{
	return gpube__n_scope(&p->along, k);
}

static double message_cells(const struct picture *p, int32_t k)
{
	double cells = 1;

	for (int64_t s = 0; s < n_scope(p, k); s++)
		cells *= p->m->vars[in_scope(p, k, s)].domain;
	return cells;
}

static double joined_cells(const struct picture *p, int32_t k)
{
	return message_cells(p, k) * p->m->vars[p->order[k]].domain;
}

/* The edge from k to where its message goes, if it goes anywhere. */
static void draw_message(const struct picture *p, int32_t k)
{
	int32_t to = gpube__message_to(&p->along, k);

	if (to >= 0)
		gpube__out_printf(p->out, "\tv%d -> v%d [label=\"%s cells\"];\n", p->order[k],
			p->order[to], cells_text(message_cells(p, k), 0));
}

/* ---- pseudo-tree ---------------------------------------------------------------------- */

static void draw_pseudotree(const struct picture *p, const struct dcop_pseudotree *t)
{
	begin(p, "digraph pseudotree", "\trankdir=BT;\n");
	for (int32_t i = 0; i < t->n; i++) {
		gpube__out_printf(p->out, "\tv%d [label=\"", i);
		put_name(p, i);
		put_domain(p, i);
		gpube__out_text(p->out, "\"];\n");
	}
	for (int32_t k = 0; k < t->n; k++) {
		int32_t v = p->order[k];

		draw_message(p, k);
		for (int64_t e = t->pseudo_at[v]; e < t->pseudo_at[v + 1]; e++)
			gpube__out_printf(p->out,
				"\tv%d -> v%d [style=dashed, arrowhead=none, constraint=false];\n",
				v, t->pseudo[e]);
	}
	gpube__out_text(p->out, "}\n");
}

static int make_pseudotree(struct picture *p)
{
	const struct dcop_tree_opts opts = {.heuristic = DCOP_BEST, .root = -1, .tries = 200};
	struct dcop_pseudotree *t;
	int status = dcop_tree_of(&t, p->m, NULL, &opts);

	if (status)
		return status;
	p->order = gpube__alloc(p->m->ctx, (uint64_t)t->n, sizeof(*p->order));
	if (!p->order)
		status = GPUBE_ENOMEM;
	/* from the leaves: a variable's message then goes to its parent, the nearest of its scope
	 */
	for (int32_t k = 0; k < t->n && !status; k++)
		p->order[k] = t->preorder[t->n - 1 - k];
	if (!status)
		status = eliminate(p);
	if (!status)
		draw_pseudotree(p, t);
	dcop_pseudotree_free(t);
	return status;
}

/* ---- buckets ---------------------------------------------------------------------- */

/* The position at which a function meets the elimination, -1 for one of no variables. */
static int32_t bucket_of(const struct picture *p, int32_t f)
{
	const int32_t *scope = gpube__scope(p->m, f);
	int32_t first = -1;

	for (int k = 0; k < p->m->functions[f].arity; k++)
		if (first < 0 || p->along.position[scope[k]] < first)
			first = p->along.position[scope[k]];
	return first;
}

/* head[k]: the first function of the bucket at k, then next[…] */
static void draw_bucket(
	const struct picture *p, int32_t k, const int32_t *head, const int32_t *next)
{
	int n = 0;

	gpube__out_printf(p->out, "\tv%d [shape=box, label=\"", p->order[k]);
	put_name(p, p->order[k]);
	put_domain(p, p->order[k]);
	gpube__out_printf(p->out, "\\n%s cells joined", cells_text(joined_cells(p, k), 0));
	for (int32_t f = head[k]; f >= 0; f = next[f], n++) {
		if (n < NAMED) {
			gpube__out_printf(p->out, "\\nover %d: ", p->m->functions[f].arity);
			put_cells(p, f);
		}
	}
	if (n > NAMED)
		gpube__out_printf(
			p->out, "\\nand %d function%s more", n - NAMED, plural(n - NAMED));
	gpube__out_text(p->out, "\"];\n");
}

static int draw_buckets(const struct picture *p)
{
	struct gpube_ctx *ctx = p->m->ctx;
	int32_t n = p->m->n_vars;
	int32_t *head = gpube__alloc(ctx, (uint64_t)n, sizeof(*head));
	int32_t *next = gpube__alloc(ctx, (uint64_t)p->m->n_functions, sizeof(*next));
	int status = head && next ? GPUBE_OK : GPUBE_ENOMEM;

	for (int32_t k = 0; k < n && !status; k++)
		head[k] = -1;
	for (int32_t f = p->m->n_functions - 1; f >= 0 && !status; f--) {
		int32_t k = bucket_of(p, f);

		if (k < 0)
			continue;
		next[f] = head[k];
		head[k] = f;
	}
	begin(p, "digraph buckets", "\trankdir=BT;\n");
	for (int32_t k = 0; k < n && !status; k++)
		draw_bucket(p, k, head, next);
	for (int32_t k = 0; k < n && !status; k++)
		draw_message(p, k);
	gpube__out_text(p->out, "}\n");
	gpube__free(ctx, head);
	gpube__free(ctx, next);
	return status;
}

/* ---- decomposition ---------------------------------------------------------------------- */

static void draw_cluster(const struct picture *p, int32_t k)
{
	int64_t n = n_scope(p, k) + 1;

	gpube__out_printf(p->out, "\tc%d [shape=box, label=\"", k);
	put_name(p, p->order[k]);
	for (int64_t s = 0; s < n - 1 && s < NAMED - 1; s++) {
		gpube__out_text(p->out, " ");
		put_name(p, in_scope(p, k, s));
	}
	if (n > NAMED)
		gpube__out_text(p->out, " ...");
	gpube__out_printf(p->out, "\\n%lld variable%s, %s cells\"];\n", (long long)n, plural(n),
		cells_text(joined_cells(p, k), 0));
}

static void draw_separator(const struct picture *p, int32_t from, int32_t to, int32_t k)
{
	gpube__out_printf(p->out, "\tc%d -> c%d [label=\"", from, to);
	for (int64_t s = 0; s < n_scope(p, k) && s < NAMED; s++) {
		put_name(p, in_scope(p, k, s));
		gpube__out_text(p->out, " ");
	}
	gpube__out_printf(p->out, "%s\\n%s cells\"];\n", n_scope(p, k) > NAMED ? "..." : "",
		cells_text(message_cells(p, k), 0));
}

static int draw_decomposition(const struct picture *p)
{
	int32_t n = p->m->n_vars, *into = gpube__alloc(p->m->ctx, (uint64_t)n, sizeof(*into));

	if (!into)
		return GPUBE_ENOMEM;
	gpube__elimination_clusters(into, &p->along);
	begin(p, "digraph decomposition", "\trankdir=BT;\n\tedge [dir=none];\n");
	for (int32_t k = 0; k < n; k++)
		if (into[k] == k)
			draw_cluster(p, k);
	for (int32_t k = 0; k < n; k++) {
		int32_t to = gpube__message_to(&p->along, k);

		if (to >= 0 && into[k] != into[to])
			draw_separator(p, into[k], into[to], k);
	}
	gpube__out_text(p->out, "}\n");
	gpube__free(p->m->ctx, into);
	return GPUBE_OK;
}

/* ---- all of it ---------------------------------------------------------------------- */

static int make_tree(struct picture *p, const struct gpube_simplified *s, enum drawing what,
	const int32_t *order)
{
	struct gpube_ctx *ctx = p->m->ctx;
	uint64_t n = (uint64_t)p->m->n_vars;
	int status;

	p->original = gpube__alloc(ctx, n, sizeof(*p->original));
	p->order = gpube__alloc(ctx, n, sizeof(*p->order));
	if (!p->original || !p->order)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < s->n_vars; i++)
		if (s->var[i] >= 0)
			p->original[s->var[i]] = i;
	status = order ? gpube__simplified_order(p->order, s, order, s->n_vars) : GPUBE_OK;
	if (!status)
		status = eliminate(p);
	if (status)
		return status;
	return what == DRAW_BUCKETS ? draw_buckets(p) : draw_decomposition(p);
}

static int draw_elimination(
	struct picture *p, enum drawing what, const int32_t *order, bool simplify, int scale)
{
	struct gpube_simplified s = {0};
	struct gpube_model *costs = NULL;
	int status = GPUBE_OK;

	if (p->given->kind == GPUBE_POTENTIALS)
		status = gpube__quantise(&costs, p->given, scale);
	if (!status)
		status = gpube__simplify(&s, costs ? costs : p->given, simplify);
	p->m = s.model;
	if (!status)
		status = make_tree(p, &s, what, order);
	gpube__simplified_clear(p->given->ctx, &s);
	gpube_model_free(costs);
	return status;
}

int draw_dot(struct gpube_out *out, const struct gpube_model *m, enum drawing what,
	const int32_t *order, bool simplify, int scale)
{
	struct picture p = {.out = out, .given = m, .m = m};
	int status = GPUBE_OK;

	if (what == DRAW_GRAPH)
		draw_graph(&p);
	else if (what == DRAW_PSEUDOTREE)
		status = make_pseudotree(&p);
	else
		status = draw_elimination(&p, what, order, simplify, scale);
	gpube__elimination_clear(&p.along, m->ctx);
	gpube__free(m->ctx, p.original);
	gpube__free(m->ctx, p.order);
	return status ? status : out->status;
}
