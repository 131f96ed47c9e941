/*
 * engine.h - the agents that this process hosts, at work.
 *
 * Each worker is a thread with a context of its own (so, on a device, with a
 * stream of its own). What an agent may do next goes into a list of tasks; a
 * worker takes the task, does it, and delivers its messages: to an agent of this
 * process by handing the table over, to another rank through the outbox, which
 * the main thread empties. The main thread alone talks to the other ranks, while
 * workers compute: so signs of life keep going out, and the MPI library is
 * called by one thread.
 */
#ifndef DCOP_ENGINE_H
#define DCOP_ENGINE_H

#include <pthread.h>

#include "dcop/plan.h"

enum dcop_phase { DCOP_UTIL, DCOP_VALUE };

struct dcop_task {
	int32_t agent;
	enum dcop_phase phase;
};

/* An agent's state; the lock of the engine guards it between tasks. */
struct dcop_node {
	int32_t waiting; /* UTIL messages still to come */
	bool sent;       /* its UTIL message is, with 'total' */
	int64_t total;   /* of its subtree's scalar messages, at most the run's limit */
	double clock, seconds_util, seconds_value;
};

struct dcop_worker {
	struct dcop_engine *engine;
	pthread_t thread;
	bool started;
	struct gpube_ctx *ctx;
	struct gpube_model m; /* the plan's, with this worker's context */
	struct gpube_mbe mbe;
	const struct gpube_ops *ops;
	struct gpube_mbe_run util, value;
};

struct dcop_engine {
	struct gpube_ctx *ctx;
	const struct dcop_plan *plan;
	const struct dcop_opts *opts;
	struct dcop_world *world;
	struct gpube_mbe_run costs; /* how tables hold costs; no tables */
	const struct gpube_ops *ops;
	double reserve_bytes; /* on the device, for tables that stay there; 0: as they come */
	int n_workers, agent_threads;
	struct dcop_worker *workers;

	pthread_mutex_t lock;
	pthread_cond_t task_ready, news; /* news: for the main thread */
	struct dcop_node *nodes;
	bool *begun, *done; /* per position: its bucket is, by the worker that has its agent */
	/*
	 * Per mini: its table on the host, while it is on its way or in use. Where
	 * all tables fit the device and no other rank wants one, they stay there until the
	 * workers' contexts go (resident, otherwise NULL), and there is none on the host.
	 */
	void **tables, **resident;
	int32_t *values; /* of the plan's model */
	struct dcop_task *tasks, *outbox;
	/* left: agents here without a value; eliminated: those whose UTIL phase is over */
	int32_t n_tasks, n_outbox, n_left, n_eliminated;
	bool working, ending; /* working: a task was taken */
	int status;
	char error[sizeof(((struct gpube_ctx *)0)->error)];

	/* the main thread's */
	int n_results; /* ranks whose results came (rank 0) */
	int n_stopped; /* ranks that have said that they stop */
	bool reported, released;
};

/*
 * dcop__engine_run() - all of it: nodes, values and clocks are then complete on rank 0.
 * Errors: those of dcop_solve()
 */
int dcop__engine_run(struct dcop_engine *e);
int dcop__engine_init(struct dcop_engine *e, const struct dcop_plan *plan,
	const struct dcop_opts *opts, struct dcop_world *world, bool *settled, int64_t *bound);
void dcop__engine_clear(struct dcop_engine *e);

/* ---- worker.c: what an agent does ---- */

int dcop__worker_open(struct dcop_worker *w, struct dcop_engine *e);
void dcop__worker_close(struct dcop_worker *w);
/* Eliminates the agent's variables: *total is what its subtree's scalars add up to. */
int dcop__agent_util(struct dcop_worker *w, int32_t agent, int64_t *total, double *seconds);
/* Chooses its variables' values, and frees the tables that it used. */
int dcop__agent_value(struct dcop_worker *w, int32_t agent, double *seconds);

/* ---- deliver.c, with the lock held ---- */

void dcop__add_task(struct dcop_engine *e, int32_t agent, enum dcop_phase phase);
/* An agent's UTIL message has come: its tables are in e->tables. */
void dcop__deliver_util(struct dcop_engine *e, int32_t from, int64_t total, double clock);
/* The values of an agent's separator are there. */
void dcop__deliver_value(struct dcop_engine *e, int32_t to, double clock);
/* The first failure is the run's. */
void dcop__engine_fail(struct dcop_engine *e, int status, const char *text);

/* ---- exchange.c: messages between ranks, by the main thread ---- */

/* The message that a task set off: with the lock held. */
int dcop__send_task(struct dcop_engine *e, struct dcop_task done);
/* One round of everything between ranks, without the lock. over: out, this rank has nothing more to
 * do */
int dcop__exchange(struct dcop_engine *e, bool *busy, bool *over);

/*
 * After a stop, when no worker is left: tells all ranks, and waits until all have stopped and
 * nothing is on its way.
 */
int dcop__exchange_stop(struct dcop_engine *e);

/* ---- stopped.c ---- */

/* After a stop, when no worker is left: the bound that the tables here prove; false: none. */
bool dcop__proved(const struct dcop_engine *e, int64_t *bound);

/* Sizes as they count, and as they are sent (dcop.h). */
uint64_t dcop__util_bytes(const struct dcop_plan *p, int32_t agent, int cell_bytes);
uint64_t dcop__value_bytes(const struct dcop_plan *p, int32_t agent);

#endif
