/* x3_constraint.c - XCSP3: which constraint it is; groups, slides and objectives. See x3.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/common/reading.h"
#include "gpube/globals/intension.h"
#include "formats/xcsp3/x3.h"

/* ---- one constraint ------------------------------------------------------------------------ */

static const char *intension_of(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	struct gpube_x3_node *function = gpube__x3_child(node, "function");

	return gpube__x3_text(r, function ? function : node);
}

static int read_intension(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	const char *text = intension_of(r, node);

	return text ? gpube__x3_post(r, text, strlen(text)) : r->in->status;
}

static int read_meta(struct gpube_x3 *r, struct gpube_x3_node *node);
static int read_soft(struct gpube_x3 *r, struct gpube_x3_node *node);

/* symbols: it only asks which values are equal, so that they may be symbols */
static const struct reader {
	const char *name;
	gpube_x3_reader *read;
	bool symbols;
} readers[] = {
	{"intension", read_intension, true},
	{"extension", gpube__x3_extension, true},
	{"regular", gpube__x3_regular, false},
	{"mdd", gpube__x3_regular, false},
	{"allDifferent", gpube__x3_all_different, true},
	{"allEqual", gpube__x3_all_equal, true},
	{"ordered", gpube__x3_ordered, false},
	{"lex", gpube__x3_lex, false},
	{"precedence", gpube__x3_precedence, false},
	{"stretch", gpube__x3_stretch, false},
	{"sum", gpube__x3_sum, false},
	{"count", gpube__x3_count, true},
	{"nValues", gpube__x3_n_values, true},
	{"cardinality", gpube__x3_cardinality, false},
	{"maximum", gpube__x3_maximum, false},
	{"minimum", gpube__x3_maximum, false},
	{"maximumArg", gpube__x3_arg, false},
	{"minimumArg", gpube__x3_arg, false},
	{"element", gpube__x3_element, false},
	{"channel", gpube__x3_channel, false},
	{"noOverlap", gpube__x3_no_overlap, false},
	{"cumulative", gpube__x3_cumulative, false},
	{"binPacking", gpube__x3_bins, false},
	{"knapsack", gpube__x3_knapsack, false},
	{"instantiation", gpube__x3_instantiation, true},
	{"clause", gpube__x3_clause, false},
	{"circuit", gpube__x3_circuit, false},
	{"flow", gpube__x3_flow, false},
	{"and", read_meta, true},
	{"or", read_meta, true},
	{"not", read_meta, true},
	{"xor", read_meta, true},
	{"iff", read_meta, true},
	{"ifThen", read_meta, true},
	{"ifThenElse", read_meta, true},
};

enum { N_READERS = sizeof(readers) / sizeof(*readers) };

static const struct reader *reader_of(const struct gpube_x3_node *node)
{
	for (int k = 0; k < N_READERS; k++)
		if (gpube__x3_is(node, readers[k].name))
			return &readers[k];
	return NULL;
}

static bool is_soft(const struct gpube_x3 *r, struct gpube_x3_node *node)
{
	const char *type = gpube__x3_attribute(node, "type");

	return r->violation_cost > 0 || (type && strcmp(type, "soft") == 0) ||
	       gpube__x3_attribute(node, "violationCost");
}

static int read_by(struct gpube_x3 *r, const struct reader *reader, struct gpube_x3_node *node)
{
	r->met_symbol = false;
	if (r->weighted && !r->truth && is_soft(r, node))
		return read_soft(r, node);
	if (!reader->read(r, node) && r->met_symbol && !reader->symbols)
		return gpube__in_error(
			r->in, "<%.40s> over variables of symbols is not read", node->name);
	return r->in->status;
}

static int refuse_constraint(struct gpube_x3 *r, const struct gpube_x3_node *node)
{
	r->in->line = node->line;
	return gpube__in_error(r->in, "constraint <%.40s> is not read", node->name);
}

/* ---- constraints of constraints ------------------------------------------------------------ */

