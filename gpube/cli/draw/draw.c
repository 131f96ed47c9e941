/* draw.c - models in Graphviz's language. See draw.h. */
#include "gpube/cli/draw/draw.h"

#include <string.h>

#include "dcop/dcop.h"
#include "gpube/cli/draw/draw_style.h"
#include "gpube/cli/session/measure.h"
#include "gpube/cli/session/session.h"
#include "gpube/order/elimination.h"
#include "gpube/simplify/simplify.h"

enum {
	ROOMY_EDGES = 30,
	NAME_BYTES = 40, /* of a name that is shown */
	NAMED = 8,       /* members of a long list that are shown */
	ROOMY = 60,      /* nodes: up to so many have their sizes written beside the colour */
	ROUTED = 150     /* edges: more are straight and lie under the nodes, routes of 300 take ten
			seconds */
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
	struct style style;
	bool roomy;
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

static void put_name(struct picture *p, int32_t var)
{
	int32_t i = p->original ? p->original[var] : var;

	if (p->given->vars[i].name)
		put_escaped(p->out, p->given->vars[i].name);
	else
		gpube__out_printf(p->out, "%d", i);
}

static void put_domain(struct picture *p, int32_t var)
{
	int32_t n = p->m->vars[var].domain;

	gpube__out_printf(p->out, "%d value%s", n, gpube__plural(n));
	if (p->m->evidence && p->m->evidence[var] >= 0)
		gpube__out_printf(p->out, ", is %d", p->m->evidence[var]);
}

/*
 * A variable's node, coloured by its domain; its name alone where there are many, and the rest is
 * shown when the pointer rests on it.
 */
static void put_variable(struct picture *p, int32_t i, bool own_costs)
{
	const bool observed = p->m->evidence && p->m->evidence[i] >= 0,
		   hidden = p->m->vars[i].hidden;

	gpube__out_printf(p->out, "\tv%d [label=\"", i);
	put_name(p, i);
	if (p->roomy) {
		gpube__out_text(p->out, "\\n");
		put_domain(p, i);
	}
	gpube__out_text(p->out, "\", tooltip=\"");
	put_name(p, i);
	gpube__out_text(p->out, ": ");
	put_domain(p, i);
	gpube__out_text(p->out, "\", ");
	style_values(p->out, &p->style, p->m->vars[i].domain);
	gpube__out_printf(p->out, "%s%s%s];\n", own_costs ? ", peripheries=2" : "",
		observed ? ", penwidth=3" : "", hidden ? ", style=\"filled,dashed\"" : "");
	p->style.own_costs |= own_costs;
	p->style.observed |= observed;
	p->style.hidden |= hidden;
}

/* "3125 cells", of a sparse table "12 of 3125 cells" */
static void put_cells(struct picture *p, int32_t function)
{
	const struct gpube_table *t = gpube__table(p->m, function);

	if (t->sparse)
		gpube__out_printf(p->out, "%lld of ", (long long)t->n);
	gpube__out_printf(p->out, "%s cell%s", cells_text(cells_of(p->m, function), 0),
		gpube__plural(cells_of(p->m, function)));
}

static void put_function(struct picture *p, int32_t function)
{
	if (p->m->functions[function].name)
		put_escaped(p->out, p->m->functions[function].name);
	else
		gpube__out_printf(p->out, "f%d", function);
}

/* Fonts that every viewer has; what is 'small' has a name alone in each of many nodes. */
static void begin(struct picture *p, const char *kind, const char *options)
{
	gpube__out_printf(p->out,
		"%s {\n"
		"\tgraph [fontname=\"Helvetica\", fontsize=10];\n"
		"\tnode [fontname=\"Helvetica\", fontsize=10, style=filled, color=\"#555555\", "
		"margin=\"0.08,0.04\"%s];\n"
		"\tedge [fontname=\"Helvetica\", fontsize=8, color=\"#777777\", "
		"fontcolor=\"#444444\", arrowsize=0.6];\n"
		"%s",
		kind, p->roomy ? "" : ", height=0.25, width=0.3", options);
}

static void end(struct picture *p)
{
	style_legend(p->out, &p->style);
	gpube__out_text(p->out, "}\n");
}

/* ---- the graph ------------------------------------------------------------------------ */

/*
 * A function of two variables is an edge, one of one variable a ring around it (draw_graph()). An
 * edge says its size by its colour, and where the pointer rests: words would lie on other edges.
 */
static void draw_function(struct picture *p, int32_t f)
{
	const int32_t *scope = gpube__scope(p->m, f);
	int arity = p->m->functions[f].arity;

	if (arity == 1)
		return;
	if (arity == 2) {
		gpube__out_printf(p->out, "\tv%d -- v%d [tooltip=\"", scope[0], scope[1]);
		put_cells(p, f);
		gpube__out_printf(p->out, "\", color=\"%s\", penwidth=2];\n",
			style_line(&p->style, cells_of(p->m, f)));
		return;
	}
	gpube__out_printf(p->out, "\tf%d [shape=box, label=\"", f);
	put_function(p, f);
	if (p->roomy) {
		gpube__out_text(p->out, "\\n");
		put_cells(p, f);
	}
	gpube__out_text(p->out, "\", tooltip=\"");
	put_cells(p, f);
	gpube__out_text(p->out, "\", ");
	style_cells(p->out, &p->style, cells_of(p->m, f));
	gpube__out_text(p->out, "];\n");
	for (int k = 0; k < arity; k++)
		gpube__out_printf(p->out, "\tf%d -- v%d;\n", f, scope[k]);
}

/* own[i]: variable i has a function of its own. */
static void graph_body(struct picture *p, bool *own)
{
	int32_t n_boxes = 0;
	int64_t n_lines = 0;

	for (int32_t f = 0; f < p->m->n_functions; f++) {
		const int arity = p->m->functions[f].arity;

		n_boxes += arity == 0 || arity > 2;
		n_lines += arity == 2 ? 1 : arity > 2 ? arity : 0;
		if (arity == 1)
			own[gpube__scope(p->m, f)[0]] = true;
	}
	p->roomy = p->m->n_vars + n_boxes <= ROOMY;
	/* springs between all pairs read best, of many nodes those between neighbours end sooner */
	begin(p, "graph model",
		p->roomy ? "\tlayout=neato;\n\toverlap=false;\n\tsep=\"+12\";\n"
			 : "\tlayout=sfdp;\n\toverlap=prism;\n\tsep=\"+6\";\n\tK=0.6;\n");
	gpube__out_text(p->out, n_lines <= ROUTED ? "\tsplines=true;\n"
						  : "\tsplines=line;\n\toutputorder=edgesfirst;\n");
	for (int32_t i = 0; i < p->m->n_vars; i++)
		put_variable(p, i, own[i]);
	for (int32_t f = 0; f < p->m->n_functions; f++)
		draw_function(p, f);
	end(p);
}

/* The variable whose conditional table a function is. */
static int32_t child_of(const struct gpube_model *m, int32_t f)
{
	const int arity = m->functions[f].arity;

	return arity ? gpube__scope(m, f)[arity - 1] : -1;
}

/* table: of each variable, which must have one. */
static bool is_network(const struct gpube_model *m, int32_t *table)
{
	bool is = m->bayes && m->kind == GPUBE_POTENTIALS && m->n_functions == m->n_vars;

	for (int32_t i = 0; i < m->n_vars; i++)
		table[i] = -1;
	for (int32_t f = 0; f < m->n_functions && is; f++) {
		is = child_of(m, f) >= 0 && table[child_of(m, f)] < 0;
		if (is)
			table[child_of(m, f)] = f;
	}
	return is;
}

/* Arrows from the parents of a variable, in the colour of its conditional table's size. */
static void network_body(struct picture *p, const int32_t *table)
{
	int64_t n_arrows = 0;

	for (int32_t f = 0; f < p->m->n_functions; f++)
		n_arrows += p->m->functions[f].arity - 1;
	p->roomy = p->m->n_vars <= ROOMY;
	begin(p, "digraph network",
		n_arrows <= ROUTED ? ""
				   : "\tlayout=sfdp;\n\toverlap=prism;\n\tK=0.6;\n"
				     "\tsplines=line;\n\toutputorder=edgesfirst;\n");
	for (int32_t i = 0; i < p->m->n_vars; i++)
		put_variable(p, i, false);
	for (int32_t i = 0; i < p->m->n_vars; i++) {
		const int32_t *scope = gpube__scope(p->m, table[i]);

		for (int k = 0; k < p->m->functions[table[i]].arity - 1; k++) {
			gpube__out_printf(p->out, "\tv%d -> v%d [tooltip=\"table of ", scope[k], i);
			put_cells(p, table[i]);
			gpube__out_printf(p->out, "\", color=\"%s\", penwidth=2];\n",
				style_line(&p->style, cells_of(p->m, table[i])));
		}
	}
	end(p);
}

static int draw_graph(struct picture *p)
{
	int32_t *table = gpube__alloc(p->m->ctx, (uint64_t)p->m->n_vars, sizeof(*table));
	bool *own = gpube__alloc(p->m->ctx, (uint64_t)p->m->n_vars, sizeof(*own));
	const int status = own && table ? GPUBE_OK : GPUBE_ENOMEM;

	if (!status && is_network(p->m, table)) {
		network_body(p, table);
	} else if (!status) {
		memset(own, 0, (size_t)p->m->n_vars * sizeof(*own));
		graph_body(p, own);
	}
	gpube__free(p->m->ctx, own);
	gpube__free(p->m->ctx, table);
	return status;
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
static void draw_message(struct picture *p, int32_t k)
{
	int32_t to = gpube__message_to(&p->along, k);

	if (to >= 0)
		gpube__out_printf(p->out,
			"\tv%d -> v%d [%s=\"%s cell%s\", color=\"%s\", penwidth=2];\n", p->order[k],
			p->order[to], p->roomy ? "label" : "tooltip",
			cells_text(message_cells(p, k), 0), gpube__plural(message_cells(p, k)),
			style_line(&p->style, message_cells(p, k)));
}

/* Of the joined tables, the largest one's cells. */
static double largest_joined(const struct picture *p)
{
	double most = 0;

	for (int32_t k = 0; k < p->m->n_vars; k++)
		if (joined_cells(p, k) > most)
			most = joined_cells(p, k);
	return most;
}

/* A frame for the largest one. */
static void put_frame(struct picture *p, int32_t k, double largest)
{
	if (joined_cells(p, k) < largest)
		return;
	gpube__out_text(p->out, ", color=\"#d00000\", penwidth=3");
	p->style.largest = true;
}

/* ---- pseudo-tree ---------------------------------------------------------------------- */

static void draw_pseudotree(struct picture *p, const struct dcop_pseudotree *t)
{
	p->roomy = t->n <= ROOMY;
	begin(p, "digraph pseudotree", "\trankdir=BT;\n");
	for (int32_t i = 0; i < t->n; i++)
		put_variable(p, i, false);
	for (int32_t k = 0; k < t->n; k++) {
		int32_t v = p->order[k];

		draw_message(p, k);
		for (int64_t e = t->pseudo_at[v]; e < t->pseudo_at[v + 1]; e++)
			gpube__out_printf(p->out,
				"\tv%d -> v%d [style=dashed, arrowhead=none, constraint=false];\n",
				v, t->pseudo[e]);
	}
	end(p);
}

static int make_pseudotree(struct picture *p)
{
	const struct dcop_tree_opts opts = {
		.heuristic = GPUBE_PSEUDOTREE_BEST, .root = -1, .tries = 200};
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
	struct picture *p, int32_t k, const int32_t *head, const int32_t *next, double largest)
{
	int n = 0;

	gpube__out_printf(p->out, "\tv%d [shape=box, label=\"", p->order[k]);
	put_name(p, p->order[k]);
	gpube__out_text(p->out, p->roomy ? "\\n" : "\", tooltip=\"");
	put_domain(p, p->order[k]);
	gpube__out_printf(p->out, "\\n%s cell%s joined", cells_text(joined_cells(p, k), 0),
		gpube__plural(joined_cells(p, k)));
	for (int32_t f = head[k]; f >= 0; f = next[f], n++) {
		if (n < NAMED) {
			gpube__out_printf(p->out, "\\nover %d: ", p->m->functions[f].arity);
			put_cells(p, f);
		}
	}
	if (n > NAMED)
		gpube__out_printf(
			p->out, "\\nand %d function%s more", n - NAMED, gpube__plural(n - NAMED));
	gpube__out_text(p->out, "\", ");
	style_cells(p->out, &p->style, joined_cells(p, k));
	put_frame(p, k, largest);
	gpube__out_text(p->out, "];\n");
}

static int draw_buckets(struct picture *p)
{
	struct gpube_ctx *ctx = p->m->ctx;
	const double largest = largest_joined(p);
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
	p->roomy = n <= ROOMY;
	begin(p, "digraph buckets", "\trankdir=BT;\n");
	for (int32_t k = 0; k < n && !status; k++)
		draw_bucket(p, k, head, next, largest);
	for (int32_t k = 0; k < n && !status; k++)
		draw_message(p, k);
	end(p);
	gpube__free(ctx, head);
	gpube__free(ctx, next);
	return status;
}

/* ---- decomposition ---------------------------------------------------------------------- */

static void draw_cluster(struct picture *p, int32_t k, double largest)
{
	int64_t n = n_scope(p, k) + 1;

	gpube__out_printf(p->out, "\tc%d [shape=box, label=\"", k);
	put_name(p, p->order[k]);
	for (int64_t s = 0; s < n - 1 && s < NAMED - 1; s++) {
		gpube__out_text(p->out, n > 5 && s == 3 ? "\\n" : " ");
		put_name(p, in_scope(p, k, s));
	}
	if (n > NAMED)
		gpube__out_text(p->out, " ...");
	gpube__out_printf(p->out, "\\n%lld variable%s, %s cell%s\", ", (long long)n,
		gpube__plural(n), cells_text(joined_cells(p, k), 0),
		gpube__plural(joined_cells(p, k)));
	style_cells(p->out, &p->style, joined_cells(p, k));
	put_frame(p, k, largest);
	gpube__out_text(p->out, "];\n");
}

/*
 * The more variables, the wider; which, is written where there is room, or else shown by the
 * pointer.
 */
static void draw_separator(struct picture *p, int32_t from, int32_t to, int32_t k)
{
	gpube__out_printf(p->out, "\tc%d -> c%d [%s=\"", from, to, p->roomy ? "label" : "tooltip");
	for (int64_t s = 0; s < n_scope(p, k) && s < NAMED; s++) {
		put_name(p, in_scope(p, k, s));
		gpube__out_text(p->out, " ");
	}
	gpube__out_printf(p->out, "%s\\n%s cell%s\", color=\"%s\", penwidth=%lld];\n",
		n_scope(p, k) > NAMED ? "..." : "", cells_text(message_cells(p, k), 0),
		gpube__plural(message_cells(p, k)), style_line(&p->style, message_cells(p, k)),
		(long long)(n_scope(p, k) < 7 ? 1 + n_scope(p, k) : 8));
}

static int draw_decomposition(struct picture *p)
{
	const double largest = largest_joined(p);
	int32_t n_clusters = 0, n = p->m->n_vars,
		*into = gpube__alloc(p->m->ctx, (uint64_t)n, sizeof(*into));

	if (!into)
		return GPUBE_ENOMEM;
	gpube__elimination_clusters(into, &p->along);
	for (int32_t k = 0; k < n; k++)
		n_clusters += into[k] == k;
	p->roomy = n_clusters <= ROOMY_EDGES;
	begin(p, "digraph decomposition", "\trankdir=BT;\n\tedge [dir=none];\n");
	for (int32_t k = 0; k < n; k++)
		if (into[k] == k)
			draw_cluster(p, k, largest);
	for (int32_t k = 0; k < n; k++) {
		int32_t to = gpube__message_to(&p->along, k);

		if (to >= 0 && into[k] != into[to])
			draw_separator(p, into[k], into[to], k);
	}
	end(p);
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
		status = draw_graph(&p);
	else if (what == DRAW_PSEUDOTREE)
		status = make_pseudotree(&p);
	else
		status = draw_elimination(&p, what, order, simplify, scale);
	gpube__elimination_clear(&p.along, m->ctx);
	gpube__free(m->ctx, p.original);
	gpube__free(m->ctx, p.order);
	return status ? status : out->status;
}
