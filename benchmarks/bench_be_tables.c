/*
 * bench_be_tables - tables 1 to 3 of the GpuBE paper (Fioretto, Pontelli, Yeoh and Dechter,
 * Constraints 23, 2018, section 8.1), columns BE and CUBE, beside ours: seconds of gpube_solve(),
 * of its elimination (copies to the device and back included) and of the contractions
 * alone (on a device its kernels, by events), averaged
 * over instances, along two orders: a depth-first pseudo-tree's as in the paper, so
 * that the same tables are computed, and the best that we find.
 *
 *   bench_be_tables cpu|cuda|cuda2|FAMILY INSTANCES SECONDS [CELLS [ROWS [EACH]]] > out.csv
 *
 * A row ends after SECONDS; instances of more than CELLS joined cells (default 1e12), or whose
 * tables do not fit, are counted as 'left_out'. What does not fit in one piece is done in slices:
 * 'sliced' instances, 'slices' on average of these, joined cells counted in all slices. ROWS are
 * those to run, TABLE/N/D[/ORDER[/P2]] each, between commas. EACH is a file for a line per
 * instance. cuda2 is on two devices; FAMILY (boxes, direct, strips, general) is on one, by these
 * kernels wherever they can. What each family did for a row, the first run with it, goes to stderr.
 * Devices are opened before the clock starts, but for cuda2, where each instance opens its own.
 * Nothing is simplified away.
 *
 * Graphs are matched on the printed w*: random ones have p1 n (n - 1) / 2 edges; scale-free ones
 * the number of links a new node whose mean width comes nearest; grids 4 rows, since
 * 10 x 10 has no width of 4. Behind the paper's rows, as table 0: the random networks on which
 * the paper's own program was run on the card that ours runs on (n = 14, p1 = 0.2: 22 ms; n = 18,
 * p1 = 0.15: 30 ms; n = 20, p1 = 0.15: refused for memory), along the depth-first order.
 */
#include "dcop/pseudotree.h"
#include "gpube/options/options.h"
#include "gpube/ir/generate.h"
#include "gpube/ir/graph.h"
#include "gpube/ops/contract/contract.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the paper prints; NAN: out of memory. */
struct row {
	int table, n, d;
	double p1, width, cpu, gpu, cube;
};

