/*
 * proof.h - the proof of method lp that a structure is optimal, as certificate.md describes its
 * file, and the check of it. The check shares nothing with lp: it knows the game and the file.
 */
#ifndef CSG_PROOF_H
#define CSG_PROOF_H

#include "csg/view.h"

/* A coalition whose weight, the sum of its agents' duals, exceeds its value by little. */
struct csg__tight {
	uint64_t mask;
	int64_t slack;
};

/* Values and duals are integers of 2^-shift. Parts and tight coalitions are masks. */
struct csg__proof {
	struct gpube_ctx *ctx;
	int n_agents, shift;
	bool disposal; /* an agent's own coalition is worth 0 at least */
	int64_t dual[GPUBE_MAX_AGENTS];
	int64_t upper, value, unit;
	int n_parts;
	uint64_t part[GPUBE_MAX_AGENTS];
	int64_t n_tight, capacity;
	struct csg__tight *tight;
};

void csg__proof_clear(struct csg__proof *p);

/*
 * csg__proof_check() - sorts p->tight.
 * g       with a table here; where p->disposal, its own coalitions are worth 0 at least
 * Cost:   2^n values read, 2^n sums of memory, each times the tight ones of an agent at most
 * Errors: EINVAL (it is no proof: the text says why), ELIMIT, ENOMEM, ESTOP
 */
int csg__proof_check(struct csg__proof *p, const struct csg__view *g);

/* Text, a .gz or .xz by its name. Errors: EIO, EPARSE, ENOMEM. After an error, clear it, too. */
int csg__proof_write(const struct csg__proof *p, const char *path);
int csg__proof_read(struct csg__proof *p, struct gpube_ctx *ctx, const char *path);

#endif
