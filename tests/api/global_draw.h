/*
 * global_draw.h - random functions by keyword, with their parameters as a call, a .wcsp and a .cfn
 * have them; what they cost is in global_prices.h.
 */
#ifndef GPUBE_TEST_GLOBAL_DRAW_H
#define GPUBE_TEST_GLOBAL_DRAW_H

#include <string.h>

#include "gpube/base/base.h"
#include "gpube/globals.h"
#include "gpube/globals/intension.h"
#include "tests/support/global_prices.h"
#include "tests/support/test.h"

/* GLOBAL_TOP: a cost that says "forbidden", and the top of a model that it is drawn for. */
enum { GLOBAL_TOP = 1000000000, GLOBAL_TEXT = 6000 };

/* The function's parameters, and the three texts of them. */
struct global_drawn {
	struct gpube_rng rng;
	const struct gpube_keyword *keyword;
	struct global_call call;
	bool maximise, signs, large;
	bool words; /* "inf" where a cost forbids, whatever the top is */
	int n_vars;
	int32_t domains[MOST_ARITY + 1], scope[MOST_ARITY];
	char wcsp[GLOBAL_TEXT], text[GLOBAL_TEXT], cfn[GLOBAL_TEXT];
};

/* From 0 to n - 1, of the function's own numbers. */
static inline int64_t global_below(struct global_drawn *d, int64_t n)
{
	return (int64_t)gpube__rng_below(&d->rng, (uint64_t)n);
}

static inline bool global_is(const struct global_drawn *d, const char *name)
{
	return strcmp(d->keyword->name, name) == 0;
}

/* ---- parameters ------------------------------------------------------------------------------ */

static inline void global_append(char *to, const char *format, const char *word)
{
	const size_t n = strlen(to);

	assert_true((size_t)snprintf(to + n, GLOBAL_TEXT - n, format, word) < GLOBAL_TEXT - n);
}

static inline void global_say_number(struct global_drawn *d, int64_t v, bool cost)
{
	char number[32], top[32];

	snprintf(number, sizeof(number), "%lld", (long long)v);
	snprintf(top, sizeof(top), "%d", GLOBAL_TOP);
	global_append(d->wcsp, " %s", cost && v == GPUBE_INF ? top : number);
	global_append(d->text, " %s",
		!cost || v != GPUBE_INF                         ? number
		: d->maximise || d->words || global_below(d, 2) ? "inf"
								: top);
	global_append(d->cfn, "%s, ", cost && v == GPUBE_INF ? "inf" : number);
}

/* How many items; .wcsp and calls say it, .cfn has brackets. */
static inline void global_say_count(struct global_drawn *d, int n)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", n);
	global_append(d->wcsp, " %s", number);
	global_append(d->text, " %s", number);
}

static inline int64_t global_draw_weight(struct global_drawn *d, bool capacity)
{
	const int64_t v = capacity ? global_below(d, 25) - 8 : global_below(d, 16) - 6;

	return d->large ? v * ((int64_t)1 << 55) : v;
}

static inline int64_t global_draw_integer(struct global_drawn *d, const char *tag, int nth)
{
	static const struct {
		const char *tag;
		int from, n;
	} ranges[] = {{"cst", -3, 8}, {"delta", 0, 5}, {"cstx", 0, 4}, {"csty", 0, 4},
		{"xinfty", 0, 5}, {"yinfty", 0, 5}, {"to", -2, 12}, {"nb_states", 3, 1},
		{"nb_symbols", 4, 1}, {"nb_values", 3, 1}, {"start", 0, 4}, {"rhs", 1, 1},
		{"starts", 0, 3}, {"ends", 0, 3}, {"transitions", 0, 3}};
	const int64_t arity = d->call.n;

	for (size_t k = 0; k < sizeof(ranges) / sizeof(*ranges); k++)
		if (strcmp(tag, ranges[k].tag) == 0)
			return ranges[k].from + global_below(d, ranges[k].n);
	if (strcmp(tag, "bounds") == 0)
		return nth % 2 ? d->call.low + global_below(d, 3)
			       : (d->call.low = global_below(d, arity + 2));
	if (strcmp(tag, "max") == 0)
		return d->call.low + global_below(d, 3);
	return d->call.low = global_below(d, arity + 3) - 1; /* min, distance */
}

/* One number by its letter; of a list's entry number 'row' the nth. */
static inline int64_t global_draw_letter(
	struct global_drawn *d, char letter, const char *tag, int row, int nth)
{
	int64_t v;

