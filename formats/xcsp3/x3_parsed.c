/* x3_parsed.c - XCSP3: expressions as they are read. See x3_parsed.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/common/reading.h"
#include "formats/xcsp3/x3_parsed.h"

enum { MOST_SLOTS = 1 << 30 };

/* ---- slots ----------------------------------------------------------------------------- */

/* r->seen has it by the variable, while r->stamp is this expression's. */
int gpube__x3_parsed_slot(struct gpube_x3_parsed *p, int32_t var)
{
	struct gpube_x3 *r = p->r;
	struct gpube_ctx *ctx = r->m->ctx;

	if (gpube__x3_see(r))
		return -1;
	if (r->seen[2 * var] == r->stamp)
		return (int)r->seen[2 * var + 1];
	if (gpube__grow(ctx, &p->slots, &p->capacity, p->n_slots + 1, sizeof(*p->slots)) ||
		gpube__grow(ctx, &p->scope, &p->scope_capacity, p->n_slots + 1, sizeof(*p->scope)))
		return -1;
	p->slots[p->n_slots] = (struct gpube_x3_slot){.var = var};
	r->seen[2 * var] = r->stamp;
	r->seen[2 * var + 1] = p->n_slots;
	return (int)p->n_slots++;
}

static int find_slot(void *arg, const char *name, struct gpube_value *constant)
{
	struct gpube_x3_parsed *p = arg;
	struct gpube_x3 *r = p->r;
	/* as gpube__x3_term_text() writes it */
	const int32_t symbol = gpube__x3_known(r, GPUBE_X3_SYMBOLS, name);
	const int32_t var = *name == 1    ? (int32_t)strtol(name + 1, NULL, 10)
			    : symbol >= 0 ? -1
					  : gpube__x3_find(r, name, strlen(name));
	int slot;

	if (symbol >= 0) {
		*constant = (struct gpube_value){
			.kind = GPUBE_VALUE_INT, .i = GPUBE_X3_SYMBOL + symbol};
		return GPUBE_EXPR_CONSTANT;
	}
	if (var < 0)
		return GPUBE_EXPR_UNKNOWN + r->in->status;
	slot = gpube__x3_parsed_slot(p, var);
	return slot >= 0 ? slot : GPUBE_EXPR_UNKNOWN + gpube__x3_no_memory(r);
}

void gpube__x3_parsed_clear(struct gpube_x3_parsed *p)
{
	struct gpube_ctx *ctx = p->r->m->ctx;

	gpube__expr_clear(&p->e);
	GPUBE_FREE_ALL(ctx, p->slots, p->scope, p->key);
}

static bool is_symbolic(const void *arg, int32_t slot)
{
	const struct gpube_x3_parsed *p = arg;

	return gpube__x3_symbolic(p->r, p->slots[slot].var);
}

int gpube__x3_parse(struct gpube_x3_parsed *p, struct gpube_x3 *r, const char *text, size_t n)
{
	const struct gpube_expr_names names = {find_slot, p, MOST_SLOTS, NULL};
	const char *copy = gpube__x3_copy(r, text, n);
	int status;

	memset(p, 0, sizeof(*p));
	p->r = r;
	if (!copy || gpube__in_charge(r->in, (int64_t)n + 32, 2, "expressions"))
		return r->in->status;
	if (gpube__x3_check_numbers(r, copy))
		return r->in->status;
	r->stamp++;
	status = gpube__expr_functional(&p->e, r->m->ctx, copy, &names);
	/* texts that were made have numbers of variables: gpube__x3_term_text() */
	for (char *mark = p->e.error; (mark = strchr(mark, 1)) != NULL;)
		*mark = '#';
	if (status == GPUBE_EPARSE && !r->in->status)
		return r->second.predicate ? gpube__in_error(r->in, "predicate '%.60s': %s",
						     r->second.predicate, p->e.error)
					   : gpube__in_error(r->in, "%s", p->e.error);
	if (status)
		return gpube__x3_no_memory(r);
	return r->n_symbols ? gpube__x3_check_symbols(r, &p->e, is_symbolic, p) : GPUBE_OK;
}

/* ---- parts ----------------------------------------------------------------------------- */

