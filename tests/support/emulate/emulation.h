/*
 * emulation.h - plans of the CUDA backend, executed without a device by the index arithmetic that
 * the kernels share: the one harness for all families. A family says how a block of its kernel
 * reads, copies and writes (emulate_<family>.c); what is allowed is checked here: no read leaves
 * its table, none is misaligned, nothing is read from shared memory that was not put there, and
 * every output cell is what the reference says.
 */
#ifndef TESTS_SUPPORT_EMULATION_H
#define TESTS_SUPPORT_EMULATION_H

#include "gpube/ops/contract/contract_path.h"
#include "tests/support/cases.h"
#include "tests/support/shapes.h"

struct emulation {
	const struct shape *s;
	struct gpube__shape shape;
	int64_t stride[64 * GPUBE_MAX_DIMS];
	struct gpube__cuda_plan *p;
	/* tables of 2^32 cells, none of which is stored: a cell follows from its place */
	bool large;
	uint32_t every; /* one thread in so many is executed, the last one among them */
	int64_t *word;  /* shared memory */
	bool *written;
	uint32_t n_words;
	uint32_t *list;      /* a family's own, of n_list words */
	int64_t last_cell;   /* of the output that was written; -1: none */
	const char *problem; /* the first that was met, NULL: none */
};

void emulation_meet(struct emulation *e, const char *problem);

/* Cell 'at' of the contraction's operand k, which is read with its 'together' - 1 neighbours. */
int64_t emulation_read(struct emulation *e, int k, int64_t at, uint32_t together);

/*
 * Shared memory: the first so many words emptied; one word written; 'n' cells copied, to a place
 * that has nothing; read.
 */
void emulation_empty(struct emulation *e, uint32_t n_words);
void emulation_put(struct emulation *e, uint32_t to, int64_t v);
void emulation_copy(
	struct emulation *e, int k, int64_t from, uint32_t to, uint32_t n, uint32_t step);
int64_t emulation_get(struct emulation *e, uint32_t at);

/* An output cell, by the top rule; arg is left out where none is wanted. */
void emulation_write(struct emulation *e, int64_t at, int64_t best, int64_t arg);

/* Something that is wrong with a plan: planted, it has to be found. */
struct fault {
	const char *what;
	void (*plant)(struct gpube__cuda_plan *p);
};

struct emulated {
	enum gpube__by by;
	int n_kernels;
	int (*kernel_of)(const struct gpube__cuda_plan *p);
	/* What else plans of the shapes below have to have, each in one of them: bits. */
	int n_features;
	unsigned (*features_of)(const struct gpube__cuda_plan *p);
	/* Words of shared memory and of the list, NULL: none; fills the list. */
	uint32_t (*words_of)(const struct gpube__cuda_plan *p);
	uint32_t (*list_of)(const struct gpube__cuda_plan *p);
	void (*begin)(struct emulation *e);
	uint32_t (*blocks_of)(const struct gpube__cuda_plan *p);
	void (*block)(struct emulation *e, uint32_t block);
	const char *const *chosen; /* shapes that all have a plan */
	size_t n_chosen;
	bool all_types; /* int64 and arguments, too */
	const struct fault *faults;
	size_t n_faults;
};

extern const struct emulated emulated_boxes, emulated_direct, emulated_strips;

/* What each family's file has under these names. */
#define EMULATED_FAMILY                                                                            \
	.kernel_of = kernel_of, .features_of = features_of, .begin = begin,                        \
	.blocks_of = blocks_of, .block = block, .chosen = chosen,                                  \
	.n_chosen = sizeof(chosen) / sizeof(*chosen), .faults = faults,                            \
	.n_faults = sizeof(faults) / sizeof(*faults)

#endif
