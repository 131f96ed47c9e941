/*
 * x3_table.c - XCSP3: extension. See x3.h.
 *
 * Tuples become a sparse table, shared by the constraints of a group over equal domains. Tuples
 * with stars or ranges that stand for many become an automaton, whose states are the sets of tuples
 * that the values so far agree with.
 */
#include <math.h>
#include <string.h>

#include "formats/xcsp3/x3.h"

enum { WORD_BITS = 62 };
#define MOST_TUPLES ((int64_t)1 << 22) /* that short ones are written out as */

/* n tuples of 'arity' intervals. */
struct gpube_x3_relation {
	bool supports;
	int64_t arity, n, capacity;
	struct gpube_x3_interval *cells;
	/* made for a scope of these domains, of r->domains; table -1: none */
	int32_t table, *domains;
};

/* ---- reading --------------------------------------------------------------------------- */

/* "7", "2..4" or "*" */
static int read_cell(struct gpube_x3 *r, const char **p, struct gpube_x3_interval *in)
{
	const size_t n = strcspn(*p, ",()" BLANKS);

	if (**p == '*') {
		*in = (struct gpube_x3_interval){INT64_MIN, INT64_MAX};
		++*p;
		return GPUBE_OK;
	}
	in->low = in->high = gpube__x3_symbol(r, *p, n);
	if (in->low >= 0) {
		*p += n;
		return GPUBE_OK;
	}
	return gpube__x3_range_at(r, p, in, "an integer, a range or '*'");
}

static int read_tuples(struct gpube_x3 *r, struct gpube_x3_relation *rel, const char *p)
{
	int64_t n = 0;

	for (gpube__x3_skip(r, &p); *p; gpube__x3_skip(r, &p)) {
		const bool bare = rel->arity == 1 && *p != '(';

		if (!bare && gpube__x3_expect(r, &p, '('))
			return r->in->status;
		for (int64_t k = 0; k < rel->arity; k++) {
			gpube__x3_skip(r, &p);
			if (gpube__x3_grow(
				    r, &rel->cells, &rel->capacity, n + 1, sizeof(*rel->cells)) ||
				read_cell(r, &p, &rel->cells[n++]))
				return r->in->status;
			if (k + 1 < rel->arity && gpube__x3_expect(r, &p, ','))
				return r->in->status;
		}
		if (!bare && gpube__x3_expect(r, &p, ')'))
			return r->in->status;
		rel->n++;
	}
	return GPUBE_OK;
}

/* ---- automata -------------------------------------------------------------------------- */

struct reading {
	const struct gpube_x3_relation *rel;
	int64_t words;
};

/*
 * state: the tuples that agree, WORD_BITS a word; those that agree with this value, too, are left
 */
static bool step_tuples(struct gpube_x3_machine *m, int64_t *state, int64_t k, int64_t value)
{
	const struct reading *d = m->data;
	const struct gpube_x3_relation *rel = d->rel;
	bool any = !rel->supports;
	int64_t looked = d->words;

	for (int64_t w = 0; w < d->words; w++) {
		int64_t bits = state[w];

		for (int64_t left = bits; left; left &= left - 1) {
			const int64_t t = w * WORD_BITS + __builtin_ctzll((uint64_t)left);
			const struct gpube_x3_interval *in = &rel->cells[t * rel->arity + k];

			looked++;
			if (value < in->low || value > in->high)
				bits &= ~(left & -left);
		}
		state[w] = bits;
		any |= bits != 0;
	}
	/* steps are paid for by the memory that states might take */
	return !gpube__in_charge(m->r->in, looked, 1, "tuples that are read") && any;
}

static bool end_tuples(struct gpube_x3_machine *m, const int64_t *state)
{
	const struct reading *d = m->data;

	for (int64_t w = 0; w < d->words; w++)
		if (state[w])
			return d->rel->supports;
	return !d->rel->supports;
}

static int add_automaton(
	struct gpube_x3 *r, const struct gpube_x3_relation *rel, const int32_t *vars)
{
	struct reading d = {rel, (rel->n + WORD_BITS - 1) / WORD_BITS};
	struct gpube_x3_machine m = {.r = r,
		.name = "extension",
		.n = rel->arity,
		.vars = vars,
		.width = d.words,
		.step = step_tuples,
		.end = end_tuples,
		.data = &d};
	int64_t *start = gpube__x3_temp(r, d.words, sizeof(*start));

