/* many_proof.c - what became of each region, for a program that checks it: see certificate.md. */
#include <stdio.h>
#include <string.h>

#include "formats/io/io.h"
#include "nash/players/players.h"

/* What became of a region, NULL: it is open; its first child, and how many. */
struct node {
	char *text;
	int64_t child;
	int n_children;
};

struct nash_proof {
	struct gpube_ctx *ctx;
	struct node *nodes;
	char **boxes;
	int64_t n_nodes, capacity_nodes, n_boxes, capacity_boxes;
};

/* ---- texts --------------------------------------------------------------------------------- */

static char *finished(struct gpube__text *l)
{
	gpube__text_add(l, "\n", 1);
	if (l->status) {
		gpube__free(l->ctx, l->bytes);
		return NULL;
	}
	return l->bytes;
}

/* The actions that were taken out first. */
static struct gpube__text begin_line(const struct nash_work *w)
{
	struct gpube__text l = {.ctx = w->ctx};

	for (int32_t k = 0; k < w->n_steps; k += 2)
		gpube__text_printf(&l, "out %d %d\n", w->steps[k], w->steps[k + 1]);
	return l;
}

char *nash__proof_word(const struct nash_work *w, const char *word, int64_t number)
{
	struct gpube__text l = begin_line(w);

	gpube__text_printf(&l, "%s %lld", word, (long long)number);
	return finished(&l);
}

/* Of each vertex its reference and the multipliers of all actions. */
char *nash__proof_excluded(const struct nash_work *w, const struct nash_region *r)
{
	const struct nash_players *p = w->p;
	struct gpube__text l = begin_line(w);
	const double *lambda = w->lambda;

	gpube__text_printf(&l, "combine");
	for (int32_t i = 0; i < p->n; i++)
		for (int32_t k = 0; k < nash__sizes(p, r)[i]; k++) {
			const int32_t reference = nash__reference(p, r, i, k);

			gpube__text_printf(&l, " %d", reference);
			for (int32_t a = 0; a < p->m[i]; a++)
				gpube__text_printf(&l, " %a", a == reference ? 0 : *lambda++);
		}
	return finished(&l);
}

char *nash__proof_divided(const struct nash_work *w, const int32_t how[3])
{
	struct gpube__text l = begin_line(w);

	if (how[0] < 0)
		gpube__text_printf(&l, "play %d", how[1]);
	else
		gpube__text_printf(&l, "halve %d %d %d", how[0], how[1], how[2]);
	return finished(&l);
}

/* ---- the proof ----------------------------------------------------------------------------- */

struct nash_proof *nash__proof_new(struct gpube_ctx *ctx)
{
	struct nash_proof *f = gpube__alloc_zero(ctx, 1, sizeof(*f));

	if (f)
		f->ctx = ctx;
	return f;
}

void nash__proof_free(struct nash_proof *f)
{
	if (!f)
		return;
	for (int64_t k = 0; k < f->n_nodes; k++)
		gpube__free(f->ctx, f->nodes[k].text);
	for (int64_t k = 0; k < f->n_boxes; k++)
		gpube__free(f->ctx, f->boxes[k]);
	gpube__free(f->ctx, f->nodes);
	gpube__free(f->ctx, f->boxes);
	gpube__free(f->ctx, f);
}

int nash__proof_nodes(struct nash_proof *f, int64_t *first, int n)
{
	const int status = gpube__grow(
		f->ctx, &f->nodes, &f->capacity_nodes, f->n_nodes + n, sizeof(*f->nodes));

	*first = f->n_nodes;
	for (int k = 0; k < n && !status; k++)
		f->nodes[f->n_nodes++] = (struct node){0};
	return status;
}

void nash__proof_set(struct nash_proof *f, int64_t node, char *text, int64_t child, int n)
{
	f->nodes[node] = (struct node){text, child, n};
}

int nash__proof_box(
	struct nash_proof *f, const struct nash_players *p, const struct nash_root *root)
{
	struct gpube__text l = {.ctx = f->ctx};
	const int status = gpube__grow(
		f->ctx, &f->boxes, &f->capacity_boxes, f->n_boxes + 1, sizeof(*f->boxes));

	if (status)
		return status;
	gpube__text_printf(&l, "box %lld ", (long long)root->box);
	for (int32_t k = 0; k < p->total; k++)
		gpube__text_add(&l, root->states[k] == NASH_IN ? "1" : "0", 1);
	for (int32_t k = 0; k < p->total; k++)
		gpube__text_printf(&l, " %a %a", root->lower[k], root->upper[k]);
	f->boxes[f->n_boxes] = finished(&l);
	f->n_boxes += f->boxes[f->n_boxes] != NULL;
	return l.status;
}

/* The tree from its root on, each region before its children. */
static int write_tree(struct gpube_out *out, const struct nash_proof *f)
{
	int64_t *stack = NULL, capacity = 0, n = 1;
	int status = gpube__grow(f->ctx, &stack, &capacity, 1, sizeof(*stack));

	if (!status)
		stack[0] = 0;
	while (!status && n) {
		const struct node *node = &f->nodes[stack[--n]];

		gpube__out_text(out, node->text ? node->text : "open\n");
		status = gpube__grow(
			f->ctx, &stack, &capacity, n + node->n_children, sizeof(*stack));
		for (int k = node->n_children - 1; k >= 0 && !status; k--)
			stack[n++] = node->child + k;
	}
	gpube__free(f->ctx, stack);
	return status;
}

static void write_number(struct gpube_out *out, const fmpz *x, const char *after)
{
	char *text = fmpz_get_str(NULL, 10, x);

	gpube__out_text(out, text);
	gpube__out_text(out, after);
	flint_free(text);
}

/* In which units multipliers are of each player's payoffs. */
static void write_units(struct gpube_out *out, const struct nash_players *p)
{
	fmpz_t power;

	fmpz_init(power);
	for (int32_t i = 0; i < p->n; i++) {
		gpube__out_printf(out, "unit %d ", i);
		write_number(out, p->den + i, " ");
		fmpz_one(power);
		fmpz_mul_2exp(power, power, (ulong)p->power[i]);
		write_number(out, power, "\n");
	}
	fmpz_clear(power);
}

int nash__proof_write(const struct nash_proof *f, const struct nash_many *s, const char *path)
{
	const struct nash_players *p = s->p;
	struct gpube_out out;
	int status = gpube__out_open(&out, f->ctx, path), closed;

	if (status)
		return status;
	gpube__out_printf(&out, "gpube-nash 1\ndigits %d\n", s->digits);
	write_units(&out, p);
	for (int32_t k = 0; k < p->n_removed; k++)
		gpube__out_printf(&out, "dominated %d %d %d\n", p->removed[k].player,
			p->removed[k].action, p->removed[k].by);
	for (int64_t k = 0; k < f->n_boxes; k++)
		gpube__out_text(&out, f->boxes[k]);
	for (int64_t k = 0; k < s->n_roots; k++) {
		if (s->roots[k].verdict != NASH_IS_EQUILIBRIUM)
			continue;
		gpube__out_printf(&out, "equilibrium %lld", (long long)s->roots[k].box);
		for (int32_t a = 0; a < p->total; a++) {
			gpube__out_text(&out, " ");
			write_number(&out, s->roots[k].lo + a, " ");
			write_number(&out, s->roots[k].hi + a, "");
		}
		gpube__out_text(&out, "\n");
	}
	gpube__out_text(&out, "tree\n");
	status = write_tree(&out, f);
	gpube__out_text(&out, "end\n");
	closed = gpube__out_close(&out, !status);
	return status ? status : closed;
}
