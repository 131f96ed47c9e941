/*
 * device.cuh - what the files of the CUDA backend share: the device's state, its
 * arena, and the entry points of the kernels. C with templates; no exceptions,
 * no C++ library.
 *
 * All work of a context goes to one stream, in order: a table may be freed and
 * its memory given out again while a kernel that reads it is still running.
 */
#ifndef GPUBE_OPS_DEVICE_CUH
#define GPUBE_OPS_DEVICE_CUH

#include <cuda_runtime.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

extern "C" {
#include "gpube/base/base.h"
#include "gpube/ops/contract/contract.h"
#include "gpube/ops/contract/contract_path.h"
#include "gpube/ops/device/arena.h"
#include "gpube/ops/index.h"
#include "gpube/ops/semiring.h"
}

struct gpube_splits;

/* A CUDA call: returns ECUDA, with its text, from the function that made it. */
#define GPUBE_ECUDA(ctx, call)                                                                     \
	do {                                                                                       \
		cudaError_t cuda_error_ = (call);                                                  \
		if (cuda_error_ != cudaSuccess)                                                    \
			return gpube__fail(ctx, GPUBE_ECUDA, "CUDA: %s in %s",                     \
				cudaGetErrorString(cuda_error_), #call);                           \
	} while (0)

struct gpube__clock;
struct gpube__memory;

/*
 * Pinned memory that kernels and the host both see while a kernel runs: the host
 * asks to stop, the kernel says how far it is. (And what is made once: subset_blocks.h.)
 */
struct gpube__watch {
	volatile int stop;
	volatile unsigned long long done;
	uint8_t lane_order[2][256];
};

/*
 * A partial result of a reduction: of the general kernel, whose values are integers, or of a best
 * one.
 */
struct gpube__partial {
	union {
		int64_t i;
		double f;
	} value;
	uint64_t count;
	int64_t arg;
};

#define GPUBE_MAX_PARTIALS 8192
#define GPUBE_MAX_PEERS    7
#define GPUBE_FEW          32 /* pieces or tables of which a kernel is told by its parameters */

struct gpube__device {
	int id, n_sms;
	size_t shared_bytes;    /* most a block may ask for */
	size_t sm_shared_bytes; /* of a multiprocessor */
	cudaStream_t stream;
	struct gpube__memory *memory; /* of the arena */
	struct gpube__arena *arena;
	uint64_t memory_bytes;           /* most for tables */
	struct gpube__partial *partials; /* GPUBE_MAX_PARTIALS, in the arena */
	void *words;                     /* descriptors, in the arena */
	uint64_t words_bytes;
	void *lists; /* what kernels make of descriptors, in the arena */
	uint64_t lists_bytes;
	/* their host copy, pinned, so that sending them waits for nothing */
	unsigned char *staging;
	uint64_t staging_bytes;
	cudaEvent_t sent;           /* the copy has been read */
	struct gpube__watch *watch; /* NULL until a kernel needs it */
	struct gpube__planning planning;
	cudaEvent_t marks[2]; /* benchmarks: recorded before and after the kernels, if not NULL */
	struct gpube__clock *clock;
	struct gpube_ctx *peers[GPUBE_MAX_PEERS]; /* see gpube__open_peers() */
	int n_peers;
	bool peers_known;
};

static inline struct gpube__device *gpube__device_of(struct gpube_ctx *ctx)
{
	return (struct gpube__device *)ctx->device;
}

/* ---- times (clock.cu) ----------------------------------------------------------------- */

/* So many launches of this family come next; their seconds count for it. */
void gpube__clock_by(struct gpube_ctx *ctx, enum gpube__by by, int64_t launches);
/* Before (0) and after (1) the kernels of a contraction. */
void gpube__mark(struct gpube_ctx *ctx, int which);
/* Where times go that are marked from here on; NULL: nowhere. */
void gpube__clock_to(struct gpube_ctx *ctx, double *seconds);
/* Waits for the stream and writes every time. */
int gpube__clock_settle(struct gpube_ctx *ctx, double *copying);
/* Around a copy between host and device, which waits for what was begun before: now, and done. */
double gpube__copy_begin(struct gpube_ctx *ctx);
int gpube__copy_end(struct gpube_ctx *ctx, double begin);
/* A copy that began then has taken the host until now. */
void gpube__copied(struct gpube_ctx *ctx, double begin);
int gpube__clock_open(struct gpube_ctx *ctx);
void gpube__clock_free(struct gpube_ctx *ctx, struct gpube__clock *c);

/*
 * Opens the machine's other devices, once: each is the device of a context of its own,
 * that of a peer, which has its own stream and arena. Returns how many there are; those
 * that cannot be opened are left out. The current device stays the context's.
 */
int gpube__open_peers(struct gpube_ctx *ctx);

/* ---- memory of tables (memory.cu, arena.h) ---------------------------------------------- */

/*
 * gpube__memory_new() - the source of an arena on device id, of at most 'limit' bytes in all. It is
 * freed after the arena.
 * Errors: ENOMEM
 */
int gpube__memory_new(struct gpube__memory **out, struct gpube_ctx *ctx, int id, uint64_t limit);
/* Lets device id, a peer's, have it, too; where it is refused, copies go through the host. */
void gpube__memory_share(struct gpube__memory *m, int id);

/* ---- descriptors ------------------------------------------------------------------ */

/*
 * Pinned memory, which the device sees, too, until the next call. to_send: for the host to write
 * to, so what was sent of it last is waited for; otherwise for kernels, which come behind that.
 */
unsigned char *gpube__staging(struct gpube_ctx *ctx, uint64_t bytes, bool to_send);

/* Room for 'bytes' of descriptors on the host and, through *out, on the device. */
unsigned char *gpube__words(struct gpube_ctx *ctx, void **out, uint64_t bytes);
/* Room for 'bytes' on the device alone, valid until the next call. */
void *gpube__lists(struct gpube_ctx *ctx, uint64_t bytes);
/* Sends the first 'bytes' of them, in the order of the stream. */
int gpube__words_send(struct gpube_ctx *ctx, uint64_t bytes);

/* Single cells of tables, in one round trip (ops.h). */
int gpube__gather_cuda(struct gpube_ctx *ctx, void *to, int64_t n, const struct gpube_cells *pieces,
	size_t cell_bytes);

/* Tables to shifts (ops.h). */
int gpube__match_cuda(struct gpube_ctx *ctx, const struct gpube_match *m);

/* ---- contract ----------------------------------------------------------------------- */

/* The operators of the backend. */
int gpube__contract_cuda(struct gpube_ctx *ctx, const struct gpube_contraction *c);
int gpube__contract_batch_cuda(struct gpube_ctx *ctx, int64_t n, const struct gpube_contraction *c);

/* An operator of subset.h: its comment is there. */
int gpube__subset_splits_cuda(struct gpube_ctx *ctx, const struct gpube_splits *s);

/* Any contraction: one thread, or several blocks, an output cell. */
int gpube__contract_general(struct gpube_ctx *ctx, const struct gpube_contraction *c);
/* Whether this program has code for the device. */
cudaError_t gpube__contract_general_probe(void);
/* The families and what the device allows; before the first contraction. */
void gpube__planning_init(struct gpube__device *d);

#endif
