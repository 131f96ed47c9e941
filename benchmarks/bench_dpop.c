/*
 * bench_dpop - the networks of the GpuBE paper's tables 1 to 3 and of its figure 10
 * (Fioretto et al., Constraints 23, 2018, section 8.1) by DPOP and ADPOP: simulated run
 * time, width and bounds, averaged over instances. benchmarks/dpop_tables.py makes tables
 * of two runs.
 *
 *   bench_dpop [OPTION...] cpu|cuda INSTANCES CELLS > out.csv
 *
 *   -p PART     tables, figure, or one of the figure's networks: random, scale-free, grid
 *   -z FROM-TO  these rows of the figure; default 2-10
 *   -j CORES    that an agent has; default 1
 *   -m GIB      host memory for tables; default what is free now
 *   -s SECONDS  after which no row is begun
 *   -o          no first run of each row that is not counted
 *   -t P2       only rows of this tightness
 *   -f SEED     the first instance's; default 0
 *
 * At most INSTANCES are run, fewer where they are large (instances_of()). Those of more than
 * CELLS joined cells, or whose tables do not fit, are left out and counted. One agent at a time.
 */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dcop/dcop.h"
#include "gpube/options/options.h"
#include "gpube/ir/generate.h"

struct row {
	const char *table;
	struct gpube_network net;
	int z;
	bool plain; /* the paper's partition, without cost shifting */
};

struct mean {
	int n, too_large, infeasible, with_cost;
	double width, cells, seconds, bytes, bound, cost;
};

static struct gpube_ctx *ctx;
static enum gpube_backend backend;
static double most_cells, stop_at;
static double only_tightness = NAN;
static bool once;
static int first_seed;
static int n_instances, n_cores = 1, from_z = 2, to_z = 10;

static int solve(struct gpube_dpop_result **r, const struct row *row, uint64_t seed)
{
	struct dcop_opts opts = {
		.tree = {.heuristic = GPUBE_PSEUDOTREE_BEST, .root = -1, .tries = 200},
		.z = row->z,
		.first_fit = row->plain,
		.no_match = row->plain,
		.backend = backend,
		.agent_threads = n_cores,
		.most_cells = most_cells};
	struct gpube_network net = row->net;
	struct gpube_model *m;
	int status;

	*r = NULL;
	net.seed = seed;
	status = gpube__generate(&m, ctx, &net);
	if (status)
		return status;
	status = dcop_solve(r, m, &opts, NULL);
	gpube_model_free(m);
	return status;
}

static void add(struct mean *mean, const struct gpube_dpop_result *r)
{
	mean->n++;
	mean->width += r->width;
	mean->cells += r->joined_cells;
	mean->seconds += r->simulated_seconds;
	mean->bytes += (double)r->total_bytes;
	if (r->answer == GPUBE_ANSWER_INFEASIBLE) {
		mean->infeasible++;
		return;
	}
	mean->bound += (double)r->bound;
	mean->with_cost += r->values != NULL;
	mean->cost += r->values ? (double)r->cost : 0;
}

/* Seeds of a row of the figure: more where they are quick. */
static int instances_of(const struct row *row)
{
	static const int by_z[] = {[2] = 10, 10, 10, 10, 10, 5, 5, 5, 5};
	int n = row->z ? by_z[row->z] : n_instances;

	/* the grid, of one width for all seeds, has the largest tables */
	if (row->z >= 6 && row->net.topology == GPUBE_NETWORK_GRID)
		n = row->z == 6 ? 5 : 2;
	return n < n_instances ? n : n_instances;
}

static double over(double sum, int n)
{
	return n ? sum / n : NAN;
}

/*
 * Without -o the first instance of a row is solved twice and counted once: a virtual machine may
 * be given its memory page by page, as it is touched for the first time.
 */
static int run_row(const struct row *row)
{
	struct mean mean = {0};
	int bounded;

	if (gpube__now() > stop_at ||
		(!isnan(only_tightness) && row->net.tightness != only_tightness))
		return GPUBE_OK;
	for (int k = once ? 0 : -1; k < instances_of(row); k++) {
		struct gpube_dpop_result *r;
		int status = solve(&r, row, (uint64_t)(first_seed + (k < 0 ? 0 : k)));

		if (k < 0) {
			gpube_result_free(r);
			continue;
		}

		if (status == GPUBE_ELIMIT || status == GPUBE_ENOMEM) {
			mean.too_large++;
			continue;
		}
		if (status) {
			fprintf(stderr, "bench_dpop: %s\n", gpube_error(ctx));
			return status;
		}
		add(&mean, r);
		gpube_result_free(r);
	}
	bounded = mean.n - mean.infeasible;
	printf("%s,%s,%d,%d,%d,%g,%g,%d,%s,%d,%d,%d,%.2f,%.4g,%.6f,%.4g,%.1f,%d,%.1f\n", row->table,
		gpube__topology_name(row->net.topology), row->net.n_vars, row->net.rows,
		row->net.domain, row->net.density, row->net.tightness, row->z,
		row->plain ? "plain" : "matched", mean.n, mean.too_large, mean.infeasible,
		over(mean.width, mean.n), over(mean.cells, mean.n), over(mean.seconds, mean.n),
		over(mean.bytes, mean.n), over(mean.bound, bounded), mean.with_cost,
		over(mean.cost, mean.with_cost));
	fflush(stdout);
	return GPUBE_OK;
}

/* ---- the rows ------------------------------------------------------------------------ */

