/*
 * bnb.c - depth-first branch and bound with gpube's bounds of partial assignments:
 * the example of how a search tool uses the installed library.
 *
 *     make && ./bnb -b shift -i 8 problem.wcsp
 *
 * Variables are assigned in one order. At a node the library gives, for each value
 * of the next variable, a bound of everything below; values whose bound is not
 * better than the best assignment known are left out, the others are tried with the
 * best bound first. All numbers are integers: the optimum is proved.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gpube/formats.h>
#include <gpube/partial.h>

static const char usage[] =
	"usage: bnb [-b none|mbe|shift] [-i IBOUND] [-s SECONDS] [-t SECONDS] [-u COST] FILE\n"
	"\n"
	"  -b   bounds: what the assigned functions cost, mini-buckets (the default),\n"
	"       or mini-buckets after cost shifting between them\n"
	"  -i   most variables of a mini-bucket's message; 0, the default: by memory\n"
	"  -s   first look for a good assignment for so many seconds\n"
	"  -t   give up after so many seconds\n"
	"  -u   only assignments of less than COST are of interest (more, where the model\n"
	"       is maximised); a whole number in units of the file's last decimal\n";

struct arguments {
	struct gpube_opts *heuristic;
	double first_seconds, seconds;
	const char *file;
};

struct child {
	int64_t bound;
	int32_t value;
};

struct search {
	const struct gpube_model *model;
	struct gpube_path *path;
	int32_t n_vars, depth;
	bool maximise;

	/* For each depth, the children of its node: child[first[depth]] on. */
	struct child *child;
	int64_t *first, *bounds;

	int64_t best; /* GPUBE_INF: none yet; then the cutoff is in the bounds */
	int32_t *values;
	unsigned long long nodes;
	double start, end;
	bool stopped;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* GPUBE_INF is what is not allowed, whatever the direction. */
static bool is_better(const struct search *s, int64_t a, int64_t b)
{
	if (a == GPUBE_INF || b == GPUBE_INF)
		return a != GPUBE_INF;
	return s->maximise ? a > b : a < b;
}

/* ---- the search ---------------------------------------------------------------- */

/* The children of the node that can lead to something better, the best bound first. */
static int expand(struct search *s, struct child *child, int32_t var)
{
	int32_t domain = gpube_model_domain(s->model, var);
	int n = 0;

	gpube_path_bounds(s->path, s->bounds);
	for (int32_t a = 0; a < domain; a++) {
		int k = n;

		if (!is_better(s, s->bounds[a], s->best))
			continue;
		for (; k > 0 && is_better(s, s->bounds[a], child[k - 1].bound); k--)
			child[k] = child[k - 1];
		child[k] = (struct child){s->bounds[a], a};
		n++;
	}
	return n;
}

static void keep(struct search *s, double seconds)
{
	s->best = gpube_path_bound(s->path);
	memcpy(s->values, gpube_path_values(s->path), (size_t)s->n_vars * sizeof(*s->values));
	fprintf(stderr, "%.2f s: %lld after %llu nodes\n", seconds, (long long)s->best, s->nodes);
}

static void descend(struct search *s)
{
	int32_t var = gpube_path_next(s->path);
	struct child *child = s->child + s->first[s->depth];
	int n;

	if ((++s->nodes & 0xfff) == 0 && now() > s->end)
		s->stopped = true;
	if (s->stopped)
		return;
	if (var < 0) {
		keep(s, now() - s->start);
		return;
	}
	n = expand(s, child, var);
	for (int k = 0; k < n && !s->stopped; k++) {
		/* children are sorted: a better assignment since may have ended it */
		if (!is_better(s, child[k].bound, s->best))
			break;
		gpube_path_push(s->path, child[k].value);
		s->depth++;
		descend(s);
		s->depth--;
		gpube_path_pop(s->path);
	}
}

/*
 * A first assignment from gpube_bound(): only better ones are then of interest,
 * which the tables are told, too.
 */
static int find_first(struct search *s, struct gpube_ctx *ctx, struct arguments *args)
{
	struct gpube_opts *opts = NULL;
	struct gpube_solution *found = NULL;
	int status = gpube_opts_new(&opts, ctx);

	if (!status)
		status = gpube_opts_set(opts, "method", "mbe");
	if (!status)
		status = gpube_opts_set_real(opts, "timeout", args->first_seconds);
	if (!status)
		status = gpube_bound(&found, s->model, opts);
	gpube_opts_free(opts);
	if (!status && found->values) {
		memcpy(s->values, found->values, (size_t)s->n_vars * sizeof(*s->values));
		s->best = found->cost;
		status = gpube_opts_set_int(args->heuristic, "cutoff", found->cost);
		if (!status)
			status = gpube_opts_set_int(args->heuristic, "precision", found->scale);
	}
	gpube_result_free(found);
	return status;
}

/* ---- around it ------------------------------------------------------------------- */