	for (int64_t t = 0; t < rel->n && start; t++)
		start[t / WORD_BITS] |= (int64_t)1 << t % WORD_BITS;
	m.start = start;
	return start ? gpube__x3_run(&m) : r->in->status;
}

/* ---- tables ---------------------------------------------------------------------------- */

/* Where the values of a tuple's cell begin and end among those of a variable. */
static void places_of(const struct gpube_x3 *r, int32_t var, const struct gpube_x3_interval *in,
	int32_t *first, int32_t *last)
{
	const bool all = in->low == INT64_MIN;

	*first = all ? 0 : gpube__x3_first(r, var, in->low);
	*last = (all ? r->m->vars[var].domain : gpube__x3_first(r, var, in->high + 1)) - 1;
}

/* How many tuples without stars or ranges these are: at most MOST_TUPLES + 1. */
static int64_t count_tuples(
	const struct gpube_x3 *r, const struct gpube_x3_relation *rel, const int32_t *vars)
{
	int64_t total = 0;

	for (int64_t t = 0; t < rel->n && total <= MOST_TUPLES; t++) {
		int64_t n = 1;

		for (int64_t k = 0; k < rel->arity && n <= MOST_TUPLES; k++) {
			int32_t first, last;

			places_of(r, vars[k], &rel->cells[t * rel->arity + k], &first, &last);
			n *= last - first + 1;
		}
		total += n;
	}
	return total > MOST_TUPLES ? MOST_TUPLES + 1 : total;
}

/* The cells, row-major, of the tuples that tuple t stands for. */
static void list_cells(const struct gpube_x3 *r, const struct gpube_x3_relation *rel, int64_t t,
	const int32_t *vars, int32_t *places, int64_t *cells, int64_t *n)
{
	const int64_t arity = rel->arity;
	int32_t *first = places, *last = places + arity, *at = places + 2 * arity;
	int64_t k;

	for (k = 0; k < arity; k++) {
		places_of(r, vars[k], &rel->cells[t * arity + k], &first[k], &last[k]);
		if (last[k] < first[k])
			return;
		at[k] = first[k];
	}
	do {
		int64_t cell = 0;

		for (k = 0; k < arity; k++)
			cell = cell * r->m->vars[vars[k]].domain + at[k];
		cells[(*n)++] = cell;
		for (k = arity - 1; k >= 0; k--) {
			if (++at[k] <= last[k])
				break;
			at[k] = first[k];
		}
	} while (k >= 0);
}

/* Sorted cells without equal ones, as a table. */
static int add_cells(struct gpube_x3 *r, struct gpube_x3_relation *rel, const int32_t *vars,
	const int64_t *cells, int64_t n)
{
	const int arity = (int)rel->arity;
	int32_t *tuple = gpube__x3_temp(r, arity, sizeof(*tuple));
	struct gpube_tuples t;
	int status = GPUBE_OK;

	if (!tuple || gpube__x3_tuples_begin(r, &t, arity, vars, rel->supports ? GPUBE_INF : 0))
		return r->in->status;
	for (int64_t i = 0; i < n && !status; i++) {
		int64_t cell = cells[i];

		for (int k = arity - 1; k >= 0; k--) {
			tuple[k] = (int32_t)(cell % t.domains[k]);
			cell /= t.domains[k];
		}
		status = gpube__tuples_push(&t, tuple, rel->supports ? 0 : GPUBE_INF, r->in->line);
	}
	return gpube__x3_tuples_end(r, &t, status, &rel->table);
}

static int make_table(struct gpube_x3 *r, struct gpube_x3_relation *rel, const int32_t *vars)
{
	const int64_t most = count_tuples(r, rel, vars);
	int32_t *places = gpube__x3_temp(r, 3 * rel->arity, sizeof(*places));
	int64_t *cells, n = 0;

	if (gpube__in_charge(
		    r->in, most + rel->n, (int64_t)sizeof(*cells) + 4 * rel->arity, "tuples"))
		return r->in->status;
	cells = gpube__x3_temp(r, most + 1, sizeof(*cells));
	if (r->in->status)
		return r->in->status;
	for (int64_t t = 0; t < rel->n; t++) {
		list_cells(r, rel, t, vars, places, cells, &n);
		if ((t & 0xffff) == 0xffff && gpube__stopped(r->m->ctx))
			return r->in->status = gpube__fail_stopped(r->m->ctx);
	}
	n = gpube__x3_unique(cells, n);
	if (add_cells(r, rel, vars, cells, n))
		return r->in->status;
	r->n_relations++;
	rel->domains = gpube__x3_temp(r, rel->arity, sizeof(*rel->domains));
	for (int64_t k = 0; k < rel->arity && rel->domains; k++)
		rel->domains[k] = r->domain_of[vars[k]];
	return r->in->status;
}

