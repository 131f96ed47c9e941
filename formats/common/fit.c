/* fit.c - see fit.h. */
#include "formats/common/fit.h"
#include "gpube/options/options.h"
#include "formats/common/observed.h"

#include "formats/common/survey.h"

enum { MOST_DIGITS = 18 };

int gpube__fit_init(struct gpube_fit *fit, const struct gpube_model *m,
	const struct gpube_format_row *f, bool beside, const struct gpube_opts *opts)
{
	int status = GPUBE_OK;

	*fit = (struct gpube_fit){.m = m,
		.given = m,
		.opts = opts,
		.negative = f->id == GPUBE_FORMAT_CFN || f->id == GPUBE_FORMAT_LG,
		.to_potentials = f->kind == GPUBE_POTENTIALS};
	if (m->evidence && !beside) {
		status = gpube__observed_view(&fit->with_evidence, m);
		if (status)
			return status;
		fit->observed = true;
		fit->m = &fit->with_evidence;
	}
	if (m->kind == GPUBE_POTENTIALS && f->kind == GPUBE_COSTS && !f->both_kinds) {
		status = gpube__quantise(&fit->costs, fit->m, opts->precision);
		fit->m = fit->costs;
	}
	if (status)
		gpube__fit_clear(fit);
	return status;
}

void gpube__fit_clear(struct gpube_fit *fit)
{
	gpube_model_free(fit->costs);
	if (fit->observed)
		gpube__observed_clear(&fit->with_evidence, fit->given);
	fit->costs = NULL;
	fit->observed = false;
}

static const struct gpube_model *source(const struct gpube_fit *fit)
{
	return fit->observed ? &fit->with_evidence : fit->given;
}

/* Moves all totals, and the bound, so that the least is 0; ERANGE if that does not help. */
static int raise_totals(struct gpube_fit *fit)
{
	struct gpube_survey survey;
	__int128 least;
	int status = gpube__survey_init(&survey, fit->m);

	if (status)
		return status;
	least = survey.least;
	gpube__survey_clear(&survey, fit->given->ctx);
	if (least == 0 || least <= -GPUBE_INF / 2 || least >= GPUBE_INF / 2)
		return GPUBE_ERANGE;
	if (least > 0 && fit->opts->wide)
		return GPUBE_ERANGE; /* (smaller totals help toulbar2 alone) */
	fit->view = *fit->m;
	fit->raised = (int64_t)-least;
	if (fit->view.direction == GPUBE_MAXIMISE)
		least = -least;
	if (__builtin_sub_overflow(fit->view.constant, (int64_t)least, &fit->view.constant))
		return GPUBE_ERANGE;
	if (gpube__minimised_top(fit->m) != GPUBE_INF &&
		__builtin_sub_overflow(fit->view.top, (int64_t)least, &fit->view.top))
		return GPUBE_ERANGE;
	fit->m = &fit->view;
	return GPUBE_OK;
}

/* Do totals or the bound pass what toulbar2 holds? Then fewer digits may help. */
static bool too_wide(const struct gpube_model *m)
{
	struct gpube_survey s;
	int64_t bound = gpube__minimised_top(m);
	bool wide;

	if (gpube__survey_init(&s, m))
		return false;
	wide = s.most_below >= GPUBE_TOULBAR2_MAX || gpube__sum_of_least(&s) > GPUBE_TOULBAR2_MAX ||
	       (bound > GPUBE_TOULBAR2_MAX && s.most_below - s.least >= GPUBE_TOULBAR2_MAX) ||
	       (bound != GPUBE_INF && bound - s.least > GPUBE_TOULBAR2_MAX);
	gpube__survey_clear(&s, m->ctx);
	return wide;
}

/* One digit less. A writer's reason to refuse stays the error's text. */
static int lose_digit(struct gpube_fit *fit)
{
	const struct gpube_model *from = source(fit);
	struct gpube_model *costs = NULL;
	int status;

	if (!too_wide(fit->m))
		return GPUBE_ERANGE;
	fit->raised = 0; /* to be found anew */
	if (from->kind == GPUBE_POTENTIALS && fit->opts->precision == 0 && fit->costs->scale > 1) {
		status = gpube__quantise(&costs, from, fit->costs->scale - 1);
	} else if (!fit->opts->lossy || fit->digits == MOST_DIGITS) {
		return GPUBE_ERANGE;
	} else if (from->kind == GPUBE_POTENTIALS) {
		fit->digits++;
		status = gpube__divide(&costs, fit->costs, 1);
	} else {
		status = gpube__divide(&costs, from, ++fit->digits);
	}
	if (status)
		return status;
	gpube_model_free(fit->costs);
	fit->costs = costs;
	fit->m = costs;
	return GPUBE_OK;
}

