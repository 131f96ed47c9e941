/*
 * efg_normal.c - the reduced normal form of a game in extensive form. See efg.h.
 *
 * A strategy says what its player does at the information sets that what it says of others leaves
 * to be reached. They come in the order in which Gambit lists them, and bear its names: the numbers
 * of the actions by information set, * for one that is not reached. How many there are is known
 * from which set comes after which action before any is made; of a player that forgets what it did
 * they have to be counted one by one.
 */
#include "formats/games/efg.h"

#include <stdio.h>
#include <string.h>

typedef __int128 wide;

/* Strategies of a player who forgets that are counted, at a walk through the tree each. */
enum { MOST_COUNTED = 1 << 20 };

/* One player's strategies, as the walk through the tree finds them. */
struct walk {
	const struct gpube_extensive *t;
	int32_t player;
	int32_t *choice;         /* by information set: an action, -1: not reached */
	int32_t *trail, n_trail; /* those that are reached, in that order */
	int32_t *stack;
};

/* ---- what follows on what ------------------------------------------------------------------- */

/* Sets each information set's last action of its player before it, and t->recall. */
static int find_recall(struct gpube_extensive *t)
{
	struct gpube_ctx *ctx = t->in->ctx;
	/* by node: the last information set and action of each player before it */
	int32_t *last = gpube__alloc(ctx, (uint64_t)t->n_nodes, 4 * sizeof(*last));
	bool *seen = gpube__alloc_zero(ctx, (uint64_t)t->n_infosets + 1, sizeof(*seen));

	t->recall = true;
	if (!last || !seen) {
		gpube__free(ctx, last);
		gpube__free(ctx, seen);
		return GPUBE_ENOMEM;
	}
	memset(last, 0xff, 4 * sizeof(*last));
	for (int64_t k = 0; k < t->n_nodes; k++) {
		const struct gpube_node *node = &t->nodes[k];
		struct gpube_infoset *s = node->infoset < 0 ? NULL : &t->infosets[node->infoset];

		if (!s)
			continue;
		if (s->player > 0) {
			const int32_t *own = last + 4 * k + 2 * (s->player - 1);

			if (!seen[node->infoset]) {
				s->after = own[0];
				s->action = own[1];
			} else if (s->after != own[0] || (own[0] >= 0 && s->action != own[1])) {
				t->recall = false;
			}
			seen[node->infoset] = true;
		}
		for (int32_t a = 0; a < s->n_actions; a++) {
			int32_t *of = last + 4 * (int64_t)t->children[node->children + a];

			memcpy(of, last + 4 * k, 4 * sizeof(*of));
			if (s->player > 0) {
				of[2 * (s->player - 1)] = node->infoset;
				of[2 * (s->player - 1) + 1] = a;
			}
		}
	}
	gpube__free(ctx, last);
	gpube__free(ctx, seen);
	return GPUBE_OK;
}

/*
 * How many strategies each player has, if it recalls: of an action the product of those of the sets
 * behind it, of a set their sum. A set comes after those that it follows on.
 */
static int count_recalled(const struct gpube_extensive *t, double count[2])
{
	struct gpube_ctx *ctx = t->in->ctx;
	int64_t *first = gpube__alloc(ctx, (uint64_t)t->n_infosets + 1, sizeof(*first)), n = 0;
	double *of;

	if (!first)
		return GPUBE_ENOMEM;
	for (int64_t k = 0; k < t->n_infosets; k++) {
		first[k] = n;
		n += t->infosets[k].player ? t->infosets[k].n_actions : 0;
	}
	of = gpube__alloc(ctx, (uint64_t)n + 1, sizeof(*of));
	if (!of) {
		gpube__free(ctx, first);
		return GPUBE_ENOMEM;
	}
	for (int64_t k = 0; k < n; k++)
		of[k] = 1;
	count[0] = count[1] = 1;
	for (int64_t k = t->n_infosets - 1; k >= 0; k--) {
		const struct gpube_infoset *s = &t->infosets[k];
		double sum = 0;

		for (int32_t a = 0; a < s->n_actions && s->player; a++)
			sum += of[first[k] + a];
		if (s->player)
			*(s->after < 0 ? &count[s->player - 1]
				       : &of[first[s->after] + s->action]) *= sum;
	}
	gpube__free(ctx, first);
	gpube__free(ctx, of);
	return GPUBE_OK;
}