	switch (letter) {
	case 'c':
	case 'C':
		v = global_below(d, 8) == 0 ? GPUBE_INF : global_below(d, 7);
		if (letter == 'c' && d->maximise && global_below(d, 20))
			v = v == GPUBE_INF ? v : 0;
		if (letter == 'C' && d->signs && v != GPUBE_INF)
			v -= 3;
		global_say_number(d, v, true);
		return v;
	case 'V':
		v = global_below(d, d->call.n);
		global_say_number(d, d->scope[v], false);
		for (int k = 0; k < d->call.n; k++)
			if (d->scope[k] == d->scope[v])
				return k; /* where it is first */
		return v;
	case 'v':
		v = strcmp(tag, "bounds") == 0 && global_below(d, 30) ? row : global_below(d, 5);
		break;
	case 'l':
		v = global_draw_weight(d, strcmp(tag, "capacity") == 0);
		break;
	default:
		v = global_draw_integer(d, tag, nth);
	}
	global_say_number(d, v, false);
	return v;
}

static inline int global_draw_count(struct global_drawn *d, const char *tag)
{
	if (strcmp(tag, "deltacosts") == 0)
		return global_below(d, 20) == 0;
	if (strcmp(tag, "transitions") == 0)
		return (int)global_below(d, 9);
	return (int)global_below(d, 4);
}

/* A rule of a grammar in both forms: kind, symbol, what it becomes, weight. */
static inline void global_draw_rules(struct global_drawn *d, struct global_list *l)
{
	const bool weights = strcmp(d->call.metric, "weight") == 0;

	l->n = 2 + (int)global_below(d, 5);
	l->width = 5;
	global_say_count(d, l->n);
	for (int pass = 0; pass < 2; pass++) {
		global_append(d->cfn, "\"%s\": [", pass ? "non_terminals" : "terminals");
		for (int k = 0; k < l->n; k++) {
			int64_t *r = &l->v[5 * k];

			/* the values first, as .cfn has them */
			if ((k >= (l->n + 1) / 2) != pass)
				continue;
			r[0] = pass + 2 * weights;
			r[1] = global_below(d, 4);
			r[2] = global_below(d, pass ? 4 : 3);
			r[3] = pass ? global_below(d, 4) : 0;
			r[4] = weights ? global_below(d, 6) : 0;
			for (int j = 0; j < 5; j++) {
				char number[24];

				snprintf(number, sizeof(number), "%lld", (long long)r[j]);
				if ((j == 3 && !pass) || (j == 4 && !weights))
					continue;
				global_append(d->wcsp, " %s", number);
				global_append(d->text, " %s", number);
				global_append(d->cfn,
					j == 0   ? "%s"
					: j == 1 ? "[%s"
						 : ", %s",
					j == 0 ? "" : number);
			}
			global_append(d->cfn, "], %s", "");
		}
		global_append(d->cfn, "], %s", "");
	}
}

static inline void global_draw_list(struct global_drawn *d, struct global_list *l, const char *tag,
	const char *letters, int n, bool nested)
{
	const int width = (int)strcspn(letters, " +?"),
		  all = letters[width] == '?' && strcmp(d->call.metric, "wdec") == 0 ? width + 2
										     : width;

	l->n = n;
	l->width = all;
	l->n_rows = 0;
	global_append(d->cfn, "[%s", "");
	for (int k = 0; k < n; k++) {
		const int inner = nested ? (int)global_below(d, 3) : 1;

		if (nested) {
			global_say_count(d, inner);
			global_append(d->cfn, "[%s", "");
		}
		l->inner[k] = inner;
		for (int i = 0; i < inner; i++, l->n_rows++) {
			global_append(d->cfn, all > 1 ? "[%s" : "%s", "");
			for (int j = 0; j < all; j++)
				l->v[l->n_rows * all + j] = global_draw_letter(
					d, letters[j + (j >= width)], tag, k, nested ? j : j - 1);
			global_append(d->cfn, all > 1 ? "], %s" : "%s", "");
		}
		global_append(d->cfn, nested ? "], %s" : "%s", "");
	}
	global_append(d->cfn, "], %s", "");
}

static inline void global_say_word(struct global_drawn *d, const char *word)
{
	global_append(d->wcsp, " %s", word);
	global_append(d->text, " %s", word);
	global_append(d->cfn, "\"%s\", ", word);
}

static inline void global_draw_word(struct global_drawn *d, char letter)
{
	static const char *const comparators[] = {"==", "!=", "<", "<=", ">", ">="};
	const char *at = d->keyword->metrics;
	int64_t n = 1;

	if (letter == 'o') {
		d->call.comparator = (int)global_below(d, 6);
		global_say_word(d, comparators[d->call.comparator]);
		return;
	}
	for (const char *p = at; *p; p++)
		n += *p == ' ';
	for (n = global_below(d, n); n > 0; n--)
		at = strchr(at, ' ') + 1;
	snprintf(d->call.metric, sizeof(d->call.metric), "%.*s", (int)strcspn(at, " "), at);
	global_say_word(d, d->call.metric);
}

