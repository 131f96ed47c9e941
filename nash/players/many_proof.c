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

/* A text that grows; after a failure nothing is added to it. */
struct line {
	struct gpube_ctx *ctx;
	char *text;
	int64_t length, capacity;
	int status;
};

static void put_text(struct line *l, const char *text)
{
	const size_t n = strlen(text);

	if (!l->status)
		l->status =
			gpube__grow(l->ctx, &l->text, &l->capacity, l->length + (int64_t)n + 1, 1);
	if (l->status)
		return;
	memcpy(l->text + l->length, text, n + 1);
	l->length += (int64_t)n;
}

static void put_int(struct line *l, const char *before, int64_t x)
{
	char text[32];

	snprintf(text, sizeof(text), "%s%lld", before, (long long)x);
	put_text(l, text);
}

static void put_double(struct line *l, double x)
{
	char text[40];

	snprintf(text, sizeof(text), " %a", x);
	put_text(l, text);
}

static char *finished(struct line *l)
{
	if (l->status) {
		gpube__free(l->ctx, l->text);
		return NULL;
	}
	return l->text;
}

/* The actions that were taken out first. */
static struct line begin_line(const struct nash_work *w)
{
	struct line l = {.ctx = w->ctx};

	for (int32_t k = 0; k < w->n_steps; k += 2) {
		put_int(&l, "out ", w->steps[k]);
		put_int(&l, " ", w->steps[k + 1]);
		put_text(&l, "\n");
	}
	return l;
}

char *nash__proof_word(const struct nash_work *w, const char *word, int64_t number)
{
	struct line l = begin_line(w);

	put_int(&l, word, number);
	put_text(&l, "\n");
	return finished(&l);
}

/* Of each vertex its reference and the multipliers of all actions. */
char *nash__proof_excluded(const struct nash_work *w, const struct nash_region *r)
{
	const struct nash_players *p = w->p;
	struct line l = begin_line(w);
	const double *lambda = w->lambda;

	put_text(&l, "combine");
	for (int32_t i = 0; i < p->n; i++)
		for (int32_t k = 0; k < nash__sizes(p, r)[i]; k++) {
			const int32_t reference = nash__reference(p, r, i, k);

			put_int(&l, " ", reference);
			for (int32_t a = 0; a < p->m[i]; a++)
				put_double(&l, a == reference ? 0 : *lambda++);
		}
	put_text(&l, "\n");
	return finished(&l);
}

char *nash__proof_divided(const struct nash_work *w, const int32_t how[3])
{
	struct line l = begin_line(w);

	put_int(&l, how[0] < 0 ? "play " : "halve ", how[0] < 0 ? how[1] : how[0]);
	for (int k = 1; k < 3 && how[0] >= 0; k++)
		put_int(&l, " ", how[k]);
	put_text(&l, "\n");
	return finished(&l);
}

/* ---- the proof ----------------------------------------------------------------------------- */

int nash__proof_new(struct nash_proof **out, struct gpube_ctx *ctx)
{
	*out = gpube__alloc_zero(ctx, 1, sizeof(**out));
	if (!*out)
		return GPUBE_ENOMEM;
	(*out)->ctx = ctx;
	return GPUBE_OK;
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
	struct line l = {.ctx = f->ctx};
	const int status = gpube__grow(
		f->ctx, &f->boxes, &f->capacity_boxes, f->n_boxes + 1, sizeof(*f->boxes));

	if (status)
		return status;
	put_int(&l, "box ", root->box);
	put_text(&l, " ");
	for (int32_t k = 0; k < p->total; k++)
		put_text(&l, root->states[k] == NASH_IN ? "1" : "0");
	for (int32_t k = 0; k < p->total; k++) {
		put_double(&l, root->lower[k]);
		put_double(&l, root->upper[k]);
	}
	put_text(&l, "\n");
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

static void write_number(struct gpube_out *out, const fmpz *x)
{
	char *text = fmpz_get_str(NULL, 10, x);

	gpube__out_text(out, " ");
	gpube__out_text(out, text);
	flint_free(text);
}

/* In which units multipliers are of each player's payoffs. */
static void write_units(struct gpube_out *out, const struct nash_players *p)
{
	fmpz_t power;

	fmpz_init(power);
	for (int32_t i = 0; i < p->n; i++) {
		gpube__out_printf(out, "unit %d", i);
		write_number(out, p->den + i);
		fmpz_one(power);
		fmpz_mul_2exp(power, power, (ulong)p->power[i]);
		write_number(out, power);
		gpube__out_text(out, "\n");
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
			write_number(&out, s->roots[k].lo + a);
			write_number(&out, s->roots[k].hi + a);
		}
		gpube__out_text(&out, "\n");
	}
	gpube__out_text(&out, "tree\n");
	status = write_tree(&out, f);
	gpube__out_text(&out, "end\n");
	closed = gpube__out_close(&out, !status);
	return status ? status : closed;
}