static bool is_made_for(
	const struct gpube_x3 *r, const struct gpube_x3_relation *rel, const int32_t *vars)
{
	for (int64_t k = 0; k < rel->arity; k++)
		if (!rel->domains || rel->domains[k] != r->domain_of[vars[k]])
			return false;
	return true;
}

static bool differ(struct gpube_x3 *r, const int32_t *vars, int64_t n)
{
	r->stamp++;
	if (gpube__x3_see(r))
		return false;
	for (int64_t k = 0; k < n; k++) {
		if (r->seen[2 * vars[k]] == r->stamp)
			return false;
		r->seen[2 * vars[k]] = r->stamp;
	}
	return true;
}

/* ---- hybrid tables -------------------------------------------------------------------------- */

/* An operator in front of a value or column, -1: none; as pycsp3 writes it, or in ASCII. */
static int pass_operator(const char **p)
{
	static const struct {
		const char *text;
		enum gpube_x3_operator op;
	} operators[] = {{"\xe2\x89\xa0", GPUBE_X3_NE}, {"\xe2\x89\xa4", GPUBE_X3_LE},
		{"\xe2\x89\xa5", GPUBE_X3_GE}, {"\xef\xb9\xa4", GPUBE_X3_LT},
		{"\xef\xb9\xa5", GPUBE_X3_GT}, {"\xe2\x88\x81", GPUBE_X3_NOTIN},
		{"!=", GPUBE_X3_NE}, {"<=", GPUBE_X3_LE}, {">=", GPUBE_X3_GE}, {"<", GPUBE_X3_LT},
		{">", GPUBE_X3_GT}, {"=", GPUBE_X3_EQ}};

	for (size_t k = 0; k < sizeof(operators) / sizeof(*operators); k++)
		if (strncmp(*p, operators[k].text, strlen(operators[k].text)) == 0) {
			*p += strlen(operators[k].text);
			return (int)operators[k].op;
		}
	return -1;
}

/* An integer, or "c2", what stands in column 2. */
static int read_operand(struct gpube_x3 *r, const char **p, const struct gpube_x3_list *list,
	struct gpube_x3_term *t)
{
	const bool column = **p == 'c';

	*t = (struct gpube_x3_term){.var = -1};
	*p += column;
	if (gpube__x3_integer(r, p, &t->value, column ? "a column" : "a value in a hybrid tuple"))
		return r->in->status;
	if (column && (t->value < 0 || t->value >= list->n))
		return gpube__in_error(r->in, "a tuple has no column %lld", (long long)t->value);
	if (column)
		*t = list->terms[t->value];
	return GPUBE_OK;
}

/* "{1,3}" or "1..3" */
static int put_set(struct gpube_x3 *r, struct gpube_x3_text *t, const char **p, const char *x)
{
	struct gpube_x3_interval in;
	const bool set = **p == '{';

	if (!set)
		return gpube__x3_range_at(r, p, &in, "a value, a range or a set")
			       ? r->in->status
			       : gpube__x3_put(r, t, "and(ge(%s,%lld),le(%s,%lld))", x,
					 (long long)in.low, x, (long long)in.high);
	gpube__x3_put(r, t, "in(%s,set(", x);
	do {
		++*p;
		gpube__x3_skip(r, p);
		if (gpube__x3_integer(r, p, &in.low, "an integer of a set"))
			return r->in->status;
		gpube__x3_put(r, t, "%lld", (long long)in.low);
		gpube__x3_skip(r, p);
		gpube__x3_put(r, t, **p == ',' ? "," : "))");
	} while (**p == ',');
	return gpube__x3_expect(r, p, '}');
}