/* Does each variable from 'made' on have one value for all values of the others? */
static bool all_defined(struct gpube_x3 *r, int32_t made)
{
	const struct gpube_model *m = r->m;

	r->stamp++;
	if (gpube__x3_see(r))
		return false;
	for (int64_t k = 0; k < r->n_defined; k++)
		for (int64_t f = r->defined[k].low; f < r->defined[k].high; f++)
			for (int i = 0; i < m->functions[f].arity; i++)
				r->seen[2 * gpube__scope(m, (int32_t)f)[i]] = r->stamp;
	for (int32_t v = made; v < m->n_vars; v++)
		if (m->vars[v].domain > 1 && r->seen[2 * v] != r->stamp)
			return false;
	return true;
}

/* A hidden variable becomes 1 where the function allows the tuple, in place of the function. */
static int reify(struct gpube_x3 *r, int32_t f, struct gpube_x3_text *t)
{
	static const int64_t truths[] = {0, 1};
	struct gpube_model *m = r->m;
	const int n = m->functions[f].arity;
	struct gpube_table *table = &m->tables[m->functions[f].table];
	int32_t *vars = gpube__x3_temp(r, 3 * (int64_t)n + 1, sizeof(*vars));
	int32_t *domains = vars ? vars + n + 1 : NULL, *tuple = vars ? domains + n : NULL;
	int64_t *values, at = 0, cells;

	if (!vars || gpube__in_expand(r->in, &cells, m, n, gpube__scope(m, f),
			     "a constraint that others depend on", NULL))
		return r->in->status;
	values = gpube__x3_temp(r, cells, sizeof(*values));
	for (int k = 0; k < n; k++) {
		vars[k] = gpube__scope(m, f)[k];
		domains[k] = m->vars[vars[k]].domain;
	}
	if (!values || gpube__x3_hidden(r, "truth", 2, truths, &vars[n]))
		return r->in->status;
	do {
		const int64_t found = gpube__table_find(table, domains, tuple);

		values[at++] = (found < 0 ? table->dflt.i : gpube__table_int(table, found)) == 0;
	} while (gpube__tuple_next(tuple, domains, n));
	if (gpube__x3_define(r, n, vars, cells, values))
		return r->in->status;
	m->tables[m->functions[f].table].n_users--;
	m->functions[f] = m->functions[--m->n_functions];
	gpube__x3_put(r, t, ",");
	return gpube__x3_put_term(r, t, gpube__x3_var(vars[n]), "");
}

/* What the constraint has become holds: ",t1,t2" */
static int put_functions(struct gpube_x3 *r, struct gpube_x3_node *node, struct gpube_x3_text *t)
{
	const int32_t made = r->m->n_vars, first = r->m->n_functions;
	const struct reader *reader = reader_of(node);
	int64_t k = 0;
	int32_t end;

	r->truth = t;
	r->defined = NULL;
	r->n_defined = r->defined_capacity = 0;
	if (reader)
		read_by(r, reader, node);
	else
		refuse_constraint(r, node);
	r->truth = NULL;
	if (!r->in->status && !all_defined(r, made))
		gpube__in_error(r->in, "<%.40s> in another constraint is too wide, or is not read",
			node->name);
	end = r->m->n_functions;
	for (int32_t f = first; f < end && !r->in->status; f++) {
		while (k < r->n_defined && f >= r->defined[k].high)
			k++;
		if (k == r->n_defined || f < r->defined[k].low)
			reify(r, f, t);
	}
	return r->in->status;
}

/* ",and(…)" or the like, of the truth values of what is in it. */
static int put_truth(struct gpube_x3 *r, struct gpube_x3_node *node, struct gpube_x3_text *t)
{
	static const struct meta {
		const char *name, *open;
		int n; /* constraints in it; 0: any number */
	} metas[] = {{"and", ",and(1,1", 0}, {"or", ",or(0,0", 0}, {"xor", ",xor(0,0", 0},
		{"iff", ",iff(", 0}, {"not", ",not(", 1}, {"ifThen", ",imp(", 2},
		{"ifThenElse", ",if(", 3}, {NULL, NULL, 0}};
	const struct meta *meta = metas;
	int n = 0;

	while (meta->name && !gpube__x3_is(node, meta->name))
		meta++;
	if (!meta->name) {
		gpube__x3_put(r, t, ",and(1,1");
		if (!gpube__x3_is(node, "intension")) {
			put_functions(r, node, t);
		} else {
			const char *text = intension_of(r, node);

			if (text)
				gpube__x3_put(r, t, ",%s", text);
		}
		return gpube__x3_put(r, t, ")");
	}
	gpube__x3_put(r, t, "%s", meta->open);
	for (struct gpube_x3_node *c = node->child; c && !r->in->status; c = c->next, n++) {
		const int64_t at = t->n;

		c->used = true;
		if (!put_truth(r, c, t) && t->bytes[at - 1] == '(')
			t->bytes[at] = ' '; /* no comma before the first */
	}
	r->in->line = r->in_group ? r->in->line : node->line;
	if (!r->in->status && (meta->n ? n != meta->n : n < 1))
		return gpube__in_error(r->in, "<%.40s> takes %d constraint%s, found %d", meta->name,
			meta->n ? meta->n : 1, gpube__plural(meta->n ? meta->n : 1), n);
	return gpube__x3_put(r, t, ")");
}

