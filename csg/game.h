/* game.h - what the files of csg/ share. */
#ifndef CSG_GAME_H
#define CSG_GAME_H

#include <math.h>

#include "csg/csg.h"
#include "gpube/base/base.h"
#include "gpube/ir/model.h"

struct gpube_subset_ops;
struct csg__sparse;
struct csg__source;

/*
 * A game keeps its own table beside the engine's models: of a coalition a number, agent 1 the
 * lowest bit, 2 and more bytes wide, on the host, a card or a file's pages, where a model's cells
 * are in another order. What a model of this form holds is copied once, and takes no more memory
 * than the same game from a .csg: csg_from_model.c.
 *
 * scale   integers are in units of 10^-scale
 * values  2^n, aligned; memory of 'ops'; NULL if the game is sparse or has a source
 * sparse  NULL if there is a table (sparse.h)
 * source  not NULL: values are made whenever they are asked for
 * most    if bounded, by size: no value exceeds it, none is negative or forbidden
 */
struct csg_game {
	struct gpube_ctx *ctx;
	int n;
	enum csg_type type;
	int scale;
	void *values;
	struct csg__sparse *sparse;
	struct csg__source *source;
	const struct gpube_subset_ops *ops;
	bool bounded;
	double most[CSG_MAX_AGENTS + 1];
	void *map; /* the file that the values are a part of, if they were not read */
	uint64_t map_bytes;
};

/* ---- binary files: csg_read.c describes them */

#define CSG_HEADER_BYTES 32
#define CSG_MAGIC        "GPUBECSG"

static inline uint32_t csg__little(const char *p)
{
	const unsigned char *b = (const unsigned char *)p;

	return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline bool csg__big_endian(void)
{
	const uint16_t one = 1;

	return *(const unsigned char *)&one == 0;
}

/*
 * csg__map() - a game whose values are the pages of a plain binary file; *out is NULL,
 * and the status OK, where it is anything else, such as a pipe. Errors: ENOMEM
 */
int csg__map(struct csg_game **out, struct gpube_ctx *ctx, const char *path);

struct gpube_in;
/*
 * Whether what follows is a game, binary or text; and one from there, or on a plain file's pages.
 */
bool csg__is_game(struct gpube_in *in);
int csg__read_from(struct csg_game **out, struct gpube_in *in);
void csg__unmap(struct csg_game *g);

/*
 * Values that memory has no room for: a file without a name (-1, and EIO's text), what is
 * written to it, a game on its 2^n_agents values. Errors: EIO, ENOMEM
 */
int csg__nameless_file(struct gpube_ctx *ctx);
int csg__write_all(struct gpube_ctx *ctx, int fd, const char *p, size_t n);
int csg__map_values(
	struct csg_game **out, struct gpube_ctx *ctx, int fd, int n_agents, enum csg_type type);

/* Errors: EINVAL n_agents, type, as csg_game_new() */
int csg__game_check(struct gpube_ctx *ctx, int n_agents, enum csg_type type);

/* csg_game_new() in the memory of a backend; values are not set. */
int csg__game_new_on(struct csg_game **out, struct gpube_ctx *ctx, int n_agents, enum csg_type type,
	const struct gpube_subset_ops *ops);

/*
 * Whether the values can be read here. If not, conv alone can work with a source, and
 * conv, dp and idp with what is on a device.
 */
bool csg__on_host(const struct csg_game *g);

/* ---- values that are made when they are asked for (distributions.c) */

#define CSG_SOURCE_CHUNK 4096 /* values that are made in one go */

/* Whether the game has a source, and ops can make its values. */
bool csg__source_on(const struct csg_game *g, const struct gpube_subset_ops *ops);
/*
 * Values [from, from + n) into memory of ops, as 'type', which holds them: the game's, or
 * another integer type. Errors: ESTOP, ECUDA
 */
int csg__source_fill(const struct csg_game *g, const struct gpube_subset_ops *ops,
	enum csg_type type, void *to, uint64_t from, uint64_t n);
/* The same here, as the game's type, by this thread, all of one chunk: n divides CSG_SOURCE_CHUNK
 * and 'from'. */
void csg__source_make(const struct csg_game *g, void *to, uint64_t from, uint64_t n);

/* Of integers: the value, INT64_MIN if forbidden. Of floats: the bits, in the low bytes. */
int64_t csg__value_int(const struct csg_game *g, uint64_t c);
/* What csg__value_int() returned, as a double. */
double csg__decode(enum csg_type type, int64_t value);

static inline uint64_t csg__n_masks(const struct csg_game *g)
{
	return (uint64_t)1 << g->n;
}

/* The least double that is not below v, which is less than 2^63. */
static inline double csg__not_below(int64_t v)
{
	const double d = (double)v;

	return d < 0x1p63 && (int64_t)d < v ? nextafter(d, INFINITY) : d;
}

static inline bool csg__is_int(enum csg_type type)
{
	return type <= CSG_INT64 || type == CSG_INT128;
}

static inline enum gpube_type csg__base_type(enum csg_type type)
{
	return (enum gpube_type)((int)type + (int)GPUBE_INT16);
}

static inline size_t csg__type_size(enum csg_type type)
{
	return type == CSG_INT128 ? sizeof(__int128) : gpube__type_size(csg__base_type(type));
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
	enum csg_type work;
	int64_t floor, most, least;
	double most_real, least_real; /* the same for floats, rounded outwards */
	double bound;
	int64_t bound_int;
};

/* Errors: EINVAL (NaN, +inf, value 0 is not 0), ERANGE, ESTOP */
int csg__range(struct csg__range *range, const struct csg_game *g);

/*
 * Values [from, from + n) in the working type, forbidden ones as range->floor or -INFINITY; on all
 * threads.
 */
void csg__convert_all(void *to, const struct csg__range *range, const struct csg_game *g,
	uint64_t from, uint64_t n);

/* Whether g's own array can be used as it is. */
bool csg__as_is(const struct csg__range *range, const struct csg_game *g);

/*
 * What a method returns into: 'parts' has room for n masks. GPUBE_ESTOP leaves
 * n_parts as it was.
 */
struct csg__search {
	const struct csg_game *g;
	const struct csg__range *range;
	const struct csg_opts *opts;
	struct csg_result *r;
	const struct gpube_subset_ops *ops; /* where conv, dp and idp work */
	bool agreed;                        /* the ranks have, see csg__agree() */
};

int csg__conv(struct csg__search *s);
int csg__dp(struct csg__search *s); /* dp and idp, by opts->method */
int csg__ip(struct csg__search *s); /* ip and idp-ip, by opts->method */
/*
 * csg__lp_run() - seconds: give up after that, with r->answer BOUNDS; 0: never.
 */
int csg__lp_run(struct csg__search *s, double seconds);

/*
 * csg__improve() - a better structure than that of 'r', or one if it has none;
 * none where neither all together nor each alone is allowed.
 */
void csg__improve(struct csg_result *r, const struct csg_game *g);

/* Splits that a method does on n agents. */
double csg__splits(enum csg_method method, int n);

/* conv's time on this machine, by its rate and the splits. */
double csg__conv_seconds(const struct csg__search *s);
/*
 * Threads whose work counts once where lp and conv share seconds: these are the processor's, so
 * that all count by themselves, unless conv is a device's, where the clock decides.
 */
int csg__clock_threads(const struct csg__search *s);

#endif