/* Room for the children of a path; false: there is none. */
static bool allocate(struct search *s, const struct gpube_heuristic *h)
{
	const int32_t *order = gpube_heuristic_info(h)->order;
	size_t widest = 1;
	int64_t total = 0;

	s->first = malloc(((size_t)s->n_vars + 1) * sizeof(*s->first));
	if (!s->first)
		return false;
	for (int32_t k = 0; k < s->n_vars; k++) {
		int32_t domain = gpube_model_domain(s->model, order[s->n_vars - 1 - k]);

		s->first[k] = total;
		total += domain;
		if ((size_t)domain > widest)
			widest = (size_t)domain;
	}
	s->first[s->n_vars] = total;
	s->child = malloc(((size_t)total + 1) * sizeof(*s->child));
	s->bounds = malloc(widest * sizeof(*s->bounds));
	return s->child && s->bounds;
}

static void report(const struct search *s, const struct gpube_heuristic_info *info)
{
	static const char *const said[2][2] = {
		{"infeasible", "optimum"}, {"unknown", "best so far"}};
	bool found = s->best != GPUBE_INF;

	printf("%-12s", said[s->stopped][found]);
	if (found)
		printf("%lld / 10^%d", (long long)s->best, info->scale);
	printf("\nroot bound  ");
	if (info->bound == GPUBE_INF)
		printf("none is allowed");
	else
		printf("%lld / 10^%d", (long long)info->bound, info->scale);
	printf("\nnodes       %llu\n", s->nodes);
	printf("tables      i-bound %d, %.3g MiB, %.3f s\n", info->ibound, info->bytes / 0x1p20,
		info->seconds_order + info->seconds_tables);
	printf("search      %.3f s\n", now() - s->start);
	if (!found)
		return;
	printf("assignment ");
	for (int32_t i = 0; i < s->n_vars; i++)
		printf(" %d", (int)s->values[i]);
	printf("\n");
}

static int search_model(
	struct search *s, struct gpube_ctx *ctx, struct arguments *args, struct gpube_heuristic **h)
{
	int status = GPUBE_OK;

	s->n_vars = gpube_model_n_vars(s->model);
	s->values = malloc(((size_t)s->n_vars + 1) * sizeof(*s->values));
	if (!s->values)
		return GPUBE_ENOMEM;
	if (args->first_seconds > 0)
		status = find_first(s, ctx, args);
	if (!status)
		status = gpube_heuristic_new(h, s->model, args->heuristic);
	if (!status)
		status = gpube_path_new(&s->path, *h);
	if (status)
		return status;
	if (!allocate(s, *h))
		return GPUBE_ENOMEM;
	s->maximise = gpube_heuristic_info(*h)->maximise;
	s->start = now();
	s->end = args->seconds > 0 ? s->start + args->seconds : INFINITY;
	descend(s);
	report(s, gpube_heuristic_info(*h));
	return GPUBE_OK;
}

static int solve(struct gpube_ctx *ctx, struct arguments *args)
{
	struct gpube_model *model = NULL;
	struct gpube_heuristic *h = NULL;
	struct search s = {.best = GPUBE_INF};
	int status = gpube_read(&model, ctx, args->file, NULL);

	s.model = model;
	if (!status)
		status = search_model(&s, ctx, args, &h);
	if (status)
		fprintf(stderr, "bnb: %s\n",
			status == GPUBE_ENOMEM ? "out of memory" : gpube_error(ctx));
	free(s.first);
	free(s.child);
	free(s.bounds);
	free(s.values);
	gpube_path_free(s.path);
	gpube_heuristic_free(h);
	gpube_model_free(model);
	return status ? 1 : 0;
}

/* Options stand in front of the file, each with its argument. */
static bool parse(struct arguments *args, int argc, char **argv)
{
	int k = 1;

	for (; k + 1 < argc && argv[k][0] == '-' && argv[k][1]; k += 2) {
		const char *value = argv[k + 1];
		struct gpube_opts *o = args->heuristic;
		char *rest = "";

		if (!strcmp(argv[k], "-s"))
			args->first_seconds = strtod(value, &rest);
		else if (!strcmp(argv[k], "-t"))
			args->seconds = strtod(value, &rest);
		else if (!strcmp(argv[k], "-i") ? gpube_opts_set(o, "ibound", value)
			 : !strcmp(argv[k], "-u")
				 ? gpube_opts_set_int(o, "cutoff", strtoll(value, &rest, 10))
			 : !strcmp(argv[k], "-b") ? gpube_opts_set(o, "method",
							    strcmp(value, "none") ? value : "costs")
						  : GPUBE_EINVAL)
			return false;
		if (*rest)
			return false;
	}
	args->file = argv[argc - 1];
	return k == argc - 1;
}

int main(int argc, char **argv)
{
	struct arguments args = {.heuristic = NULL};
	struct gpube_ctx *ctx;
	int rc;

	if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		fputs(usage, stdout);
		return 0;
	}
	if (gpube_ctx_new(&ctx, NULL)) {
		fprintf(stderr, "bnb: out of memory\n");
		return 1;
	}
	if (gpube_opts_new(&args.heuristic, ctx)) {
		fprintf(stderr, "bnb: out of memory\n");
		rc = 1;
	} else if (parse(&args, argc, argv)) {
		rc = solve(ctx, &args);
	} else {
		fputs(usage, stderr);
		rc = 2;
	}
	gpube_opts_free(args.heuristic);
	gpube_ctx_free(ctx);
	return rc;
}
