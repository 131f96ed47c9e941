/*
 * guests.h - a rank that is not rank 0 in gpube__deal_solve(): its guests of the methods that rank
 * 0 shares (bound/sharing/shared.h), one of a kind, at one of which its hand works.
 */
#ifndef GPUBE_GUESTS_H
#define GPUBE_GUESTS_H

#include "gpube/bound/sharing/shared.h"
#include "gpube/deal/hand.h"
#include "gpube/deal/letters.h"

/*
 * task: what it is about, a kind of method and how many of that kind were before; those that are
 * over are of no interest any more. From rank 0: ROOT, of the method; DROP: it is over; NODES (a:
 * their number), lent or told; WANT: some are to be given back; RETURN: all are; TURN (a: the kind
 * that works now, or as many as there are). To it: NODES, given back or told; STATE (a: number of
 * the last nodes that came, b: it has no more; nodes visited, ticks of work since the last one,
 * least bounds by block); LOST: it
 * gives up its nodes. From both: BEST, an assignment; FOUND, see findings.h; ALONE, see solo.h.
 */
enum {
	LETTER_ROOT,
	LETTER_DROP,
	LETTER_NODES,
	LETTER_WANT,
	LETTER_RETURN,
	LETTER_STATE,
	LETTER_LOST,
	LETTER_BEST,
	LETTER_TURN,
	LETTER_FOUND,
	LETTER_ALONE
};

/* Nodes of one letter. */
enum { GPUBE__MOST_NODES = 64 };

/* The methods that ranks share, by kind. */
extern const struct gpube__shared *const gpube__shared_methods[GPUBE__N_SHARED];

struct gpube__guest {
	const struct gpube__shared *by;
	void *of; /* NULL: nothing */
	int32_t task;
	int64_t seen;
	int64_t last;     /* number of the nodes that came last */
	int64_t n_before; /* nodes that were visited before it was shared */
	double worked;    /* seconds of work that rank 0 does not know of */
	bool asked, leaving, told_empty;
	double told_at;
};

struct gpube__guests {
	struct dcop_world *world;
	const struct gpube_model *given; /* on the hand's context */
	const struct gpube_opts *opts;
	struct gpube_hand *hand;
	int32_t turn;  /* the kind that rank 0 works on, or as many as there are */
	int at;        /* the kind that the hand is busy with */
	double worked; /* seconds of the hand's work, so far */
	struct gpube__guest of[GPUBE__N_SHARED];
};

void gpube__guests_open(struct gpube__guests *g, struct dcop_world *world, struct gpube_hand *hand,
	const struct gpube_model *given, const struct gpube_opts *opts);
/* Drops all that it has. */
void gpube__guests_close(struct gpube__guests *g);

/*
 * As gpube_letters has them: what rank 0 writes; the hand works on, nodes go back, and rank 0 is
 * told. Errors: EIO, EPARSE, ENOMEM; EBUG: a node was lost
 */
int gpube__guests_read(struct gpube__guests *g, int from, const struct gpube_letter *l,
	struct gpube__bytes *bytes);
int gpube__guests_report(struct gpube__guests *g);

/* A letter of a task, with bytes or NULL. */
int gpube__guests_send(struct dcop_world *world, int to, int32_t kind, int32_t task, int64_t a,
	const struct gpube__bytes *bytes);

#endif