static const struct row rows[] = {
	{1, 10, 10, 0.3, 2.9, 0.084, 0.008, 1.802},
	{1, 11, 10, 0.3, 3.2, 0.136, 0.010, 4.685},
	{1, 12, 10, 0.3, 3.6, 0.309, 0.012, 9.754},
	{1, 13, 10, 0.3, 4.3, 1.430, 0.018, 17.088},
	{1, 14, 10, 0.3, 4.4, 2.466, 0.025, 27.474},
	{1, 15, 10, 0.3, 5.3, 8.870, 0.056, NAN},
	{1, 16, 10, 0.3, 5.8, 48.01, 0.280, NAN},
	{1, 17, 10, 0.3, 6.4, 148.0, 0.739, NAN},
	{1, 18, 10, 0.3, 7.5, 454.1, 2.081, NAN},
	{1, 19, 10, 0.3, 8.0, 1083, 4.559, NAN},
	{1, 20, 10, 0.3, 8.5, 1744, 8.099, NAN},
	{1, 10, 5, 0.3, 3.0, 0.004, 0.008, 0.078},
	{1, 10, 25, 0.3, 2.8, 0.942, 0.017, 11.78},
	{1, 10, 50, 0.3, 2.9, 46.92, 0.179, NAN},
	{1, 10, 100, 0.3, 2.9, 177.8, 0.577, NAN},
	{1, 10, 10, 0.2, 2.0, 0.003, 0.005, 0.065},
	{1, 10, 10, 0.4, 3.8, 0.489, 0.012, 6.232},
	{1, 10, 10, 0.5, 4.5, 1.998, 0.019, 12.198},
	{1, 10, 10, 0.6, 5.4, 10.74, 0.061, 27.353},
	{1, 10, 10, 0.7, 5.9, 43.07, 0.210, 29.266},
	{1, 10, 10, 0.8, 6.7, 182.8, 0.800, 41.984},
	{1, 10, 10, 0.9, 7.6, 894.8, 3.853, NAN},
	{2, 10, 10, 0, 6.3, 22.99, 0.111, 3.401},
	{2, 11, 10, 0, 6.0, 25.57, 0.120, 4.545},
	{2, 12, 10, 0, 6.0, 55.26, 0.231, 21.31},
	{2, 13, 10, 0, 5.9, 168.7, 0.776, NAN},
	{2, 14, 10, 0, 6.9, 529.8, 2.293, NAN},
	{2, 15, 10, 0, 8.2, 1973, 9.246, NAN},
	{2, 16, 10, 0, 9.2, NAN, NAN, NAN},
	{2, 17, 10, 0, 9.5, NAN, NAN, NAN},
	{2, 18, 10, 0, 10, NAN, NAN, NAN},
	{2, 19, 10, 0, 11, NAN, NAN, NAN},
	{2, 20, 10, 0, 12, NAN, NAN, NAN},
	{2, 10, 5, 0, 6.8, 1.795, 0.024, 1.067},
	{2, 10, 25, 0, 6.6, 890.9, 3.262, NAN},
	{2, 10, 50, 0, 6.4, NAN, NAN, NAN},
	{2, 10, 100, 0, 6.4, NAN, NAN, NAN},
	{3, 5, 10, 0, 3.3, 0.983, 0.022, 0.482},
	{3, 6, 10, 0, 3.7, 0.969, 0.029, 3.251},
	{3, 7, 10, 0, 3.7, 1.416, 0.033, 3.058},
	{3, 8, 10, 0, 3.6, 3.062, 0.065, 3.195},
	{3, 9, 10, 0, 3.9, 4.630, 0.089, 3.714},
	{3, 10, 10, 0, 4.0, 2.755, 0.080, 3.439},
	{3, 11, 10, 0, 3.7, 6.134, 0.127, 3.081},
	{3, 12, 10, 0, 3.8, 6.971, 0.144, 3.695},
	{3, 13, 10, 0, 3.9, 7.137, 0.169, 5.345},
	{3, 14, 10, 0, 4.0, 8.282, 0.152, 4.859},
	{3, 15, 10, 0, 4.0, 12.43, 0.233, 6.082},
	{3, 10, 5, 0, 3.7, 0.135, 0.061, 0.326},
	{3, 10, 25, 0, 3.9, 194.6, 0.776, 95.912},
	{3, 10, 50, 0, 4.0, NAN, NAN, NAN},
	{3, 10, 100, 0, 4.0, NAN, NAN, NAN},
	{0, 14, 10, 0.2, NAN, NAN, 0.022, NAN},
	{0, 18, 10, 0.15, NAN, NAN, 0.030, NAN},
	{0, 20, 10, 0.15, NAN, NAN, NAN, NAN},
};

static struct gpube_ctx *ctx;
static enum gpube_backend backend;
static double most_cells = 1e12;
static FILE *each;

/* Kernels are loaded by a first run that is not counted, unless that would take a second. */
#define MOST_WARM_CELLS 1e11

static struct gpube_network network_of(const struct row *row, int32_t links, double tightness)
{
	struct gpube_network net = {.topology = row->table <= 1   ? GPUBE_NETWORK_RANDOM
						: row->table == 2 ? GPUBE_NETWORK_SCALE_FREE
								  : GPUBE_NETWORK_GRID,
		.n_vars = row->table == 3 ? 4 * row->n : row->n,
		.rows = row->table == 3 ? 4 : 0,
		.domain = row->d,
		.density = row->p1,
		.tightness = tightness,
		.max_cost = 100,
		.links = links};

	return net;
}

/* The elimination order of a depth-first pseudo-tree, leaves first; and its width. */
static int dfs_order(int32_t *order, int32_t *width, const struct gpube_model *m)
{
	struct gpube_graph g = {0};
	struct dcop_pseudotree *tree = NULL;
	int status = gpube__graph_of_model(&g, m);

	if (!status)
		status = dcop_pseudotree_new(&tree, ctx, &g, NULL);
	for (int32_t k = 0; !status && k < tree->n; k++)
		order[k] = tree->preorder[tree->n - 1 - k];
	if (!status)
		*width = tree->width;
	dcop_pseudotree_free(tree);
	gpube__graph_clear(ctx, &g);
	return status;
}

/* Links a new node whose graphs have a mean width nearest to the paper's. */
static int match_links(int32_t *links, const struct row *row)
{
	double best = INFINITY;
	int32_t order[128];

	*links = 0;
	for (int32_t l = 2; row->table == 2 && l < row->n; l++) {
		double sum = 0;

		for (uint64_t seed = 1; seed <= 20; seed++) {
			struct row small = *row;
			struct gpube_network net;
			struct gpube_model *m;
			int32_t width = 0;
			int status;

			small.d = 2; /* the graph is the same */
			net = network_of(&small, l, 0);
			net.seed = seed;
			status = gpube__generate(&m, ctx, &net);
			if (!status)
				status = dfs_order(order, &width, m);
			gpube_model_free(m);
			if (status)
				return status;
			sum += width;
		}
		if (fabs(sum / 20 - row->width) < best) {
			best = fabs(sum / 20 - row->width);
			*links = l;
		}
	}
	return GPUBE_OK;
}