static int read_meta(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	struct gpube_x3_text t = {0};

	return put_truth(r, node, &t) ? r->in->status
				      : gpube__x3_post(r, t.bytes + 1, (size_t)t.n - 1);
}

/* Its cost where it does not hold; or the cost is its value, or that of the tuples. */
static int read_soft(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	const char *given = gpube__x3_attribute(node, "violationCost"), *p = given, *text;
	int64_t cost = r->violation_cost;
	struct gpube_x3_text t = {0};

	if (given &&
		(gpube__x3_integer(r, &p, &cost, "a cost in 'violationCost'") || *p || cost < 1))
		return gpube__in_error(
			r->in, "expected a cost from 1 in 'violationCost', found '%.40s'", given);
	if (cost)
		return gpube__x3_put(r, &t, "not(and(1") || put_truth(r, node, &t) ||
				       gpube__x3_put(r, &t, "))")
			       ? r->in->status
			       : gpube__x3_cost(r, t.bytes, (size_t)t.n, cost);
	if (gpube__x3_is(node, "extension"))
		return gpube__x3_soft_extension(r, node);
	if (!gpube__x3_is(node, "intension"))
		return gpube__in_error(r->in,
			"expected the attribute 'violationCost' of a soft <%.40s>", node->name);
	text = intension_of(r, node);
	return text ? gpube__x3_cost(r, text, strlen(text), 1) : r->in->status;
}

/* ---- groups -------------------------------------------------------------------------------- */

/*
 * The greatest number behind a '%' in the element's texts, -1: none.
 * rest  NULL, or becomes true if "%..." is there
 */
static int64_t greatest_argument(const struct gpube_x3_node *node, bool *rest)
{
	const char *p = node->text;
	int64_t most = -1;

	while (p && (p = strchr(p, '%'))) {
		p++;
		if (*p >= '0' && *p <= '9') {
			const long k = strtol(p, NULL, 10);

			most = k > most && k < INT32_MAX ? k : most;
		} else if (rest && strncmp(p, "...", 3) == 0) {
			*rest = true;
		}
	}
	for (const struct gpube_x3_node *c = node->child; c; c = c->next) {
		const int64_t k = greatest_argument(c, rest);

		most = k > most ? k : most;
	}
	return most;
}

/* Arguments are texts: the words of <args>, each variable of "x[]" by itself. */
struct words {
	const char **word;
	int64_t n, capacity;
};

static int push_word(struct gpube_x3 *r, struct words *w, const char *word)
{
	if (gpube__x3_grow(r, &w->word, &w->capacity, w->n + 1, sizeof(*w->word)))
		return r->in->status;
	w->word[w->n++] = word;
	return GPUBE_OK;
}

static int push_name(struct gpube_x3 *r, void *arg, int32_t var)
{
	if (gpube__in_charge(r->in, 1, 3 * sizeof(char *), "lists of variables"))
		return r->in->status;
	return push_word(r, arg, r->m->vars[var].name);
}

static int read_args(struct gpube_x3 *r, const char *text, struct words *w)
{
	const char *word;
	size_t n;

	while ((word = gpube__x3_word(r, &text, &n)) && n) {
		char *copy;

		if (memchr(word, '[', n) && !memchr(word, '(', n)) {
			if (gpube__x3_refer(r, word, n, push_name, w, NULL))
				return r->in->status;
			continue;
		}
		copy = gpube__x3_copy(r, word, n);
		if (!copy || push_word(r, w, copy))
			return r->in->status;
	}
	return GPUBE_OK;
}

