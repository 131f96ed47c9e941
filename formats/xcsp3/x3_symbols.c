/*
 * x3_symbols.c - XCSP3: variables whose values are symbols. See x3.h.
 *
 * A symbol is an integer that no file has, so that all that asks which values are equal knows
 * nothing of them. What asks for more, an order or a sum, is refused: expressions here, constraints
 * in x3_constraint.c.
 */
#include <string.h>

#include "formats/xcsp3/x3.h"

enum { MOST_DIGITS = 18 }; /* of numbers that are below GPUBE_X3_SYMBOL */

int64_t gpube__x3_symbol(const struct gpube_x3 *r, const char *name, size_t n)
{
	const int32_t found = r->n_symbols ? gpube__x3_named(r, GPUBE_X3_SYMBOLS, name, n) : -1;

	return found < 0 ? -1 : GPUBE_X3_SYMBOL + found;
}

/* ---- domains --------------------------------------------------------------------------- */

static int add_symbol(struct gpube_x3 *r, const char *word, size_t n, int64_t *value)
{
	const char *copy = gpube__x3_copy(r, word, n);

	if (!copy)
		return r->in->status;
	*value = gpube__x3_symbol(r, word, n);
	if (*value >= 0)
		return GPUBE_OK;
	if (n > 200 || strpbrk(copy, "[](){},%") || strchr("-+.0123456789", *copy) ||
		gpube__x3_known(r, GPUBE_X3_NAMED, copy) >= 0 ||
		gpube__x3_known(r, GPUBE_X3_ARRAYS, copy) >= 0)
		return gpube__x3_expected(r, "a symbol that is no variable's name", word, n);
	if (gpube__in_charge(r->in, 1, 128, "symbols"))
		return r->in->status;
	if (gpube__grow(r->m->ctx, &r->symbols, &r->symbols_capacity, (int64_t)r->n_symbols + 1,
		    sizeof(*r->symbols)))
		return gpube__x3_no_memory(r);
	if (gpube__x3_know(r, GPUBE_X3_SYMBOLS, copy, r->n_symbols))
		return r->in->status;
	r->symbols[r->n_symbols] = r->strings[r->n_strings - 1];
	*value = GPUBE_X3_SYMBOL + r->n_symbols++;
	return GPUBE_OK;
}

int gpube__x3_symbols(struct gpube_x3 *r, const char *text, struct gpube_x3_domain *d)
{
	int64_t capacity = 0;
	const char *word;
	size_t n;

	while ((word = gpube__x3_word(r, &text, &n)) && n)
		if (gpube__x3_grow(r, &d->values, &capacity, d->n + 1, sizeof(*d->values)) ||
			add_symbol(r, word, n, &d->values[d->n++]))
			return r->in->status;
	return d->n ? GPUBE_OK : gpube__in_error(r->in, "a domain without values");
}

/* ---- expressions ------------------------------------------------------------------------- */

struct check {
	const struct gpube_expr *e;
	bool (*symbolic)(const void *arg, int32_t slot);
	const void *arg;
};

static bool is_symbol(const struct check *c, int32_t at)
{
	const struct gpube_expr_node *n = &c->e->nodes[at];

	return n->op == GPUBE_OP_SLOT ? c->symbolic(c->arg, n->a)
				      : n->op == GPUBE_OP_CONST && n->value.i >= GPUBE_X3_SYMBOL;
}

/* All parts of a comparison are symbols, or none is; of what else there is, none. */
static bool fits(const struct check *c, const struct gpube_expr_node *n)
{
	const bool list = n->op == GPUBE_OP_IN || n->op == GPUBE_OP_SAME;
	const bool first = is_symbol(c, n->a);
	const bool two = n->op > GPUBE_OP_FLOAT;

	for (int32_t k = n->b; list && k >= 0; k = c->e->nodes[k].c)
		if (is_symbol(c, c->e->nodes[k].a) != first)
			return false;
	if (list)
		return true;
	if (n->op == GPUBE_OP_EQ || n->op == GPUBE_OP_NE)
		return is_symbol(c, n->b) == first;
	return !first && !(two && is_symbol(c, n->b)) &&
	       !(n->op == GPUBE_OP_COND && is_symbol(c, n->c));
}

int gpube__x3_check_numbers(struct gpube_x3 *r, const char *text)
{
	for (size_t n = 0; *text && r->n_symbols; text += n ? n : 1) {
		const bool number = *text >= '0' && *text <= '9';

		n = strspn(
			text, "0123456789_[].abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
		if (number && strspn(text, "0123456789") > MOST_DIGITS)
			return gpube__x3_expected(
				r, "a number of at most 18 digits beside symbols", text, n);
	}
	return GPUBE_OK;
}

int gpube__x3_check_symbols(struct gpube_x3 *r, const struct gpube_expr *e,
	bool (*symbolic)(const void *arg, int32_t slot), const void *arg)
{
	const struct check c = {e, symbolic, arg};
	bool right = !is_symbol(&c, e->root);

	for (int64_t at = 0; at < e->n_nodes && right; at++) {
		const struct gpube_expr_node *n = &e->nodes[at];

		right = n->op == GPUBE_OP_CONST || n->op == GPUBE_OP_SLOT ||
			n->op == GPUBE_OP_ITEM || fits(&c, n);
	}
	return right ? GPUBE_OK
		     : gpube__in_error(
			       r->in, "symbols are only compared with symbols, by eq, ne or in");
}
