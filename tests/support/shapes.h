/*
 * shapes.h - contractions to test and to measure: seeded random ones over all
 * that ops.h allows, and ones written as text. Their memory is the host's; tests
 * of a device copy it there (on_device.h).
 */
#ifndef GPUBE_TESTS_SHAPES_H
#define GPUBE_TESTS_SHAPES_H

#include "gpube/ops/ops.h"

enum shape_fill {
	SHAPE_SIGNED,    /* finite sums below top/2, top marks forbidden cells */
	SHAPE_ABSORB,    /* no value on the wrong side of 0, so that top absorbs */
	SHAPE_SATURATE,  /* the same with a top that ordinary sums reach */
	SHAPE_LIMIT,     /* the same with values as large as the type allows */
	SHAPE_TIES,      /* few different values: many cells attain the optimum */
	SHAPE_FORBIDDEN, /* nearly everything is forbidden */
	SHAPE_N_FILLS,
};

struct shape {
	struct gpube_contraction c; /* points into what follows */
	int64_t *sizes;
	struct gpube_operand *in;
	int64_t joined_cells, out_cells;
	double bytes; /* each input once and the output once */
	int batch;    /* how many of it make one measurement */
	char text[512];
};

/*
 * shape_random() - contraction number 'seed', with its values filled in.
 * max_joined   most joined cells
 */
void shape_random(struct shape *s, uint64_t seed, int64_t max_joined);

/*
 * shape_parse() - from "a=4 b=5 x=3 : a b : x a , b x , : 100", which is the dims
 * and sizes, the output's dims, the operands' dims, and optionally a batch
 * size. Dims not in the output are reduced in the order they were listed.
 * Values are not filled in. Returns NULL, or what is wrong with the text.
 */
const char *shape_parse(
	struct shape *s, const char *text, enum gpube_semiring semiring, enum gpube_type type);

void shape_fill(struct shape *s, uint64_t seed, enum shape_fill fill, bool counts);
/* Adds room for an argument of the fewest bytes that hold it. */
void shape_want_arg(struct shape *s);
/* Fills the outputs with a pattern that no result has. */
void shape_poison(struct shape *s);
void shape_free(struct shape *s);

/* Bytes of an operand's or of the output's values. */
uint64_t shape_in_bytes(const struct shape *s, int k);
uint64_t shape_out_bytes(const struct shape *s);

/* A second set of outputs of the same contraction: inputs are shared with 'from'. */
void shape_twin(struct shape *s, const struct shape *from);
void shape_twin_free(struct shape *s);

/*
 * Compares the outputs of 'got' with those of 'want', which has the same inputs, bit for
 * bit. Returns NULL, or a static text that says what differs.
 */
const char *shape_compare(const struct shape *got, const struct shape *want);

/*
 * Compares up to 'n' output cells, the first, the last and random ones, with sums taken
 * here: for what is too large for the reference.
 */
const char *shape_check_sample(const struct shape *s, int64_t n, uint64_t seed);

#endif
