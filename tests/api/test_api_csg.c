/* test_api_csg.c - wrong calls of csg.h, auction.h, coalitions.h and forms.h: see wrong_calls.h. */
#include "tests/support/wrong_calls.h"
#include "gpube/options/options.h"

#include <limits.h>
#include <math.h>

#include "csg/auction.h"
#include "csg/csg.h"
#include "formats/formats.h"
#include "gpube/forms.h"
#include "tests/support/files.h"

static struct gpube_model *game, *sparse, *empty; /* empty: of the kind, without values */
static struct gpube_model *auction;

WRONG(gpube_coalitions_new)
{
	REFUSED(gpube_coalitions_new(NULL, ctx, 3, GPUBE_INT32));
	NOT_MADE(struct gpube_model, g, gpube_coalitions_new(&g, NULL, 3, GPUBE_INT32));
	NOT_MADE(struct gpube_model, g, gpube_coalitions_new(&g, ctx, 0, GPUBE_INT32));
	NOT_MADE(struct gpube_model, g, gpube_coalitions_new(&g, ctx, -1, GPUBE_INT32));
	NOT_MADE(struct gpube_model, g,
		gpube_coalitions_new(&g, ctx, GPUBE_MAX_AGENTS + 1, GPUBE_INT32));
	NOT_MADE(struct gpube_model, g, gpube_coalitions_new(&g, ctx, 3, GPUBE_INT128));
	NOT_MADE(struct gpube_model, g, gpube_coalitions_new(&g, ctx, 3, (enum gpube_type)99));
	NOT_MADE(struct gpube_model, g, gpube_coalitions_new(&g, ctx, 3, (enum gpube_type) - 1));
}

WRONG(gpube_coalitions_new_listed)
{
	static const uint64_t some[] = {1, 6}, none[] = {1, 0}, others[] = {1, 8}, again[] = {5, 5};
	static const int32_t values[] = {3, 4};
	static const uint64_t *const wrong[] = {none, others, again};

	REFUSED(gpube_coalitions_new_listed(NULL, ctx, 3, GPUBE_INT32, 2, some, values));
	NOT_MADE(struct gpube_model, g,
		gpube_coalitions_new_listed(&g, NULL, 3, GPUBE_INT32, 2, some, values));
	NOT_MADE(struct gpube_model, g,
		gpube_coalitions_new_listed(&g, ctx, 3, GPUBE_INT32, 2, NULL, values));
	NOT_MADE(struct gpube_model, g,
		gpube_coalitions_new_listed(&g, ctx, 3, GPUBE_INT32, 2, some, NULL));
	NOT_MADE(struct gpube_model, g,
		gpube_coalitions_new_listed(&g, ctx, 3, GPUBE_INT32, -1, some, values));
	NOT_MADE(struct gpube_model, g,
		gpube_coalitions_new_listed(&g, ctx, 0, GPUBE_INT32, 2, some, values));
	NOT_MADE(struct gpube_model, g,
		gpube_coalitions_new_listed(&g, ctx, 41, GPUBE_INT32, 2, some, values));
	NOT_MADE(struct gpube_model, g,
		gpube_coalitions_new_listed(&g, ctx, 3, GPUBE_INT128, 2, some, values));
	for (int k = 0; k < 3; k++)
		NOT_MADE(struct gpube_model, g,
			gpube_coalitions_new_listed(&g, ctx, 3, GPUBE_INT32, 2, wrong[k], values));
}

WRONG_ANSWER(gpube_coalitions_type, GPUBE_INT8)

WRONG_ANSWER(gpube_coalitions_values, NULL)

WRONG(gpube_coalitions_value)
{
	assert_true(gpube_coalitions_value(NULL, 1) == -INFINITY);
	assert_true(gpube_coalitions_value(game, 8) == -INFINITY);
	assert_true(gpube_coalitions_value(game, UINT64_MAX) == -INFINITY);
	assert_true(gpube_coalitions_value(sparse, UINT64_MAX) == -INFINITY);
}

static void wrong_csg_opts(struct gpube_model *g)
{
	static const struct gpube_opts rows[] = {
		{.csg_method = GPUBE_CSG_DP, .certificate = "proof"},
	};

	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++)
		NOT_MADE(struct gpube_csg_result, r, gpube_csg(&r, g, &rows[k]));
}

