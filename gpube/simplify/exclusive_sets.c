/* exclusive_sets.c - literals that exclude each other: pairs from tables, sets by a greedy search.
 */
#include "gpube/simplify/exclusive_parts.h"

#include <stdlib.h>
#include <string.h>

#include "gpube/ir/dense.h"

/* Functions of more variables or cells are not searched for forbidden pairs. */
enum { MOST_ARITY = 8, MOST_CELLS = 1 << 12 };
/* Values of a new variable, and first literals that are tried for each. */
enum { MOST_VALUES = 256, MOST_TRIES = 32 };
/* Of more variables a round takes more than one set; what to sort one costs, in literals looked at.
 */
enum { MANY = 1000, SORTING = 32 };
/* Literals looked at, in all: a fifth of a second. */
#define MOST_WORK ((int64_t)1 << 26)
/* ---- forbidden pairs -------------------------------------------------------------------- */

static int add_pair(struct gpube_exclusive *x, int32_t a, int32_t b)
{
	if (gpube__grow(x->ctx, &x->pairs, &x->capacity, x->n_pairs + 2, sizeof(*x->pairs)))
		return GPUBE_ENOMEM;
	x->pairs[x->n_pairs++] = (struct gpube_exclusive_pair){a, b};
	x->pairs[x->n_pairs++] = (struct gpube_exclusive_pair){b, a};
	return GPUBE_OK;
}

/* seen[i][j]: a bit for each two values that variables i < j have together in an allowed cell. */
static void see(uint8_t seen[MOST_ARITY][MOST_ARITY], const int64_t *cells, int64_t n, int arity,
	const int32_t *domain)
{
	int32_t value[MOST_ARITY] = {0};

	memset(seen, 0, MOST_ARITY * MOST_ARITY);
	for (int64_t c = 0; c < n; c++) {
		for (int i = 0; i < arity && cells[c] != GPUBE_INF; i++)
			for (int j = i + 1; j < arity; j++)
				if (domain[i] == 2 && domain[j] == 2)
					seen[i][j] |= (uint8_t)(1 << (2 * value[i] + value[j]));
		for (int i = arity - 1; i >= 0 && ++value[i] == domain[i]; i--)
			value[i] = 0;
	}
}

static int find_pairs_of(struct gpube_exclusive *x, int32_t f, int64_t *cells)
{
	const int arity = x->m->functions[f].arity;
	int32_t scope[MOST_ARITY], domain[MOST_ARITY];
	uint8_t seen[MOST_ARITY][MOST_ARITY];
	int n_two = 0, status;
	int64_t n;

	if (arity < 2 || arity > MOST_ARITY)
		return GPUBE_OK;
	gpube__sorted_scope(scope, x->m, f, NULL);
	for (int i = 0; i < arity; i++) {
		domain[i] = x->m->vars[scope[i]].domain;
		n_two += domain[i] == 2;
	}
	n = gpube__cells(x->m, arity, scope);
	if (n_two < 2 || n < 0 || n > MOST_CELLS)
		return GPUBE_OK;
	status = gpube__dense(cells, x->m, f, NULL);
	if (!status)
		see(seen, cells, n, arity, domain);
	for (int i = 0; i < arity && !status; i++)
		for (int j = i + 1; j < arity && domain[i] == 2 && !status; j++)
			for (int v = 0; v < 4 && domain[j] == 2 && !status; v++)
				if (!(seen[i][j] & 1 << v))
					status = add_pair(
						x, 2 * scope[i] + v / 2, 2 * scope[j] + v % 2);
	return status;
}

static int compare_pairs(const void *p, const void *q)
{
	const struct gpube_exclusive_pair *x = p, *y = q;

	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return (x->b > y->b) - (x->b < y->b);
}

/* All of them, sorted, each once. */
static int find_pairs(struct gpube_exclusive *x)
{
	const int32_t n_literals = 2 * x->m->n_vars;
	int64_t n = 0, *cells = gpube__alloc(x->ctx, MOST_CELLS, sizeof(*cells));
	int status = cells ? GPUBE_OK : GPUBE_ENOMEM;

	for (int32_t f = 0; f < x->m->n_functions && !status; f++)
		status = find_pairs_of(x, f, cells);
	gpube__free(x->ctx, cells);
	if (!status)
		status = gpube__sort(
			x->ctx, x->pairs, (uint64_t)x->n_pairs, sizeof(*x->pairs), compare_pairs);
	if (status)
		return status;
	for (int64_t k = 0; k < x->n_pairs; k++)
		if (!k || compare_pairs(&x->pairs[k - 1], &x->pairs[k]))
			x->pairs[n++] = x->pairs[k];
	x->n_pairs = n;
	for (int64_t k = 0; k < n; k++)
		x->start[x->pairs[k].a + 1]++;
	for (int32_t l = 0; l < n_literals; l++)
		x->start[l + 1] += x->start[l];
	return GPUBE_OK;
}

/* ---- sets of which at most one holds ----------------------------------------- */

/* How many of the candidates the literal excludes. */
static int32_t count_among(struct gpube_exclusive *x, int32_t literal)
{
	int32_t n = 0;

	x->work += x->start[literal + 1] - x->start[literal];
	for (int64_t k = x->start[literal]; k < x->start[literal + 1]; k++)
		n += x->mark[x->pairs[k].b] == x->stamp;
	return n;
}

/* What the literal excludes, of variables without a group; and of each how many of the others it
 * does. */
