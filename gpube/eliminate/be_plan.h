/*
 * be_plan.h - bucket elimination along a given order, before a table is touched: which functions
 * and messages meet in which bucket, over which variables, in which numbers, and what memory that
 * takes.
 *
 * Layout. Scopes are sorted by elimination position, so that in every table of
 * a bucket the eliminated variable is the slowest dimension and all tables of
 * one bucket agree on the fastest ones: inner loops are contiguous in all of
 * them, and a message needs no transposition on its way to its consumer.
 *
 * Assignment. An arg-min is recomputed from one slice per variable, for which the
 * messages into its bucket are kept, or it is stored in as few bits as the domain
 * needs and they are freed: per bucket, whichever takes less memory. On a device
 * that holds them all messages are kept, which spares copies of arg-mins; on the
 * host new pages for kept messages took half of the time of eliminating wide
 * problems of binary variables, and stored arg-mins a twentieth of the memory.
 */
#ifndef GPUBE_BE_PLAN_H
#define GPUBE_BE_PLAN_H

#include "gpube/ir/model.h"
#include "gpube/ops/ops.h"

struct gpube__blocks;

/* The bucket at position p eliminates order[p] and sends one message. */
struct gpube_bucket {
	int32_t var;
	int32_t n_in; /* inputs: be.inputs[in_at …]; f >= 0: a function, ~p: the message of bucket p
		       */
	int32_t n_scope; /* message: be.scopes[scope_at …], by elimination position */
	int64_t in_at, scope_at;
	int32_t consumer; /* position whose bucket takes the message; -1: it is a scalar */
	int64_t cells;    /* of the message */
	double joined;    /* cells * domain of var */
};

struct gpube_be {
	struct gpube_ctx *ctx;
	const struct gpube_model *m;
	int32_t n;
	int32_t *position; /* of each variable in the order */
	struct gpube_bucket *buckets;
	int64_t n_inputs, n_scopes, inputs_capacity, scopes_capacity;
	int32_t *inputs, *scopes;
	int32_t most_inputs; /* of any bucket */
};

/*
 * gpube__be_init() - sorts functions into buckets and works out every scope and size.
 * m       a simplified model (simplify.h), which must outlive 'be'
 * order   a permutation of its variables
 * Cost:   O(sum of scopes); no table is touched
 * Errors: ENOMEM; ELIMIT (a message of more than 2^62 cells)
 */
int gpube__be_init(struct gpube_be *be, const struct gpube_model *m, const int32_t *order);
void gpube__be_clear(struct gpube_be *be);

/* Joined cells of all buckets. */
double gpube__be_joined(const struct gpube_be *be);

/* How costs are held while eliminating: a type that no joined sum can leave. */
struct gpube_working {
	enum gpube_type type; /* INT32 or INT64 */
	int64_t top;          /* a cost >= top is forbidden (ops.h) */
};

/*
 * gpube__be_working() - int32 where the proof allows, else int64. Every cost is
 * in [0, top], top = min(top left, 1 + sum of the tables' maxima). What a bucket
 * adds must fit: of each input 'top' if it can be forbidden, otherwise the sum
 * of the maxima of the tables that went into it.
 * Errors: ERANGE, ENOMEM
 */
int gpube__be_working(struct gpube_working *w, const struct gpube_be *be);

/* Arg-mins of a domain are stored in 1, 2, 4, 8, 16 or 32 bits, and computed in 1, 2 or 4 bytes. */
static inline int gpube__be_arg_bits(int32_t domain)
{
	int bits = 1;

	while (bits < 32 && (int64_t)1 << bits < domain)
		bits *= 2;
	return bits;
}

static inline int gpube__be_arg_bytes(int32_t domain)
{
	int bits = gpube__be_arg_bits(domain);

	return bits <= 8 ? 1 : bits / 8;
}

/*
 * Unless all messages are kept: are the arg-mins of bucket p stored? Otherwise the messages into
 * it are kept, which are not larger; a bucket of functions alone costs nothing.
 */
bool gpube__be_stores_args(const struct gpube_be *be, int32_t p, enum gpube_type type);

/*
 * Most bytes of tables alive at once: with all messages kept until the
 * assignment is read off, with arg-mins stored where gpube__be_stores_args()
 * says so, and in a run that counts and wants no assignment.
 */
struct gpube_be_memory {
	double keep, args, count;
};

void gpube__be_memory(struct gpube_be_memory *out, const struct gpube_be *be, enum gpube_type type);

/* Should a run on this backend, which is open, keep all messages? */
bool gpube__be_keeps(
	const struct gpube_be_memory *memory, struct gpube_ctx *ctx, const struct gpube_ops *ops);

/* Bytes of a function's working copy (be_load.h), dense, in a type of 'size' bytes. */
double gpube__be_copy_bytes(const struct gpube_be *be, int32_t function, size_t size);

/*
 * gpube__be_window_end() - copies of consecutive buckets go up together: the end of the window that
 * begins with bucket p.
 * bytes  out: of its copies in a type of 'size' bytes
 */
int32_t gpube__be_window_end(double *bytes, const struct gpube_be *be, int32_t p, size_t size);

/*
 * Where buckets are worked on. With 'side', some on the host (ops[0], whose memory the host
 * reads), the others on a device (ops[1]); a message crosses over where its consumer is on the
 * other side.
 */
struct gpube_be_sides {
	const struct gpube_ops *ops[2];
	const uint8_t *side; /* per bucket; NULL: all on ops[0] */
	/* host memory (be_blocks.h) for one run after the other, or NULL */
	struct gpube__blocks *blocks;
};

static inline int gpube__side_of(const struct gpube_be_sides *sides, int32_t p)
{
	return sides->side ? sides->side[p] : 0;
}

#endif
