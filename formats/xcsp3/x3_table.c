/*
 * x3_table.c - XCSP3: extension. See x3.h.
 *
 * Tuples become a sparse table, shared by the constraints of a group over equal domains. Tuples
 * with stars or ranges that stand for many become an automaton, whose states are the sets of tuples
 * that the values so far agree with.
 */
#ifdef GPUBE_HAVE_EXPAT

#include <stdlib.h>
#include <string.h>

#include "formats/xcsp3/x3.h"

#define BLANKS " \t\n\v\f\r"

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

static void skip_blanks(struct gpube_x3 *r, const char **p)
{
	for (; **p && strchr(BLANKS, **p); ++*p)
		r->in->line += **p == '\n' && !r->in_group;
}

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

static int expect(struct gpube_x3 *r, const char **p, char c)
{
	const char what[] = {'\'', c, '\'', 0};

	if (**p != c)
		return gpube__x3_expected(r, what, *p, **p != 0);
	++*p;
	return GPUBE_OK;
}

static int read_tuples(struct gpube_x3 *r, struct gpube_x3_relation *rel, const char *p)
{
	int64_t n = 0;

	for (skip_blanks(r, &p); *p; skip_blanks(r, &p)) {
		const bool bare = rel->arity == 1 && *p != '(';

		if (!bare && expect(r, &p, '('))
			return r->in->status;
		for (int64_t k = 0; k < rel->arity; k++) {
			skip_blanks(r, &p);
			if (gpube__x3_grow(
				    r, &rel->cells, &rel->capacity, n + 1, sizeof(*rel->cells)) ||
				read_cell(r, &p, &rel->cells[n++]))
				return r->in->status;
			skip_blanks(r, &p);
			if (k + 1 < rel->arity && expect(r, &p, ','))
				return r->in->status;
		}
		if (!bare && expect(r, &p, ')'))
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
	int32_t low = 0, high = r->m->vars[var].domain;

	*last = high - 1;
	*first = 0;
	if (in->low == INT64_MIN)
		return;
	while (low < high) {
		const int32_t mid = (low + high) / 2;

		if (gpube__x3_value(r, var, mid) < in->low)
			low = mid + 1;
		else
			high = mid;
	}
	*first = *last = low;
	high = r->m->vars[var].domain;
	while (*last < high && gpube__x3_value(r, var, *last) <= in->high && in->low != in->high)
		++*last;
	if (in->low != in->high)
		--*last;
	else if (low == high || gpube__x3_value(r, var, low) != in->low)
		*last = low - 1;
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

/* ---- the constraint -------------------------------------------------------------------- */

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
	const int64_t line = r->in->line;
	struct gpube_x3_relation *rel;
	int32_t *vars;
	int64_t n;
	bool made;

	if (list && !tuples)
		return gpube__in_error(r->in, "<extension> needs <supports> or <conflicts>");
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
	if (gpube__in_charge(r->in, 1, 256, "functions") ||
		gpube__add_function(r->m, (int)n, vars, rel->table, NULL))
		return gpube__x3_no_memory(r);
	return GPUBE_OK;
}

#else
typedef int gpube__no_expat_x3_table; /* a file is not empty */
#endif
