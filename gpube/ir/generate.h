/*
 * generate.h - the binary random networks of the GpuBE paper, section 8.1
 * (Fioretto, Pontelli, Yeoh and Dechter, Constraints 23, 2018).
 */
#ifndef GPUBE_GENERATE_H
#define GPUBE_GENERATE_H

#include "gpube/ir/model.h"

enum gpube_topology {
	GPUBE_NETWORK_RANDOM, /* floor(density * n (n - 1) / 2) edges */
	/* Barabasi-Albert, 'links' edges a new node, or as many as it can have */
	GPUBE_NETWORK_SCALE_FREE,
	GPUBE_NETWORK_GRID, /* rows x columns, four neighbours */
};

/*
 * density    random: the paper's p1. Its printed edge count, n (n - 1) p1,
 *            passes the complete graph at p1 > 1/2; half of it has the widths
 *            of its table 1
 * tightness  the paper's p2: of the domain^2 tuples of each function,
 *            round(tightness * domain^2) are forbidden
 * max_cost   the others cost 0 to max_cost, all equally likely
 * links      scale-free: 0 is 2; more make the wider graphs of the paper's table 2
 * rows       grid: a divisor of n_vars; 0: the one nearest below the square root
 * seed       decides the graph alone by topology, n_vars, density, links and rows,
 *            so that other domains or tightnesses come on the same graph
 */
struct gpube_network {
	enum gpube_topology topology;
	int32_t n_vars, domain, rows;
	double density, tightness;
	int64_t max_cost;
	uint64_t seed;
	int32_t links;
};

/* "random", "scale-free", "grid" */
const char *gpube__topology_name(enum gpube_topology topology);

/*
 * gpube__generate() - one such network, connected: a minimisation with one
 * binary function per edge, (i, j) with i < j in increasing order.
 * Random: a uniform spanning tree, then edges drawn from the other pairs. It
 * may well be infeasible: at the paper's tightness of 0.9 most are.
 * Cost:   O(n^2 + edges * domain^2)
 * Errors: EINVAL (a field out of range; density too small to connect), ERANGE
 *         (more than 2^31 edges), ENOMEM
 */
int gpube__generate(
	struct gpube_model **out, struct gpube_ctx *ctx, const struct gpube_network *network);

#endif