static int run_random(int n, int d, double p1)
{
	struct row row = {.table = "1",
		.net = {.topology = GPUBE_NETWORK_RANDOM,
			.n_vars = n,
			.domain = d,
			.density = p1,
			.tightness = 0.9,
			.max_cost = 100}};

	return run_row(&row);
}

static int run_scale_free(int n, int d)
{
	struct row row = {.table = "2",
		.net = {.topology = GPUBE_NETWORK_SCALE_FREE,
			.n_vars = n,
			.domain = d,
			.tightness = 0.9,
			.max_cost = 100}};

	return run_row(&row);
}

/* rows 0: n x n */
static int run_grid(int n, int rows, int d)
{
	struct row row = {.table = rows ? "3 (4 rows)" : "3",
		.net = {.topology = GPUBE_NETWORK_GRID,
			.n_vars = n * (rows ? rows : n),
			.rows = rows ? rows : n,
			.domain = d,
			.tightness = 0.9,
			.max_cost = 100}};

	return run_row(&row);
}

static int tables(void)
{
	static const int domains[] = {5, 10, 25, 50, 100};
	int status = GPUBE_OK;

	for (int n = 10; n <= 20 && !status; n++)
		status = run_random(n, 10, 0.3);
	for (int k = 0; k < 5 && !status; k++)
		status = run_random(10, domains[k], 0.3);
	for (int p = 2; p <= 9 && !status; p++)
		status = run_random(10, 10, p / 10.0);
	for (int n = 10; n <= 20 && !status; n++)
		status = run_scale_free(n, 10);
	for (int k = 0; k < 5 && !status; k++)
		status = run_scale_free(10, domains[k]);
	for (int rows = 0; rows <= 4 && !status; rows += 4) {
		for (int n = 5; n <= 15 && !status; n++)
			status = run_grid(n, rows, 10);
		for (int k = 0; k < 5 && !status; k++)
			status = run_grid(10, rows, domains[k]);
	}
	return status;
}

/* only: NULL, or the name of a network */
static int figure(const char *only)
{
	static const struct gpube_network nets[] = {
		{.topology = GPUBE_NETWORK_RANDOM, .n_vars = 20, .density = 0.3},
		{.topology = GPUBE_NETWORK_SCALE_FREE, .n_vars = 20},
		{.topology = GPUBE_NETWORK_GRID, .n_vars = 100, .rows = 10},
	};
	static const double tightness[] = {0.9, 0.3};
	int status = GPUBE_OK;

	for (int k = 0; k < 3; k++) {
		if (only && strcmp(only, gpube__topology_name(nets[k].topology)) != 0)
			continue;
		for (int z = from_z; z <= to_z; z++)
			/* from z = 3 on nearly all instances of 0.9 are proved infeasible */
			for (int how = z > 6 ? 2 : 0; how < 4 && !status; how++) {
				struct row row = {.table = "figure 10",
					.net = nets[k],
					.z = z,
					.plain = how % 2 == 0};

				row.net.domain = 25;
				row.net.tightness = tightness[how / 2];
				row.net.max_cost = 100;
				status = run_row(&row);
			}
	}
	return status;
}

static int run(const char *part)
{
	int status = !part || strcmp(part, "tables") == 0 ? tables() : GPUBE_OK;

	if (!status && (!part || strcmp(part, "tables") != 0))
		status = figure(part && strcmp(part, "figure") != 0 ? part : NULL);
	return status;
}

static int usage(void)
{
	fputs("usage: bench_dpop [-p PART] [-z FROM-TO] [-j CORES] [-m GIB] [-s SECONDS] [-o] "
	      "[-t P2] [-f SEED] cpu|cuda INSTANCES CELLS\n",
		stderr);
	return 2;
}

int main(int argc, char **argv)
{
	struct gpube_opts opts = {0};
	const char *part = NULL;
	double seconds = INFINITY;
	int option, status;

	while ((option = getopt(argc, argv, "p:z:j:m:s:ot:f:")) != -1) {
		if (option == 'p')
			part = optarg;
		else if (option == 'j')
			n_cores = atoi(optarg);
		else if (option == 'm')
			opts.memory_bytes = (uint64_t)(atof(optarg) * 0x1p30);
		else if (option == 's')
			seconds = atof(optarg);
		else if (option == 'o')
			once = true;
		else if (option == 't')
			only_tightness = atof(optarg);
		else if (option == 'f')
			first_seed = atoi(optarg);
		else if (option != 'z' || sscanf(optarg, "%d-%d", &from_z, &to_z) != 2 ||
			 from_z < 2 || to_z > 10)
			return usage();
	}
	if (argc - optind != 3 || n_cores < 1 ||
		(strcmp(argv[optind], "cpu") != 0 && strcmp(argv[optind], "cuda") != 0))
		return usage();
	backend = strcmp(argv[optind], "cpu") == 0 ? GPUBE_BACKEND_CPU : GPUBE_BACKEND_CUDA;
	n_instances = atoi(argv[optind + 1]);
	most_cells = atof(argv[optind + 2]);
	stop_at = gpube__now() + seconds;
	opts.n_threads = n_cores;
	if (gpube_ctx_new(&ctx, &opts))
		return 1;
	puts("table,kind,n,rows,d,p1,p2,z,partition,solved,too_large,infeasible,width,joined_cells,"
	     "simulated_seconds,message_bytes,bound,with_cost,cost");
	status = run(part);
	gpube_ctx_free(ctx);
	return status != GPUBE_OK;
}
