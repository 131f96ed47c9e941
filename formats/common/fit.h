/*
 * fit.h - the model as a format can hold it: what is changed before writing, and
 * what the caller is told of it. Internal to formats/.
 *
 * Exact, without being asked: evidence becomes unary functions where there is
 * no file for it. Potentials become costs by one rounding, gpube__quantise(), to
 * the decimals that are asked for, or as many as the target holds; if their
 * totals can be negative and the target has no place for that, the normalising
 * constant is dropped, which is said.
 *
 * With 'shift', totals of costs are raised, too, and the bound with them.
 *
 * With 'lossy', one step after the other until the format takes it: totals are
 * raised, costs divided by a power of ten, a bound dropped that .uai has no place
 * for. All of it is said.
 */
#ifndef GPUBE_FIT_H
#define GPUBE_FIT_H

#include "formats/common/registry.h"
#include "gpube/options/options.h"

struct gpube_fit {
	const struct gpube_model *m; /* what to write */
	const struct gpube_model *given;
	const struct gpube_opts *opts;
	bool negative; /* the format holds negative totals */
	bool to_potentials;
	bool observed; /* evidence was turned into functions, in 'with_evidence' */
	struct gpube_model with_evidence;
	struct gpube_model *costs; /* owned: quantised, or with digits lost; may be NULL */
	struct gpube_model view;   /* 'm', if constants differ from the model it views */
	int digits;                /* that costs lost */
	int64_t raised;            /* by how much, in the units of 'm' */
	bool no_top;
};

/*
 * gpube__fit_init() - the model for a format; 'opts' must outlive it.
 * beside  there is a place for evidence beside the model
 * Errors: ERANGE (precision), ENOMEM (nothing to clear then)
 */
int gpube__fit_init(struct gpube_fit *fit, const struct gpube_model *m,
	const struct gpube_format_row *f, bool beside, const struct gpube_opts *opts);
/*
 * gpube__fit_loosen() - the writer has refused fit->m with ERANGE: takes the next
 * step that is allowed.
 * Errors: ERANGE (there is none, the writer's text stays), ENOMEM
 */
int gpube__fit_loosen(struct gpube_fit *fit);
/* The same of what totals mean, where the writer has told what those of fit->m do. */
void gpube__fit_tell(const struct gpube_fit *fit);
/* Tells what was done. */
void gpube__fit_say(const struct gpube_fit *fit, const char *path);
void gpube__fit_clear(struct gpube_fit *fit);

#endif
