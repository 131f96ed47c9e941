/*
 * certificate_check.c - the checker: see certificate.h. It shares no code with the ascent and tests
 * every sum for overflow. The least totals of blocks are in certificate_least.c, the bounds of
 * cases in certificate_cases.c.
 */
#include <string.h>

#include "gpube/base/mask_index.h"
#include "gpube/bound/certificate/certificate.h"

enum { STOP_CELLS = 1 << 17 };

/* ---- polynomials -------------------------------------------------------------------------- */

/* Of the terms over one set of variables, (d - 1) of each variable's values, row-major. */
struct terms {
	int n;
	int32_t scope[GPUBE__PROOF_DIMS];
	int64_t cells;
	__int128 *values;
};

/* Words of a set of variables as a mask: their number, and they in their order. */
enum { SCOPE_WORDS = 1 + GPUBE__PROOF_DIMS / 2 };

struct polynomial {
	struct gpube_ctx *ctx;
	const int32_t *domain;
	struct gpube__mask_set scopes;
	struct terms *terms; /* by the number of their scope */
	int64_t capacity;
	int64_t n_cells; /* added since it was asked whether that is to stop */
};

static void clear(struct polynomial *p)
{
	for (int64_t k = 0; k < p->scopes.n; k++)
		gpube__free(p->ctx, p->terms[k].values);
	gpube__free(p->ctx, p->terms);
	gpube__mask_set_clear(&p->scopes, p->ctx);
}

/* The terms over a set of variables, 0 when they are new. */
static int terms_of(struct polynomial *p, struct terms **out, int n, const int32_t *scope)
{
	struct gpube__mask_set *s = &p->scopes;
	uint64_t mask[SCOPE_WORDS] = {(uint64_t)n};
	struct terms t = {.n = n, .cells = 1};
	int64_t at;
	int status;

	memcpy(mask + 1, scope, (size_t)n * sizeof(*scope));
	at = gpube__masks_find(&s->index, s->masks, SCOPE_WORDS, mask);
	if (at >= 0) {
		*out = &p->terms[at];
		return GPUBE_OK;
	}
	for (int k = 0; k < n; k++) {
		t.scope[k] = scope[k];
		t.cells *= p->domain[scope[k]] - 1;
	}
	if (gpube__grow(p->ctx, &p->terms, &p->capacity, s->n + 1, sizeof(t)))
		return GPUBE_ENOMEM;
	t.values = gpube__alloc_zero(p->ctx, (uint64_t)t.cells, sizeof(*t.values));
	status = t.values ? gpube__mask_set_add(s, p->ctx, mask, NULL) : GPUBE_ENOMEM;
	if (status) {
		gpube__free(p->ctx, t.values);
		return status;
	}
	*out = &p->terms[s->n - 1];
	**out = t;
	return GPUBE_OK;
}

static int too_large(struct gpube_ctx *ctx)
{
	return gpube__fail(ctx, GPUBE_ERANGE, "sums of the certificate pass 128 bits");
}

/* Values to coefficients: of each variable, what every value but the first adds to that. */
static bool differences(__int128 *v, int64_t n, int arity, const int32_t *size)
{
	int64_t stride = 1;

	for (int k = arity - 1; k >= 0; stride *= size[k--])
		for (int64_t at = 0; at < n; at += stride * size[k])
			for (int64_t x = stride; x < stride * size[k]; x++)
				if (__builtin_sub_overflow(
					    v[at + x], v[at + x % stride], &v[at + x]))
					return false;
	return true;
}

/* Adds all coefficients whose nonzero places are those of 'mask'. */
static int add_terms(struct polynomial *p, const __int128 *v, int arity, const int32_t *scope,
	const int32_t *size, unsigned mask)
{
	int32_t over[GPUBE__PROOF_DIMS] = {0};
	int64_t step[GPUBE__PROOF_DIMS] = {0}, index[GPUBE__PROOF_DIMS] = {0}, at = 0, stride = 1;
	struct terms *t;
	int n = 0, k, status;

	for (k = 0; k < arity; k++)
		if (mask >> k & 1)
			over[n++] = scope[k];
	status = terms_of(p, &t, n, over);
	if (status)
		return status;
	for (k = arity - 1, n = t->n; k >= 0; stride *= size[k--])
		if (mask >> k & 1) {
			step[--n] = stride;
			at += stride; /* of the first value that is not the first */
		}
	p->n_cells += t->cells + 16;
	for (int64_t cell = 0; cell < t->cells; cell++) {
		if (__builtin_add_overflow(t->values[cell], v[at], &t->values[cell]))
			return too_large(p->ctx);
		for (k = t->n - 1; k >= 0; k--) {
			at += step[k];
			if (++index[k] < p->domain[t->scope[k]] - 1)
				break;
			at -= step[k] * (p->domain[t->scope[k]] - 1);
			index[k] = 0;
		}
	}
	return GPUBE_OK;
}

/* Adds factor * a table, whose scope ascends. */
static int add_table(struct polynomial *p, const int64_t *values, int64_t n, int arity,
	const int32_t *scope, int64_t factor)
{
	__int128 *v = gpube__alloc(p->ctx, (uint64_t)n, sizeof(*v));
	int32_t size[GPUBE__PROOF_DIMS] = {0};
	int status = v ? GPUBE_OK : GPUBE_ENOMEM;

	for (int k = 0; k < arity; k++)
		size[k] = p->domain[scope[k]];
	for (int64_t k = 0; k < n && !status; k++)
		v[k] = (__int128)values[k] * factor;
	if (!status && !differences(v, n, arity, size))
		status = too_large(p->ctx);
	for (unsigned mask = 0; mask >> (arity > 0 ? arity : 0) == 0 && !status; mask++) {
		if (p->n_cells > STOP_CELLS && gpube__stopped(p->ctx))
			status = gpube__fail_stopped(p->ctx);
		p->n_cells %= STOP_CELLS;
		if (!status)
			status = add_terms(p, v, arity, scope, size, mask);
	}
	gpube__free(p->ctx, v);
	return status;
}

