/* cfn_share.c - functions of a .cfn that hold the table of a later one. See cfn.h. */
#include <stdlib.h>
#include <string.h>

#include "formats/cfn/cfn.h"

/* The function takes the table of the one that the current token names. */
int gpube__cfn_refer(struct gpube_cfn_reader *r, int arity, const char *name)
{
	struct gpube_ctx *ctx = r->m->ctx;
	struct gpube_cfn_pending *p;
	int32_t *head;

	if (gpube__cfn_require(r, GPUBE_CFN_WORD, "costs or a function's name"))
		return r->in->status;
	if (arity == 0)
		return gpube__cfn_expected(r, "'[' before the cost of no variables");
	if (gpube__names_find(&r->names, GPUBE_CFN_FUNCTIONS, r->token.text))
		return gpube__in_error(r->in,
			"function '%.40s' is above: a shared table comes after its other users",
			r->token.text);
	if (gpube__grow(ctx, &r->pending, &r->pending_capacity, r->n_pending + 1, sizeof(*p)) ||
		r->n_pending == INT32_MAX)
		return gpube__cfn_fail(r, GPUBE_ENOMEM);
	p = &r->pending[r->n_pending++];
	*p = (struct gpube_cfn_pending){
		.arity = arity, .next = -1, .place = r->place, .line = r->in->line};
	p->wanted = gpube__strdup(ctx, r->token.text);
	p->scope = gpube__alloc(ctx, (uint64_t)arity, sizeof(*p->scope));
	if (name)
		p->name = gpube__strdup(ctx, name);
	if (!p->wanted || !p->scope || (name && !p->name))
		return gpube__cfn_fail(r, GPUBE_ENOMEM);
	memcpy(p->scope, r->scope, (size_t)arity * sizeof(*p->scope));
	head = gpube__names_find(&r->names, GPUBE_CFN_WANTED, p->wanted);
	if (!head)
		return gpube__cfn_fail(r, gpube__names_add(&r->names, GPUBE_CFN_WANTED, p->wanted,
						  (int32_t)r->n_pending - 1));
	p->next = *head;
	*head = (int32_t)r->n_pending - 1;
	return GPUBE_OK;
}

static int resolve_one(struct gpube_cfn_reader *r, const struct gpube_cfn_pending *p, int32_t f)
{
	struct gpube_model *m = r->m;
	const int32_t *scope = gpube__scope(m, f);
	bool fits = p->arity == m->functions[f].arity;

	for (int k = 0; k < p->arity && fits; k++)
		fits = m->vars[p->scope[k]].domain == m->vars[scope[k]].domain;
	if (fits) {
		if (gpube__cfn_fail(r, gpube__add_function(m, p->arity, p->scope,
					       m->functions[f].table, p->name)))
			return r->in->status;
		return gpube__cfn_place(r, p->place);
	}
	r->in->line = -p->line; /* it is marked as found */
	return gpube__in_error(r->in, "function '%.40s' has a table of other domains", p->wanted);
}

/*
 * A function has been read: notes its name, and those who wait for its table
 * get it. 'n_before' functions were there.
 */
int gpube__cfn_resolve(
	struct gpube_cfn_reader *r, const char *name, int32_t n_before, bool is_table)
{
	struct gpube_ctx *ctx = r->m->ctx;
	int32_t *head = gpube__names_find(&r->names, GPUBE_CFN_WANTED, name);
	int32_t at = head ? *head : -1;

	if (!gpube__names_find(&r->names, GPUBE_CFN_FUNCTIONS, name)) {
		char *copy = gpube__strdup(ctx, name);

		if (!copy || gpube__grow(ctx, &r->defined, &r->defined_capacity, r->n_defined + 1,
				     sizeof(*r->defined))) {
			gpube__free(ctx, copy);
			return gpube__cfn_fail(r, GPUBE_ENOMEM);
		}
		r->defined[r->n_defined++] = copy;
		if (gpube__names_add(&r->names, GPUBE_CFN_FUNCTIONS, copy, 0))
			return gpube__cfn_fail(r, GPUBE_ENOMEM);
	}
	if (at < 0)
		return GPUBE_OK;
	if (!is_table || r->m->n_functions != n_before + 1)
		return gpube__in_error(
			r->in, "function '%.40s' has no table that others could share", name);
	if (gpube__cfn_place(r, r->place))
		return r->in->status;
	head = gpube__names_find(&r->names, GPUBE_CFN_WANTED, name);
	*head = -1;
	for (; at >= 0; at = r->pending[at].next) {
		r->pending[at].line = -r->pending[at].line; /* found */
		if (resolve_one(r, &r->pending[at], n_before))
			return r->in->status;
	}
	return GPUBE_OK;
}

int gpube__cfn_check_resolved(struct gpube_cfn_reader *r)
{
	for (int64_t k = 0; k < r->n_pending; k++)
		if (r->pending[k].line > 0) {
			r->in->line = r->pending[k].line;
			return gpube__in_error(r->in,
				"no function '%.40s' follows to share its table",
				r->pending[k].wanted);
		}
	return GPUBE_OK;
}

/* ---- order ---------------------------------------------------------------------------- */

int gpube__cfn_place(struct gpube_cfn_reader *r, int32_t place)
{
	if (gpube__grow(r->m->ctx, &r->places, &r->places_capacity, r->m->n_functions,
		    sizeof(*r->places)))
		return gpube__cfn_fail(r, GPUBE_ENOMEM);
	while (r->n_places < r->m->n_functions)
		r->places[r->n_places++] = place;
	return GPUBE_OK;
}

struct placed {
	int32_t place, at;
};

static int compare_placed(const void *x, const void *y)
{
	const struct placed *a = x, *b = y;

	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

int gpube__cfn_order(struct gpube_cfn_reader *r)
{
	struct gpube_model *m = r->m;
	struct gpube_function *functions;
	struct placed *placed;
	uint64_t n = (uint64_t)m->n_functions;

	if (r->n_pending == 0)
		return GPUBE_OK;
	functions = gpube__alloc(m->ctx, n, sizeof(*functions));
	placed = gpube__alloc(m->ctx, n, sizeof(*placed));
	if (functions && placed) {
		for (int32_t f = 0; f < m->n_functions; f++)
			placed[f] = (struct placed){r->places[f], f};
		qsort(placed, n, sizeof(*placed), compare_placed);
		memcpy(functions, m->functions, n * sizeof(*functions));
		for (uint64_t f = 0; f < n; f++)
			m->functions[f] = functions[placed[f].at];
	} else {
		gpube__cfn_fail(r, GPUBE_ENOMEM);
	}
	gpube__free(m->ctx, functions);
	gpube__free(m->ctx, placed);
	return r->in->status;
}
