/* model_as.h - the forms that gpube_model_as() takes, one by one. See gpube/forms.h. */
#ifndef GPUBE_FORMS_MODEL_AS_H
#define GPUBE_FORMS_MODEL_AS_H

#include "gpube/forms.h"

/*
 * Each is gpube_model_as() of one pair, of which forms.h says what it does and may fail with; out
 * and the model are there.
 * regret  as the option
 */
int gpube__costs_of_game(struct gpube_model **out, const struct gpube_model *game, int regret);
int gpube__costs_of_coalitions(struct gpube_model **out, const struct gpube_model *m);
int gpube__costs_of_auction(struct gpube_model **out, const struct gpube_model *m);
int gpube__game_of_costs(struct gpube_model **out, const struct gpube_model *m);
int gpube__coalitions_of_costs(struct gpube_model **out, const struct gpube_model *m);
int gpube__auction_of_costs(struct gpube_model **out, const struct gpube_model *m);

#endif