/* ---- what is checked ----------------------------------------------------------------------- */

/* relaxed, constant: what the tables ought to add up to */
static int check_sums(
	const struct gpube_certificate *c, const struct gpube_model *relaxed, __int128 constant)
{
	struct polynomial p = {.ctx = c->ctx, .domain = c->domain, .scopes.words = SCOPE_WORDS};
	int64_t unit = -((int64_t)1 << c->shift), capacity = 0, *costs = NULL;
	int status = add_table(&p, &c->constant, 1, 0, NULL, 1);

	if (!status)
		status = add_terms(&p, &(__int128){constant * unit}, 0, NULL, NULL, 0);
	for (int32_t t = 0; t < c->n_tables && !status; t++)
		status = add_table(&p, c->tables[t].values, c->tables[t].n, c->tables[t].arity,
			c->tables[t].scope, 1);
	for (int32_t f = 0; f < relaxed->n_functions && !status; f++) {
		const struct gpube_table *t = gpube__table(relaxed, f);

		status = gpube__grow(c->ctx, &costs, &capacity, t->n, sizeof(*costs));
		for (int64_t k = 0; k < t->n && !status; k++)
			costs[k] = gpube__table_int(t, k);
		if (!status)
			status = add_table(
				&p, costs, t->n, t->arity, gpube__scope(relaxed, f), unit);
	}
	for (int64_t k = 0; k < p.scopes.n && !status; k++)
		for (int64_t cell = 0; cell < p.terms[k].cells; cell++)
			if (p.terms[k].values[cell] && !status)
				status = gpube__fail(c->ctx, GPUBE_EINVAL,
					"the certificate's tables do not add up to the problem: "
					"they differ over %d variable%s",
					p.terms[k].n, gpube__plural(p.terms[k].n));
	gpube__free(c->ctx, costs);
	clear(&p);
	return status;
}

static int proves(int64_t *bound, const struct gpube_certificate *c, const struct gpube_model *m,
	struct gpube_certificate *mended)
{
	struct gpube_model *relaxed = NULL;
	__int128 claimed, total = c->constant, least = 0, constant, rounded;
	int status = GPUBE_OK;

	if (c->n_vars != m->n_vars || c->n_functions != m->n_functions || c->scale != m->scale)
		return gpube__fail(c->ctx, GPUBE_EINVAL,
			"the certificate is of another problem: %d variables, %d functions, %d "
			"decimals",
			c->n_vars, c->n_functions, c->scale);
	for (int32_t i = 0; i < m->n_vars; i++)
		if (c->domain[i] != m->vars[i].domain)
			return gpube__fail(c->ctx, GPUBE_EINVAL,
				"the certificate is of another problem: variable %d has %d values",
				i, c->domain[i]);
	status = gpube__relaxed_above(&relaxed, &constant, m, c->cap);
	if (!status && constant >> 86 != 0 && constant >> 86 != -1) /* before it is scaled */
		status = too_large(c->ctx);
	if (!status && c->stages.n) {
		status = gpube__certificate_sweep(&least, c, relaxed, constant, mended);
		total = constant * ((int64_t)1 << c->shift);
	} else if (!status && c->cycles.n) {
		status = gpube__certificate_cycles(&least, c, relaxed, constant);
		total = constant * ((int64_t)1 << c->shift);
	} else if (!status) {
		status = check_sums(c, relaxed, constant);
	}
	gpube_model_free(relaxed);
	claimed = (__int128)c->bound * ((int64_t)1 << c->shift);
	/* the least that is rounded up to the claim */
	if (!status && !c->stages.n && !c->cycles.n)
		status = gpube__certificate_least(
			&least, c, claimed - ((int64_t)1 << c->shift) + 1 - c->constant);
	if (status)
		return status;
	total += least;
	total = total < claimed ? total : claimed;
	/* totals are integers: rounded up, also below 0 */
	rounded = (total >> c->shift) + ((total & (((int64_t)1 << c->shift) - 1)) != 0);
	if (rounded <= -INT64_MAX || rounded >= INT64_MAX)
		return gpube__fail(c->ctx, GPUBE_ERANGE,
			"the bound that is proved, about %.6g, passes 64 bits", (double)rounded);
	*bound = (int64_t)rounded;
	return GPUBE_OK;
}

int gpube__certificate_proves(
	int64_t *bound, const struct gpube_certificate *c, const struct gpube_model *m)
{
	return proves(bound, c, m, NULL);
}

int gpube__certificate_mend(struct gpube_certificate *c, const struct gpube_model *m)
{
	return proves(&c->bound, c, m, c);
}

int gpube__certificate_check(const struct gpube_certificate *c, const struct gpube_model *m)
{
	int64_t bound;
	int status = gpube__certificate_proves(&bound, c, m);

	if (!status && bound != c->bound)
		status = gpube__fail(c->ctx, GPUBE_EINVAL,
			"the certificate claims a bound of %lld and proves %lld",
			(long long)c->bound, (long long)bound);
	return status;
}