WRONG(gpube_csg)
{
	int32_t *values = gpube_coalitions_values(game);

	REFUSED(gpube_csg(NULL, game, NULL));
	NOT_MADE(struct gpube_csg_result, r, gpube_csg(&r, NULL, NULL));
	NOT_MADE(struct gpube_csg_result, r, gpube_csg(&r, m, NULL));
	NOT_MADE(struct gpube_csg_result, r, gpube_csg(&r, empty, NULL));
	wrong_csg_opts(game);
	wrong_csg_opts(sparse);
	values[0] = 1; /* nobody is worth nothing */
	NOT_MADE(struct gpube_csg_result, r, gpube_csg(&r, game, NULL));
	values[0] = 0;
}

WRONG(gpube_csg_verify)
{
	REFUSED(gpube_csg_verify(NULL, game, "/dev/null"));
	NOT_MADE(struct gpube_csg_result, r, gpube_csg_verify(&r, NULL, "/dev/null"));
	NOT_MADE(struct gpube_csg_result, r, gpube_csg_verify(&r, game, NULL));
	NOT_MADE(struct gpube_csg_result, r, gpube_csg_verify(&r, m, "/dev/null"));
}

static int as_with(const struct gpube_opts *o)
{
	struct gpube_model *made = (struct gpube_model *)(uintptr_t)16;
	const int status = gpube_model_as(&made, game, GPUBE_FORM_COSTS, o);

	assert_null(made);
	return status;
}

WRONG(gpube_model_as)
{
	struct gpube_model *players, *const models[] = {m, potentials, game, auction, empty};

#define NOT_AS(model, form) NOT_MADE(struct gpube_model, x, gpube_model_as(&x, model, form, NULL))
	for (enum gpube_form form = GPUBE_FORM_COSTS; form <= GPUBE_FORM_AUCTION; form++) {
		REFUSED(gpube_model_as(NULL, m, form, NULL));
		NOT_AS(NULL, form);
		/* costs of pairs are none of these, and what is a game already is made no other */
		for (size_t k = 0; k < sizeof(models) / sizeof(*models); k++)
			if (form || k < 2 || k == 4)
				NOT_AS(models[k], form);
	}
	NOT_AS(game, (enum gpube_form)4);
	NOT_AS(game, (enum gpube_form) - 1);
	wrong_options("gpube_model_as", as_with);
	/* of nobody, and of one who gets nothing yet */
	assert_int_equal(gpube_model_new(&players, ctx, GPUBE_GAME), 0);
	NOT_AS(players, GPUBE_FORM_COSTS);
	assert_int_equal(gpube_model_add_var(players, NULL, 2, NULL), 0);
	NOT_AS(players, GPUBE_FORM_COSTS);
	gpube_model_free(players);
}

static int generate_with(const struct gpube_opts *o)
{
	struct gpube_model *made = (struct gpube_model *)(uintptr_t)16;
	const int status = gpube_coalitions_generate(&made, ctx, o);

	assert_null(made);
	return status;
}

/* An option's values are refused where they are set. */
static void not_set(const char *name, const char *value)
{
	struct gpube_opts *o;

	assert_int_equal(gpube_opts_new(&o, ctx), 0);
	REFUSED(gpube_opts_set(o, name, value));
	gpube_opts_free(o);
}

WRONG(gpube_coalitions_generate)
{
	REFUSED(gpube_coalitions_generate(NULL, ctx, NULL));
	NOT_MADE(struct gpube_model, g, gpube_coalitions_generate(&g, NULL, NULL));
	wrong_options("gpube_coalitions_generate", generate_with);
	not_set("distribution", "nix");
	not_set("type", "int128");
	not_set("store", "disk");
}

