/* lp.h - the state of method lp, for its own files. */
#ifndef CSG_LP_H
#define CSG_LP_H

#include "csg/lp/cover.h"
#include "csg/lp/master.h"
#include "csg/lp/scan.h"

#define CSG__STEP_SECONDS 4e-9 /* of csg__cover(): limits are counts */

struct csg__lp {
	const struct csg__view *g;
	struct gpube_csg_result *r;
	const char *certificate;
	bool disposal; /* for the certificate: the values are those of it */
	const struct csg__scan_kernel *kernel;
	struct csg__master master;
	int low_bits, high_bits; /* agents within a block of values, and above */

	/* duals of the scan at hand: in double, and tabled for the low agents */
	double w[GPUBE_MAX_AGENTS], size_w, *low;
	double *most; /* of each block: how much a coalition exceeds its weight */
	uint32_t *found;
	uint64_t n_scan; /* blocks */
	int n_new;       /* columns that the last scan has brought */

	/* exact: value = integer * 2^-shift */
	int shift;
	double scale;                              /* size of the values */
	int64_t dual[GPUBE_MAX_AGENTS], *low_dual; /* the latter: as 'low' of the former */
	int64_t upper, lower;                      /* lower INT64_MIN: no structure yet */

	struct csg__candidate *candidate;
	int64_t n_candidates, capacity, within;
	int64_t n_over; /* coalitions that the scan for candidates has looked at one by one */
	double margin;
	bool full, stopped;

	/* seconds by counts, as csg__clock_threads() says them; budget 0: no limit */
	double budget, spent;
	double start; /* by gpube__now() */
	int at_once;  /* threads whose work counts once */
};

/* A coalition's value in fixed point; INT64_MIN: forbidden. The same of what csg__value_int() gave.
 */
int64_t csg__fixed(const struct csg__lp *lp, uint64_t s);
int64_t csg__to_fixed(const struct csg__lp *lp, int64_t value);
int64_t csg__weight_of(const struct csg__lp *lp, uint64_t s);

/* Values of structures differ by multiples of this. */
static inline int64_t csg__lp_unit(const struct csg__lp *lp)
{
	return gpube__type_is_int(lp->g->type) ? (int64_t)1 << lp->shift : 1;
}
/*
 * The most slack, of a coalition of it or in total, of a structure worth more than lp->lower;
 * below 0: there is none.
 */
static inline int64_t csg__lp_better(const struct csg__lp *lp)
{
	return lp->lower == INT64_MIN ? INT64_MAX : lp->upper - lp->lower - csg__lp_unit(lp);
}

/*
 * The unit of fixed point, 2^-lp->shift: all sums of values, with room for duals that
 * are larger than any value. False: there is none.
 */
bool csg__lp_shift(struct csg__lp *lp, const struct csg__range *range);
/*
 * Raises duals until a coalition's weight is its value at least. False: slacks have no room any
 * more, which is weights below 2^61, where values are below 2^60.
 */
bool csg__lp_raise(struct csg__lp *lp, uint64_t s, int64_t value);
/* lp->dual from the master's; false if they are too large. */
bool csg__lp_round(struct csg__lp *lp);
/* Into lp->r, what the integers say of the game: floats were rounded to them by half a unit each.
 */
void csg__lp_report(struct csg__lp *lp, bool proved);
/* Logs lp->lower and an upper bound. */
void csg__lp_tell(const struct csg__lp *lp, int64_t upper);

/*
 * csg__certify() - checks the proof on its own, then writes it.
 * Errors: EBUG (it does not hold), EIO, ELIMIT, ENOMEM, ESTOP
 */
int csg__certify(const struct csg__lp *lp, const char *path, bool disposal);

#endif