struct mean {
	int n, infeasible, left_out, sliced;
	double width, cells, solve, eliminate, contract, copy, most, slices;
};

static void tell_each(const struct row *row, const char *order, double tightness, uint64_t seed,
	const struct gpube_solution *s, double seconds)
{
	if (!each)
		return;
	fprintf(each, "%d,%d,%d,%g,%g,%s,%llu,%d,%.4g,%.0f,%.1f,%.6f,%.6f,%.6f,%lld\n", row->table,
		row->n, row->d, row->p1, tightness, order, (unsigned long long)seed, s->plan.width,
		s->plan.joined_cells, s->plan.n_slices, s->plan.peak_bytes / 0x1p30, seconds,
		s->seconds_contracting, s->seconds_copying,
		s->answer == GPUBE_ANSWER_OPTIMAL ? (long long)s->cost : -1LL);
	fflush(each);
}

/* seed 0: only to load kernels */
static int solve_one(struct mean *mean, struct gpube_model *m, const struct row *row, bool dfs,
	double tightness, uint64_t seed)
{
	int32_t order[128], width;
	struct gpube_opts opts = {.method = GPUBE_BOUND_ELIMINATE,
		.backend = backend,
		.no_simplify = 1,
		.order_method = dfs ? GPUBE_ORDER_GIVEN : GPUBE_ORDER_AUTO,
		.order = order};
	struct gpube_solution *s = NULL;
	double start, seconds;
	int status = dfs ? dfs_order(order, &width, m) : GPUBE_OK;

	if (!status)
		status = gpube_plan(&s, m, &opts);
	if (status == GPUBE_ELIMIT ||
		(!status && (s->plan.joined_cells > most_cells ||
				    (!seed && s->plan.joined_cells > MOST_WARM_CELLS)))) {
		gpube_result_free(s);
		mean->left_out++;
		return GPUBE_OK;
	}
	gpube_result_free(s);
	start = gpube__now();
	if (!status)
		status = gpube_solve(&s, m, &opts);
	if (status == GPUBE_ENOMEM) { /* room enough in all, but not in one piece */
		mean->left_out++;
		return GPUBE_OK;
	}
	if (status)
		return status;
	seconds = gpube__now() - start;
	if (seed)
		tell_each(row, dfs ? "dfs" : "best", tightness, seed, s, seconds);
	mean->solve += seconds;
	if (s->plan.n_slices > 1) {
		mean->sliced++;
		mean->slices += s->plan.n_slices;
	}
	mean->eliminate += s->seconds_eliminate;
	mean->contract += s->seconds_contracting;
	mean->copy += s->seconds_copying;
	mean->most = fmax(mean->most, s->seconds_contracting);
	mean->width += s->plan.width;
	mean->cells += s->plan.joined_cells;
	mean->infeasible += s->answer == GPUBE_ANSWER_INFEASIBLE;
	mean->n++;
	gpube_result_free(s);
	return GPUBE_OK;
}

/* What the families have done since 'before', which becomes what they have done now. */
static void tell_uses(struct gpube_use *before, const struct row *row, double tightness, bool dfs)
{
	struct gpube_use now[GPUBE_MAX_USES];
	const int n = gpube__uses(ctx, now);

	for (int i = 0; i < n; i++) {
		if (now[i].launches > before[i].launches)
			fprintf(stderr,
				"%d/%d/%d/%s/%g %s: %lld launches, %.6f s, planning %.6f s\n",
				row->table, row->n, row->d, dfs ? "dfs" : "best", tightness,
				now[i].family, (long long)(now[i].launches - before[i].launches),
				now[i].kernel - before[i].kernel,
				now[i].planning - before[i].planning);
		before[i] = now[i];
	}
}

