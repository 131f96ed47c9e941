/* deliver.c - what comes to an agent of this process, and the end of a run: with the lock held. */
#include <math.h>
#include <stdio.h>

#include "dcop/engine.h"

void dcop__add_task(struct dcop_engine *e, int32_t agent, enum dcop_phase phase)
{
	e->tasks[e->n_tasks++] = (struct dcop_task){agent, phase};
	pthread_cond_signal(&e->task_ready);
}

void dcop__deliver_util(struct dcop_engine *e, int32_t from, int64_t total, double clock)
{
	int32_t to = e->plan->tree->parent[from];
	struct dcop_node *node = &e->nodes[to];

	node->total += total;
	if (node->total > e->costs.cutoff)
		node->total = e->costs.cutoff;
	node->clock = fmax(node->clock, clock);
	if (--node->waiting == 0)
		dcop__add_task(e, to, DCOP_UTIL);
}

void dcop__deliver_value(struct dcop_engine *e, int32_t to, double clock)
{
	e->nodes[to].clock = fmax(e->nodes[to].clock, clock);
	dcop__add_task(e, to, DCOP_VALUE);
}

void dcop__engine_fail(struct dcop_engine *e, int status, const char *text)
{
	if (!e->status) {
		e->status = status;
		snprintf(e->error, sizeof(e->error), "%s", text);
	}
	e->ending = true;
	for (int k = 0; k < e->n_workers; k++)
		if (e->workers[k].ctx)
			gpube_ctx_stop(e->workers[k].ctx);
	pthread_cond_broadcast(&e->task_ready);
	pthread_cond_signal(&e->news);
}
