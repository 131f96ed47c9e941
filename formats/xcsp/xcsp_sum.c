/*
 * xcsp_sum.c - XCSP 2.1's global:weightedSum as a table. See xcsp.h.
 *
 *   [ { 2 V0 } { -1 V1 } ] <ge/> 5
 *
 * The reader puts the element's name in its place. A variable that is there twice
 * has both coefficients; one of the scope that is missing has none.
 */
#ifdef GPUBE_HAVE_EXPAT

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "formats/keywords/intension.h"
#include "formats/common/reading.h"
#include "formats/common/tuples.h"
#include "formats/xcsp/xcsp.h"

static const char *const comparisons[] = {"eq", "ne", "lt", "le", "gt", "ge"};
enum { EQ, NE, LT, LE, GT, GE, N_COMPARISONS };

struct sum {
	struct gpube_xcsp *r;
	const char *p;
	char word[128];
	int64_t *coefficient; /* by place in the scope */
	int comparison;
	int64_t right;
};

bool gpube__xcsp_is_comparison(const char *element)
{
	for (int k = 0; k < N_COMPARISONS; k++)
		if (strcmp(element, comparisons[k]) == 0)
			return true;
	return false;
}

/* The next bracket, or run of other characters; empty at the end. */
static const char *next_word(struct sum *s)
{
	size_t n = 0;

	while (isspace((unsigned char)*s->p))
		s->p++;
	while (s->p[n] && !isspace((unsigned char)s->p[n]) && !strchr("[]{}", s->p[n]))
		n++;
	if (n == 0 && *s->p)
		n = 1;
	memcpy(s->word, s->p, n < sizeof(s->word) ? n : sizeof(s->word) - 1);
	s->word[n < sizeof(s->word) ? n : sizeof(s->word) - 1] = 0;
	s->p += n;
	return s->word;
}

static int expect(struct sum *s, const char *word)
{
	char what[8];

	if (strcmp(next_word(s), word) == 0)
		return GPUBE_OK;
	what[0] = what[2] = '\'';
	what[1] = *word;
	what[3] = 0;
	return gpube__in_expected(s->r->in, what, s->word);
}

/* What is left of "{ 2 V0 }" behind its bracket. */
static int read_term(struct sum *s)
{
	struct gpube_xcsp *r = s->r;
	const int32_t *var;
	int64_t v;

	if (gpube__xcsp_int(r, &v, next_word(s), -INT32_MAX, INT32_MAX, "a coefficient"))
		return r->in->status;
	var = gpube__names_find(&r->names, GPUBE_XCSP_VARIABLES, next_word(s));
	for (int k = 0; var && k < r->arity; k++)
		if (r->scope[k] == *var) {
			s->coefficient[k] += v; /* texts of 2^32 terms are not read */
			return expect(s, "}");
		}
	return gpube__in_expected(r->in, "a variable of the scope", s->word);
}

static int read_sum(struct sum *s)
{
	struct gpube_xcsp *r = s->r;

	if (expect(s, "["))
		return r->in->status;
	while (strcmp(next_word(s), "{") == 0)
		if (read_term(s))
			return r->in->status;
	if (strcmp(s->word, "]") != 0)
		return gpube__in_expected(r->in, "'{' or ']'", s->word);
	next_word(s);
	for (s->comparison = 0; s->comparison < N_COMPARISONS; s->comparison++)
		if (strcmp(s->word, comparisons[s->comparison]) == 0)
			break;
	if (s->comparison == N_COMPARISONS)
		return gpube__in_expected(
			r->in, "<eq/>, <ne/>, <lt/>, <le/>, <gt/> or <ge/>", s->word);
	if (gpube__xcsp_int(r, &s->right, next_word(s), -INT64_MAX, INT64_MAX, "a right-hand side"))
		return r->in->status;
	return *next_word(s) ? gpube__in_expected(r->in, "the end of the parameters", s->word)
			     : GPUBE_OK;
}

static bool holds(const struct sum *s, __int128 left)
{
	switch (s->comparison) {
	case EQ:
		return left == s->right;
	case NE:
		return left != s->right;
	case LT:
		return left < s->right;
	case LE:
		return left <= s->right;
	case GT:
		return left > s->right;
	default:
		return left >= s->right;
	}
}

static __int128 sum_at(const struct sum *s, const int32_t *tuple)
{
	const struct gpube_xcsp *r = s->r;
	__int128 sum = 0;

	for (int k = 0; k < r->arity; k++)
		sum += (__int128)s->coefficient[k] *
		       r->domains[r->domain_of[r->scope[k]]].values[tuple[k]].i;
	return sum;
}

/* places: twice the arity, for the domains and the tuple */
static int expand(struct sum *s, int32_t *places)
{
	struct gpube_xcsp *r = s->r;
	int64_t cells = gpube__cells(r->m, r->arity, r->scope), at = 0;
	int32_t *domains = places, *tuple = places + r->arity;
	double *costs;

	if (cells < 0 || cells > GPUBE_EXPAND_CELLS)
		return gpube__in_fail(r->in, GPUBE_ERANGE,
			"a sum over %d variables has more than the %lld tuples that are expanded",
			r->arity, (long long)GPUBE_EXPAND_CELLS);
	if (gpube__charge_expanded(r->in, cells, r->constraint))
		return r->in->status;
	costs = gpube__alloc(r->m->ctx, (uint64_t)cells, sizeof(*costs));
	if (!costs)
		return r->in->status = GPUBE_ENOMEM;
	for (int k = 0; k < r->arity; k++)
		domains[k] = r->m->vars[r->scope[k]].domain;
	do {
		costs[at++] = holds(s, sum_at(s, tuple)) ? 0 : INFINITY;
		if ((at & 0xffff) == 0 && gpube__stopped(r->m->ctx)) {
			gpube__free(r->m->ctx, costs);
			return r->in->status = gpube__fail_stopped(r->m->ctx);
		}
	} while (gpube__tuple_next(tuple, domains, r->arity));
	if (gpube__reals_add(r->m, r->arity, r->scope, costs, r->constraint))
		r->in->status = GPUBE_ENOMEM;
	return r->in->status;
}

int gpube__xcsp_weighted_sum(struct gpube_xcsp *r)
{
	struct gpube_ctx *ctx = r->m->ctx;
	struct sum s = {.r = r, .p = r->parameters};
	int32_t *places;

	if (!r->has_parameters)
		return gpube__in_error(r->in, "constraint '%.60s' has no parameters",
			r->constraint ? r->constraint : "");
	s.coefficient = gpube__alloc_zero(ctx, (uint64_t)r->arity, sizeof(*s.coefficient));
	places = gpube__alloc_zero(ctx, 2 * (uint64_t)r->arity, sizeof(*places));
	if (!s.coefficient || !places)
		r->in->status = GPUBE_ENOMEM;
	else if (!read_sum(&s))
		expand(&s, places);
	gpube__free(ctx, s.coefficient);
	gpube__free(ctx, places);
	return r->in->status;
}

#else
typedef int gpube__no_expat_sum; /* a file is not empty */
#endif
