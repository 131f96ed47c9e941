/* model_as.c - gpube_model_as(): which of the forms. See gpube/forms.h. */
#include "gpube/forms/model_as.h"
#include "gpube/options/options.h"
#include "gpube/ir/given.h"
#include "gpube/ir/model.h"

static int as_costs(struct gpube_model **out, const struct gpube_model *m, int regret)
{
	if (m->kind == GPUBE_GAME)
		return gpube__costs_of_game(out, m, regret);
	if (m->kind == GPUBE_COALITIONS)
		return m->auction ? gpube__costs_of_auction(out, m)
				  : gpube__costs_of_coalitions(out, m);
	return gpube__fail(m->ctx, GPUBE_EINVAL, "a model of %s is not made into one of costs",
		m->kind == GPUBE_COSTS ? "costs" : "potentials");
}

int gpube_model_as(struct gpube_model **out, const struct gpube_model *m, enum gpube_form form,
	const struct gpube_opts *opts)
{
	struct gpube_model view;
	struct gpube_opts o;
	int status = gpube__call(out, &view, &m, opts);

	if (!status)
		status = gpube__check_choice(m->ctx, "the form", form, GPUBE_FORM_AUCTION);
	if (!status)
		status = gpube__opts_take(&o, m->ctx, opts, GPUBE__ON_MODEL_AS);
	if (status)
		return status;
	switch (form) {
	case GPUBE_FORM_COSTS:
		return as_costs(out, m, o.regret);
	case GPUBE_FORM_GAME:
		return gpube__game_of_costs(out, m);
	case GPUBE_FORM_COALITIONS:
		return gpube__coalitions_of_costs(out, m);
	default:
		return gpube__auction_of_costs(out, m);
	}
}
