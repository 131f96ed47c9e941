/*
 * bench_paths - path consistency by contractions, on a card or on the cores, beside what gpube
 * convert does and beside rows of bits: whether the GpuBE paper's future work, consistency by
 * tables, would pay on a card.
 *
 *   bench_paths cpu|cuda|bits N D P1 P2 [SEED]       bits: without the contractions
 *
 * One table says of any two values of any two variables whether they go together (0) or not (cut),
 * the same variable's other values never. Paths by variable k are one contraction of the operator
 * that eliminates: out(p, q) = T(p, q) + min over the values c of k of T(c, p) + T(c, q), the
 * largest that there can be, so that a card has the most to do at once. A round is one such for
 * every variable; after the last of them nothing went. The same by rows of bits on all cores is
 * compared bit for bit; gpube__make_consistent(), on one core, in how many pairs are left.
 */
#include "gpube/base/base.h"
#include "gpube/options/options.h"
#include "gpube/ir/dense.h"
#include "gpube/ir/generate.h"
#include "gpube/ops/ops.h"
#include "gpube/simplify/consistency.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct gpube_ctx *ctx;

static void must(int status, const char *what)
{
	if (status) {
		fprintf(stderr, "bench_paths: %s: %s\n", what, gpube_error(ctx));
		exit(1);
	}
}

static void *room(uint64_t bytes)
{
	void *p = calloc(1, bytes);

	if (!p) {
		fputs("bench_paths: no memory\n", stderr);
		exit(1);
	}
	return p;
}

static double processor_seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

/* ---- rows of bits ------------------------------------------------------------------------------
 */

/* Of all values, variable by variable; a row is a whole number of vectors of 512 bits. */
struct rows {
	int64_t n_values, domain, words;
	uint64_t *bits;
	int64_t k; /* the variable that paths go by */
};

static uint64_t *row(const struct rows *r, int64_t p)
{
	return r->bits + p * r->words;
}

static bool go_together(const struct rows *r, int64_t p, int64_t q)
{
	return row(r, p)[q >> 6] >> (q & 63) & 1;
}

static int64_t count(const struct rows *r)
{
	int64_t n = 0;

	for (int64_t w = 0; w < r->n_values * r->words; w++)
		n += __builtin_popcountll(r->bits[w]);
	return n;
}

static struct rows rows_of(const struct gpube_model *m, int64_t domain)
{
	struct rows r = {.n_values = m->n_vars * domain, .domain = domain};
	int64_t *cells = room((uint64_t)(domain * domain) * sizeof(*cells));

	r.words = (r.n_values + 511) / 512 * 8;
	r.bits = room((uint64_t)(r.n_values * r.words) * sizeof(*r.bits));
	for (int64_t p = 0; p < r.n_values; p++)
		for (int64_t q = 0; q < r.n_values; q++)
			if (p / domain != q / domain || p == q)
				row(&r, p)[q >> 6] |= (uint64_t)1 << (q & 63);
	for (int32_t f = 0; f < m->n_functions; f++) {
		const int32_t *scope = gpube__scope(m, f);
		const int32_t i = scope[0] < scope[1] ? scope[0] : scope[1];
		const int32_t j = scope[0] < scope[1] ? scope[1] : scope[0];

		must(gpube__dense(cells, m, f, NULL), "a function");
		for (int64_t c = 0; c < domain * domain; c++) {
			const int64_t p = i * domain + c / domain, q = j * domain + c % domain;

			if (cells[c] < GPUBE_INF)
				continue;
			row(&r, p)[q >> 6] &= ~((uint64_t)1 << (q & 63));
			row(&r, q)[p >> 6] &= ~((uint64_t)1 << (p & 63));
		}
	}
	free(cells);
	return r;
}

/* What value p reaches by the values of k. */
static void revise(void *arg, int64_t p, int thread)
{
	const struct rows *r = arg;
	uint64_t reach[512];

	(void)thread;
	if (p / r->domain == r->k)
		return;
	for (int64_t first = 0; first < r->words; first += 512) {
		const int64_t n = r->words - first < 512 ? r->words - first : 512;

		memset(reach, 0, sizeof(reach));
		for (int64_t c = r->k * r->domain; c < (r->k + 1) * r->domain; c++)
			if (go_together(r, p, c))
				for (int64_t w = 0; w < n; w++)
					reach[w] |= row(r, c)[first + w];
		for (int64_t w = 0; w < n; w++)
			row(r, p)[first + w] &= reach[w];
	}
}