/* Costs as potentials: whether the exponential of one of them does not fit a double. */
static bool too_large(const struct gpube_model *m, bool *failed)
{
	struct gpube_survey survey;
	double unit = 1, most = 0;

	*failed = gpube__survey_init(&survey, m) != GPUBE_OK;
	if (*failed)
		return false;
	for (int k = 0; k < m->scale; k++)
		unit *= 10;
	for (int32_t t = 0; t < m->n_tables; t++) {
		most = most < (double)survey.max[t] ? (double)survey.max[t] : most;
		most = most < -(double)survey.min[t] ? -(double)survey.min[t] : most;
	}
	most = most < (double)m->constant ? (double)m->constant : most;
	most = most < -(double)m->constant ? -(double)m->constant : most;
	gpube__survey_clear(&survey, m->ctx);
	return most / unit >= 707;
}

static int loosen_potentials(struct gpube_fit *fit)
{
	bool failed, large = too_large(fit->m, &failed);

	if (failed)
		return GPUBE_ENOMEM;
	if (fit->m != &fit->view)
		fit->view = *fit->m;
	fit->m = &fit->view;
	if (large && fit->digits < MOST_DIGITS) {
		fit->view.scale++;
		fit->digits++;
		return GPUBE_OK;
	}
	if (gpube__minimised_top(&fit->view) == GPUBE_INF)
		return GPUBE_ERANGE;
	fit->view.top = fit->view.direction == GPUBE_MINIMISE ? GPUBE_INF : -GPUBE_INF;
	fit->no_top = true;
	return GPUBE_OK;
}

int gpube__fit_loosen(struct gpube_fit *fit)
{
	int status = GPUBE_ERANGE;

	if (fit->m->kind == GPUBE_POTENTIALS)
		return GPUBE_ERANGE;
	if (fit->to_potentials)
		return fit->opts->lossy ? loosen_potentials(fit) : GPUBE_ERANGE;
	if (!fit->negative && !fit->raised &&
		(fit->opts->shift || fit->opts->lossy || fit->given->kind == GPUBE_POTENTIALS))
		status = raise_totals(fit);
	return status == GPUBE_ERANGE ? lose_digit(fit) : status;
}

/* "12.5" of 125 and one decimal. */
static void say_raised(const struct gpube_fit *fit, const char *path)
{
	const int64_t by = fit->raised < 0 ? -fit->raised : fit->raised;
	const char *sign = fit->raised < 0 ? "minus" : "plus";
	const char *change = fit->raised < 0 ? "smaller" : "larger";
	int64_t unit = 1;

	for (int k = 0; k < fit->m->scale; k++)
		unit *= 10;
	gpube__log(fit->given->ctx, GPUBE_LOG_NOTE,
		fit->given->kind == GPUBE_POTENTIALS
			? "%s: the normalising constant is dropped: every total is -ln of the "
			  "product %s %lld.%0*lld"
			: "%s: shifted: every total is %s by %lld.%0*lld, so that none is %s",
		path, fit->given->kind == GPUBE_POTENTIALS ? sign : change, (long long)(by / unit),
		fit->m->scale ? fit->m->scale : 1, (long long)(by % unit),
		fit->raised < 0 ? "too large" : "negative");
}

void gpube__fit_tell(const struct gpube_fit *fit)
{
	struct gpube_written *to = fit->opts->written;

	if (to && fit->digits)
		*to = (struct gpube_written){0};
	else if (to && to->known)
		to->offset = -fit->raised;
}

void gpube__fit_say(const struct gpube_fit *fit, const char *path)
{
	struct gpube_ctx *ctx = fit->given->ctx;

	if (fit->given->kind == GPUBE_POTENTIALS && fit->costs)
		gpube__log(ctx, GPUBE_LOG_NOTE,
			"%s: costs are -ln of the potentials, rounded to %d decimal%s", path,
			fit->costs->scale, gpube__plural(fit->costs->scale));
	if (fit->digits)
		gpube__log(ctx, GPUBE_LOG_NOTE, "%s: costs are divided by 10^%d%s", path,
			fit->digits, fit->to_potentials ? "" : " and rounded");
	if (fit->raised)
		say_raised(fit, path);
	if (fit->no_top)
		gpube__log(ctx, GPUBE_LOG_NOTE,
			"%s: the bound is dropped: assignments that reach it are not excluded",
			path);
}
