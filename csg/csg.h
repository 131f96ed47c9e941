/*
 * csg.h - optimal coalition structures: the public interface. Include after
 * gpube/gpube.h, whose contexts, statuses and habits it shares.
 *
 * A game is n agents and a value for each of the 2^n - 1 coalitions; wanted is
 * the partition of the agents whose coalitions' values have the greatest sum.
 * Coalitions are masks: agent i (from 0) is bit i.
 */
#ifndef CSG_H
#define CSG_H

#include "gpube/gpube.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CSG_MAX_AGENTS 40

/* INT128 is no game's: dp works in it where sums may pass 64 bits. */
enum csg_type { CSG_INT16, CSG_INT32, CSG_INT64, CSG_FLOAT32, CSG_FLOAT64, CSG_INT128 };

struct csg_game;
struct dcop_world;

/*
 * csg_game_new() - a game with all values 0.
 * Cost:   2^n_agents values of memory
 * Errors: EINVAL n_agents not in [1, CSG_MAX_AGENTS], type; ELIMIT more than the
 *         context's memory; ENOMEM; ESTOP
 */
GPUBE_API int csg_game_new(
	struct csg_game **out, struct gpube_ctx *ctx, int n_agents, enum csg_type type);
GPUBE_API void csg_game_free(struct csg_game *g);

/*
 * csg_game_new_listed() - a game of n coalitions and their values, an array of the type; all others
 * are forbidden. It is a table of at most 20 agents, and where a 64th of all coalitions is listed;
 * otherwise it stays a list, which takes about 40 bytes a coalition, and csg_game_values() is NULL.
 * Errors: as csg_game_new(); EINVAL (a coalition of none or of other agents, or one twice)
 */
GPUBE_API int csg_game_new_listed(struct csg_game **out, struct gpube_ctx *ctx, int n_agents,
	enum csg_type type, int64_t n, const uint64_t *coalitions, const void *values);

GPUBE_API int csg_game_agents(const struct csg_game *g);
GPUBE_API enum csg_type csg_game_type(const struct csg_game *g);
/* "int16", "int32", "int64", "float32", "float64", "int128" */
GPUBE_API const char *csg_type_name(enum csg_type type);

/*
 * The 2^n values, to be filled and read: an array of the game's type, indexed by
 * mask; NULL if they are on a device or not stored. Value 0 must stay 0. Forbidden coalitions are
 * -INFINITY, in integers the least number of the type; no NaN, no +INFINITY.
 */
GPUBE_API void *csg_game_values(struct csg_game *g);

/* The value of one coalition; forbidden is -INFINITY. */
GPUBE_API double csg_game_value(const struct csg_game *g, uint64_t coalition);

/* ---- solving ------------------------------------------------------------------------------ */

enum csg_method {
	CSG_AUTO,   /* lp as long as it is cheaper than conv, then conv */
	CSG_LP,     /* linear bound over all coalitions, then a search among those it leaves */
	CSG_CONV,   /* one subset convolution per agent */
	CSG_DP,     /* Yeh's dynamic program over all splits of all coalitions */
	CSG_IDP,    /* Rahwan and Jennings: the splits that are needed by coalition size */
	CSG_IP,     /* Rahwan et al.: a search of integer partitions, bounded by coalition size */
	CSG_IDP_IP, /* the two in turns: the splits that idp has done are not searched */
};

/*
 * Options of csg_solve(); zero fields take the default.
 * timeout_seconds  stop with the best structure known; 0: never
 * free_disposal    agents (goods) may stay out, at no value: complete auctions
 * backend          of conv, dp and idp; AUTO: CUDA where it is predicted to pay;
 *                  CUDA: ENODEV where there is none
 * unshared_splittings  dp on a device: coalitions do not share what they fetch
 * certificate      path to write the proof of lp to, which there is if the result is OPTIMAL by
 *                  LP; NULL: none; other methods than AUTO and LP: EINVAL. certificate.md has
 *                  its format
 * world            the ranks of gpube-mpi (gpube/ranks/world.h), which all call this with the same
 *                  game: conv shares its layers among them, auto is conv; NULL: alone
 */