/* The constraint with these arguments. */
static int instantiate(struct gpube_x3 *r, struct gpube_x3_node *node, const struct words *w)
{
	r->args = w->word;
	r->n_args = w->n;
	r->in_group = true;
	read_by(r, reader_of(node), node);
	r->in_group = false;
	if (!r->in->status && gpube__stopped(r->m->ctx))
		r->in->status = gpube__fail_stopped(r->m->ctx);
	return r->in->status;
}

static int read_group(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	struct gpube_x3_node *template = node->child, *args;
	bool rest = false;

	if (!template)
		return gpube__in_error(r->in, "an empty <group>");
	template->used = true;
	if (!reader_of(template))
		return refuse_constraint(r, template);
	r->first_rest = greatest_argument(template, &rest) + 1;
	args = gpube__x3_child(node, "args");
	if (!args)
		return gpube__in_error(r->in, "<group> needs <args>");
	for (; args; args = gpube__x3_next(args)) {
		union gpube_x3_temp *mark = r->temps;
		const int64_t made = r->n_relations;
		struct words w = {0};

		r->in->line = args->line;
		if (read_args(r, args->text ? args->text : "", &w))
			return r->in->status;
		r->in->line = args->line;
		if (w.n > r->first_rest && !rest)
			return gpube__in_error(r->in,
				"expected %lld argument%s, as <%.40s> has no '%%...', found %lld",
				(long long)r->first_rest, gpube__plural(r->first_rest),
				template->name, (long long)w.n);
		if (instantiate(r, template, &w))
			return r->in->status;
		if (r->n_relations == made)
			gpube__x3_free_since(r, mark); /* but the tuples, until the group ends */
	}
	return GPUBE_OK;
}

/* ---- slides -------------------------------------------------------------------------------- */

/* How many of the list one constraint takes, and how far on the next one begins. */
static int read_positive(
	struct gpube_x3 *r, struct gpube_x3_node *node, const char *name, int64_t dflt, int64_t *v)
{
	const char *text = gpube__x3_attribute(node, name);

	*v = dflt;
	if (text && (gpube__x3_integer(r, &text, v, "a number") || *text || *v < 1))
		return r->in->status
			       ? r->in->status
			       : gpube__in_error(r->in, "expected a number from 1 in '%s'", name);
	return GPUBE_OK;
}

static int read_slide(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	struct gpube_x3_node *list = gpube__x3_need(r, node, "list"),
			     *template = list ? list->next : NULL;
	int64_t offset, collect;
	bool circular;
	struct words all = {0};

	if (!list)
		return r->in->status;
	if (!template)
		return gpube__in_error(r->in, "<slide> needs a constraint");
	if (gpube__x3_is(template, "list"))
		return gpube__in_error(r->in, "<slide> over several lists is not read");
	template->used = true;
	if (!reader_of(template))
		return refuse_constraint(r, template);
	if (gpube__x3_flag(r, node, "circular", false, &circular) ||
		read_positive(r, list, "offset", 1, &offset) ||
		read_positive(
			r, list, "collect", greatest_argument(template, NULL) + 1, &collect) ||
		read_args(r, list->text ? list->text : "", &all))
		return r->in->status;
	if (collect < 1 || collect > all.n)
		return gpube__in_error(r->in, "<slide> takes %lld variable%s of %lld",
			(long long)collect, gpube__plural((double)collect), (long long)all.n);
	r->first_rest = greatest_argument(template, NULL) + 1;
	for (int64_t k = 0; k < all.n && (circular || k + collect <= all.n); k += offset) {
		union gpube_x3_temp *mark = r->temps;
		const int64_t made = r->n_relations;
		struct words w = {0};

		for (int64_t i = 0; i < collect; i++)
			if (push_word(r, &w, all.word[(k + i) % all.n]))
				return r->in->status;
		if (gpube__in_charge(r->in, collect, sizeof(char *), "lists of variables") ||
			instantiate(r, template, &w))
			return r->in->status;
		if (r->n_relations == made)
			gpube__x3_free_since(r, mark);
	}
	return GPUBE_OK;
}

int gpube__x3_constraint(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	const struct reader *reader = reader_of(node);

	if (gpube__x3_is(node, "group"))
		return read_group(r, node);
	if (gpube__x3_is(node, "slide"))
		return read_slide(r, node);
	return reader ? read_by(r, reader, node) : refuse_constraint(r, node);
}

