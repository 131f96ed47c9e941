/* structures.c - see coalitions.h. */
#include "tests/support/structures.h"
#include "gpube/options/options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "csg/auction.h"
#include "csg/view.h"
#include "formats/formats.h"
#include "tests/support/memory.h"
#include "tests/support/test.h"

double best_partition(const struct gpube_model *g, uint64_t left, bool disposal)
{
	const uint64_t first = left & -left, rest = left ^ first;
	double best = -INFINITY;

	if (!left)
		return 0;
	for (uint64_t y = rest;; y = (y - 1) & rest) {
		best = fmax(best, gpube_coalitions_value(g, first | y) +
					  best_partition(g, rest ^ y, disposal));
		if (!y)
			break;
	}
	return disposal ? fmax(best, best_partition(g, rest, disposal)) : best;
}

void check_structure(const struct gpube_model *g, const struct gpube_csg_result *r, bool disposal)
{
	uint64_t seen = 0;
	double value = 0;

	for (int k = 0; k < r->n_parts; k++) {
		assert_true(r->parts[k] && !(r->parts[k] & seen));
		assert_true(k == 0 ||
			    (r->parts[k] & -r->parts[k]) > (r->parts[k - 1] & -r->parts[k - 1]));
		seen |= r->parts[k];
		value += gpube_coalitions_value(g, r->parts[k]);
	}
	assert_true(disposal || seen == ((uint64_t)1 << gpube_model_n_vars(g)) - 1);
	assert_true(fabs(value - r->value) <= 1e-9 * (1 + fabs(value)));
	assert_true(r->upper_bound >= r->value);
}

struct solving {
	const char *path;
	enum gpube_csg_method method;
};

static int get_and_solve(struct gpube_ctx *ctx, struct gpube_model *none, const void *arg)
{
	const struct solving *s = arg;
	const struct gpube_opts opts = {.csg_method = s->method};
	struct gpube_csg_result *r = NULL;
	struct gpube_model *g;
	int status = s->path ? gpube_read(&g, ctx, s->path,
				       &(struct gpube_opts){.from = GPUBE_FORMAT_CSG})
			     : draw_game(&g, ctx, "ndcs", 12, GPUBE_INT32, 1, "memory");

	(void)none;
	if (!status)
		status = gpube_csg(&r, g, &opts);
	assert_true(!r == (status != GPUBE_OK));
	gpube_result_free(r);
	gpube_model_free(g);
	return status;
}

void solve_scarcely(const char *path, enum gpube_csg_method method)
{
	const struct solving s = {path, method};

	assert_in_range(fail_each_allocation(get_and_solve, NULL, &s, 0), 4, 199);
}

void put_scaled(struct gpube_model *g, uint64_t c, double v)
{
	const bool no = v == -INFINITY;
	void *values = gpube_coalitions_values(g);

	switch (gpube_coalitions_type(g)) {
	case GPUBE_INT16:
		((int16_t *)values)[c] = no ? INT16_MIN : (int16_t)v;
		break;
	case GPUBE_INT32:
		((int32_t *)values)[c] = no ? INT32_MIN : (int32_t)v;
		break;
	case GPUBE_INT64:
		((int64_t *)values)[c] = no ? INT64_MIN : (int64_t)v * 1000000007;
		break;
	case GPUBE_FLOAT32:
		((float *)values)[c] = no ? -INFINITY : (float)(v * 0.37);
		break;
	default:
		((double *)values)[c] = no ? -INFINITY : v * 0.37;
		break;
	}
}

/* Pairs of names and values up to NULL, of a call that makes a model. */
static int make(struct gpube_model **out, struct gpube_ctx *ctx, const char *const *opts,
	int (*call)(struct gpube_model **, struct gpube_ctx *, const struct gpube_opts *))
{
	struct gpube_opts *o;
	int status = gpube_opts_new(&o, ctx);

	*out = NULL;
	for (; *opts && !status; opts += 2)
		status = gpube_opts_set(o, opts[0], opts[1]);
	if (!status)
		status = call(out, ctx, o);
	gpube_opts_free(o);
	return status;
}

int draw_game(struct gpube_model **out, struct gpube_ctx *ctx, const char *distribution,
	int n_agents, enum gpube_type type, uint64_t seed, const char *store)
{
	char number[2][24];

	snprintf(number[0], sizeof(number[0]), "%d", n_agents);
	snprintf(number[1], sizeof(number[1]), "%lld", (long long)seed);
	return make(out, ctx,
		(const char *const[]){"distribution", distribution, "n_agents", number[0], "type",
			gpube__type_name(type), "seed", number[1], "store", store, NULL},
		gpube_coalitions_generate);
}

int draw_auction(struct gpube_model **out, struct gpube_ctx *ctx, const char *distribution,
	int n_goods, int n_bids, uint64_t seed)
{
	char number[3][24];

	snprintf(number[0], sizeof(number[0]), "%d", n_goods);
	snprintf(number[1], sizeof(number[1]), "%d", n_bids);
	snprintf(number[2], sizeof(number[2]), "%lld", (long long)seed);
	return make(out, ctx,
		(const char *const[]){"distribution", distribution, "goods", number[0], "bids",
			number[1], "seed", number[2], NULL},
		gpube_auction_generate);
}

const char *word_of(char text[32], const char *words, int k)
{
	for (; k > 0 && strchr(words, '|'); k--)
		words = strchr(words, '|') + 1;
	return k ? NULL : memcpy(memset(text, 0, 32), words, strcspn(words, "|"));
}

int put_auction(struct gpube_ctx *ctx, const char *path, const char *distribution, int n_goods,
	int n_bids, uint64_t seed)
{
	struct gpube_model *m;
	int status = draw_auction(&m, ctx, distribution, n_goods, n_bids, seed);

	if (!status)
		status = gpube_write(m, path, &(struct gpube_opts){.to = GPUBE_FORMAT_CATS}, NULL);
	gpube_model_free(m);
	return status;
}