/* What a variable's cell asks for, such as 3, "{1,2}", ">=2" or "=c0+1", as a truth value. */
static int put_cell(struct gpube_x3 *r, struct gpube_x3_text *t, const char **p,
	const struct gpube_x3_list *list, int64_t k)
{
	struct gpube_x3_term right, more;
	int64_t symbol;
	size_t n = strcspn(*p, ",()" BLANKS);
	int op = pass_operator(p);
	char x[32];
	bool plus;

	gpube__x3_skip(r, p);
	gpube__x3_term_text(x, list->terms[k]);
	symbol = op < 0 ? gpube__x3_symbol(r, *p, n) : -1;
	if (symbol >= 0)
		*p += n;
	if (symbol >= 0)
		return gpube__x3_put(r, t, ",eq(%s,%s)", x, r->symbols[symbol - GPUBE_X3_SYMBOL]);
	if ((op < 0 && **p != 'c') || op == GPUBE_X3_NOTIN) {
		gpube__x3_put(r, t, op < 0 ? ",and(1," : ",not(");
		return put_set(r, t, p, x) ? r->in->status : gpube__x3_put(r, t, ")");
	}
	if (read_operand(r, p, list, &right))
		return r->in->status;
	gpube__x3_put(r, t, ",%s(%s,", gpube__x3_operators[op < 0 ? GPUBE_X3_EQ : op], x);
	plus = **p == '+';
	if (!plus && **p != '-')
		return gpube__x3_put_term(r, t, right, ")");
	++*p;
	if (read_operand(r, p, list, &more))
		return r->in->status;
	gpube__x3_put(r, t, plus ? "add(" : "sub(");
	gpube__x3_put_term(r, t, right, ",");
	return gpube__x3_put_term(r, t, more, "))");
}

/* One of the tuples holds, or none: an expression. */
static int add_hybrid(struct gpube_x3 *r, struct gpube_x3_node *list_node,
	const struct gpube_x3_node *tuples, bool supports)
{
	const char *p = gpube__x3_text(r, tuples);
	struct gpube_x3_text t = {0};
	struct gpube_x3_list list;

	if (!p || gpube__x3_list(r, list_node, &list) ||
		gpube__x3_put(r, &t, "eq(%d,or(0", supports))
		return r->in->status;
	for (gpube__x3_skip(r, &p); *p; gpube__x3_skip(r, &p)) {
		if (gpube__x3_expect(r, &p, '('))
			return r->in->status;
		gpube__x3_put(r, &t, ",and(1");
		for (int64_t k = 0; k < list.n; k++) {
			gpube__x3_skip(r, &p);
			if (*p == '*')
				p++;
			else if (put_cell(r, &t, &p, &list, k))
				return r->in->status;
			if (gpube__x3_expect(r, &p, k + 1 < list.n ? ',' : ')'))
				return r->in->status;
		}
		gpube__x3_put(r, &t, ",1)");
	}
	return gpube__x3_put(r, &t, ",0))") ? r->in->status
					    : gpube__x3_post(r, t.bytes, (size_t)t.n);
}

/* ---- cost functions ------------------------------------------------------------------------- */

/* A cost of a weighted problem: a double holds it. */
static int read_cost(struct gpube_x3 *r, const char *text, double *cost)
{
	const char *p = text;
	int64_t v;

	if (gpube__x3_integer(r, &p, &v, "a cost") ||
		gpube__x3_expect_end(r, p, text + strlen(text), "a cost"))
		return r->in->status;
	*cost = (double)v;
	return v >= 0 && v < GPUBE_X3_EXACT
		       ? GPUBE_OK
		       : gpube__in_expected(r->in, "a cost from 0 that is below 2^53", text);
}

/* The tuples of <tuples>, all of one cost. */
static int weigh_tuples(struct gpube_x3 *r, const struct gpube_x3_node *tuples,
	struct gpube_weights *w, double cost)
{
	const struct gpube_model *m = r->m;
	struct gpube_x3_relation rel = {.arity = w->arity};
	const char *text = gpube__x3_text(r, tuples);
	int32_t *places = gpube__x3_temp(r, 4 * rel.arity, sizeof(*places));
	int32_t *tuple = places ? places + 3 * rel.arity : NULL;
	int64_t most, n = 0, *cells;

