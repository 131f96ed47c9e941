/*
 * cuts.h - bounds of a model of two-valued variables and functions of at most two of them, by
 * linear programs over its cycles, in floating point, and what is proved by them, in integers.
 *
 * A function of two such variables is a constant, what each one's second value costs, and what it
 * costs that they differ. So a model is a graph: its vertices are the variables and one that always
 * has its first value, its edges have weights, and an assignment cuts the edges whose ends differ.
 * What it costs is the weight of the cut. Each edge is a number between 0 and 1; a cycle is
 * cut an even number of times, so that of any odd set F of its edges not all are cut and no other:
 * the sum over F, less that over the rest of the cycle, is at most |F| - 1. There are too many such
 * rows; those that the program's solution breaks are found by shortest paths, and added.
 * Where the graph is planar these rows are all there are.
 *
 * Vertices and edges are the variables of this relaxation: what is split is whether an edge is cut.
 *
 * Why. On grids whose costs are all 1 or -1 subproblems of few variables stand still where many
 * assignments are equally good (runs/cuts-2c).
 *
 * Designs weighed. (1) Larger regions of the pairwise-consistent ascent: the same rows in the end,
 * at 2^k entries a region, and the ascent ends short of what they say. (2) Perfect matchings,
 * which solve planar graphs at once: nothing else. (3) This one.
 *
 * Source: Barahona, Mahjoub, On the cut polytope, Math. Programming 1986; Barahona, Jünger,
 *         Reinelt, Experiments in quadratic 0-1 programming, Math. Programming 1989.
 */
#ifndef GPUBE_CUTS_H
#define GPUBE_CUTS_H

#include "gpube/relax/relaxed.h"

/*
 * Whether a model is for it, which forbids nothing: cliques (relax/linear/) say more of that. Not
 * whether there is a library. sparse: it is to have few functions, too. Errors: ENOMEM
 */
int gpube__cuts_suit(bool *yes, const struct gpube_model *m, bool sparse);

extern const struct gpube_relaxation gpube__cuts;

#endif
