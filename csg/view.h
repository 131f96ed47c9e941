/* view.h - what the files of csg/ share: a model's table as the methods read it. */
#ifndef CSG_VIEW_H
#define CSG_VIEW_H

#include <math.h>

#include "csg/csg.h"
#include "gpube/options/options.h"
#include "gpube/base/base.h"
#include "gpube/ir/coalition_table.h"

struct gpube_subset_ops;
/* Option 'store'. */
enum { CSG_IN_MEMORY, CSG_ON_DEVICE, CSG_NOWHERE };
/* As --method and the results have it; NULL: it is none. */
const char *csg__method_name(enum gpube_csg_method method);
struct csg__source;

/*
 * A model as the methods read it. Its table is the model's, but where agents may stay out and one
 * alone is worth less than that: then it is a copy.
 *
 * scale   integers are in units of 10^-scale
 * values  2^n, aligned; memory of 'ops'; NULL if the table is a list or has a source
 * list    of coalitions, and who of them is where; NULL if all are stored, or none
 * source  not NULL: values are made whenever they are asked for
 * is_file the values are a file's pages
 * out     agents that alone are worth less than 0, where they may stay out: then they do
 * most    if bounded, by size: no value exceeds it, none is negative or forbidden
 */
struct csg__view {
	struct gpube_ctx *ctx;
	int n;
	enum gpube_type type;
	int scale;
	void *values;
	const struct gpube_table *list;
	struct gpube__mask_index index;
	const struct csg__source *source;
	const struct gpube_subset_ops *ops;
	uint64_t out;
	bool is_file, bounded;
	double most[GPUBE_MAX_AGENTS + 1];
	struct gpube_table own; /* a copy, cleared by csg__view_clear() */
};

/*
 * csg__view_init() - the view of a model, which must outlive it.
 * filled    a list as a dense table
 * disposal  agents alone are worth 0 at least, of a dense table
 * Errors: EINVAL (kind, no values), ELIMIT, ENOMEM
 */
int csg__view_init(struct csg__view *g, const struct gpube_model *m, bool filled, bool disposal);
void csg__view_clear(struct csg__view *g);

/* What a random game's table says of itself, if it is one (random_game.c). */
void csg__view_random(struct csg__view *g, const struct gpube_table *t);

/*
 * Whether the values can be read here. If not, conv alone can work with a source, and
 * conv, dp and idp with what is on a device.
 */
bool csg__on_host(const struct csg__view *g);

/* ---- values that are made when they are asked for (distributions.c) */

#define CSG_SOURCE_CHUNK 4096 /* values that are made in one go */

/* Whether the game has a source, and ops can make its values. */
bool csg__source_on(const struct csg__view *g, const struct gpube_subset_ops *ops);
/*
 * Values [from, from + n) into memory of ops, as 'type', which holds them: the game's, or
 * another integer type. Errors: ESTOP, ECUDA
 */
int csg__source_fill(const struct csg__view *g, const struct gpube_subset_ops *ops,
	enum gpube_type type, void *to, uint64_t from, uint64_t n);
/* The same here, as the game's type, by this thread, all of one chunk: n divides CSG_SOURCE_CHUNK
 * and 'from'. */
void csg__source_make(const struct csg__view *g, void *to, uint64_t from, uint64_t n);

/* Of integers: the value, INT64_MIN if forbidden. Of floats: the bits, in the low bytes. */
int64_t csg__value_int(const struct csg__view *g, uint64_t c);
/* The same as a double. */
double csg__value(const struct csg__view *g, uint64_t c);

static inline uint64_t csg__n_masks(const struct csg__view *g)
{
	return (uint64_t)1 << g->n;
}

/* The least double that is not below v, which is less than 2^63. */
static inline double csg__not_below(int64_t v)
{
	const double d = (double)v;

	return d < 0x1p63 && (int64_t)d < v ? nextafter(d, INFINITY) : d;
}

/*
 * What a game's values are like, and what follows for sums of them.
 * work    type in which every sum of a method fits, the narrowest of the integers; INT128: the
 *         other three are not set, and CSG__WIDE_FLOOR is the floor
 * floor   integers: stands for a forbidden coalition; a sum with such a part is
 *         below 'least', a sum without is not, and twice it fits 'work'
 * most    no sum of disjoint coalitions exceeds it; least: nor falls below it
 * bound   no structure is worth more, by the greatest value of each size; bound_int: integers,
 *         exactly, or INT64_MAX if it is more, INT64_MIN if there is none
 */
#define CSG__WIDE_FLOOR (-((__int128)1 << 100))

struct csg__range {
	bool forbidden; /* some coalition is */
	enum gpube_type work;
	int64_t floor, most, least;
	double most_real, least_real; /* the same for floats, rounded outwards */
	double bound;
	int64_t bound_int;
};

/* Errors: EINVAL (NaN, +inf, value 0 is not 0), ERANGE, ESTOP */
int csg__range(struct csg__range *range, const struct csg__view *g);

/*
 * Values [from, from + n) in the working type, forbidden ones as range->floor or -INFINITY; on all
 * threads.
 */
void csg__convert_all(void *to, const struct csg__range *range, const struct csg__view *g,
	uint64_t from, uint64_t n);

/* Whether g's own array can be used as it is. */
bool csg__as_is(const struct csg__range *range, const struct csg__view *g);

/*
 * What a method returns into: 'parts' has room for n masks. GPUBE_ESTOP leaves
 * n_parts as it was.
 */
struct csg__search {
	const struct csg__view *g;
	const struct csg__range *range;
	const struct gpube_opts *opts;
	struct gpube_csg_result *r;
	const struct gpube_subset_ops *ops; /* where conv, dp and idp work */
	bool agreed;                        /* the ranks have, see csg__agree() */
};

int csg__conv(struct csg__search *s);
int csg__dp(struct csg__search *s); /* dp and idp, by opts->csg_method */
/*
 * csg__lp_run() - seconds: give up after that, with r->answer BOUNDS; 0: never.
 */
int csg__lp_run(struct csg__search *s, double seconds);

/*
 * csg__improve() - a better structure than that of 'r', or one if it has none;
 * none where neither all together nor each alone is allowed.
 */
void csg__improve(struct gpube_csg_result *r, const struct csg__view *g);

/* Splits that a method does on n agents. */
double csg__splits(enum gpube_csg_method method, int n);

/* conv's time on this machine, by its rate and the splits. */
double csg__conv_seconds(const struct csg__search *s);
/*
 * Threads whose work counts once where lp and conv share seconds: these are the processor's, so
 * that all count by themselves, unless conv is a device's, where the clock decides.
 */
int csg__clock_threads(const struct csg__search *s);
/*
 * csg__log_bounds() - logs what is known of the worth of the best structure, or of winning bids.
 * start  of the call, by gpube__now()
 * lower  NAN: nothing was found yet
 */
void csg__log_bounds(
	struct gpube_ctx *ctx, double start, double lower, double upper, const char *by);

#endif
