/*
 * test_schedule.c - rounds of made-up methods, without a model: budgets that double, predicted
 * ends, methods that fail, that take too much, that change nothing; and data leaves nobody out.
 */
#include <math.h>
#include <string.h>

#include "gpube/bound/schedule/methods.h"
#include "gpube/bound/schedule/schedule.h"
#include "tests/support/test.h"

enum { MOST_TURNS = 4096 };

/* A made-up method: what it does with its turns. */
struct made_up {
	double end;       /* as fit() predicts it; 0: unfit */
	double least;     /* as fit() says it */
	bool rough;       /* likewise */
	bool counts_down; /* it predicts what it still needs */
	double needs;     /* ticks until it proves; INFINITY: never */
	double excess;    /* ticks that every step takes beside its budget */
	double factor;    /* what a step leaves of the gap */
	double nearer;    /* and of what the next method predicts, where it is not 0 */
	int fails_at;     /* the first step that fails, from 1 on; 0: none does */
	int status;       /* with which */
	bool says_done;
	int most_steps; /* after so many it is unfit; 0: never */
	int n_steps;
	double worked;
};

/* What is known of a run without a model. */
struct known {
	const double *shares;
	double ticks, gap;
	int64_t mark;
	bool proved;
	struct made_up of[4]; /* the last one is nobody: see nearer */
	struct gpube__turn turns[MOST_TURNS];
	int n_turns;
	int n_asked; /* for shares, and turns: see goes_on() */
};

static int step(struct known *k, int i, double ticks)
{
	struct made_up *m = &k->of[i];
	const double takes = fmin(ticks, m->needs - m->worked) + m->excess;

	m->n_steps++;
	m->worked += takes;
	k->ticks += takes;
	if (m->fails_at && m->n_steps >= m->fails_at)
		return m->status;
	if (m->worked >= m->needs) {
		k->proved = true;
		k->gap = 0;
		k->mark++;
	} else if (m->factor < 1) {
		k->gap *= m->factor;
		k->mark++;
	}
	if (m->counts_down)
		m->end = m->needs - m->worked;
	if (m->nearer > 0)
		k->of[i + 1].needs = k->of[i + 1].end *= m->nearer;
	return m->says_done ? GPUBE__DONE : GPUBE_OK;
}

static struct gpube__fit fit(const void *known, int i)
{
	const struct made_up *m = &((const struct known *)known)->of[i];
	const bool over = m->most_steps && m->n_steps >= m->most_steps;

	return (struct gpube__fit){over ? 0 : m->end, m->least, m->rough};
}

/* A run that never ends is one that has taken so much. */
#define ENDLESS 1e14

static struct gpube__run_now now(const void *known)
{
	const struct known *k = known;

	return (struct gpube__run_now){.worked = k->ticks,
		.gap = k->gap,
		.mark = k->mark,
		.done = k->proved || k->ticks > ENDLESS};
}

/* A schedule that never ends, since its budgets do not grow or are not used, fails. */
static void goes_on(const void *known)
{
	assert_true(((struct known *)known)->n_asked++ < 100000);
}

static int take(void *known, struct gpube__turn *turn)
{
	struct known *k = known;

	goes_on(known);
	turn->before = now(k);
	turn->status = step(k, turn->method, turn->budget);
	turn->after = now(k);
	turn->ticks = turn->after.worked - turn->before.worked;
	if (k->n_turns < MOST_TURNS)
		k->turns[k->n_turns++] = *turn;
	return turn->status < 0 && turn->status != GPUBE_ELIMIT ? turn->status : GPUBE_OK;
}

static double share(const void *known, int method)
{
	goes_on(known);
	return ((const struct known *)known)->shares[method];
}

static const struct gpube__run_view view = {now, fit, share, take};

static struct made_up slow(void)
{
	return (struct made_up){.end = GPUBE__UNKNOWN_END, .needs = INFINITY, .factor = 1};
}

static struct known *begin(void)
{
	static struct known k;

	memset(&k, 0, sizeof(k));
	k.gap = 1000;
	for (int i = 0; i < 3; i++)
		k.of[i] = slow();
	return &k;
}

static int run(struct known *k, const double *shares, int n)
{
	struct gpube__schedule s;

	k->shares = shares;
	gpube__schedule_init(&s, n);
	return gpube__schedule_run(&s, k, &view);
}

