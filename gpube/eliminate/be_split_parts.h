/* be_split_parts.h - what the files of be_split.h share. */
#ifndef GPUBE_BE_SPLIT_PARTS_H
#define GPUBE_BE_SPLIT_PARTS_H

#include "gpube/eliminate/be_blocks.h"
#include "gpube/eliminate/be_reduce.h"
#include "gpube/eliminate/be_split.h"

#include <pthread.h>

#define GPUBE__NO_BOX (-1) /* before all boxes: of the assignment that was searched for */

/* Who works on boxes, one after the other: a device on a thread of its own, or the caller. */
struct gpube__worker {
	struct gpube_be_split *split;
	struct gpube_ctx *ctx;
	bool own; /* the context */
	struct gpube_box box;
	struct gpube__blocks blocks;      /* from box to box: their tables are of the same sizes */
	int32_t *values, *reduced_values; /* of a box, of what is left of it */
	double *seconds;                  /* per bucket, of a box */
	/* of boxes done; by simplifying, which took seconds */
	double joined, spared_cells, reducing;
	struct gpube_split_times times;
	int64_t n_done;
	/* of the caller's context */
	void (*log)(void *, enum gpube_log_level, double, const char *);
	void *log_arg;
	double bytes;
	double opening, closing; /* seconds of its device */
	int status;
	pthread_t thread;
};

struct gpube_be_split {
	struct gpube_ctx *ctx;
	const struct gpube_model *m;
	struct gpube_boxes boxes;
	struct gpube_box_cost cost; /* of the largest */
	enum gpube_type type;
	bool slices; /* more of them than workers: bounded, and some left out */
	bool counting;
	double seconds; /* predicted, of one */
	uint64_t seed;
	struct gpube__solve_patience patience; /* from start on */
	double start;
	struct gpube__worker workers[GPUBE_MAX_DEVICES];
	int n_workers, n_begun;
	gpube_open_fn *open;

	/* under the lock */
	int64_t *bounds, *costs; /* per box; cost: GPUBE_INF: not below what was known then */
	uint8_t *ended;
	int64_t *queue, next, n_left_out;
	int64_t best, best_box; /* of that cost; GPUBE__NO_BOX: of none of them */
	int32_t *values;
	pthread_mutex_t lock;
	pthread_cond_t finished, opened; /* opened: all devices */
	int n_running, n_opening;
};

#endif
