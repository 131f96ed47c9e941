/* readers.c - see readers.h. */
#define _GNU_SOURCE /* memfd_create() */
#include "tests/fuzz/readers.h"
#include "formats/common/registry.h"
#include "gpube/options/options.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "csg/auction.h"
#include "csg/csg.h"
#include "csg/proof.h"
#include "formats/beside/decomposition.h"
#include "formats/formats.h"
#include "gpube/forms/model_as.h"

/* ---- memory ------------------------------------------------------------------------ */

struct memory {
	size_t live, most, limit;
};

/* Refuses what would pass the limit: 'most' tells that it was asked for. */
static void *limited(void *arg, void *p, size_t size)
{
	struct memory *m = arg;
	size_t old = p ? malloc_usable_size(p) : 0;
	void *q;

	if (size == 0) {
		m->live -= old;
		free(p);
		return NULL;
	}
	if (m->live - old + size > m->most)
		m->most = m->live - old + size;
	if (m->live - old + size > m->limit)
		return NULL;
	q = realloc(p, size);
	if (q)
		m->live += malloc_usable_size(q) - old;
	return q;
}

/* ---- targets ------------------------------------------------------------------------- */

/* A model for the files that belong to one: 4 variables of 2 to 5 values, with names. */
static struct gpube_model *small_model(struct gpube_ctx *ctx)
{
	struct gpube_model *m;
	char name[] = "a";

	if (gpube_model_new(&m, ctx, GPUBE_COSTS))
		return NULL;
	for (int i = 0; i < 4; i++, name[0]++)
		if (gpube_model_add_var(m, NULL, 2 + i, name)) {
			gpube_model_free(m);
			return NULL;
		}
	return m;
}

static void read_decomposition(const struct gpube_model *m, const char *path, bool tree)
{
	struct gpube_decomposition *d;
	int32_t order[4];

	if (!gpube__read_clusters(&d, m, path, tree))
		gpube_order_of_decomposition(order, m, d);
	gpube_result_free(d);
}

static void read_sidecar(struct gpube_ctx *ctx, const char *target, const char *path)
{
	struct gpube_model *m = small_model(ctx);
	int32_t values[4];
	int64_t cost;

	if (!m)
		return;
	if (!strcmp(target, "order"))
		gpube_read_order(values, m, path);
	else if (!strcmp(target, "cov") || !strcmp(target, "dec"))
		read_decomposition(m, path, !strcmp(target, "cov"));
	else if (!strcmp(target, "ub"))
		gpube__read_ub(&cost, m, path);
	else
		gpube_read_solution(values, m, path);
	gpube_model_free(m);
}

static void read_result(struct gpube_ctx *ctx, const char *path)
{
	struct gpube_uai_result *r;

	if (!gpube_read_uai_result(&r, ctx, path))
		gpube_result_free(r);
}

/* Of a model without names, and of one with them, where words may be other things than numbers. */
static void read_evidence(struct gpube_ctx *ctx, const char *path)
{
	static const char *const models[] = {"MARKOV\n4\n2 3 4 5\n0\n",
		"{problem:{name:p,mustbe:\"<9\"},variables:{a:2,b:[x,y,"
		"z],c:4,rain:5},functions:{}}"};

	for (int k = 0; k < 2; k++) {
		const size_t n = strlen(models[k]);
		char name[64];
		struct gpube_model *m;
		int fd = memfd_create("model", 0);

		if (fd < 0)
			return;
		snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
		if (write(fd, models[k], n) == (ssize_t)n &&
			!gpube_read(&m, ctx, name,
				&(struct gpube_opts){
					.from = k ? GPUBE_FORMAT_CFN : GPUBE_FORMAT_UAI,
					.evidence = path}))
			gpube_model_free(m);
		close(fd);
	}
}

