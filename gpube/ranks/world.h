/*
 * world.h - the ranks that host agents, and how messages get from one to another.
 *
 * Designs weighed for MPI. (1) Linking the program with libmpi: every start would
 * load it, 30 libraries and more, and the program would not start where there is none.
 * (2) dlopen() of a plugin: it has to be found at run time, handles and constants
 * differ between MPI libraries so that it fits one of them alone, and Open MPI's own
 * plugins want its symbols to be global. (3) A second program, gpube-mpi, of the same
 * objects, in which world_mpi.c, compiled and linked by mpicc, stands for
 * world_single.c: this one. mpicc knows its own flags, and nothing else changes.
 */
#ifndef DCOP_WORLD_H
#define DCOP_WORLD_H

#include "gpube/base/base.h"

/* A piece of memory to send or to fill. */
struct dcop_blob {
	void *at;
	uint64_t bytes;
};

/*
 * What a rank sends another: a body, and tables behind it.
 * blobs  not copied: they stay until 'done' is called
 */
struct dcop_parcel {
	void *body; /* taken over */
	uint64_t body_bytes;
	int32_t n_blobs;
	struct dcop_blob *blobs;                        /* taken over */
	void (*done)(void *arg, struct dcop_parcel *p); /* may be NULL */
	void *arg;
	struct dcop_parcel *next;
};

/* Bytes and messages between ranks; 'sent_bytes' after compression. */
struct dcop_traffic {
	int64_t n_parcels, n_pieces;
	uint64_t raw_bytes, sent_bytes;
};

/*
 * Called by dcop__world_poll().
 * body    a parcel from rank 'from' has begun: say where its blobs go (memory of
 *         their sizes); a status ends the run
 * parcel  it is complete; body is borrowed
 */
struct dcop_listener {
	void *arg;
	int (*body)(void *arg, int from, const void *body, uint64_t bytes, struct dcop_blob **blobs,
		int32_t *n_blobs);
	int (*parcel)(void *arg, int from, const void *body, uint64_t bytes);
};

/*
 * receive_timeout  seconds after which a rank that sends nothing, not even a sign of
 *                  life, ends the run; 0: 60. Signs of life are sent while agents compute,
 *                  so that a slow rank is not taken for a dead one
 * piece_bytes      largest MPI message; 0: 2^30. Larger parcels go in pieces
 * compress         pieces that zlib makes smaller are sent so
 */
struct dcop_world_opts {
	double receive_timeout;
	uint64_t piece_bytes;
	bool compress;
};

struct dcop_world_impl;

/*
 * n_here: ranks of this host; failed, stopped: see dcop_world_agree(); -1: none
 * star: every message goes to or from rank 0, and no other ranks exchange signs of life
 */
struct dcop_world {
	struct gpube_ctx *ctx;
	int rank, n_ranks, n_here, failed;
	bool stopped, star;
	struct dcop_world_opts opts;
	struct dcop_traffic traffic;
	struct dcop_world_impl *impl;
};

/* Whether this program has ranks: gpube-mpi does, gpube does not. */
bool dcop_world_is_mpi(void);

/* The rank that this process will have, as far as the environment tells before it joins; or 0. */
int dcop_world_early_rank(void);

/*
 * dcop_world_open() - joins the ranks; in a program without MPI: rank 0 of 1.
 * Errors: EIO, ENOMEM
 */
int dcop_world_open(
	struct dcop_world *w, struct gpube_ctx *ctx, const struct dcop_world_opts *opts);

/*
 * dcop_world_agree() - waits for all ranks, so that all stop when one failed before
 * the run: w->failed becomes the first rank that brings a status other than 0, so that
 * one alone tells it. w->stopped: every status that is not 0 is ESTOP, and there is one.
 * Returns 'status', or, if that is 0 and another rank's is not: EIO
 * Errors: EIO (a rank did not come within the timeout; w->failed stays -1)
 */
int dcop_world_agree(struct dcop_world *w, int status);

/*
 * dcop__parcel_new() - a parcel whose body begins with a head; what is more, and the blobs, are to
 * be filled. NULL: no memory
 */
struct dcop_parcel *dcop__parcel_new(struct gpube_ctx *ctx, const void *head, uint64_t head_bytes,
	uint64_t more_bytes, int32_t n_blobs);
/* Puts a parcel into the queue for a rank; it is the world's from here on, also on failure. */
int dcop__world_send(struct dcop_world *w, int to, struct dcop_parcel *p);

/*
 * dcop__world_poll() - moves what can be moved, without waiting.
 * busy    out: something moved
 * Errors: EIO (a rank is silent for too long), ENOMEM, those of the listener
 */
int dcop__world_poll(struct dcop_world *w, const struct dcop_listener *l, bool *busy);
/* The same, and a nap where nothing moved: for who has nothing else to do. */
int dcop__world_wait(struct dcop_world *w, const struct dcop_listener *l, long nap_ns);

/* Whether everything queued has left this rank. */
bool dcop__world_drained(const struct dcop_world *w);

/*
 * For the tests of what other ranks make of it, called where work begins:
 * GPUBE_TEST_RANK="die 1" kills rank 1, "stop 1" stops it, "slow 1" makes it sleep 2 s.
 */
void dcop__test_hook(const struct dcop_world *w);
/* GPUBE_TEST_RANK=eager: work is shared in milliseconds, however little it is. */
bool dcop__test_eager(void);
/* GPUBE_TEST_RANK=solo: rank 0 waits for what another rank proves by itself. */
bool dcop__test_solo(void);

/*
 * dcop_world_close() - leaves. failed: the other ranks may be waiting for this one, so
 * all are ended; does not return in a program with several ranks.
 */
void dcop_world_close(struct dcop_world *w, bool failed);

#endif
