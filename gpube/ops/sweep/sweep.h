/*
 * sweep.h - the operator of dual ascent on lists that share separators: what every list forces on a
 * separator's cells is taken out of it, the least sum goes into the constant, and shares of the
 * rest go back into the lists that are asked again. In exact integers.
 *
 * A list is a table of the assignments of a few variables that are still possible, and entry i of a
 * member's list is the cell cell[i] of its separator. Costs are 32 bits, scaled, none negative;
 * GPUBE__REGION_FORBIDDEN: an entry that is possible no more. Costs move, none is lost, and only
 * what reaches the target goes: so the constant is a lower bound whatever happened.
 *
 * Waves. Separators of a wave have no list in common, so they may be done at once, in any order,
 * with the same result; all of them count with what is missing to the target when the wave begins.
 * Every backend does the waves in one order, so their bits are equal.
 *
 * Designs weighed. (1) Separators one after the other, sorted by their last variables: 1245 of
 * them, on a spin glass of 343 variables, are 774 waves then; coloured first, they are 32, and the
 * bound rises as fast (runs/sweeps-h200). (2) Separators at once whose lists overlap, each with a
 * part of a list's costs: the bound rises slower, and lists are read by several. (3) This one.
 */
#ifndef GPUBE_OPS_SWEEP_H
#define GPUBE_OPS_SWEEP_H

#include "gpube/ops/ops.h"
#include "gpube/ops/sweep/sweep_cell.h"

/* A list as a member of a separator. */
struct gpube_sweep_member {
	int64_t at, n;    /* its costs in a state: n entries from at on */
	int64_t cell;     /* the first of its entries in the plan's cells */
	int32_t takes[2]; /* whether it gets a share: there, back */
};

struct gpube_sweep_separator {
	int64_t at; /* its own costs in a state */
	int32_t n;  /* cells */
	int32_t n_members;
	int64_t member;    /* the first of its members */
	int32_t takers[2]; /* members that get a share: there, back */
	int32_t parts[2];  /* the rest is divided by: at least 'takers' */
};

/* What all states have in common. Separators of wave k: wave[k] … wave[k + 1] - 1. */
struct gpube_sweep_plan {
	int32_t n_separators, n_waves;
	int64_t n_members, n_cells, n_costs; /* n_costs: of a state */
	struct gpube_sweep_separator *separators;
	struct gpube_sweep_member *members;
	uint32_t *cells;
	int32_t *wave;
	int32_t *in_line; /* the separators, those that are near each other one after the other */
	int64_t room;     /* cells of scratch that one separator takes, at most */
};

struct gpube_sweep_state {
	int64_t constant, target; /* the constant is not above the target; equal: all is done */
	int32_t *costs;
};

/*
 * gpube__sweep_cpu() - all waves, there or back; a stop ends it between two waves, where the state
 * is as good.
 * room   gpube__sweep_room()
 */
void gpube__sweep_cpu(struct gpube_ctx *ctx, const struct gpube_sweep_plan *p,
	struct gpube_sweep_state *s, bool back, int32_t *room);

/* Of one state: when each list changed, and when each separator was asked. */
struct gpube_sweep_times {
	int32_t now;
	int32_t *changed, *asked;
	const int32_t *list_of; /* by member */
};

/*
 * gpube__sweep_changed() - those separators alone one of whose lists has changed since they were
 * asked, in line, by one thread; every member gets an equal share.
 * least  no change of that much or less counts
 */
void gpube__sweep_changed(struct gpube_ctx *ctx, const struct gpube_sweep_plan *p,
	struct gpube_sweep_state *s, struct gpube_sweep_times *times, bool back, int32_t least,
	int32_t *room);

/* Scratch for them: p->room cells for each thread. NULL: ENOMEM */
int32_t *gpube__sweep_room(struct gpube_ctx *ctx, const struct gpube_sweep_plan *p);

/* Entries that a sweep reads, and writes. */
int64_t gpube__sweep_entries(const struct gpube_sweep_plan *p);

/* Entries of a wave that are worth waking the threads for. */
enum { GPUBE__SWEEP_SHARED = 50000 };

/*
 * A card that has room for one plan and some states, for one thread; several threads may have one
 * each of the same device.
 */
struct gpube_sweep_card;

struct gpube_sweep_ops {
	/*
	 * device: whose device is open, and of which no other thread makes use meanwhile; its text
	 * says what fails here, and that of ctx what fails later. n_beside: threads that will have
	 * one each at the same time, this one too. Errors: ENOMEM, ECUDA
	 */
	int (*open)(struct gpube_sweep_card **out, struct gpube_ctx *device, struct gpube_ctx *ctx,
		uint64_t bytes, int n_beside);
	void (*close)(struct gpube_sweep_card *c);

	/* A plan and a state to the card. Errors: ELIMIT: no room, without a text; ECUDA */
	int (*load)(struct gpube_sweep_card *c, const struct gpube_sweep_plan *p,
		const struct gpube_sweep_state *s);
	/* The state that it has has another target. constant[k]: after sweep k. Errors: ECUDA */
	int (*sweep)(
		struct gpube_sweep_card *c, int64_t target, int n, bool back, int64_t *constant);
	/* The costs of the state. Errors: ECUDA */
	int (*store)(struct gpube_sweep_card *c, int32_t *costs);
	/*
	 * n copies of the state, in copy k of which the costs dead[dead_at[k]] … are forbidden;
	 * constant[k]: after so many sweeps, there first. The state stays. Errors: as load()
	 */
	int (*probe)(struct gpube_sweep_card *c, int64_t target, int n, const int64_t *dead_at,
		const int32_t *dead, int n_sweeps, int64_t *constant);
};

/* NULL and *status ENODEV without CUDA or a device; ENOMEM */
const struct gpube_sweep_ops *gpube__sweep_cuda(struct gpube_ctx *ctx, int *status);

#endif
