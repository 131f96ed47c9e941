/* list_diverse.h - gpube_list() with a distance: how list.c asks for it. */
#ifndef GPUBE_LIST_DIVERSE_H
#define GPUBE_LIST_DIVERSE_H

#include "gpube/ir/model.h"
#include "gpube/options/options.h"
#include "gpube/partial.h"

/*
 * gpube__list_diverse() - fills a list, empty so far, with assignments of which each is optimal
 * among those that differ from all before in o->distance variables or more. After ESTOP it has what
 * was found.
 * Errors: those of gpube_solver_run(); ERANGE (so many variables and so large a distance have no
 *         chains that fit: globals.h)
 */
int gpube__list_diverse(
	struct gpube_list *l, const struct gpube_model *m, const struct gpube_opts *o);

#endif