static void budgets_double(void **state)
{
	struct known *k = begin();
	const double all = 1;

	(void)state;
	k->of[0].factor = 0.9; /* a little each time, so that its share stays */
	assert_int_equal(run(k, &all, 1), 0);
	assert_true(k->n_turns > 10);
	assert_true(k->turns[0].budget == GPUBE__FIRST_ROUND);
	for (int i = 1; i < k->n_turns; i++)
		assert_true(k->turns[i].budget == 2 * k->turns[i - 1].budget &&
			    k->turns[i].round == k->turns[i - 1].round + 1);
}

static void nobody_starves(void **state)
{
	static const double shares[] = {0.5, 0.4, 0.1};

	(void)state;
	for (int who = 0; who < 3; who++)
		for (double needs = 1e5; needs < 1e11; needs *= 3) {
			struct known *k = begin();
			double most;

			k->of[who].needs = needs;
			assert_int_equal(run(k, shares, 3), 0);
			assert_true(k->proved);
			/*
			 * its share, and the round before it; who changes nothing has less and
			 * less: at worst a quarter, of which the others' are no more
			 */
			most = 16 * needs / shares[who] + 2 * GPUBE__FIRST_ROUND;
			assert_true(k->ticks <= most);
			assert_true(who || k->ticks < 8 * needs + 2 * GPUBE__FIRST_ROUND);
		}
}

static void predicted_ends_come_first(void **state)
{
	static const double shares[] = {0.9, 0};
	struct known *k = begin();

	(void)state;
	k->of[1].end = k->of[1].needs = 1.5e6;
	assert_int_equal(run(k, shares, 2), 0);
	assert_int_equal(k->n_turns, 1);
	assert_int_equal(k->turns[0].method, 1);
	assert_string_equal(k->turns[0].why, "predicted");
	/* one that is far away waits until a round is about as long */
	k = begin();
	k->of[1].end = k->of[1].needs = 1e9;
	assert_int_equal(run(k, shares, 2), 0);
	assert_true(k->proved && k->of[1].n_steps == 1);
	assert_true(k->ticks < 3e9);
}

static void wrong_predictions_are_stopped(void **state)
{
	static const double shares[] = {0.9, 0};
	struct known *k = begin();

	(void)state;
	k->of[1].end = 1e6; /* and it would take for ever */
	k->of[0].needs = 1e10;
	k->of[0].factor = 0.9;
	assert_int_equal(run(k, shares, 2), 0);
	assert_true(k->proved);
	for (int i = 0; i < k->n_turns; i++)
		assert_true(k->turns[i].method != 1 || k->turns[i].ticks <= 4 * (1e6 + k->ticks));
	assert_true(k->of[1].worked < 2 * k->of[0].worked);

	/* one that is let go since it fits in two rounds has no more than these */
	k = begin();
	k->of[1].end = 1.5 * GPUBE__FIRST_ROUND;
	k->of[0].needs = 1e10;
	k->of[0].factor = 0.9;
	assert_int_equal(run(k, shares, 2), 0);
	assert_int_equal(k->turns[0].method, 1);
	assert_true(k->turns[0].ticks >= GPUBE__FIRST_ROUND);
	assert_true(k->turns[0].ticks <= 2.01 * GPUBE__FIRST_ROUND);
}

static void estimates_are_believed_less(void **state)
{
	static const double shares[] = {0.9, 0};

	(void)state;
	for (int rough = 0; rough < 2; rough++) {
		struct known *k = begin();
		int i = 0;

		k->of[1].end = 1.5 * GPUBE__FIRST_ROUND; /* and it would take for ever */
		k->of[1].rough = rough;
		k->of[0].needs = 1e10;
		k->of[0].factor = 0.9;
		assert_int_equal(run(k, shares, 2), 0);
		while (i < k->n_turns && k->turns[i].method != 1)
			i++;
		assert_true(i < k->n_turns);
		assert_int_equal(k->turns[i].round, rough);
		assert_true(k->turns[i].budget == (rough ? 1.5 / 4 : 2) * GPUBE__FIRST_ROUND);
		/* it comes no nearer, and has no more than half of the round */
		for (double ticks = 0; i < k->n_turns && k->turns[i].round == rough; i++) {
			ticks += k->turns[i].method != 1 ? 0 : k->turns[i].ticks;
			assert_true(!rough || ticks <= GPUBE__FIRST_ROUND);
		}
	}
}