/* ---- strategies ------------------------------------------------------------------------------ */

/* Walks where the choices lead; a set of the player that is new gets its first action. */
static void reach(struct walk *w)
{
	const struct gpube_extensive *t = w->t;
	int32_t n = 0;

	w->stack[n++] = 0;
	while (n) {
		const struct gpube_node *node = &t->nodes[w->stack[--n]];
		const struct gpube_infoset *s;

		if (node->infoset < 0)
			continue;
		s = &t->infosets[node->infoset];
		if (s->player != w->player) {
			for (int32_t a = s->n_actions - 1; a >= 0; a--)
				w->stack[n++] = t->children[node->children + a];
			continue;
		}
		if (w->choice[node->infoset] < 0) {
			w->choice[node->infoset] = 0;
			w->trail[w->n_trail++] = node->infoset;
		}
		w->stack[n++] = t->children[node->children + w->choice[node->infoset]];
	}
}

/* To the next strategy; false after the last one. */
static bool next_strategy(struct walk *w)
{
	while (w->n_trail) {
		const int32_t s = w->trail[w->n_trail - 1];

		if (++w->choice[s] < w->t->infosets[s].n_actions) {
			reach(w);
			return true;
		}
		w->choice[s] = -1;
		w->n_trail--;
	}
	return false;
}

static int start_walk(struct walk *w, const struct gpube_extensive *t, int32_t player)
{
	struct gpube_ctx *ctx = t->in->ctx;
	const uint64_t n = (uint64_t)t->n_infosets + 1;

	*w = (struct walk){.t = t, .player = player};
	w->choice = gpube__alloc(ctx, n, sizeof(*w->choice));
	w->trail = gpube__alloc(ctx, n, sizeof(*w->trail));
	w->stack = gpube__alloc(ctx, (uint64_t)t->n_nodes, sizeof(*w->stack));
	if (!w->choice || !w->trail || !w->stack)
		return GPUBE_ENOMEM;
	memset(w->choice, 0xff, n * sizeof(*w->choice));
	reach(w);
	return GPUBE_OK;
}

static void clear_walk(struct walk *w)
{
	struct gpube_ctx *ctx = w->t->in->ctx;

	gpube__free(ctx, w->choice);
	gpube__free(ctx, w->trail);
	gpube__free(ctx, w->stack);
}

/* One by one, up to 'most' and one more. */
static int count_walked(const struct gpube_extensive *t, int32_t player, double most, double *count)
{
	struct walk w;
	int status = start_walk(&w, t, player);

	*count = 0;
	if (!status)
		do {
			++*count;
			if (gpube__stopped(t->in->ctx))
				status = gpube__fail_stopped(t->in->ctx);
		} while (!status && *count <= most && next_strategy(&w));
	clear_walk(&w);
	return status;
}

/* What a strategy says, for all information sets: n_infosets of each. */
static int list_strategies(
	const struct gpube_extensive *t, int32_t player, int32_t n, int32_t *choices)
{
	struct walk w;
	int status = start_walk(&w, t, player);
	int32_t k = 0;

	if (!status)
		do {
			memcpy(choices + k++ * t->n_infosets, w.choice,
				(size_t)t->n_infosets * sizeof(*choices));
			if (gpube__stopped(t->in->ctx))
				status = gpube__fail_stopped(t->in->ctx);
		} while (!status && k < n && next_strategy(&w));
	clear_walk(&w);
	return status;
}

/*
 * "1*2", as Gambit names them: all sets of the player in the order of the file; "*" if it has none.
 */
static int name_strategy(
	const struct gpube_extensive *t, int32_t player, const int32_t *choice, char **label)
{
	struct gpube_ctx *ctx = t->in->ctx;
	int64_t capacity = 0, n = 0;
	char one[16], *text = NULL;

	for (int64_t k = 0; k < t->n_infosets; k++) {
		int length;

		if (t->infosets[k].player != player)
			continue;
		length = choice[k] < 0 ? snprintf(one, sizeof(one), "*")
				       : snprintf(one, sizeof(one), "%d", choice[k] + 1);
		if (gpube__grow(ctx, &text, &capacity, n + length + 1, 1)) {
			gpube__free(ctx, text);
			return GPUBE_ENOMEM;
		}
		memcpy(text + n, one, (size_t)length + 1);
		n += length;
	}
	*label = text ? text : gpube__strdup(ctx, "*");
	return *label ? GPUBE_OK : GPUBE_ENOMEM;
}

