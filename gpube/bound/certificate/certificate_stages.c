/* certificate_stages.c - a certificate's stages, and that part of its file: see certificate.h. */
#include <string.h>

#include "formats/io/io.h"
#include "gpube/bound/certificate/certificate_lists.h"

void gpube__certificate_unstage(struct gpube_certificate *c)
{
	for (int32_t k = 0; k < c->stages.n; k++) {
		struct gpube_proof_case *of = &c->stages.cases[k];

		gpube__certificate_drop(c, k, 0);
		gpube__free(c->ctx, of->stages);
		gpube__free(c->ctx, of->split);
	}
	c->stages.n = 0;
}

void gpube__certificate_drop(struct gpube_certificate *c, int32_t of, int32_t n)
{
	struct gpube_proof_case *x = &c->stages.cases[of];

	while (x->n_stages > n) {
		struct gpube_proof_stage *s = &x->stages[--x->n_stages];

		for (int32_t j = 0; j < s->n_lists; j++)
			gpube__free(c->ctx, s->lists[j].scope);
		gpube__free(c->ctx, s->lists);
	}
}

int gpube__certificate_case(struct gpube_certificate *c)
{
	struct gpube_proof_stages *s = &c->stages;

	if (s->n == INT32_MAX ||
		gpube__grow(c->ctx, &s->cases, &s->capacity, (int64_t)s->n + 1, sizeof(*s->cases)))
		return GPUBE_ENOMEM;
	s->cases[s->n++] = (struct gpube_proof_case){0};
	return GPUBE_OK;
}

int gpube__certificate_stage(struct gpube_certificate *c, int32_t of, int32_t n_sweeps)
{
	struct gpube_proof_case *x = &c->stages.cases[of];

	if (x->n_stages == INT32_MAX || gpube__grow(c->ctx, &x->stages, &x->capacity,
						(int64_t)x->n_stages + 1, sizeof(*x->stages)))
		return GPUBE_ENOMEM;
	x->stages[x->n_stages++] = (struct gpube_proof_stage){.n_sweeps = n_sweeps};
	return GPUBE_OK;
}

int gpube__certificate_list(struct gpube_certificate *c, int32_t of, int32_t arity,
	int32_t n_leaving, const int32_t *scope)
{
	struct gpube_proof_case *x = &c->stages.cases[of];
	struct gpube_proof_stage *s = &x->stages[x->n_stages - 1];
	int32_t *copy = gpube__alloc(c->ctx, (uint64_t)arity + 1, sizeof(*copy));

	if (!copy || s->n_lists == INT32_MAX ||
		gpube__grow(c->ctx, &s->lists, &s->capacity, (int64_t)s->n_lists + 1,
			sizeof(*s->lists))) {
		gpube__free(c->ctx, copy);
		return GPUBE_ENOMEM;
	}
	if (arity)
		memcpy(copy, scope, (size_t)arity * sizeof(*scope));
	s->lists[s->n_lists++] = (struct gpube_proof_list){arity, n_leaving, copy};
	return GPUBE_OK;
}

int gpube__certificate_part(
	struct gpube_certificate *c, int32_t of, int32_t n, const int32_t *split)
{
	int32_t *copy = gpube__alloc(c->ctx, 2 * (uint64_t)n + 1, sizeof(*copy));
	struct gpube_proof_case *x;

	for (int k = 0; k < 2; k++)
		if (!copy || gpube__certificate_case(c)) {
			gpube__free(c->ctx, copy);
			return GPUBE_ENOMEM;
		}
	memcpy(copy, split, 2 * (size_t)n * sizeof(*split));
	x = &c->stages.cases[of];
	gpube__free(c->ctx, x->split); /* of one that was noted, and not made */
	x->split = copy;
	x->n_split = n;
	x->child[0] = c->stages.n - 2;
	x->child[1] = c->stages.n - 1;
	return GPUBE_OK;
}

/* ---- the file -------------------------------------------------------------------------------- */

static void write_stage(struct gpube_out *out, const struct gpube_proof_stage *s)
{
	gpube__out_printf(out, "stage %d %d\n", s->n_lists, s->n_sweeps);
	for (int32_t j = 0; j < s->n_lists; j++) {
		const struct gpube_proof_list *l = &s->lists[j];

		gpube__out_printf(out, "list %d %d", l->arity, l->n_leaving);
		for (int32_t i = 0; i < l->arity; i++)
			gpube__out_printf(out, " %d", l->scope[i]);
		gpube__out_text(out, "\n");
	}
}

static void write_case(struct gpube_out *out, const struct gpube_proof_case *of)
{
	gpube__out_printf(out, "case %d\n", of->n_stages);
	for (int32_t k = 0; k < of->n_stages; k++)
		write_stage(out, &of->stages[k]);
	if (!of->n_split) {
		gpube__out_text(out, "leaf\n");
		return;
	}
	gpube__out_printf(out, "split %d", of->n_split);
	for (int32_t k = 0; k < of->n_split; k++)
		gpube__out_printf(out, " %d %d", of->split[k], of->split[of->n_split + k]);
	gpube__out_text(out, "\n");
}