WRONG(gpube_auction_new)
{
	static const int64_t at[] = {0, 2, 3}, no_goods[] = {0, 2, 2}, prices[] = {4, 5};
	static const int64_t low[] = {4, INT64_MIN};
	static const int32_t goods[] = {0, 2, 1}, falling[] = {2, 0, 1}, others[] = {0, 3, 1};
	static const int32_t negative[] = {-1, 2, 1};

#define NO_AUCTION(...) NOT_MADE(struct gpube_model, a, gpube_auction_new(&a, __VA_ARGS__))
	REFUSED(gpube_auction_new(NULL, ctx, 3, 0, 2, at, goods, prices));
	NO_AUCTION(NULL, 3, 0, 2, at, goods, prices);
	NO_AUCTION(ctx, 3, 0, 2, NULL, goods, prices);
	NO_AUCTION(ctx, 3, 0, 2, at, NULL, prices);
	NO_AUCTION(ctx, 3, 0, 2, at, goods, NULL);
	NO_AUCTION(ctx, -1, 0, 2, at, goods, prices);
	NO_AUCTION(ctx, 3, -1, 2, at, goods, prices);
	NO_AUCTION(ctx, 3, 0, -2, at, goods, prices);
	NO_AUCTION(ctx, INT_MAX, INT_MAX, 2, at, goods, prices);
	NO_AUCTION(ctx, 3, 0, 2, no_goods, goods, prices);
	NO_AUCTION(ctx, 3, 0, 2, at, falling, prices);
	NO_AUCTION(ctx, 3, 0, 2, at, others, prices);
	NO_AUCTION(ctx, 3, 0, 2, at, negative, prices);
	NO_AUCTION(ctx, 3, 0, 2, at, goods, low);
}

WRONG_ANSWER(gpube_auction_bids, 0)

WRONG(gpube_auction_bid_number)
{
	assert_true(gpube_auction_bid_number(NULL, 0) == -1);
	assert_true(gpube_auction_bid_number(auction, -1) == -1);
	assert_true(gpube_auction_bid_number(auction, gpube_auction_bids(auction)) == -1);
}

static int auction_with(const struct gpube_opts *o)
{
	struct gpube_auction_result *r = (struct gpube_auction_result *)(uintptr_t)16;
	const int status = gpube_auction(&r, auction, o);

	assert_null(r);
	return status;
}

WRONG(gpube_auction)
{
	REFUSED(gpube_auction(NULL, auction, NULL));
	NOT_MADE(struct gpube_auction_result, r, gpube_auction(&r, NULL, NULL));
	NOT_MADE(struct gpube_auction_result, r, gpube_auction(&r, m, NULL));
	NOT_MADE(struct gpube_auction_result, r, gpube_auction(&r, game, NULL));
	NOT_MADE(struct gpube_csg_result, r, gpube_csg(&r, auction, NULL));
	wrong_options("gpube_auction", auction_with);
}

static int draw_with(const struct gpube_opts *o)
{
	struct gpube_model *made = (struct gpube_model *)(uintptr_t)16;
	const int status = gpube_auction_generate(&made, ctx, o);

	assert_null(made);
	return status;
}

WRONG(gpube_auction_generate)
{
	REFUSED(gpube_auction_generate(NULL, ctx, NULL));
	NOT_MADE(struct gpube_model, a, gpube_auction_generate(&a, NULL, NULL));
	wrong_options("gpube_auction_generate", draw_with);
	not_set("goods", "1");
	not_set("bids", "0");
}

static const int32_t values[] = {0, 5, 5, 9, 1, 8, 5, 12};

static void unchanged(void)
{
	wrong_models_unchanged();
	assert_memory_equal(gpube_coalitions_values(game), values, sizeof(values));
}

static int set_up(void **state)
{
	static const char text[] = "csg 40 int32\ndefault -1\n{1,40} 9\n";
	const char *path;

	if (wrong_models_setup(state))
		return -1;
	assert_int_equal(gpube_coalitions_new(&game, ctx, 3, GPUBE_INT32), 0);
	memcpy(gpube_coalitions_values(game), values, sizeof(values));
	assert_int_equal(gpube_model_new(&empty, ctx, GPUBE_COALITIONS), 0);
	path = in_dir("sparse.txt");
	test_put(path, text, sizeof(text) - 1);
	assert_int_equal(
		gpube_read(&sparse, ctx, path, &(struct gpube_opts){.from = GPUBE_FORMAT_CSG}), 0);
	assert_int_equal(gpube_auction_generate(&auction, ctx,
				 &(struct gpube_opts){.goods = 5, .bids = 5, .seed = 1}),
		0);
	return 0;
}

static int tear_down(void **state)
{
	gpube_model_free(game);
	gpube_model_free(sparse);
	gpube_model_free(empty);
	gpube_model_free(auction);
	return wrong_models_teardown(state);
}

int main(void)
{
	static const char *const headers[] = {
		"csg/csg.h", "csg/auction.h", "gpube/coalitions.h", "gpube/forms.h", NULL};

	return wrong_calls_run(headers, set_up, tear_down, unchanged);
}