static int by_bits(struct rows *r)
{
	int rounds = 0;
	int64_t before, left = count(r);

	do {
		before = left;
		for (r->k = 0; r->k < r->n_values / r->domain; r->k++) {
			/* k's own values first: one that is gone goes with nothing */
			for (int64_t c = r->k * r->domain; c < (r->k + 1) * r->domain; c++)
				if (!go_together(r, c, c))
					memset(row(r, c), 0, (size_t)r->words * sizeof(uint64_t));
			gpube__parallel(ctx, r->n_values, revise, r);
		}
		/* a value that some variable has nothing for */
		for (int64_t p = 0; p < r->n_values; p++)
			for (int64_t i = 0; i < r->n_values / r->domain && go_together(r, p, p);
				i++) {
				bool some = false;

				for (int64_t q = i * r->domain; q < (i + 1) * r->domain; q++)
					some |= go_together(r, p, q);
				if (!some)
					row(r, p)[p >> 6] &= ~((uint64_t)1 << (p & 63));
			}
		left = count(r);
		rounds++;
	} while (left < before);
	return rounds;
}

/* ---- contractions ------------------------------------------------------------------------------
 */

enum { CUT = 1 << 28 };

static int64_t count_zeros(const int32_t *cells, int64_t n)
{
	int64_t zeros = 0;

	for (int64_t c = 0; c < n; c++)
		zeros += !cells[c];
	return zeros;
}

/* The table lies in 'cells' before and after. Seconds: contractions; all, with copies and counting.
 */
static int by_contractions(int32_t *cells, const struct gpube_ops *ops, int64_t n_values,
	int64_t domain, double *contracting, double *all)
{
	const uint64_t bytes = (uint64_t)(n_values * n_values) * sizeof(*cells);
	const int64_t sizes[] = {n_values, n_values, domain};
	static const int32_t whole[] = {0, 1}, left[] = {2, 0}, right[] = {2, 1};
	int32_t *table[2] = {NULL, NULL};
	char *block =
		ops->alloc_block ? ops->alloc_block(ctx, 2 * bytes) : ops->alloc(ctx, 2 * bytes);
	int64_t before, now = count_zeros(cells, n_values * n_values);
	const double start = gpube__now();
	int rounds = 0;

	must(block ? GPUBE_OK : GPUBE_ENOMEM, "two tables");
	table[0] = (int32_t *)(void *)block;
	table[1] = (int32_t *)(void *)(block + bytes);
	must(ops->upload(ctx, table[0], cells, bytes), "upload");
	*contracting = 0;
	do {
		before = now;
		for (int64_t k = 0; k < n_values / domain; k++) {
			const int32_t *by = table[0] + k * domain * n_values;
			const struct gpube_operand in[] = {
				{.values = table[0], .n_dims = 2, .dims = whole},
				{.values = by, .n_dims = 2, .dims = left},
				{.values = by, .n_dims = 2, .dims = right},
			};
			const struct gpube_contraction c = {.semiring = GPUBE_MIN_PLUS,
				.type = GPUBE_INT32,
				.n_out = 2,
				.n_dims = 3,
				.sizes = sizes,
				.n_in = 3,
				.in = in,
				.top = CUT,
				.threshold = CUT,
				.out = table[1],
				.seconds = contracting};
			int32_t *t = table[0];

			must(ops->contract(ctx, &c), "contract");
			table[0] = table[1];
			table[1] = t;
		}
		must(ops->download(ctx, cells, table[0], bytes), "download");
		now = count_zeros(cells, n_values * n_values);
		rounds++;
	} while (now < before);
	if (ops->settle)
		must(ops->settle(ctx, NULL), "settle");
	*all = gpube__now() - start;
	ops->free(ctx, block);
	return rounds;
}