/* The player, and its n strategies as its actions. */
static int add_player(struct gpube_model *m, const struct gpube_extensive *t, const char *name,
	int32_t n, const int32_t *choices)
{
	const int32_t player = m->n_vars;
	int status = gpube__add_player(m, n, name, NULL);
	struct gpube_variable *v = &m->vars[player];

	if (!status && !(v->value_names = gpube__alloc_zero(m->ctx, (uint64_t)n, sizeof(char *))))
		return GPUBE_ENOMEM;
	for (int32_t k = 0; k < n && !status; k++)
		status = name_strategy(
			t, player + 1, choices + k * t->n_infosets, &v->value_names[k]);
	return status;
}

/* ---- payoffs --------------------------------------------------------------------------------- */

/* A node that is reached, with its chance. */
struct reached {
	int32_t node;
	int64_t num, den;
};

static wide gcd(wide a, wide b)
{
	while (b) {
		const wide rest = a % b;

		a = b;
		b = rest;
	}
	return a < 0 ? -a : a;
}

/* *num / *den += chance * v; false if that passes 126 bits. */
static bool add_share(wide *num, wide *den, const struct reached *r, const struct gpube_rational *v)
{
	wide a, b, c, d;

	if (!v->den || __builtin_mul_overflow((wide)r->num, (wide)v->num, &a) ||
		__builtin_mul_overflow((wide)r->den, (wide)v->den, &b))
		return false;
	c = gcd(a, b);
	a /= c;
	b /= c;
	c = gcd(*den, b);
	if (__builtin_mul_overflow(*num, b / c, num) || __builtin_mul_overflow(a, *den / c, &a) ||
		__builtin_add_overflow(*num, a, num) || __builtin_mul_overflow(*den, b / c, den))
		return false;
	d = gcd(*num, *den);
	*num /= d;
	*den /= d;
	return true;
}

/* The chance of a node behind one: false if it passes 62 bits. */
static bool follow(
	struct reached *to, const struct reached *from, const struct gpube_rational *chance)
{
	const wide num = (wide)from->num * chance->num, den = (wide)from->den * chance->den;
	const wide d = gcd(num, den);

	to->num = (int64_t)(num / d);
	to->den = (int64_t)(den / d);
	return num / d < (wide)1 << 62 && den / d < (wide)1 << 62;
}

/* What both players get where they play so; false if a number is too long. */
static bool expect(const struct gpube_extensive *t, const int32_t *const choices[2],
	struct reached *stack, struct gpube_rational v[2])
{
	wide num[2] = {0, 0}, den[2] = {1, 1};
	int64_t n = 0;

	stack[n++] = (struct reached){0, 1, 1};
	while (n) {
		const struct reached r = stack[--n];
		const struct gpube_node *node = &t->nodes[r.node];
		const struct gpube_infoset *s =
			node->infoset < 0 ? NULL : &t->infosets[node->infoset];

		for (int p = 0; p < 2 && node->outcome >= 0; p++)
			if (!add_share(&num[p], &den[p], &r,
				    &t->outcomes.v[2 * (int64_t)node->outcome + p]))
				return false;
		for (int32_t a = 0; s && !s->player && a < s->n_actions; a++) {
			if (s->chances[a].num == 0)
				continue;
			stack[n].node = t->children[node->children + a];
			if (!follow(&stack[n++], &r, &s->chances[a]))
				return false;
		}
		if (s && s->player) {
			stack[n] = r;
			stack[n++].node =
				t->children[node->children + choices[s->player - 1][node->infoset]];
		}
	}
	for (int p = 0; p < 2; p++) {
		if (num[p] > INT64_MAX || num[p] <= INT64_MIN || den[p] > INT64_MAX)
			return false;
		v[p] = (struct gpube_rational){(int64_t)num[p], (int64_t)den[p], NULL};
	}
	return true;
}

