/* conv_plan.c - what of conv's tables is where, and in pieces of what size: see conv.h. */
#include "csg/conv/conv.h"

#define ROUNDING_BYTES 4096 /* of a device's tables, to its alignment, in all */
#define LEAST_BITS     10   /* of a piece */
#define RESIDENT_TRIES 4 /* halvings of pieces before the sums leave the device for larger ones */

/* Of a pair of pieces that a rank may be silent for: seconds, on the CPU and on a device. */
#define POLLED_BITS       23
#define POLLED_BITS_THERE 28

int csg__n_ranks(const struct csg__search *s)
{
	return s->opts->world ? s->opts->world->n_ranks : 1;
}

int csg__rank_bits(int n_ranks)
{
	double parts = 1; /* all pairs, in units of those of the largest piece */
	int bits = 0;

	for (; n_ranks > 1 && parts < 2 * n_ranks; bits++)
		parts *= 1.5;
	return bits;
}

int csg__layer_bits(const struct csg__conv_plan *plan, int h, int n_ranks)
{
	const int most = h < plan->piece_bits ? h : plan->piece_bits;
	const int shared = h - csg__rank_bits(n_ranks);
	const int least = most < LEAST_BITS ? most : LEAST_BITS;

	return n_ranks == 1 || shared >= most ? most : shared > least ? shared : least;
}

/* What a plan is made for. */
struct needs {
	const struct csg__search *s;
	enum gpube_type type;
	bool here;                 /* the backend's memory is the host's */
	uint64_t sums, game, most; /* bytes; game: that must stay beside conv's tables */
	uint64_t most_here;
	int n_ranks, whole; /* bits of the largest layer */
};

static void count(struct csg__conv_plan *p, const struct needs *n)
{
	const uint64_t piece = (uint64_t)gpube__type_size(n->type) << p->piece_bits;
	const bool game_there = n->here || n->s->g->ops == n->s->ops;

	p->merges = p->piece_bits < n->whole;
	p->tables = (p->copies + p->merges + 2 * (uint64_t)p->sums_here) * piece +
		    n->s->ops->scratch(n->s->g->ctx, n->type, p->piece_bits) +
		    (p->sums_here ? 0 : n->sums) + (n->here ? 0 : ROUNDING_BYTES);
	p->there = p->tables + (game_there ? n->game : 0);
	p->here = (p->sums_here ? n->sums : 0) + (game_there ? 0 : n->game);
}

/* The largest pieces from 'most' bits down to 'least' that fit; false: none do. */
static bool try_pieces(
	struct csg__conv_plan *p, const struct needs *n, bool sums_here, int most, int least)
{
	p->sums_here = sums_here;
	for (p->piece_bits = most; p->piece_bits >= least; p->piece_bits--) {
		count(p, n);
		if (p->there <= n->most && p->here <= n->most_here)
			return true;
	}
	p->piece_bits = least;
	count(p, n);
	return false;
}

static int refuse(const struct csg__conv_plan *p, const struct needs *n)
{
	const uint64_t layers = p->there + p->here - n->sums - n->game;

	return gpube__fail(n->s->g->ctx, GPUBE_ELIMIT,
		"conv: %d agents take %llu MiB for sums, %llu MiB for values and %llu MiB "
		"for layers of them, allowed are %llu MiB%s%s",
		n->s->g->n, (unsigned long long)(n->sums >> 20),
		(unsigned long long)(n->game >> 20), (unsigned long long)(layers >> 20),
		(unsigned long long)((n->here ? n->most : n->most_here) >> 20),
		n->here ? "" : " beside the device",
		n->game ? "; values of a plain binary file take none" : "");
}

int csg__conv_plan(struct csg__conv_plan *p, const struct csg__search *s)
{
	const struct csg__view *g = s->g;
	struct needs n = {.s = s,
		.type = s->range->work,
		.here = s->ops == gpube__subset_cpu(),
		.most = s->ops->memory(g->ctx),
		.most_here = g->ctx->memory_bytes,
		.n_ranks = csg__n_ranks(s),
		.whole = g->n > 2 ? g->n - 2 : 0};
	int bits = n.whole, least;

	*p = (struct csg__conv_plan){.copies = g->ops != s->ops || g->source};
	if (csg__on_host(g) && !csg__as_is(s->range, g))
		p->copies = true;
	if (n.here)
		n.most = g->ctx->memory_bytes;
	n.sums = (uint64_t)gpube__type_size(n.type) << (g->n - 1);
	if (g->values && !g->is_file) /* of a file, the system keeps what it can */
		n.game = (uint64_t)gpube__type_size(g->type) << g->n;
	least = bits < LEAST_BITS ? bits : LEAST_BITS;
	if (n.n_ranks > 1) {
		const int polled = n.here ? POLLED_BITS : POLLED_BITS_THERE;

		p->piece_bits = bits < polled ? bits : polled;
		bits = csg__layer_bits(p, bits, n.n_ranks);
	}
	if (n.here)
		return try_pieces(p, &n, false, bits, least) ? GPUBE_OK : refuse(p, &n);
	if ((n.n_ranks == 1 &&
		    try_pieces(p, &n, false, bits,
			    bits - RESIDENT_TRIES > least ? bits - RESIDENT_TRIES : least)) ||
		try_pieces(p, &n, true, bits, least) ||
		(n.n_ranks == 1 && try_pieces(p, &n, false, bits, least)))
		return GPUBE_OK;
	(void)try_pieces(p, &n, true, least, least);
	return refuse(p, &n);
}