/* ---- objectives ------------------------------------------------------------------------------ */

static int add_term_cost(struct gpube_x3 *r, struct gpube_x3_term t, int64_t times)
{
	char text[32];

	gpube__x3_term_text(text, t);
	return gpube__x3_cost(r, text, strlen(text), times);
}

/* The factor of what comes at place k; of what takes one it is 1 without <coeffs>. */
static int64_t factor_at(struct gpube_x3 *r, const struct gpube_x3_list *by, int64_t k)
{
	if (by->terms && k >= by->n)
		gpube__in_error(r->in, "<coeffs> and the list differ in length");
	return by->terms && k < by->n ? by->terms[k].value : 1;
}

/* Expressions are costs as they are: no hidden variable has their value. */
static int add_sum_cost(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	struct gpube_x3_node *list = gpube__x3_child(node, "list");
	struct gpube_x3_node *coeffs = gpube__x3_child(node, "coeffs");
	const char *text = gpube__x3_text(r, list ? list : node), *word;
	struct gpube_x3_list terms, by = {0};
	int64_t k = 0, *factors;
	size_t n;

	if (!text || (coeffs && gpube__x3_list(r, coeffs, &by)))
		return r->in->status;
	if (!strchr(text, '(')) {
		if (gpube__x3_weighted(r, node, &terms, &factors))
			return r->in->status;
		for (; k < terms.n && !r->in->status; k++)
			add_term_cost(r, terms.terms[k], factors[k]);
		return r->in->status;
	}
	if (!gpube__x3_only_numbers(&by))
		return gpube__in_error(r->in, "<coeffs> of expressions that are no numbers");
	while (!r->in->status && (word = gpube__x3_word(r, &text, &n)) && n) {
		struct gpube_x3_list one = {0};
		const char *copy = gpube__x3_copy(r, word, n);

		if (copy && strchr(copy, '('))
			gpube__x3_cost(r, word, n, factor_at(r, &by, k++));
		else if (copy)
			gpube__x3_words(r, copy, &one, NULL);
		for (int64_t i = 0; i < one.n && !r->in->status; i++)
			add_term_cost(r, one.terms[i], factor_at(r, &by, k++));
	}
	if (!r->in->status && k < by.n)
		factor_at(r, &by, by.n);
	return r->in->status;
}

int gpube__x3_objective(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	const char *type = gpube__x3_attribute(node, "type"), *text;
	struct gpube_x3_list list = {0};
	int32_t *vars, var;
	int64_t n;

	r->met_symbol = false;
	if (!gpube__x3_is(node, "minimize") && !gpube__x3_is(node, "maximize"))
		return gpube__in_error(r->in, "<%.40s> in <objectives> is not read", node->name);
	if (r->n_objectives++)
		return gpube__in_error(r->in, "a second objective is not read");
	if (gpube__x3_is(node, "maximize") && gpube_model_set_direction(r->m, GPUBE_MAXIMISE))
		return r->in->status = GPUBE_EINVAL;
	if (!type || strcmp(type, "expression") == 0) {
		text = gpube__x3_text(r, node);
		return text ? gpube__x3_cost(r, text, strlen(text), 1) : r->in->status;
	}
	if (strcmp(type, "sum") == 0)
		return add_sum_cost(r, node);
	if (strcmp(type, "minimum") != 0 && strcmp(type, "maximum") != 0 &&
		strcmp(type, "nValues") != 0)
		return gpube__in_error(r->in, "an objective of type '%.40s' is not read", type);
	if (gpube__x3_main_vars(r, node, &n, &vars))
		return r->in->status;
	if (r->met_symbol && *type == 'm')
		return gpube__in_error(r->in, "symbols have no %.7s", type);
	if (*type == 'm')
		return gpube__x3_extreme_var(r, n, vars, type[1] == 'a', &var)
			       ? r->in->status
			       : add_term_cost(r, gpube__x3_var(var), 1);
	if (gpube__x3_come(r, n, vars, 0, NULL, &list))
		return r->in->status;
	for (int64_t k = 0; k < list.n && !r->in->status; k++)
		add_term_cost(r, list.terms[k], 1);
	return r->in->status;
}