static int fill_payoffs(struct gpube_rational *v[2], const int32_t n[2],
	const struct gpube_extensive *t, int32_t *const choices[2])
{
	struct gpube_ctx *ctx = t->in->ctx;
	struct reached *stack = gpube__alloc(ctx, (uint64_t)t->n_nodes, sizeof(*stack));
	int status = stack ? GPUBE_OK : GPUBE_ENOMEM;

	for (int32_t i = 0; i < n[0] && !status; i++)
		for (int32_t j = 0; j < n[1] && !status; j++) {
			const int32_t *const both[] = {
				choices[0] + i * t->n_infosets, choices[1] + j * t->n_infosets};
			const int64_t at = (int64_t)i * n[1] + j;
			struct gpube_rational pair[2];

			if (gpube__stopped(ctx)) {
				status = gpube__fail_stopped(ctx);
			} else if (!expect(t, both, stack, pair)) {
				status = gpube__in_fail(
					t->in, GPUBE_ERANGE, "an expected payoff passes 64 bits");
			} else {
				v[0][at] = pair[0];
				v[1][at] = pair[1];
			}
		}
	gpube__free(ctx, stack);
	return status;
}

/* ---- all of it ----------------------------------------------------------------------- */

static void write_count(char text[40], double count, bool counted)
{
	if (counted && count > MOST_COUNTED)
		snprintf(text, 40, "more than %d", MOST_COUNTED);
	else if (count < 9e15)
		snprintf(text, 40, "%lld", (long long)count);
	else
		snprintf(text, 40, "about %.2e", count);
}

static int refuse_counts(struct gpube_extensive *t, const double count[2])
{
	char a[40], b[40];

	write_count(a, count[0], !t->recall);
	write_count(b, count[1], !t->recall);
	t->in->status = GPUBE_OK;
	return gpube__in_fail(t->in, GPUBE_ELIMIT,
		"the players have %s and %s reduced strategies: more than the memory allowed", a,
		b);
}

/* Sizes, before memory for them is taken. */
static int find_sizes(int32_t n[2], struct gpube_extensive *t)
{
	enum { CELL_BYTES = 2 * sizeof(struct gpube_rational) };
	double count[2];
	int status = find_recall(t);

	if (!status && t->recall)
		status = count_recalled(t, count);
	for (int p = 0; p < 2 && !status && !t->recall; p++)
		status = count_walked(t, p + 1, MOST_COUNTED, &count[p]);
	if (status)
		return status;
	if (count[0] > INT32_MAX || count[1] > INT32_MAX ||
		(!t->recall && (count[0] > MOST_COUNTED || count[1] > MOST_COUNTED)) ||
		gpube__in_charge(t->in, (int64_t)(count[0] * count[1]), CELL_BYTES, "payoffs") ||
		gpube__in_charge(t->in, (int64_t)(count[0] + count[1]),
			(t->n_infosets + 8) * (int64_t)(sizeof(int32_t) + 12), "strategies"))
		return refuse_counts(t, count);
	n[0] = (int32_t)count[0];
	n[1] = (int32_t)count[1];
	return GPUBE_OK;
}

int gpube__efg_normal(struct gpube_model *m, struct gpube_extensive *t, char *const names[2])
{
	struct gpube_rational *v[2] = {NULL, NULL};
	int32_t *choices[2] = {NULL, NULL}, n[2] = {0, 0};
	int status = find_sizes(n, t);

	for (int p = 0; p < 2 && !status; p++) {
		v[p] = gpube__alloc(m->ctx, (uint64_t)n[0] * (uint64_t)n[1], sizeof(*v[p]));
		choices[p] = gpube__alloc(
			m->ctx, (uint64_t)(n[p] * t->n_infosets) + 1, sizeof(*choices[p]));
		status = !v[p] || !choices[p] ? GPUBE_ENOMEM
					      : list_strategies(t, p + 1, n[p], choices[p]);
		if (!status)
			status = add_player(m, t, names[p], n[p], choices[p]);
	}
	if (!status)
		status = fill_payoffs(v, n, t, choices);
	for (int p = 0; p < 2 && !status; p++)
		status = gpube__add_payoffs(m, v[p]);
	for (int p = 0; p < 2; p++) {
		gpube__free(m->ctx, v[p]);
		gpube__free(m->ctx, choices[p]);
	}
	return status;
}
