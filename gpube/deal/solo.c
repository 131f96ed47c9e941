/* solo.c - see solo.h. */
#include "gpube/deal/solo.h"

#include "gpube/bound/bound.h"
#include "gpube/ir/model.h"

/* Of a rank's work, where some is shared; ranks that have one beside that. */
#define BESIDE_SHARED 0.125
enum { MOST_BESIDE = 4 };
/* The part of a rank's memory. */
enum { MEMORY_PART = 4 };

/* By rank from 1 on, by how many files each is best for; later ranks have them with other seeds. */
static const enum gpube_bound_method methods[] = {
	GPUBE_BOUND_ANDOR, GPUBE_BOUND_ELIMINATE, GPUBE_BOUND_PAIRWISE, GPUBE_BOUND_TREE};
enum { N_METHODS = sizeof(methods) / sizeof(*methods) };

static void on_improved(void *arg, int64_t bound, int64_t cost, const int32_t *values)
{
	gpube__findings_improved(((struct gpube__solo *)arg)->findings, bound, cost, values);
}

static bool on_learn(void *arg, bool all, struct gpube__learned *to)
{
	return gpube__findings_learn(((struct gpube__solo *)arg)->findings, all, to);
}

static int work(struct gpube_ctx *ctx, void *arg)
{
	struct gpube__solo *s = arg;
	struct gpube_solution *found;
	const int status = gpube__solve_noted(&found, NULL, &s->mine, &s->opts, &s->watch);

	(void)ctx;
	gpube_result_free(found);
	return status;
}

int gpube__solo_open(struct gpube__solo *s, const struct gpube_model *given,
	const struct gpube_opts *opts, struct gpube__findings *findings, int rank)
{
	*s = (struct gpube__solo){.findings = findings,
		.given = given,
		.opts = *opts,
		.beside = rank <= MOST_BESIDE,
		.over = !rank || opts->method != GPUBE_BOUND_AUTO};
	if (s->over)
		return GPUBE_OK;
	s->watch = (struct gpube_watch){.arg = s, .improved = on_improved, .learn = on_learn};
	s->opts.method = methods[(rank - 1) % N_METHODS];
	s->opts.seed += (uint64_t)((rank - 1) / N_METHODS);
	if (s->opts.backend == GPUBE_BACKEND_AUTO)
		s->opts.backend = GPUBE_BACKEND_CPU; /* a card is for what is shared */
	s->opts.checkpoint = s->opts.resume = NULL;
	s->opts.progress = NULL;
	gpube__hand_open(&s->hand, given->ctx);
	s->hand.ctx.memory_bytes /= MEMORY_PART;
	return gpube__model_borrow(&s->mine, &s->hand.ctx, given);
}

int gpube__solo_poll(struct gpube__solo *s, bool shares)
{
	int status;

	if (s->over || !s->begun)
		return GPUBE_OK;
	gpube__ctx_pause(&s->hand.ctx,
		shares && (!s->beside || gpube__worked(&s->hand.ctx) >
						 BESIDE_SHARED * gpube__worked(s->given->ctx)));
	if (!s->hand.busy)
		return gpube__hand_begin(&s->hand, work, s);
	if (!gpube__hand_is_done(&s->hand))
		return GPUBE_OK;
	s->over = true;
	status = gpube__hand_end(&s->hand);
	return status == GPUBE_EBUG ? gpube__fail(s->given->ctx, status, "%s", s->hand.ctx.error)
				    : GPUBE_OK; /* others go on */
}

void gpube__solo_close(struct gpube__solo *s)
{
	s->over = true;
	if (!s->mine.ctx)
		return;
	gpube__hand_close(&s->hand);
	gpube__model_return(&s->mine, s->given);
	s->mine.ctx = NULL;
}