/* ---- all of it
 * ----------------------------------------------------------------------------------- */

static const char *compare(const struct rows *r, const int32_t *cells)
{
	for (int64_t p = 0; p < r->n_values; p++)
		for (int64_t q = 0; q < r->n_values; q++)
			if (go_together(r, p, q) != !cells[p * r->n_values + q])
				return "WRONG";
	return "the same bits";
}

int main(int argc, char **argv)
{
	struct gpube_network net = {.topology = GPUBE_NETWORK_RANDOM, .max_cost = 0, .seed = 1};
	struct gpube_opts opts = {0};
	struct gpube__consistency_did did;
	struct gpube_simplified s;
	const struct gpube_ops *ops;
	struct gpube_model *m;
	struct rows r;
	double start, processor, bits, contracting, all, product;
	int64_t pairs;
	int32_t *cells;
	int rounds, status = GPUBE_OK;

	if (argc < 6) {
		fputs("usage: bench_paths cpu|cuda|bits N D P1 P2 [SEED]\n", stderr);
		return 2;
	}
	net.n_vars = atoi(argv[2]);
	net.domain = atoi(argv[3]);
	net.density = atof(argv[4]);
	net.tightness = atof(argv[5]);
	if (argc > 6)
		net.seed = strtoull(argv[6], NULL, 10);
	if (gpube_ctx_new(&ctx, &opts))
		return 1;
	start = gpube__now();
	ops = strcmp(argv[1], "cuda") == 0 ? gpube__ops_cuda(ctx, &status) : gpube__ops_cpu();
	must(status, "the card");
	printf("%s opened in %.3f s, %d threads\n", ops->name, gpube__now() - start,
		ctx->n_threads);
	must(gpube__generate(&m, ctx, &net), "the network");

	must(gpube__simplify(&s, m, false), "simplify");
	processor = processor_seconds();
	must(gpube__make_consistent(&s, GPUBE__CONSISTENCY_PC, &did), "consistency");
	product = processor_seconds() - processor;
	printf("n %d, d %d, p1 %g, p2 %g, seed %llu: %lld of %lld values and %lld of %lld pairs "
	       "taken away\n",
		net.n_vars, net.domain, net.density, net.tightness, (unsigned long long)net.seed,
		(long long)did.values_removed, (long long)did.n_values,
		(long long)did.pairs_removed, (long long)did.n_pairs);
	printf("gpube convert's path consistency, one core: %.4f processor seconds\n", product);

	r = rows_of(m, net.domain);
	cells = room((uint64_t)(r.n_values * r.n_values) * sizeof(*cells));
	for (int64_t p = 0; p < r.n_values; p++)
		for (int64_t q = 0; q < r.n_values; q++)
			cells[p * r.n_values + q] = go_together(&r, p, q) ? 0 : CUT;
	processor = processor_seconds();
	start = gpube__now();
	rounds = by_bits(&r);
	bits = gpube__now() - start;
	printf("rows of bits, %d threads: %d rounds, %.4f s, %.4f processor seconds\n",
		ctx->n_threads, rounds, bits, processor_seconds() - processor);

	if (strcmp(argv[1], "bits") != 0) {
		rounds = by_contractions(cells, ops, r.n_values, net.domain, &contracting, &all);
		printf("contractions, %s: %d rounds of %.3g joined cells, %.4f s, of which kernels "
		       "%.4f s: %s\n",
			ops->name, rounds,
			(double)r.n_values * (double)r.n_values * (double)r.n_values, all,
			contracting, compare(&r, cells));
	}
	pairs = count(&r);
	for (int64_t p = 0; p < r.n_values; p++)
		pairs -= go_together(&r, p, p);
	printf("pairs left: %lld\n", (long long)pairs / 2);
	if (s.infeasible ? pairs != 0
			 : did.values_removed == 0 && pairs / 2 != did.n_pairs - did.pairs_removed)
		puts("gpube convert leaves other pairs: WRONG");
	free(cells);
	free(r.bits);
	gpube__simplified_clear(ctx, &s);
	gpube_model_free(m);
	gpube_ctx_free(ctx);
	return 0;
}
