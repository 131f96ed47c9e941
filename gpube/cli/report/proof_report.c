/* proof_report.c - see proof_report.h. */
#include "gpube/cli/report/proof_report.h"
#include "gpube/options/options.h"

#include <math.h>
#include <stdio.h>

/* Whether the certificate's bound is below that of the run. */
static bool certifies_less(const struct answer *a, const struct gpube_certificate *c,
	const struct gpube_solution *bounds)
{
	if (bounds->answer == GPUBE_ANSWER_INFEASIBLE || c->scale != bounds->scale)
		return false;
	return c->bound < (answer_maximises(a) && a->model->kind == GPUBE_COSTS ? -bounds->bound
										: bounds->bound);
}

static void text_cases(struct gpube_out *out, const struct gpube_proof_stages *s)
{
	int64_t n_stages = 0, n_lists = 0, n_leaves = 0;

	for (int32_t k = 0; k < s->n; k++) {
		n_leaves += !s->cases[k].n_split;
		n_stages += s->cases[k].n_stages;
		for (int32_t j = 0; j < s->cases[k].n_stages; j++)
			n_lists += s->cases[k].stages[j].n_lists;
	}
	gpube__out_printf(out,
		", by sweeps over %lld relation%s in %lld stage%s and %lld case%s, of ",
		(long long)n_lists, gpube__plural((double)n_lists), (long long)n_stages,
		gpube__plural((double)n_stages), (long long)n_leaves,
		gpube__plural((double)n_leaves));
}

/* What was checked, up to what it is of. */
static void text_checked(struct gpube_out *out, const struct gpube_certificate *c)
{
	if (c->stages.n) {
		text_cases(out, &c->stages);
		return;
	}
	if (c->cycles.n) {
		const int32_t n_leaves = c->cycles.n / 2 + 1;

		gpube__out_printf(out,
			", by %lld price vector%s of %d cycle inequalit%s in %d case%s, of ",
			(long long)c->cycles.n_steps, gpube__plural((double)c->cycles.n_steps),
			c->cycles.n_rows, c->cycles.n_rows == 1 ? "y" : "ies", n_leaves,
			gpube__plural(n_leaves));
		return;
	}
	gpube__out_printf(out, ", along an order: %d table%s in %d block%s add up to ", c->n_tables,
		gpube__plural(c->n_tables), c->n_blocks, gpube__plural(c->n_blocks));
}

void proof_text_certified(struct gpube_out *out, const struct answer *a,
	const struct gpube_certificate *c, const struct gpube_solution *bounds)
{
	const char *of = a->model->kind == GPUBE_POTENTIALS ? "of -ln of the file's product"
							    : "of the file's costs";

	gpube__out_printf(out, "%-*s", LABEL, "certified");
	gpube__out_decimal(out, gpube__certified(c, a->model), c->scale);
	gpube__out_printf(out, ", %s bound %s", answer_maximises(a) ? "an upper" : "a lower", of);
	if (bounds && certifies_less(a, c, bounds))
		gpube__out_text(out, ", not all that was proved: its proof is not one of "
				     "tables, steps or cycles, or takes longer");
	gpube__out_text(out, "; checked");
	text_checked(out, c);
	if (a->model->kind != GPUBE_POTENTIALS) {
		gpube__out_text(out, "the problem\n");
		return;
	}
	gpube__out_printf(out, "its functions, each rounded to %d decimal%s; their bound, ",
		c->scale, gpube__plural(c->scale));
	gpube__out_decimal(out, c->bound, c->scale);
	gpube__out_text(out, ", less what rounding may hide\n");
}

void proof_json_certified(struct json *j, const struct answer *a, const struct gpube_certificate *c)
{
	json_decimal(j, "certified_bound", gpube__certified(c, a->model), c->scale);
	if (a->model->kind != GPUBE_POTENTIALS) {
		json_text(j, "certified_of", "costs");
		return;
	}
	json_text(j, "certified_of", "-ln product");
	json_decimal(j, "certified_rounded_bound", c->bound, c->scale);
	json_int(j, "certified_decimals", c->scale);
}

void proof_text(struct gpube_out *out, const struct conclusion *f)
{
	const struct proof *p = f->more;

	if (p->is_there)
		proof_text_certified(out, &f->answer, &p->certificate, f->solution);
}

void proof_json(struct json *j, const struct conclusion *f)
{
	const struct proof *p = f->more;

	if (p->is_there)
		proof_json_certified(j, &f->answer, &p->certificate);
	if (p->why[0]) {
		json_null(j, "certified_bound");
		json_text(j, "message", p->why);
	}
}

/* ---- the proof ------------------------------------------------------------------------- */

void proof_begin(struct proof *p, struct session *s, const char *path, double *timeout)
{
	*p = (struct proof){.session = s,
		.path = path,
		.start = gpube__now(),
		.timeout = *timeout,
		.notes = {.ctx = s->ctx},
		.certificate = {.ctx = s->ctx}};
	if (path) /* half for the bound, half for its proof */
		*timeout /= 2;
}

struct gpube_certificate *proof_notes(struct proof *p)
{
	return p->path ? &p->notes : NULL;
}

void proof_end(struct proof *p, const struct gpube_model *m, const struct gpube_solution *bounds,
	struct gpube_opts opts)
{
	if (!p->path)
		return;
	if (p->timeout > 0)
		opts.timeout_seconds = fmax(p->timeout - (gpube__now() - p->start), 1e-6);
	p->is_there =
		!gpube__certificate_prove(&p->certificate, p->path, m, bounds, &p->notes, opts);
	if (p->is_there)
		return;
	snprintf(p->why, sizeof(p->why), "%s", gpube_error(m->ctx));
	session_clear_line(p->session);
	cli_error("%s", p->why);
}

void proof_clear(struct proof *p)
{
	gpube__certificate_clear(&p->notes);
	gpube__certificate_clear(&p->certificate);
}