static int run_row(const struct row *row, double tightness, bool dfs, int instances, double seconds)
{
	static struct gpube_use uses[GPUBE_MAX_USES];
	struct mean mean = {0};
	int32_t links;
	double start = gpube__now();
	int status = match_links(&links, row);

	for (uint64_t seed = 0; seed <= (uint64_t)instances && !status; seed++) {
		struct gpube_network net = network_of(row, links, tightness);
		struct gpube_model *m;

		if (gpube__now() - start > seconds && seed > 1)
			break;
		net.seed = seed ? seed : 1;
		status = gpube__generate(&m, ctx, &net);
		if (!status)
			status = solve_one(&mean, m, row, dfs, tightness, seed);
		gpube_model_free(m);
		if (seed == 0) /* kernels are loaded now: not counted */
			memset(&mean, 0, sizeof(mean));
	}
	if (status)
		return status;
	printf("%d,%d,%d,%g,%d,%g,%s,%d,%d,%d,%.1f,%.2f,%.4g,%.6f,%.6f,%.6f,%.6f,%.6f,%g,%g,%g,%d,%"
	       ".1f\n",
		row->table, row->n, row->d, row->p1, links, tightness, dfs ? "dfs" : "best", mean.n,
		mean.infeasible, mean.left_out, row->width, mean.width / mean.n,
		mean.cells / mean.n, mean.solve / mean.n, mean.eliminate / mean.n,
		mean.contract / mean.n, mean.copy / mean.n, mean.most, row->cpu, row->gpu,
		row->cube, mean.sliced, mean.sliced ? mean.slices / mean.sliced : 1);
	fflush(stdout);
	tell_uses(uses, row, tightness, dfs);
	return GPUBE_OK;
}

/* An entry names all rows that begin as it does. */
static bool is_wanted(const char *wanted, const struct row *row, bool dfs, double tightness)
{
	char name[60];
	const char *at = wanted;

	snprintf(name, sizeof(name), "%d/%d/%d/%s/%g", row->table, row->n, row->d,
		dfs ? "dfs" : "best", tightness);
	while (at && *at) {
		const size_t n = strcspn(at, ",");

		if (strncmp(at, name, n) == 0 && (name[n] == '/' || !name[n]))
			return true;
		at += n + (at[n] == ',');
	}
	return !wanted;
}

int main(int argc, char **argv)
{
	static const double tightness[] = {0.9, 0};
	static const int32_t both[2] = {0, 1};
	struct gpube_opts ctx_opts = {0};
	int status = GPUBE_OK, opened = GPUBE_OK;

	if (argc < 4) {
		fputs("usage: bench_be_tables cpu|cuda|cuda2|FAMILY INSTANCES SECONDS [CELLS [ROWS "
		      "[EACH]]]\n",
			stderr);
		return 2;
	}
	if (argc > 6) {
		each = fopen(argv[6], "w");
		if (!each) {
			fprintf(stderr, "bench_be_tables: cannot write '%s'\n", argv[6]);
			return 1;
		}
		fputs("table,n,d,p1,p2,order,seed,width,joined_cells,slices,peak_gib,solve_s,"
		      "contract_"
		      "s,copy_s,cost\n",
			each);
	}
	backend = strcmp(argv[1], "cpu") == 0 ? GPUBE_BACKEND_CPU : GPUBE_BACKEND_CUDA;
	if (argc > 4)
		most_cells = atof(argv[4]);
	if (strcmp(argv[1], "cuda2") == 0) {
		ctx_opts.n_devices = 2;
		ctx_opts.devices = both;
	}
	if (gpube_ctx_new(&ctx, &ctx_opts))
		return 1;
	if (backend == GPUBE_BACKEND_CUDA && !gpube__ops_cuda(ctx, &opened))
		status = opened;
	if (!status && backend == GPUBE_BACKEND_CUDA && strncmp(argv[1], "cuda", 4) != 0 &&
		!gpube__cuda_force(ctx, argv[1])) {
		fprintf(stderr, "bench_be_tables: no family '%s'\n", argv[1]);
		return 2;
	}
	puts("table,n,d,p1,links,p2,order,instances,infeasible,left_out,paper_width,width,joined_"
	     "cells,solve_s,eliminate_s,contract_s,copy_s,longest_contract_s,paper_cpu_s,paper_gpu_"
	     "s,cube_s,sliced,slices");
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++)
		for (int t = 0; t < 2; t++)
			for (int dfs = 1; dfs >= 0 && !status; dfs--) {
				if (!is_wanted(
					    argc > 5 ? argv[5] : NULL, &rows[k], dfs, tightness[t]))
					continue;
				status = run_row(
					&rows[k], tightness[t], dfs, atoi(argv[2]), atof(argv[3]));
			}
	if (status)
		fprintf(stderr, "bench_be_tables: %s\n", gpube_error(ctx));
	if (each && fclose(each))
		status = GPUBE_EIO;
	gpube_ctx_free(ctx);
	return status != GPUBE_OK;
}