static int32_t begin_candidates(struct gpube_exclusive *x, int32_t literal)
{
	int32_t n = 0;

	x->stamp++;
	for (int64_t k = x->start[literal]; k < x->start[literal + 1]; k++) {
		const int32_t other = x->pairs[k].b;

		if (x->group[other / 2] >= 0)
			continue;
		x->mark[other] = x->stamp;
		x->candidates[n++] = other;
	}
	for (int32_t k = 0; k < n; k++)
		x->count[x->candidates[k]] = count_among(x, x->candidates[k]);
	return n;
}

/* Those of the n candidates that the literal, one of them, excludes. */
static int32_t narrow(struct gpube_exclusive *x, int32_t literal, int32_t n)
{
	const int32_t before = x->stamp++;
	int32_t n_left = 0;

	x->work += x->start[literal + 1] - x->start[literal];
	for (int64_t k = x->start[literal]; k < x->start[literal + 1]; k++)
		if (x->mark[x->pairs[k].b] == before)
			x->mark[x->pairs[k].b] = x->stamp;
	for (int32_t k = 0; k < n; k++) {
		const int32_t l = x->candidates[k];

		if (x->mark[l] == x->stamp) {
			x->candidates[n_left++] = l;
			continue;
		}
		x->work += x->start[l + 1] - x->start[l];
		for (int64_t j = x->start[l]; j < x->start[l + 1]; j++)
			x->count[x->pairs[j].b]--;
	}
	return n_left;
}

/* Each time the candidate comes in that leaves most of the others. The set's size, in x->tried. */
static int32_t grow_from(struct gpube_exclusive *x, int32_t literal)
{
	int32_t size = 0, n = begin_candidates(x, literal);

	x->tried[size++] = literal;
	while (n && size < MOST_VALUES - 1) {
		int32_t best = x->candidates[0];

		for (int32_t k = 1; k < n; k++)
			if (x->count[x->candidates[k]] > x->count[best])
				best = x->candidates[k];
		x->tried[size++] = best;
		n = narrow(x, best, n);
	}
	return size;
}

struct first {
	int32_t literal;
	int64_t degree;
};

static int compare_firsts(const void *p, const void *q)
{
	const struct first *x = p, *y = q;

	if (x->degree != y->degree)
		return x->degree > y->degree ? -1 : 1;
	return (x->literal > y->literal) - (x->literal < y->literal);
}

/* Literals of variables without a group, those first that exclude most such. */
static int32_t list_firsts(struct gpube_exclusive *x, struct first *firsts)
{
	int32_t n = 0;

	for (int32_t l = 0; l < 2 * x->m->n_vars; l++) {
		struct first first = {.literal = l};

		if (x->group[l / 2] >= 0)
			continue;
		for (int64_t k = x->start[l]; k < x->start[l + 1]; k++)
			first.degree += x->group[x->pairs[k].b / 2] < 0;
		x->work += x->start[l + 1] - x->start[l];
		if (first.degree)
			firsts[n++] = first;
	}
	qsort(firsts, (size_t)n, sizeof(*firsts), compare_firsts);
	return n;
}

static void make_group(struct gpube_exclusive *x, int32_t size)
{
	for (int32_t k = 0; k < size; k++) {
		const int32_t var = x->clique[k] / 2;

		x->group[var] = x->n_groups;
		x->holds[var] = (uint8_t)(x->clique[k] % 2);
		x->value[var] = k + 1;
	}
	x->domain[x->n_groups++] = size + 1;
}

/* The set that was tried last becomes the one that is made a group. */
static void keep_tried(struct gpube_exclusive *x, int32_t size)
{
	memcpy(x->clique, x->tried, (size_t)size * sizeof(*x->clique));
}

/* The largest of some sets; 1: none has two. */
static int32_t find_largest(struct gpube_exclusive *x, const struct first *firsts, int32_t n)
{
	int32_t best = 1;

	for (int32_t k = 0; k < n && k < MOST_TRIES && firsts[k].degree >= best; k++) {
		const int32_t size = grow_from(x, firsts[k].literal);

		if (size > best) {
			best = size;
			keep_tried(x, size);
		}
	}
	return best;
}

/* Where rounds would be many: all that are about as large, of those that the others leave. */
static int32_t take_more(
	struct gpube_exclusive *x, const struct first *firsts, int32_t n, int32_t best)
{
	const int32_t least = (3 * best + 3) / 4;
	int32_t n_joined = 0;

	for (int32_t k = 0; k < n && firsts[k].degree >= least - 1 && x->work < MOST_WORK; k++) {
		int32_t size;

		if (x->group[firsts[k].literal / 2] >= 0)
			continue;
		size = grow_from(x, firsts[k].literal);
		if (size < least)
			continue;
		keep_tried(x, size);
		make_group(x, size);
		n_joined += size;
	}
	return n_joined;
}

/* Each round the largest of some sets becomes a group. */
static int find_groups(struct gpube_exclusive *x, int32_t *n_joined)
{
	struct first *firsts = gpube__alloc(x->ctx, 2 * (uint64_t)x->m->n_vars, sizeof(*firsts));

	if (!firsts)
		return GPUBE_ENOMEM;
	while (x->work < MOST_WORK && !gpube__stopped(x->ctx)) {
		const int32_t n = list_firsts(x, firsts), best = find_largest(x, firsts, n);

		x->work += SORTING * (int64_t)n;
		if (best < 2)
			break;
		make_group(x, best);
		*n_joined += best;
		if (x->m->n_vars > MANY)
			*n_joined += take_more(x, firsts, n, best);
	}
	gpube__free(x->ctx, firsts);
	return GPUBE_OK;
}

int gpube__exclusive_sets(struct gpube_exclusive *x, int32_t *n_joined)
{
	int status = find_pairs(x);

	*n_joined = 0;
	return status || !x->n_pairs ? status : find_groups(x, n_joined);
}