/* One that holds is not broken off: its parts follow each other. */
static void estimates_that_hold_go_on(void **state)
{
	static const double shares[] = {0.9, 0};
	struct known *k = begin();
	int n = 0;

	(void)state;
	k->of[1].end = k->of[1].needs = 0.9 * GPUBE__FIRST_ROUND;
	k->of[1].rough = k->of[1].counts_down = true;
	assert_int_equal(run(k, shares, 2), 0);
	assert_true(k->proved);
	for (int i = 0; i < k->n_turns; i++)
		n += (k->turns[i].method == 1);
	assert_int_equal(n, k->n_turns);
	assert_in_range(n, 2, 16);
}

/* One that is stopped, since it takes longer than it said, goes on where it says so. */
static void predictions_that_were_short_go_on(void **state)
{
	static const double shares[] = {0.9, 0};
	struct known *k = begin();

	(void)state;
	k->of[1].end = 0.1 * GPUBE__FIRST_ROUND;
	k->of[1].needs = 0.9 * GPUBE__FIRST_ROUND;
	k->of[1].counts_down = true;
	assert_int_equal(run(k, shares, 2), 0);
	assert_true(k->proved);
	assert_int_equal(k->n_turns, 2);
	for (int i = 0; i < k->n_turns; i++)
		assert_int_equal(k->turns[i].method, 1);
	assert_true(k->turns[0].budget == 4 * 0.1 * GPUBE__FIRST_ROUND);
}

static void gains_earn_another_turn(void **state)
{
	static const double shares[] = {0.5, 0.5};
	struct known *k = begin();
	int n = 0;

	(void)state;
	k->of[0].factor = 0.5;
	k->of[0].needs = 1e8;
	k->of[1].needs = 1e12;
	assert_int_equal(run(k, shares, 2), 0);
	for (int i = 0; i < k->n_turns; i++)
		n += !strcmp(k->turns[i].why, "halved");
	assert_true(n > 5);
	assert_true(k->of[1].n_steps <= 1); /* it hardly got a turn */
}

/* As a search for orders does, which proves nothing by itself. */
static void who_brings_an_end_nearer_goes_on(void **state)
{
	static const double shares[] = {0.5, 0, 0.5};
	struct known *k = begin();
	int n = 0;

	(void)state;
	k->of[0].nearer = 0.5;
	k->of[1].end = k->of[1].needs = 5e3 * GPUBE__FIRST_ROUND; /* it ends when it is let go */
	assert_int_equal(run(k, shares, 3), 0);
	for (int i = 0; i < k->n_turns; i++)
		n += (k->turns[i].method == 0) && !strcmp(k->turns[i].why, "halved");
	assert_true(n > 5);
	assert_true(k->of[2].n_steps <= 1);
	/* by a little less, each time: its share stays, while the third's is halved */
	k = begin();
	k->of[0].nearer = 0.75;
	k->of[1].end = k->of[1].needs = 5e3 * GPUBE__FIRST_ROUND;
	assert_int_equal(run(k, shares, 3), 0);
	assert_true(k->of[0].worked > 2 * k->of[2].worked);
}

/* Nor is it waited for: who is predicted to end in the round goes first. */
static void an_end_in_the_round_is_not_put_off(void **state)
{
	static const double shares[] = {0.1, 0};
	struct known *k = begin();

	(void)state;
	k->of[0].nearer = 0.5;
	k->of[1].end = k->of[1].needs = 3 * GPUBE__FIRST_ROUND;
	assert_int_equal(run(k, shares, 2), 0);
	assert_int_equal(k->n_turns, 2);
	assert_string_equal(k->turns[0].why, "share");
	assert_string_equal(k->turns[1].why, "predicted");
}

static void who_changes_nothing_gets_less(void **state)
{
	static const double shares[] = {0.5, 0.5};
	struct known *k = begin();
	double last = 0;

	(void)state;
	k->of[1].factor = 0.999; /* however little it is */
	assert_int_equal(run(k, shares, 2), 0);
	assert_true(k->of[0].worked < k->of[1].worked / 3);
	for (int i = 0; i < k->n_turns; i++) /* but never nothing */
		if (k->turns[i].method == 0) {
			assert_true(k->turns[i].budget >= last / 2);
			last = k->turns[i].budget;
		}
	assert_true(k->of[0].n_steps > 10);
}

static void excess_is_paid_back(void **state)
{
	static const double shares[] = {0.1, 0.9};
	struct known *k = begin();

	(void)state;
	k->of[0].excess = 1e9; /* a hundred rounds of it */
	k->of[0].factor = 0.9;
	k->of[1].needs = 1e11;
	k->of[1].factor = 0.9;
	assert_int_equal(run(k, shares, 2), 0);
	assert_true(k->proved);
	assert_true(k->of[0].worked < 0.3 * k->of[1].worked + 2e9);
}

