/* system.h - the system of a support, for enclose.c. Internal to nash/players/. */
#ifndef NASH_SYSTEM_H
#define NASH_SYSTEM_H

#include "nash/players/players.h"

/*
 * The unknowns are the probabilities of the actions that are played but one of each player, which
 * has what is left; the equations, of the same numbers, say that these actions are worth as much as
 * that one.
 * k       actions played by each player
 * action  those of player i from first[i] on, that without an unknown first
 * base    the first unknown of each player
 * a       of each player i, from i * cells on: its payoffs on the support, as polynomials in the
 *         unknowns, of each own action less that without an unknown, which has its own; times
 *         2^shift[i], with which those of all players are below 2^scale
 * bits    numbers of what follows are over 2^bits
 * one     2^bits
 * x       probabilities of all actions where a solution is looked for
 * z, r    centre and radii of a box; z_lo, z_hi: a box
 * f_lo, f_hi  values on it, of each action
 * j_lo, j_hi  slopes on it, n x n
 * g       n x n absolute values of I - c times the slopes, and room for as many
 * step    c times the values of the equations
 * c       n x n integers over 2^INVERSE_BITS: near the inverse of the slopes over 2^scale
 */
enum { NASH_INVERSE_BITS = 40 };

struct nash_system {
	const struct nash_players *p;
	int64_t cells, n_numbers;
	int32_t n;
	slong bits, scale;
	int32_t *k, *base, *action, *sizes;
	slong *shift;
	double *inverse, *x;
	fmpz *a, *lo, *hi; /* n_numbers begin at a */
	fmpz *j_lo, *j_hi, *c, *g, *z, *r, *z_lo, *z_hi, *step_lo, *step_hi, *new_r, *f_lo, *f_hi,
		*one;
};

/* The system of a support; x: probabilities of all actions, of which the largest is left out. */
void nash__system_make(struct nash_system *s, const uint8_t *states, const double *x);
/* Values of all actions, slopes, on the box z_lo, z_hi. */
void nash__system_values(struct nash_system *s);
void nash__system_slopes(struct nash_system *s);

/* x / 2^(bits + scale) */
double nash__system_number(const struct nash_system *s, const fmpz *x, slong scale);
/*
 * The box around a solution becomes as narrow as numbers of so many bits make it; z_lo, z_hi and
 * the values are on it.
 */
void nash__system_refine(struct nash_system *s, slong bits);
/* The system, with a box of that radius around x: probabilities of all actions. */
void nash__system_around(
	struct nash_system *s, const uint8_t *states, const double *x, double radius);
/* A box around a solution near a decided region, and around both; where it is NASH_ROOT. */
enum nash_enclosure nash__system_find(struct nash_system *s, const struct nash_region *r);

#endif