struct csg_opts {
	size_t sizeof_options;
	enum csg_method method;
	double timeout_seconds;
	int free_disposal;
	enum gpube_backend backend;
	int unshared_splittings;
	const char *certificate;
	struct dcop_world *world;
};

enum csg_answer {
	CSG_OPTIMAL,    /* the structure is a proved optimum, within 'error' */
	CSG_INFEASIBLE, /* every structure has a forbidden coalition */
	CSG_BOUNDS,     /* stopped: the structure and the upper bound are the best known */
	CSG_INCOMPLETE, /* stopped before any structure was known */
};

/*
 * parts        n_parts disjoint coalitions, by their lowest agents; with free
 *              disposal they need not hold all
 * value        of the structure, recomputed from the game: exact for integers
 *              (value_int), in double for floats
 * upper_bound  no structure is worth more; INFINITY if unknown
 * upper_int    the same of integers, exactly; INT64_MAX if it is unknown or past 64 bits
 * error        the optimum exceeds 'value' by no more than this: 0 for integers,
 *              rounding for floats
 * free_disposal  agents may stay out
 * method       that found it; never CSG_AUTO
 * work         type the method computed in
 * splits       pairs of coalitions whose sum was taken (conv, dp, idp, idp-ip)
 * seconds_splits  the time that took
 */
struct csg_result {
	enum csg_answer answer;
	int n_parts;
	uint64_t *parts;
	double value, upper_bound, error;
	int64_t value_int, upper_int;
	int is_int, free_disposal;
	enum csg_method method;
	enum csg_type work;
	const char *backend;
	double splits, seconds_splits;
	double seconds_lp, seconds_total;
	int64_t n_scans, n_columns, n_candidates; /* lp: of its stages */
	int64_t n_nodes; /* of its search; ip, idp-ip: coalitions examined */
	/* of a game of csg_from_model(): the integers and bounds are in units of 10^-scale */
	int scale;
	/*
	 * Why there is no certificate though one was asked for and the result is proved: EIO,
	 * ENOMEM or ESTOP; gpube_error() has the text until the next call. Otherwise 0.
	 */
	int certificate_status;
};

/*
 * csg_solve() - an optimal coalition structure.
 * Cost:   conv: 3^(n-1)/2 splits and 2^(n-1) values beside the game's
 *         where sums of integers might pass 64 bits: dp in 128 bits
 * Errors: EINVAL values or options; ERANGE the structure's value passes 64 bits, or sums may
 *         where dp cannot be: values on a device or not stored, several ranks;
 *         ENOMEM, ELIMIT; ESTOP never: the answer says how far it came; EBUG
 * Source: Rahwan and Jennings, AAMAS 2008; Pawlowski et al., AAMAS 2014; Yeh,
 *         BIT 26, 1986; Rahwan et al., JAIR 34, 2009 (ip), AAAI 2012 (idp-ip).  Example:
 *         tests/games/test_csg.c
 */
GPUBE_API int csg_solve(struct csg_result **out, struct csg_game *g, const struct csg_opts *opts);
GPUBE_API void csg_result_free(struct csg_result *r, struct gpube_ctx *ctx);

/*
 * csg_verify() - the structure that a certificate proves to be optimal for this game; checked by
 * means that share nothing with lp.
 * Cost:   2^n sums of memory beside the game's table, and some passes over them
 * Errors: EINVAL (it is no proof for this game: the text says why), EIO, EPARSE, ELIMIT, ENOMEM,
 *         ESTOP
 */
GPUBE_API int csg_verify(struct csg_result **out, struct csg_game *g, const char *path);

GPUBE_API const char *csg_method_name(enum csg_method method);

/* ---- files and distributions ----------------------------------------------------------------- */

