/*
 * distributed_dfs.h - the pseudo-tree by messages: distributed depth-first search, in which an
 * agent knows its neighbours, and of the others what messages say.
 *
 * 1. Every agent begins a wave with the key by which the rule of the search compares agents
 *    (degree, index or name; an agent that is given as the root is before all others), and so tells
 *    its neighbours its key. An agent that hears of a better wave than its own joins it and passes
 *    it on; once all its other neighbours have sent that wave, too, it answers the one that it had
 *    it from. So all waves of a component end but the best, whose answers come back to the agent
 *    that began it: the root (echo algorithm with extinction).
 * 2. The root makes a token with the set of the visited agents, itself. An agent that receives the
 *    token for the first time has its parent in the sender, pseudo-parents in its other visited
 *    neighbours, and adds itself; then it passes the token to its first neighbour, in the rule's
 *    order, that is not visited, or back to its parent.
 *
 * None of that needs an order among messages of different senders. They are delivered in rounds
 * all the same, to an agent by sender, so that their number is the same in every run, on any number
 * of ranks. A component of n agents and m edges takes 2 (n - 1) messages of a token, and of waves
 * at least 2 m and at most 2 m n.
 *
 * Source: Tel, Introduction to Distributed Algorithms, 2000, chapter 7 (extinction); Sharma,
 * Iyengar and Mandyam, Information Processing Letters 32, 1989 (a token with the visited nodes).
 */
#ifndef DCOP_DISTRIBUTED_DFS_H
#define DCOP_DISTRIBUTED_DFS_H

#include "dcop/pseudotree.h"
#include "gpube/ranks/world.h"

/*
 * place     of each agent in the rule's order: what comparing keys tells
 * sorted    neighbours in that order, in the rows of g->adjacent
 * opts      root, names, latency, world (NULL: this process alone), heuristic: not BEST, not AUTO
 * parent    out: -1: a root
 * number    out: how many agents of its tree were visited before
 */
struct dcop_dfs {
	struct gpube_ctx *ctx;
	const struct gpube_graph *g;
	const struct dcop_tree_opts *opts;
	const int32_t *place, *sorted;
	int32_t *parent, *number;
};

/* Errors: ENOMEM, ESTOP; EIO (another rank failed, or sends what it should not) */
int dcop__distributed_dfs(struct dcop_construction *out, const struct dcop_dfs *dfs);

/* ---- rounds.c: what agents of one rank send those of others ---- */

enum dcop_dfs_kind { DCOP_WAVE = 16, DCOP_TOKEN, DCOP_TOKEN_BACK };

/*
 * wave     whose; of a token -1
 * nth      so many its sender has sent before
 * clock    the sender's, with the latency
 * visited  of a token: n agents, ascending; the message owns them
 */
struct dcop_dfs_message {
	int32_t kind, from, to, wave, nth, n;
	double clock;
	int32_t *visited;
	int64_t capacity;
};

struct dcop_mail {
	struct dcop_dfs_message *list;
	int64_t n, capacity;
};

/* EIO: a rank sent what does not belong to the run. */
int dcop__wrong(struct gpube_ctx *ctx, int from);

void dcop__mail_clear(struct gpube_ctx *ctx, struct dcop_mail *mail);

/* A parcel of a round that has come and is not read yet. */
struct dcop_arrival {
	struct dcop_arrival *next;
	uint64_t bytes;
	char body[];
};

/*
 * The rounds of one construction: agents first[r] … first[r + 1] - 1 are on rank r. 'came': per
 * rank, the oldest first.
 */
struct dcop_rounds {
	struct gpube_ctx *ctx;
	struct dcop_world *world; /* NULL: there is one rank */
	const struct gpube_graph *g;
	int rank, n_ranks;
	int32_t *first;
	struct dcop_arrival **came;
};

int dcop__rounds_init(struct dcop_rounds *r, const struct dcop_dfs *dfs);
void dcop__rounds_clear(struct dcop_rounds *r);

/*
 * dcop__round() - delivers: 'out', which is emptied, goes to the agents' ranks, and 'in' becomes
 * what all ranks have sent the agents here, by receiver and sender.
 * status  of this rank, which the others are told
 * over    out: no rank has sent anything, or one has failed, and all know it. A failure that is not
 *         over is the next round's status
 */
int dcop__round(
	struct dcop_rounds *r, int status, struct dcop_mail *in, struct dcop_mail *out, bool *over);

/* Parents and numbers of the agents here to all ranks, and theirs and what they counted here. */
int dcop__rounds_end(
	struct dcop_rounds *r, const struct dcop_dfs *dfs, struct dcop_construction *sums);

#endif