bool gpube__x3_is_leaf(const struct gpube_x3_parsed *p, int32_t at)
{
	const enum gpube_expr_op op = gpube__x3_node_at(p, at)->op;

	return op == GPUBE_OP_CONST || op == GPUBE_OP_SLOT;
}

bool gpube__x3_is_list(const struct gpube_x3_parsed *p, int32_t at)
{
	const enum gpube_expr_op op = gpube__x3_node_at(p, at)->op;

	return op == GPUBE_OP_IN || op == GPUBE_OP_SAME;
}

bool gpube__x3_has_second(enum gpube_expr_op op)
{
	return op > GPUBE_OP_FLOAT && op != GPUBE_OP_ITEM;
}

void gpube__x3_each_part(struct gpube_x3_parsed *p, int32_t at,
	void (*take)(struct gpube_x3_parsed *p, int32_t part))
{
	const struct gpube_expr_node n = *gpube__x3_node_at(p, at);

	take(p, n.a);
	if (gpube__x3_is_list(p, at)) {
		for (int32_t k = n.b; k >= 0; k = gpube__x3_node_at(p, k)->c)
			take(p, gpube__x3_node_at(p, k)->a);
		return;
	}
	if (gpube__x3_has_second(n.op))
		take(p, n.b);
	if (n.op == GPUBE_OP_COND)
		take(p, n.c);
}

static void collect(struct gpube_x3_parsed *p, int32_t at)
{
	const struct gpube_expr_node *n = gpube__x3_node_at(p, at);

	p->n_met++;
	if (n->op == GPUBE_OP_CONST)
		return;
	if (n->op != GPUBE_OP_SLOT) {
		gpube__x3_each_part(p, at, collect);
	} else if (p->slots[n->a].met != p->stamp) {
		p->slots[n->a].met = p->stamp;
		p->slots[n->a].place = p->n;
		p->scope[p->n++] = n->a;
	}
}

int64_t gpube__x3_measure(struct gpube_x3_parsed *p, int32_t at)
{
	int64_t cells = 1;

	p->stamp++;
	p->n = 0;
	p->n_met = 0;
	collect(p, at);
	for (int k = 0; k < p->n; k++)
		if (__builtin_mul_overflow(cells,
			    (int64_t)p->r->m->vars[p->slots[p->scope[k]].var].domain, &cells) ||
			cells > (int64_t)1 << 62)
			return (int64_t)1 << 62;
	return cells;
}

/* ---- keys -------------------------------------------------------------------------------- */

static void put_key(struct gpube_x3_parsed *p, const char *fmt, ...) GPUBE_PRINTF(2, 3);

static void put_key(struct gpube_x3_parsed *p, const char *fmt, ...)
{
	struct gpube_x3 *r = p->r;
	char piece[64];
	va_list ap;
	int n;

	if (r->in->status)
		return;
	va_start(ap, fmt);
	n = vsnprintf(piece, sizeof(piece), fmt, ap);
	va_end(ap);
	if (gpube__grow(r->m->ctx, &p->key, &p->key_capacity, p->n_key + n + 1, 1)) {
		gpube__x3_no_memory(r);
		return;
	}
	memcpy(p->key + p->n_key, piece, (size_t)n + 1);
	p->n_key += n;
}

static void describe(struct gpube_x3_parsed *p, int32_t at)
{
	const struct gpube_expr_node *n = gpube__x3_node_at(p, at);

	if (n->op == GPUBE_OP_CONST) {
		put_key(p, "c%lld ", (long long)n->value.i);
	} else if (n->op == GPUBE_OP_SLOT && p->by_var) {
		put_key(p, "v%d ", p->slots[n->a].var);
	} else if (n->op == GPUBE_OP_SLOT) {
		put_key(p, "s%d:%d ", p->slots[n->a].place, p->r->domain_of[p->slots[n->a].var]);
	} else {
		put_key(p, "%d(", (int)n->op);
		gpube__x3_each_part(p, at, describe);
		put_key(p, ")");
	}
}

const char *gpube__x3_key(struct gpube_x3_parsed *p, int32_t at, bool by_var)
{
	gpube__x3_measure(p, at);
	p->n_key = 0;
	p->by_var = by_var;
	describe(p, at);
	/* it may be kept */
	return gpube__in_charge(p->r->in, p->n_key + 64, 1, "expressions") ? NULL : p->key;
}
