/* x3_sum.c - XCSP3: sums that meet a condition. See x3.h. */
#include <stdio.h>
#include <string.h>

#include "formats/xcsp3/x3.h"

/* ---- what variables add ---------------------------------------------------------------- */

char *gpube__x3_in_text(
	struct gpube_x3 *r, struct gpube_x3_term t, const struct gpube_x3_list *list)
{
	struct gpube_x3_text text = {0};

	if (gpube__in_charge(r->in, list->n, 256, "comparisons with a list") ||
		gpube__x3_put(r, &text, "in(") || gpube__x3_put_term(r, &text, t, ",set("))
		return NULL;
	for (int64_t k = 0; k < list->n; k++)
		gpube__x3_put_term(r, &text, list->terms[k], k + 1 < list->n ? "," : "");
	return gpube__x3_put(r, &text, "))") ? NULL : text.bytes;
}

int64_t *gpube__x3_ones(struct gpube_x3 *r, int64_t n)
{
	int64_t *v = gpube__x3_temp(r, n + 1, sizeof(*v));

	for (int64_t k = 0; v && k < n; k++)
		v[k] = 1;
	return v;
}

void gpube__x3_sum_begin(struct gpube_x3_sum *s, struct gpube_x3 *r)
{
	s->r = r;
	s->offset = 0;
	gpube__linear_begin(&r->linear);
}

static bool is_huge(__int128 v)
{
	return v >= (__int128)1 << 94 || v <= -((__int128)1 << 94);
}

static int refuse_huge(struct gpube_x3 *r)
{
	return gpube__in_fail(r->in, GPUBE_ERANGE, "a term of a sum passes 2^94");
}

int gpube__x3_sum_place(struct gpube_x3_sum *s, int32_t var, int32_t *place)
{
	struct gpube_x3 *r = s->r;

	/* what it takes: 16 bytes for each value */
	return gpube__in_charge(r->in, r->m->vars[var].domain, 2 * sizeof(__int128), "sums") ||
			       gpube__linear_place(&r->linear, place, var)
		       ? r->in->status
		       : GPUBE_OK;
}

int gpube__x3_sum_term(struct gpube_x3_sum *s, struct gpube_x3_term t, int64_t factor)
{
	struct gpube_x3 *r = s->r;
	int32_t place;

	if (t.var < 0) {
		s->offset += (__int128)factor * t.value;
		return is_huge(s->offset) ? refuse_huge(r) : GPUBE_OK;
	}
	if (factor == 0)
		return GPUBE_OK;
	if (gpube__x3_sum_place(s, t.var, &place))
		return r->in->status;
	for (int32_t v = 0; v < r->m->vars[t.var].domain; v++) {
		const __int128 gain =
			(__int128)factor * (t.map ? t.map[v] : gpube__x3_value(r, t.var, v));

		if (is_huge(gain))
			return refuse_huge(r);
		*gpube__linear_gain(&r->linear, place, v) += gain;
	}
	return GPUBE_OK;
}

/* 'factor' where the variable has a value of the list. */
int gpube__x3_sum_counted(struct gpube_x3_sum *s, struct gpube_x3_term t, int64_t n,
	const int64_t *values, int64_t factor)
{
	struct gpube_x3 *r = s->r;
	int32_t place = 0;
	bool has_one = false;

	for (int64_t k = 0; k < n && t.var >= 0 && !has_one; k++)
		has_one = gpube__x3_index(r, t.var, values[k]) >= 0;
	if (t.var >= 0 && !has_one)
		return GPUBE_OK;
	if (t.var >= 0 && gpube__x3_sum_place(s, t.var, &place))
		return r->in->status;
	for (int64_t k = 0; k < n; k++) {
		const int32_t index = t.var < 0 ? -1 : gpube__x3_index(r, t.var, values[k]);

		if (t.var < 0)
			s->offset += t.value == values[k] ? factor : 0;
		else if (index >= 0)
			*gpube__linear_gain(&r->linear, place, index) += factor;
	}
	return GPUBE_OK;
}

/* ---- conditions that are no bounds ------------------------------------------------------- */

struct totals {
	const struct gpube_linear *linear;
	int64_t *first; /* of each place's gains */
};

static bool step_total(struct gpube_x3_machine *m, int64_t *state, int64_t k, int64_t value)
{
	const struct totals *t = m->data;

	state[0] +=
		(int64_t)t->linear->gains[t->first[k] + gpube__x3_index(m->r, m->vars[k], value)];
	return true;
}

static __int128 first_of(struct gpube_x3_machine *m, const int64_t *state)
{
	(void)m;
	return state[0];
}

