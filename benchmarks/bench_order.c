/*
 * bench_order find SECONDS FILE...  elimination orders after simplification: plain min-fill beside
 * the search, which
 *                                   one thread does for so many processor seconds (0: until it ends
 *                                   by itself), one line of tab-separated values a file. A last
 *                                   column says WORSE where the search is above min-fill, which it
 *                                   never may be. -s SEED before 'find' seeds it.
 * bench_order graph FILE            the graph, as PACE writes one; 'c domain V D' where variable V
 *                                   has not two values
 * bench_order cost GRAPH ORDER...   what orders of it cost, each a file of its vertices from 1
 *
 * A FILE is a model, or a graph whose name ends in .gr.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "formats/formats.h"
#include "gpube/options/options.h"
#include "gpube/order/order.h"
#include "gpube/simplify/simplify.h"

/* ---- graphs -------------------------------------------------------------------------- */

struct edge_list {
	int32_t n, (*edge)[2];
	int64_t n_edges, capacity;
	int32_t *domain;
};

static int compare_edges(const void *a, const void *b)
{
	const int32_t *x = a, *y = b;

	return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

/* Each edge stands in the list in both directions; what stands there twice counts once. */
static int graph_of_edges(struct gpube_graph *g, struct gpube_ctx *ctx, struct edge_list *l)
{
	g->n = l->n;
	g->domain = l->domain;
	l->domain = NULL;
	g->start = gpube__alloc_zero(ctx, (uint64_t)l->n + 1, sizeof(*g->start));
	g->adjacent = gpube__alloc(ctx, (uint64_t)l->n_edges + 1, sizeof(*g->adjacent));
	if (!g->start || !g->adjacent)
		return GPUBE_ENOMEM;
	qsort(l->edge, (size_t)l->n_edges, sizeof(*l->edge), compare_edges);
	for (int64_t i = 0, k = 0; i < l->n_edges; i++) {
		if (i > 0 && compare_edges(l->edge[i], l->edge[i - 1]) == 0)
			continue;
		g->adjacent[k++] = l->edge[i][1];
		g->start[l->edge[i][0] + 1] = k;
	}
	for (int32_t v = 0; v < g->n; v++)
		if (g->start[v + 1] < g->start[v])
			g->start[v + 1] = g->start[v];
	return GPUBE_OK;
}

static int read_line(struct edge_list *l, struct gpube_ctx *ctx, const char *line)
{
	int a, b;

	if (sscanf(line, "p tw %d", &a) == 1 && a > 0 && !l->domain) {
		l->n = a;
		l->domain = gpube__alloc(ctx, (uint64_t)a, sizeof(*l->domain));
		for (int32_t v = 0; l->domain && v < a; v++)
			l->domain[v] = 2;
		return l->domain ? GPUBE_OK : GPUBE_ENOMEM;
	}
	if (sscanf(line, "c domain %d %d", &a, &b) == 2 && a >= 1 && a <= l->n && b >= 1) {
		l->domain[a - 1] = b;
	} else if (sscanf(line, "%d %d", &a, &b) == 2 && a != b) {
		if (a < 1 || a > l->n || b < 1 || b > l->n)
			return gpube__fail(ctx, GPUBE_EPARSE, "no edge: %s", line);
		if (gpube__grow(ctx, &l->edge, &l->capacity, l->n_edges + 2, sizeof(*l->edge)))
			return GPUBE_ENOMEM;
		for (int i = 0; i < 2; i++) {
			l->edge[l->n_edges][i] = a - 1;
			l->edge[l->n_edges + 1][i] = b - 1;
		}
		l->edge[l->n_edges][1] = b - 1;
		l->edge[l->n_edges + 1][1] = a - 1;
		l->n_edges += 2;
	}
	return GPUBE_OK;
}

static int read_graph(struct gpube_graph *g, struct gpube_ctx *ctx, const char *path)
{
	struct edge_list l = {0};
	FILE *f = fopen(path, "r");
	char line[256];
	int status = f ? GPUBE_OK : gpube__fail(ctx, GPUBE_EPARSE, "cannot open '%s'", path);

	while (!status && fgets(line, sizeof(line), f))
		status = read_line(&l, ctx, line);
	if (!status && !l.domain)
		status = gpube__fail(ctx, GPUBE_EPARSE, "no line 'p tw'");
	if (!status)
		status = graph_of_edges(g, ctx, &l);
	gpube__free(ctx, l.edge);
	gpube__free(ctx, l.domain);
	if (f)
		fclose(f);
	return status;
}

static int simplified_graph(struct gpube_graph *g, struct gpube_ctx *ctx, const char *path)
{
	struct gpube_simplified s = {0};
	struct gpube_model *m, *costs;
	int status = gpube_read(&m, ctx, path, NULL);

	if (status)
		return status;
	if (m->kind == GPUBE_POTENTIALS) {
		status = gpube__quantise(&costs, m, 0);
		gpube_model_free(m);
		m = costs;
	}
	if (!status)
		status = gpube__simplify(&s, m, true);
	gpube_model_free(m);
	if (!status)
		status = gpube__graph_of_model(g, s.model);
	gpube__simplified_clear(ctx, &s);
	return status;
}

static int any_graph(struct gpube_graph *g, struct gpube_ctx *ctx, const char *path)
{
	const size_t n = strlen(path);

	return n > 3 && !strcmp(path + n - 3, ".gr") ? read_graph(g, ctx, path)
						     : simplified_graph(g, ctx, path);
}

static void write_graph(const struct gpube_graph *g)
{
	printf("p tw %d %lld\n", g->n, (long long)g->start[g->n] / 2);
	for (int32_t v = 0; v < g->n; v++)
		if (g->domain[v] != 2)
			printf("c domain %d %d\n", v + 1, g->domain[v]);
	for (int32_t v = 0; v < g->n; v++)
		for (int64_t e = g->start[v]; e < g->start[v + 1]; e++)
			if (g->adjacent[e] > v)
				printf("%d %d\n", v + 1, g->adjacent[e] + 1);
}

/* ---- processor seconds ----------------------------------------------------------------- */

static double processor_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct watch {
	struct gpube_ctx *ctx;
	double stop_at;
	atomic_bool done;
};

/* Stops the search when it has had its processor seconds, however busy the machine is. */
static void *watch(void *arg)
{
	struct watch *w = arg;

	while (!atomic_load(&w->done)) {
		nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
		if (processor_seconds() >= w->stop_at)
			gpube_ctx_stop(w->ctx);
	}
	return NULL;
}

static int watched_find(struct gpube_ctx *ctx, int32_t *order, struct gpube_order_cost *cost,
	const struct gpube_graph *g, enum gpube_order_method method, double seconds, uint64_t seed)
{
	struct watch w = {.ctx = ctx, .stop_at = processor_seconds() + seconds};
	const bool watched = seconds > 0 && method == GPUBE_ORDER_AUTO;
	pthread_t thread;
	int status;

	if (watched && pthread_create(&thread, NULL, watch, &w))
		return gpube__fail(ctx, GPUBE_ENOMEM, "no thread");
	status = gpube__order_find(ctx, order, cost, g, method, watched ? 1e6 : 0, 1e9, seed);
	if (watched) {
		atomic_store(&w.done, true);
		pthread_join(thread, NULL);
		gpube_ctx_resume(ctx);
	}
	if (status == GPUBE_ESTOP)
		status = gpube__order_cost(ctx, cost, g, order);
	return status;
}

/* ---- the commands ------------------------------------------------------------------------ */

static void print_cost(const struct gpube_order_cost *c, double seconds)
{
	printf("\t%d\t%.2f\t%.2f\t%.4f", c->width, c->joined_cells > 0 ? log10(c->joined_cells) : 0,
		c->largest_joined > 0 ? log10(c->largest_joined) : 0, seconds);
}

static int find(struct gpube_ctx *ctx, const char *path, double seconds, uint64_t seed)
{
	static const enum gpube_order_method methods[] = {GPUBE_ORDER_MIN_FILL, GPUBE_ORDER_AUTO};
	struct gpube_graph g = {0};
	struct gpube_order_cost c[2];
	int32_t *order = NULL;
	int status = any_graph(&g, ctx, path);

	if (!status) {
		order = gpube__alloc(ctx, (uint64_t)g.n, sizeof(*order));
		status = order ? GPUBE_OK : GPUBE_ENOMEM;
	}
	printf("%s\t%d", path, g.n);
	for (int i = 0; i < 2 && !status; i++) {
		double begin = processor_seconds();

		status = watched_find(ctx, order, &c[i], &g, methods[i], seconds, seed);
		if (!status)
			print_cost(&c[i], processor_seconds() - begin);
	}
	if (status)
		printf("\t%s", gpube_error(ctx));
	else if (c[1].joined_cells > c[0].joined_cells || c[1].largest_joined > c[0].largest_joined)
		printf("\tWORSE");
	printf("\n");
	fflush(stdout);
	gpube__free(ctx, order);
	gpube__graph_clear(ctx, &g);
	return status;
}

static int cost_of(
	struct gpube_ctx *ctx, const struct gpube_graph *g, int32_t *order, const char *path)
{
	struct gpube_order_cost c;
	FILE *f = fopen(path, "r");
	int32_t n = 0, v;
	int status = f ? GPUBE_OK : gpube__fail(ctx, GPUBE_EPARSE, "cannot open '%s'", path);

	while (f && n < g->n && fscanf(f, "%d", &v) == 1)
		order[n++] = v - 1;
	if (f)
		fclose(f);
	if (!status)
		status = n == g->n ? gpube__order_cost(ctx, &c, g, order)
				   : gpube__fail(ctx, GPUBE_EPARSE, "too short");
	printf("%s\t%d", path, g->n);
	if (status)
		printf("\t%s", gpube_error(ctx));
	else
		print_cost(&c, 0);
	printf("\n");
	return status;
}

static int command(struct gpube_ctx *ctx, int n, char **word, uint64_t seed)
{
	struct gpube_graph g = {0};
	int32_t *order = NULL;
	int status = GPUBE_OK;

	if (n > 2 && !strcmp(word[0], "find")) {
		printf("file\tvars\tminfill_width\tlog10_sum\tlog10_max\tseconds\tauto_"
		       "width\tlog10_sum\tlog10_max\tseconds\n");
		for (int i = 2; i < n; i++)
			status |= find(ctx, word[i], strtod(word[1], NULL), seed);
		return status;
	}
	if (n < 2 || (strcmp(word[0], "graph") && strcmp(word[0], "cost")))
		return GPUBE_EINVAL;
	status = any_graph(&g, ctx, word[1]);
	if (status)
		fprintf(stderr, "bench_order: %s: %s\n", word[1], gpube_error(ctx));
	else if (!strcmp(word[0], "graph"))
		write_graph(&g);
	else if (!(order = gpube__alloc(ctx, (uint64_t)g.n, sizeof(*order))))
		status = GPUBE_ENOMEM;
	for (int i = 2; i < n && order; i++)
		status |= cost_of(ctx, &g, order, word[i]);
	gpube__free(ctx, order);
	gpube__graph_clear(ctx, &g);
	return status;
}

int main(int argc, char **argv)
{
	const struct gpube_opts opts = {.n_threads = 1};
	const int skip = argc > 2 && !strcmp(argv[1], "-s") ? 3 : 1;
	struct gpube_ctx *ctx;
	int status;

	if (argc <= skip || gpube_ctx_new(&ctx, &opts))
		return 2;
	status = command(ctx, argc - skip, argv + skip, skip > 1 ? strtoull(argv[2], NULL, 10) : 1);
	gpube_ctx_free(ctx);
	return status != GPUBE_OK;
}
