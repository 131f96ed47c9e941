/* agg.h - what the reader of action graph games consists of. Internal to formats/games/. */
#ifndef GPUBE_AGG_H
#define GPUBE_AGG_H

#include "formats/games/game_reader.h"
#include "gpube/ir/games/action_graph.h"

/*
 * kind      of each function, with its default and its weights or NULL
 * types     of each player
 * sets      nodes that each player may play by any type, from set_at on
 */
struct gpube_agg {
	struct gpube_in *in;
	struct gpube_action_graph *g;
	bool bayesian;
	int32_t *kind, *dflt, **weights;
	int32_t *types, *sets, *set_at;
};

/* Behind comments: a number up to max, a fraction, a sign. */
static inline int gpube__agg_int(
	struct gpube_agg *r, int32_t *v, int32_t min, int64_t max, const char *what)
{
	int status;

	gpube__in_at_end(r->in);
	status = gpube__scan_int(r->in, v, min, what);
	if (!status && *v > max)
		return gpube__in_error(r->in, "%s, %d: at most %lld", what, *v, (long long)max);
	return status;
}

static inline int gpube__agg_rational(
	struct gpube_agg *r, struct gpube_rational *v, const char *what)
{
	gpube__in_at_end(r->in);
	return gpube__scan_number(r->in, v, what);
}

static inline int gpube__agg_char(struct gpube_agg *r, char c, const char *what)
{
	gpube__in_at_end(r->in);
	return gpube__scan_char(r->in, c, what);
}

/* Payoffs of an action node, once functions are settled. */
int gpube__agg_payoffs(struct gpube_agg *r, int32_t node);

#endif