/* The condition with its right side less what was taken to the left. */
static int add_totals(struct gpube_x3_sum *s, const struct gpube_x3_condition *c)
{
	struct gpube_x3 *r = s->r;
	struct gpube_linear *l = &r->linear;
	struct totals t = {.linear = l};
	struct gpube_x3_condition moved = *c;
	int64_t start;
	struct gpube_x3_machine m = {.r = r,
		.name = "sum",
		.n = l->n,
		.width = 1,
		.start = &start,
		.step = step_total,
		.data = &t};
	int32_t *vars = gpube__x3_temp(r, (int64_t)l->n + 1, sizeof(*vars));
	__int128 reach = s->offset < 0 ? -s->offset : s->offset;

	t.first = gpube__x3_temp(r, (int64_t)l->n + 1, sizeof(*t.first));
	if (!vars || !t.first)
		return r->in->status;
	for (int32_t k = 0; k < l->n; k++) {
		__int128 most = 0;

		vars[k] = l->scope[k];
		t.first[k] = l->places[k].first;
		for (int32_t v = 0; v < l->domains[k]; v++) {
			const __int128 gain = l->gains[t.first[k] + v];

			most = gain > most ? gain : -gain > most ? -gain : most;
		}
		reach += most;
	}
	if (reach >= (__int128)1 << 62)
		return gpube__in_fail(r->in, GPUBE_ERANGE, "a sum passes 2^62");
	start = (int64_t)s->offset;
	if (moved.right.var >= 0)
		moved.right = (struct gpube_x3_term){.var = -1};
	m.vars = vars;
	return gpube__x3_run_condition(&m, &moved, first_of);
}

static int add_bound(struct gpube_x3_sum *s, enum gpube_relation relation, __int128 right)
{
	s->r->linear.relation = relation;
	s->r->linear.right = right - s->offset;
	return gpube__linear_add(&s->r->linear, GPUBE_INF);
}

int gpube__x3_sum_finish(struct gpube_x3_sum *s, const struct gpube_x3_condition *c)
{
	const bool set = c->op == GPUBE_X3_IN || c->op == GPUBE_X3_NOTIN;
	__int128 right = c->right.value;

	if (!set && c->right.var >= 0) {
		right = 0;
		if (gpube__x3_sum_term(s, c->right, -1))
			return s->r->in->status;
	}
	if (s->r->truth) /* a table, where there is room for one */
		return add_totals(s, c);
	switch (c->op) {
	case GPUBE_X3_LT:
		return add_bound(s, GPUBE_AT_MOST, right - 1);
	case GPUBE_X3_LE:
		return add_bound(s, GPUBE_AT_MOST, right);
	case GPUBE_X3_EQ:
		return add_bound(s, GPUBE_EXACTLY, right);
	case GPUBE_X3_GE:
		return add_bound(s, GPUBE_AT_LEAST, right);
	case GPUBE_X3_GT:
		return add_bound(s, GPUBE_AT_LEAST, right + 1);
	case GPUBE_X3_IN:
		if (c->n == 1)
			return add_bound(s, GPUBE_AT_LEAST, c->set[0].low)
				       ? s->r->in->status
				       : add_bound(s, GPUBE_AT_MOST, c->set[0].high);
		return add_totals(s, c);
	default:
		return add_totals(s, c);
	}
}

/* ---- sum --------------------------------------------------------------------------------- */

/* "le(add(0,mul(2,x),mul(3,y)),7)" */
static int put_sum(struct gpube_x3 *r, struct gpube_x3_text *t, const struct gpube_x3_list *list,
	const int64_t *factors, const struct gpube_x3_condition *c)
{
	gpube__x3_put(r, t, ",%s(add(0,0", gpube__x3_operators[c->op]);
	for (int64_t k = 0; k < list->n; k++) {
		gpube__x3_put(r, t, ",mul(%lld,", (long long)factors[k]);
		gpube__x3_put_term(r, t, list->terms[k], ")");
	}
	gpube__x3_put(r, t, "),");
	return gpube__x3_put_term(r, t, c->right, ")");
}

int gpube__x3_add_sum(struct gpube_x3 *r, const struct gpube_x3_list *list, const int64_t *factors,
	const struct gpube_x3_condition *c)
{
	struct gpube_x3_sum s;

	if (r->truth && c->op < GPUBE_X3_IN)
		return put_sum(r, r->truth, list, factors, c);
	gpube__x3_sum_begin(&s, r);
	for (int64_t k = 0; k < list->n; k++)
		if (gpube__x3_sum_term(&s, list->terms[k], factors[k]))
			return r->in->status;
	return gpube__x3_sum_finish(&s, c);
}