static void who_cannot_begin_waits(void **state)
{
	static const double shares[] = {0.1, 0.9};
	struct known *k = begin();

	(void)state;
	k->of[0].least = 1e9;
	k->of[1].needs = 1e12;
	k->of[1].factor = k->of[0].factor = 0.9;
	assert_int_equal(run(k, shares, 2), 0);
	assert_true(k->of[0].n_steps > 0);
	for (int i = 0; i < k->n_turns; i++)
		assert_true(k->turns[i].method != 0 || k->turns[i].budget >= 1e9);
}

static void failures(void **state)
{
	static const double shares[] = {0.5, 0.5};
	struct known *k = begin();

	(void)state;
	k->of[0].fails_at = 2; /* it gives way, and is asked once more */
	k->of[0].status = GPUBE_ELIMIT;
	k->of[1].needs = 1e10;
	assert_int_equal(run(k, shares, 2), 0);
	assert_true(k->proved && k->of[0].n_steps == 3);
	k = begin();
	k->of[0].fails_at = 3; /* any other ends the run */
	k->of[0].status = GPUBE_EBUG;
	assert_int_equal(run(k, shares, 2), GPUBE_EBUG);
	assert_int_equal(k->of[0].n_steps, 3);
}

static void ends_without_a_proof(void **state)
{
	static const double shares[] = {0.5, 0.5}, none[] = {0, 0};
	struct known *k = begin();

	(void)state;
	k->of[0].says_done = k->of[1].says_done = true;
	assert_int_equal(run(k, shares, 2), 0);
	assert_true(!k->proved && k->n_turns == 2);
	/* what one of them finds is something new to say for the other */
	k = begin();
	k->of[0].says_done = true;
	k->of[1].factor = 0.9;
	k->of[1].fails_at = 20;
	k->of[1].status = GPUBE_ELIMIT;
	assert_int_equal(run(k, shares, 2), 0);
	assert_true(k->of[0].n_steps > 10);
	k = begin(); /* without shares and predictions nothing is done */
	assert_int_equal(run(k, none, 2), 0);
	assert_int_equal(k->n_turns, 0);
	k = begin(); /* nor by methods that are unfit */
	k->of[0].end = k->of[1].end = 0;
	assert_int_equal(run(k, shares, 2), 0);
	assert_int_equal(k->n_turns, 0);
}

/* Every class has every method: by a share, or by its prediction; and shares are of a whole. */
static void data(void **state)
{
	(void)state;
	for (int c = 0; c < GPUBE__N_CLASSES; c++) {
		int sum = 0;

		for (int i = 0; i < GPUBE__N_METHODS; i++)
			sum += i == GPUBE__METHOD_linear ? 0 : gpube__shares[c][i];
		assert_non_null(gpube__class_names[c]);
		assert_in_range(sum, 90, 125);
		/* where linear programs suit, which few models do, they are half of a round */
		assert_true(gpube__shares[c][GPUBE__METHOD_linear] <= 100);
		assert_true(gpube__shares[c][GPUBE__METHOD_tree] >= 5);
		assert_true(gpube__shares[c][GPUBE__METHOD_pairwise] >= 5);
		assert_true(gpube__shares[c][GPUBE__METHOD_andor] >= 5);
		assert_true(gpube__shares[c][GPUBE__METHOD_order] >= 2);
		assert_true(gpube__shares[c][GPUBE__METHOD_search] >= 2);
		assert_true(gpube__shares[c][GPUBE__METHOD_eliminate] == 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(budgets_double),
		cmocka_unit_test(nobody_starves),
		cmocka_unit_test(predicted_ends_come_first),
		cmocka_unit_test(wrong_predictions_are_stopped),
		cmocka_unit_test(estimates_are_believed_less),
		cmocka_unit_test(estimates_that_hold_go_on),
		cmocka_unit_test(predictions_that_were_short_go_on),
		cmocka_unit_test(gains_earn_another_turn),
		cmocka_unit_test(who_brings_an_end_nearer_goes_on),
		cmocka_unit_test(an_end_in_the_round_is_not_put_off),
		cmocka_unit_test(who_changes_nothing_gets_less),
		cmocka_unit_test(excess_is_paid_back),
		cmocka_unit_test(who_cannot_begin_waits),
		cmocka_unit_test(failures),
		cmocka_unit_test(ends_without_a_proof),
		cmocka_unit_test(data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