/*
 * csg_read() - a game from the binary or the text format (benchmarks and
 * csg/csg_read.c describe them), told apart by content; .gz and .xz too. A plain
 * binary file is not read but mapped, privately; a compressed one whose values the
 * context's memory has no room for goes to a temporary file (in TMPDIR).
 * path    "-" is standard input
 * Errors: EIO, EPARSE, EINVAL (something else: the text says what), ERANGE, ELIMIT, ENOMEM
 */
GPUBE_API int csg_read(struct csg_game **out, struct gpube_ctx *ctx, const char *path);

/*
 * csg_from_model() - a model of the form of a game as that game: one function over all variables,
 * the agents, which have two values, 0 out of the coalition and 1 in it. A coalition is worth by
 * how much it costs less than none does, by how much it is worth more where costs are maximised; a
 * potential is a value itself, and that of none has to be 0. What is forbidden, or by itself
 * reaches the model's top, is forbidden. Values are integers in units of 10^-scale of the model's
 * scale, or floats. A sparse table of more than 20 agents stays a list while fewer than a 64th of
 * all coalitions is listed. The model is copied.
 * Cost:   as csg_game_new(), or what is listed
 * Errors: EINVAL (another form: the text says what), ELIMIT, ERANGE (a value past 64 bits), ENOMEM,
 *         ESTOP
 */
GPUBE_API int csg_from_model(struct csg_game **out, const struct gpube_model *m);
/* The scale of a game's integers: 0 unless csg_from_model() made it. */
GPUBE_API int csg_game_scale(const struct csg_game *g);

/* Agents of a game that becomes a model though all its coalitions may be formed. */
#define CSG_MODEL_AGENTS 14

/*
 * csg_model() - the game as a model of costs to be maximised, one assignment a structure. Up to
 * five agents: a variable each, its coalition's number. Up to CSG_MODEL_AGENTS: variable k is who
 * is left after k coalitions. More, of which at most 2^14 coalitions are not forbidden: a variable
 * an agent, its coalition.
 * Errors: EINVAL (float values, values on a device); ELIMIT (what is none of these, or more than
 *         2^26 cells); ERANGE (a structure's value), ENOMEM, ESTOP
 */
GPUBE_API int csg_model(struct gpube_model **out, const struct csg_game *g);

/* csg_write() - binary, or text if 'text' is not 0. Errors: EIO, ENOMEM */
GPUBE_API int csg_write(const struct csg_game *g, const char *path, int text);

/* Number k of the distributions, NULL past the last; csg_generate() takes the names. */
GPUBE_API const char *csg_distribution(int k);

/*
 * csg_generate() - a seeded random game. Integer types hold the value times 1000
 * (int16: times 10), rounded.
 * Errors: EINVAL no such distribution; ESTOP; as csg_game_new()
 */
GPUBE_API int csg_generate(struct csg_game **out, struct gpube_ctx *ctx, const char *distribution,
	int n_agents, enum csg_type type, uint64_t seed);

/*
 * csg_generate_on_device() - the same game in the memory of the context's CUDA
 * device, for methods conv, dp and idp: csg_game_values() is NULL.
 * Errors: EINVAL also where the values need more than sums and products; ENODEV; ELIMIT:
 *         values and half as many sums do not fit the device
 */
GPUBE_API int csg_generate_on_device(struct csg_game **out, struct gpube_ctx *ctx,
	const char *distribution, int n_agents, enum csg_type type, uint64_t seed);

/*
 * csg_generate_unstored() - the same game of which no value is stored: method conv makes
 * those it works on, on the device where csg_generate_on_device() could, as often as it
 * needs them (once, if a layer of them fits). For method conv alone; csg_game_values() is NULL.
 * Errors: as csg_generate()
 */
GPUBE_API int csg_generate_unstored(struct csg_game **out, struct gpube_ctx *ctx,
	const char *distribution, int n_agents, enum csg_type type, uint64_t seed);

#ifdef __cplusplus
}
#endif

#endif