	if (!text || !tuple || read_tuples(r, &rel, text))
		return r->in->status;
	most = count_tuples(r, &rel, w->scope);
	if (most > MOST_TUPLES)
		return gpube__in_fail(r->in, GPUBE_ERANGE,
			"tuples with costs that stand for more than %lld", (long long)MOST_TUPLES);
	if (gpube__in_charge(r->in, most, sizeof(*cells), "tuples"))
		return r->in->status;
	cells = gpube__x3_temp(r, most + 1, sizeof(*cells));
	for (int64_t t = 0; t < rel.n && cells; t++)
		list_cells(r, &rel, t, w->scope, places, cells, &n);
	for (int64_t k = 0; k < n && !r->in->status; k++) {
		for (int i = w->arity - 1; i >= 0; i--) {
			tuple[i] = (int32_t)(cells[k] % m->vars[w->scope[i]].domain);
			cells[k] /= m->vars[w->scope[i]].domain;
		}
		gpube__x3_weigh(r, w, tuple, cost);
	}
	return r->in->status;
}

int gpube__x3_soft_extension(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	struct gpube_x3_node *list = gpube__x3_need(r, node, "list");
	struct gpube_x3_node *tuples = gpube__x3_child(node, "tuples");
	const char *given = gpube__x3_attribute(node, "defaultCost"), *cost;
	struct gpube_weights w = {0};
	double dflt = NAN, c = 0;
	int32_t *vars;
	int64_t n;

	if (!list || gpube__x3_vars(r, list, &n, &vars) || (given && read_cost(r, given, &dflt)))
		return r->in->status;
	if (n == 0 || !differ(r, vars, n) || gpube__cells(r->m, (int)n, vars) < 0)
		return r->in->status ? r->in->status
				     : gpube__in_error(r->in,
					       "a table of costs takes variables that differ, and "
					       "fewer than 2^63 tuples");
	w.arity = (int)n;
	w.scope = vars;
	for (; tuples && !r->in->status; tuples = gpube__x3_next(tuples)) {
		cost = gpube__x3_attribute(tuples, "cost");
		if (!cost)
			gpube__in_error(r->in, "<tuples> needs the attribute 'cost'");
		else if (!read_cost(r, cost, &c))
			weigh_tuples(r, tuples, &w, c);
	}
	return gpube__x3_add_weights(r, &w, dflt);
}

/* ---- the constraint -------------------------------------------------------------------- */

static int read_relation(
	struct gpube_x3 *r, const struct gpube_x3_node *node, bool supports, int64_t arity)
{
	struct gpube_x3_relation *rel = r->relation;
	const char *text;

	if (r->relation_of == node && rel && rel->arity == arity)
		return GPUBE_OK;
	rel = gpube__x3_temp(r, 1, sizeof(*rel));
	text = rel ? gpube__x3_text(r, node) : NULL;
	if (!text)
		return r->in->status;
	rel->supports = supports;
	rel->arity = arity;
	rel->table = -1;
	if (read_tuples(r, rel, text))
		return r->in->status;
	r->relation = rel;
	r->n_relations++;
	/* it is the same for the next of the group, unless the arguments are in it */
	r->relation_of = node->text && strchr(node->text, '%') ? NULL : node;
	return GPUBE_OK;
}

int gpube__x3_extension(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	struct gpube_x3_node *list = gpube__x3_need(r, node, "list");
	struct gpube_x3_node *supports = gpube__x3_child(node, "supports");
	struct gpube_x3_node *tuples = supports ? supports : gpube__x3_child(node, "conflicts");
	const char *type = gpube__x3_attribute(node, "type");
	const int64_t line = r->in->line;
	struct gpube_x3_relation *rel;
	int32_t *vars;
	int64_t n;
	bool made;

	if (list && !tuples)
		return gpube__in_error(r->in, "<extension> needs <supports> or <conflicts>");
	if (list && type && strncmp(type, "hybrid", 6) == 0)
		return add_hybrid(r, list, tuples, supports != NULL);
	if (!list || gpube__x3_vars(r, list, &n, &vars))
		return r->in->status;
	if (n == 0 || n > INT32_MAX / 4)
		return gpube__in_error(r->in, "an extension of no variables");
	if (read_relation(r, tuples, supports != NULL, n))
		return r->in->status;
	r->in->line = line;
	rel = r->relation;
	if (rel->n == 0)
		return rel->supports ? gpube__x3_never(r) : GPUBE_OK;
	made = is_made_for(r, rel, vars);
	if (!differ(r, vars, n) || gpube__cells(r->m, (int)n, vars) < 0 ||
		(!made && count_tuples(r, rel, vars) > MOST_TUPLES))
		return r->in->status ? r->in->status : add_automaton(r, rel, vars);
	if (!made && make_table(r, rel, vars))
		return r->in->status;
	return gpube__x3_add_again(r, (int)n, vars, rel->table);
}