/* Read, and checked against a game of three agents. */
static void read_proof(struct gpube_ctx *ctx, const char *path)
{
	static const int32_t values[] = {0, 5, 5, 9, 1, 8, 5, 12};
	struct csg__proof p = {.ctx = ctx};
	struct gpube_model *g;
	struct csg__view v;

	if (!gpube_coalitions_new(&g, ctx, 3, GPUBE_INT32)) {
		memcpy(gpube_coalitions_values(g), values, sizeof(values));
		if (!csg__proof_read(&p, ctx, path) && !csg__view_init(&v, g, false, false)) {
			csg__proof_check(&p, &v);
			csg__view_clear(&v);
		}
		gpube_model_free(g);
	}
	csg__proof_clear(&p);
}

static const char *const others[] = {"evid", "order", "cov", "dec", "sol", "ub", "result", "proof"};
enum { N_MODELS = GPUBE_N_FORMATS - 1, N_OTHERS = sizeof(others) / sizeof(*others) };

const char *fuzz_target(int k)
{
	if (k < N_MODELS)
		return gpube__format_name((enum gpube_format)(k + 1));
	return k < N_MODELS + N_OTHERS ? others[k - N_MODELS] : NULL;
}

/* What has the form of a game or of an auction is one, too, and a game becomes a model of costs. */
static void take_forms(const struct gpube_model *m)
{
	struct gpube_model *auction, *coalitions, *game;

	if (!gpube__game_of_costs(&game, m))
		gpube_model_free(game);
	if (!gpube__costs_of_game(&game, m, 1))
		gpube_model_free(game);
	if (!gpube__coalitions_of_costs(&coalitions, m))
		gpube_model_free(coalitions);
	if (!gpube__auction_of_costs(&auction, m))
		gpube_model_free(auction);
}

static void read_model(
	struct gpube_ctx *ctx, enum gpube_format format, const char *path, fuzz_then *then)
{
	const struct gpube_opts opts = {.from = format, .evidence = "", .colors = 3};
	struct gpube_model *m;

	if (gpube_read(&m, ctx, path, &opts))
		return;
	if (then)
		then(m);
	else
		take_forms(m);
	gpube_model_free(m);
}

static int read_as(struct gpube_ctx *ctx, const char *target, const char *path, fuzz_then *then)
{
	enum gpube_format format = gpube__format_named(target);

	if (format != GPUBE_FORMAT_AUTO)
		read_model(ctx, format, path, then);
	else if (!strcmp(target, "order") || !strcmp(target, "cov") || !strcmp(target, "dec") ||
		 !strcmp(target, "sol") || !strcmp(target, "ub"))
		read_sidecar(ctx, target, path);
	else if (!strcmp(target, "result"))
		read_result(ctx, path);
	else if (!strcmp(target, "evid"))
		read_evidence(ctx, path);
	else if (!strcmp(target, "proof"))
		read_proof(ctx, path);
	else
		return -1;
	return 0;
}

/* A file in memory, the same one for all. */
static int put_bytes(const uint8_t *bytes, size_t n, char path[64])
{
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("fuzz", 0);
	if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, bytes, n, 0) != (ssize_t)n)
		return -1;
	snprintf(path, 64, "/proc/self/fd/%d", fd);
	return 0;
}

long fuzz_read(const char *target, const uint8_t *bytes, size_t n, size_t *most)
{
	/* so that a short line that declares millions of variables, which is allowed, does not take
	 * all of the time */
	return fuzz_do(target, bytes, n, FUZZ_MOST_BYTES / 1024, NULL, most);
}

long fuzz_do(const char *target, const uint8_t *bytes, size_t n, uint64_t allowed, fuzz_then *then,
	size_t *most)
{
	struct memory memory = {.limit = 4 * FUZZ_MOST_BYTES};
	const struct gpube_opts opts = {.n_threads = 1,
		.memory_bytes = allowed,
		.realloc = limited,
		.realloc_arg = &memory};
	struct gpube_ctx *ctx;
	char path[64];
	int rc;

	*most = 0;
	if (put_bytes(bytes, n, path) || gpube_ctx_new(&ctx, &opts))
		return -1;
	rc = read_as(ctx, target, path, then);
	gpube_ctx_free(ctx);
	*most = memory.most;
	return rc ? rc : (long)memory.live;
}
