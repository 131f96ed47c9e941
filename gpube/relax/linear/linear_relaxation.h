/*
 * linear_relaxation.h - bounds of a model by linear programs, in floating point, and what is proved
 * by them, in integers.
 *
 * Each value of each variable is a number between 0 and 1, and those of a variable sum to 1. Where
 * functions forbid, rows say so: of a clique of values, each two of which exclude each other, at
 * most one is taken, and of a box of forbidden cells of a function at most all parts but one. A
 * function that is a sum of what its variables' values cost, where it is allowed, is no more than
 * these; for the rest each allowed cell is a number, too, and the cells with a value sum to the
 * value's number.
 *
 * What is proved needs no more than the prices of the rows, rounded to integers. With the rows
 * taken into the costs at these prices each variable takes its least value, and each function with
 * numbers for its cells the least one. That is a bound for any prices, and says what each value
 * costs at least; values that reach the cutoff are removed.
 *
 * Why. Where photographs exclude each other, cliques of 20 values leave a gap of 0.6 %
 * where pairwise-consistent subproblems of few variables leave ten (runs/linear-2c).
 *
 * Designs weighed. (1) Cliques as subproblems of the ascent, whose steps are cheap: the ascent
 * stands still far from the linear program's bound, and splits need it again and again, from where
 * it was. (2) A library that does the whole integer program: its bounds are right up to a
 * tolerance, and it shares neither incumbents nor threads. (3) This one: the library solves linear
 * programs alone, and may err.
 *
 * Source: Neumaier, Shcherbina, Safe bounds in linear and mixed-integer linear programming, Math.
 *         Prog. 2004; Atamturk, Nemhauser, Savelsbergh, Conflict graphs in solving integer
 *         programming problems, EJOR 2000.
 */
#ifndef GPUBE_LINEAR_RELAXATION_H
#define GPUBE_LINEAR_RELAXATION_H

#include "gpube/relax/relaxed.h"

/* Columns of the program, and its rows, at most. */
enum { GPUBE__LINEAR_COLUMNS = 1 << 15, GPUBE__LINEAR_ROWS = 1 << 16 };

/* The second is made only where nearly all functions are sums of what values cost, or forbid. */
extern const struct gpube_relaxation gpube__linear, gpube__linear_sums;

#endif
