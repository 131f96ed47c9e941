/* be_split_parts.h - what the files of be_split.h share. */
#ifndef GPUBE_BE_SPLIT_PARTS_H
#define GPUBE_BE_SPLIT_PARTS_H

#include "gpube/eliminate/be_blocks.h"
#include "gpube/eliminate/be_reduce.h"
#include "gpube/eliminate/be_split.h"

#include <pthread.h>

#define GPUBE__NO_BOX (-1) /* before all boxes: the assignment of the local search */

/* A worker does boxes one after the other: a device on a thread of its own, or the caller. */
struct gpube__worker {
	struct gpube_be_split *split;
	struct gpube_ctx *ctx;
	struct gpube_ctx child; /* its own context, */
	bool own;               /* if it has one */
	struct gpube_box box;
	struct gpube__blocks blocks; /* kept from box to box: their tables have the same sizes */
	int32_t *values, *reduced_values; /* of a box, and of the simplified box */
	double *seconds;                  /* per bucket, of a box */
	/* joined cells of all boxes done; those that simplification spared, and its seconds */
	double joined, spared_cells, reducing;
	struct gpube_split_times times;
	int64_t n_done;
	/* the log of the caller's context */
	gpube_log_fn *log;
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
	struct gpube_box_cost cost; /* of the largest box */
	enum gpube_type type;
	bool counting;
	double seconds; /* predicted, of one box */
	uint64_t seed;
	struct gpube__solve_patience patience; /* since the start */
	double start;
	struct gpube__worker workers[GPUBE_MAX_DEVICES];
	int n_workers, n_begun;
	gpube_open_fn *open;

	/* guarded by the lock */
	int64_t *bounds, *costs; /* per box; cost GPUBE_INF: it was not below the incumbent */
	uint8_t *ended;
	int64_t *queue, next, n_left_out;
	int64_t best, best_box; /* the box of that cost; GPUBE__NO_BOX: none */
	int32_t *values;
	pthread_mutex_t lock;
	pthread_cond_t finished;
	int n_running;
};

#endif
