/* certify.c - lp's proof, checked by proof.c before it is written. */
#include "csg/lp/lp.h"
#include "csg/proof.h"

static int take_proof(struct csg__proof *p, const struct csg__lp *lp, bool disposal)
{
	p->n_agents = lp->g->n;
	p->shift = lp->shift;
	p->disposal = disposal;
	for (int i = 0; i < lp->g->n; i++)
		p->dual[i] = lp->dual[i];
	p->upper = lp->upper;
	p->value = lp->lower;
	p->unit = csg__lp_unit(lp);
	p->n_parts = lp->r->n_parts;
	for (int k = 0; k < p->n_parts; k++)
		p->part[k] = lp->r->parts[k];
	p->tight = gpube__alloc(p->ctx, (uint64_t)lp->n_candidates, sizeof(*p->tight));
	if (!p->tight)
		return GPUBE_ENOMEM;
	/* the last search may have been among more than the gap asks for now */
	for (int64_t i = 0; i < lp->n_candidates; i++)
		if (lp->candidate[i].slack <= csg__lp_better(lp))
			p->tight[p->n_tight++] =
				(struct csg__tight){lp->candidate[i].mask, lp->candidate[i].slack};
	return GPUBE_OK;
}

int csg__certify(const struct csg__lp *lp, const char *path, bool disposal)
{
	struct csg__proof p = {.ctx = lp->g->ctx};
	int status = take_proof(&p, lp, disposal);

	if (!status)
		status = csg__proof_check(&p, lp->g);
	if (status == GPUBE_EINVAL)
		status = gpube__fail(lp->g->ctx, GPUBE_EBUG,
			"internal error: the certificate does not hold; please report this");
	if (!status)
		status = csg__proof_write(&p, path);
	csg__proof_clear(&p);
	return status;
}