/* All parameters of the keyword, by its template. */
static inline void global_draw_parameters(struct global_drawn *d)
{
	const bool tags = !(d->keyword->flags & GPUBE_KEYWORD_BINARY);
	const char *p = d->keyword->params;
	int both = -1;

	while (*p) {
		const bool list = *p == '*', by_variable = *p == '=';
		char tag[32];
		const char *letters = strchr(p, ':') + 1;
		const int end = (int)strcspn(letters, " ");
		struct global_list *l = &d->call.lists[d->call.n_lists];
		int n = by_variable ? d->call.n : 0;

		snprintf(tag, sizeof(tag), "%.*s", (int)(letters - 1 - p - (list || by_variable)),
			p + (list || by_variable));
		if (tags && *letters != 'r')
			global_append(d->cfn, "\"%s\": ", tag);
		if (list && (d->keyword->flags & GPUBE_KEYWORD_COUNTS)) {
			if (both < 0) {
				both = (int)global_below(d, 4);
				global_say_count(d, both);
				global_say_count(d, both);
			}
			n = both;
		} else if (list && *letters != 'r') {
			n = global_draw_count(d, tag);
			global_say_count(d, n);
		}
		if (*letters == 'r')
			global_draw_rules(d, l);
		else if (list || by_variable)
			global_draw_list(d, l, tag, letters, n, letters[end - 1] == '+');
		else if (*letters == 'm' || *letters == 'o')
			global_draw_word(d, *letters);
		else
			d->call.scalars[d->call.n_scalars++] =
				global_draw_letter(d, *letters, tag, 0, 0);
		d->call.n_lists += list || by_variable;
		p = letters + end;
		p += *p == ' ';
	}
}

/* ---- functions ------------------------------------------------------------------------------- */

/* Arity and domains that the keyword takes, at times too wide for a table. */
static inline void global_draw_scope(struct global_drawn *d, bool repeated)
{
	const bool tree = global_is(d, "MST") || global_is(d, "smstdp"),
		   few = tree || (d->keyword->flags & GPUBE_KEYWORD_GRAMMAR) ||
			 global_is(d, "sgcc");
	const bool wide = !few && !repeated && d->keyword->cost && global_below(d, 12) == 0 &&
			  !(d->keyword->flags & GPUBE_KEYWORD_BINARY);
	int n = d->keyword->flags & GPUBE_KEYWORD_BINARY ? 2
							 : 1 + (int)global_below(d, few ? 4 : 6);

	if (wide)
		n = MOST_ARITY - (int)global_below(d, 2);
	d->call.n = n;
	d->n_vars = repeated ? 1 + (int)global_below(d, 3) : n + (int)global_below(d, 2);
	for (int i = 0; i < d->n_vars; i++)
		d->domains[i] = wide ? 4 : 1 + (int32_t)global_below(d, tree && n < 4 ? n : 4);
	for (int k = 0, i; k < n; k++) {
		do {
			d->scope[k] = (int32_t)global_below(d, d->n_vars);
			for (i = 0; i < k && d->scope[i] != d->scope[k]; i++)
				;
		} while (!repeated && i < k);
		d->call.domains[k] = d->domains[d->scope[k]];
	}
}

static inline void global_begin(
	struct global_drawn *d, const struct gpube_keyword *keyword, uint64_t seed)
{
	memset(d, 0, sizeof(*d));
	gpube__rng_init(&d->rng, seed);
	d->keyword = keyword;
	d->call.name = keyword->name;
	d->maximise = global_below(d, 6) == 0;
	d->signs = d->maximise || global_below(d, 2);
	d->large = global_below(d, 6) == 0;
	d->call.maximise = d->maximise;
}

/* With variables of its own; repeated: a scope may have one twice. */
static inline void global_draw(
	struct global_drawn *d, const struct gpube_keyword *keyword, uint64_t seed, bool repeated)
{
	global_begin(d, keyword, seed);
	global_draw_scope(d, repeated);
	global_draw_parameters(d);
}

/* Of at most 'most' variables of these, which may be there twice. */
static inline void global_draw_over(struct global_drawn *d, const struct gpube_keyword *keyword,
	uint64_t seed, bool maximise, int n_vars, const int32_t *domains, int most)
{
	global_begin(d, keyword, seed);
	d->call.maximise = d->maximise = maximise;
	d->signs |= maximise;
	d->words = true;
	d->n_vars = n_vars;
	d->call.n = keyword->flags & GPUBE_KEYWORD_BINARY ? 2 : 1 + (int)global_below(d, most);
	memcpy(d->domains, domains, (size_t)n_vars * sizeof(*domains));
	for (int k = 0; k < d->call.n; k++) {
		d->scope[k] = (int32_t)global_below(d, n_vars);
		d->call.domains[k] = domains[d->scope[k]];
	}
	global_draw_parameters(d);
}

static inline size_t global_n_keywords(void)
{
	size_t n = 0;

	while (gpube__keywords[n].name)
		n++;
	return n;
}

/* The text for gpube_model_add_global() is d->text. */
static inline int global_add(
	const struct global_drawn *d, struct gpube_model *m, const int32_t *scope)
{
	return gpube_model_add_global(m, d->keyword->name, d->call.n, scope, d->text);
}

#endif