/* Each case before its children, and the first child's before the second's. */
int gpube__certificate_write_stages(struct gpube_out *out, const struct gpube_certificate *c)
{
	int32_t *open = gpube__alloc(c->ctx, (uint64_t)c->stages.n + 1, sizeof(*open)), n = 1;

	if (!open)
		return GPUBE_ENOMEM;
	gpube__out_printf(out, "limit %lld\n", (long long)c->stages.limit);
	for (open[0] = 0; n > 0;) {
		const struct gpube_proof_case *of = &c->stages.cases[open[--n]];

		write_case(out, of);
		if (of->n_split) {
			open[n++] = of->child[1];
			open[n++] = of->child[0];
		}
	}
	gpube__free(c->ctx, open);
	return GPUBE_OK;
}

bool gpube__certificate_word(struct gpube_in *in, const char *name, const char *other)
{
	char token[256];

	if (gpube__in_token(in, token, name))
		return false;
	if (other && !strcmp(token, other))
		return true;
	if (strcmp(token, name) != 0)
		(void)gpube__in_expected(in, name, token);
	return false;
}

int64_t gpube__certificate_number(struct gpube_in *in, int64_t min, int64_t max, const char *what)
{
	int64_t v = min;

	(void)gpube__in_int(in, &v, min, max, what);
	return v;
}

int64_t gpube__certificate_member(struct gpube_in *in, const char *name, int64_t min, int64_t max)
{
	(void)gpube__certificate_word(in, name, NULL);
	return gpube__certificate_number(in, min, max, "a number");
}

int gpube__certificate_tried(struct gpube_in *in, int status)
{
	if (!in->status) {
		in->status = status;
		in->p = status ? in->end : in->p;
	}
	return in->status;
}

/* A later one of a few variables that is not among the first n; false: a failure. */
static bool read_variable(
	const struct gpube_certificate *c, struct gpube_in *in, int32_t *scope, int64_t n)
{
	scope[n] = (int32_t)gpube__certificate_number(in, 0, c->n_vars - 1, "a variable");
	for (int64_t k = 0; k < n; k++)
		if (scope[k] == scope[n])
			(void)gpube__in_error(in, "variable %d is there twice", scope[k]);
	return !in->status;
}

/* Also of a list that is not looked at, for the limit is proved before it. */
static void read_list(struct gpube_certificate *c, struct gpube_in *in, int32_t of)
{
	const int32_t arity = (int32_t)gpube__certificate_member(in, "list", 1, GPUBE__WORD),
		      n_leaving = (int32_t)gpube__certificate_number(
			      in, 0, arity, "a number of variables that leave");
	int32_t scope[GPUBE__WORD], bits = 0;

	for (int32_t k = 0; k < arity && read_variable(c, in, scope, k); k++)
		bits += gpube__value_bits(c->domain[scope[k]]);
	if (bits > GPUBE__WORD)
		(void)gpube__in_fail(in, GPUBE_ELIMIT,
			"the variables of a list take %d bits: %d are all that it may have", bits,
			GPUBE__WORD);
	if (!in->status)
		(void)gpube__certificate_tried(
			in, gpube__certificate_list(c, of, arity, n_leaving, scope));
}

static void read_stage(struct gpube_certificate *c, struct gpube_in *in, int32_t of)
{
	const int64_t n = gpube__certificate_member(in, "stage", 0, INT32_MAX - 1),
		      n_sweeps =
			      gpube__certificate_number(in, 0, INT32_MAX - 1, "a number of sweeps");

	if (!in->status)
		(void)gpube__certificate_tried(
			in, gpube__certificate_stage(c, of, (int32_t)n_sweeps));
	for (int64_t j = 0; j < n && !in->status; j++)
		read_list(c, in, of);
}

/* What follows "split". */
static void read_split(struct gpube_certificate *c, struct gpube_in *in, int32_t of)
{
	const int32_t n =
		(int32_t)gpube__certificate_number(in, 1, GPUBE__WORD, "a number of variables");
	int32_t split[2 * GPUBE__WORD];

	for (int32_t k = 0; k < n && read_variable(c, in, split, k); k++)
		split[n + k] = (int32_t)gpube__certificate_number(
			in, 0, c->domain[split[k]] - 1, "a value");
	if (!in->status)
		(void)gpube__certificate_tried(in, gpube__certificate_part(c, of, n, split));
}

/* A case with its split; whether it has one. */
static bool read_case(struct gpube_certificate *c, struct gpube_in *in, int32_t of)
{
	const int64_t n = gpube__certificate_member(in, "case", 0, INT32_MAX - 1);
	bool splits;

	for (int64_t k = 0; k < n && !in->status; k++)
		read_stage(c, in, of);
	splits = gpube__certificate_word(in, "leaf", "split");
	if (splits)
		read_split(c, in, of);
	return splits && !in->status;
}

/* Second children wait until all that is below the first ones was read. */
void gpube__certificate_read_stages(struct gpube_certificate *c, struct gpube_in *in)
{
	int32_t *open = NULL, at = 0;
	int64_t n = 0, capacity = 0;

	c->stages.limit = gpube__certificate_member(in, "limit", -INT64_MAX, INT64_MAX);
	(void)gpube__certificate_tried(in, gpube__certificate_case(c));
	while (!in->status) {
		if (!read_case(c, in, at)) {
			if (!n)
				break;
			at = open[--n];
		} else if (!gpube__certificate_tried(in,
				   gpube__grow(c->ctx, &open, &capacity, n + 1, sizeof(*open)))) {
			open[n++] = c->stages.cases[at].child[1];
			at = c->stages.cases[at].child[0];
		}
	}
	gpube__free(c->ctx, open);
}
