/* cmd_nash.c - gpube nash: equilibria of games. */
#include <string.h>

#include "gpube/cli/draw/nash_picture.h"
#include "gpube/cli/nash_many.h"
#include "gpube/cli/report/tree_report.h"
#include "gpube/cli/session/contents.h"
#include "gpube/cli/session/session_ranks.h"
#include "gpube/options/options.h"

#define OPTS_STRUCT struct opts_nash
static const struct opt_row rows[] = {OPTS_NASH(OPT_ROW)};

static const struct opt_group groups[] = {
	OPT_GROUP("Options", rows, 0),
	OPT_GROUP_RANKS(offsetof(struct opts_nash, ranks)),
	OPT_GROUP_TALK(offsetof(struct opts_nash, talk)),
	{0},
};

/* The words of --output, in their order. */
enum { OUTPUT_TEXT, OUTPUT_JSON, OUTPUT_GAMBIT, OUTPUT_LRS };

/* All that the reports are written from. */
struct result {
	struct session *session;
	const char *file;
	const struct gpube_model *game;
	const struct gpube_nash_result *found;
	const struct gpube_nash_components *components; /* may be NULL */
	const char *no_components;                      /* why, if they were asked for */
	bool pure;                                      /* all that are, and no others */
};

static const struct gpube_nash_strategy *x_of(const struct result *r, int64_t k)
{
	return &r->found->xs[r->found->pairs[k].x];
}

static const struct gpube_nash_strategy *y_of(const struct result *r, int64_t k)
{
	return &r->found->ys[r->found->pairs[k].y];
}

static int32_t actions(const struct result *r, int player)
{
	return gpube_model_domain(r->game, player - 1);
}

/* ---- text ------------------------------------------------------------------------- */

/* The actions played: "up 1/3, down 2/3". */
static void text_strategy(struct gpube_out *out, const struct result *r, int player,
	const struct gpube_nash_strategy *s)
{
	const char *comma = "";

	for (int32_t i = 0; i < actions(r, player); i++) {
		const char *label = gpube_model_value_name(r->game, player - 1, i);

		if (!strcmp(s->p[i], "0"))
			continue;
		gpube__out_text(out, comma);
		comma = ", ";
		nash_text_action(out, label, i);
		if (strcmp(s->p[i], "1") != 0) {
			gpube__out_text(out, " ");
			gpube__out_text(out, s->p[i]);
		}
	}
}

static void text_list(struct gpube_out *out, const struct result *r)
{
	for (int64_t k = 0; k < r->found->n_pairs; k++) {
		char number[32];

		snprintf(number, sizeof(number), "%lld", (long long)k + 1);
		gpube__out_printf(out, "%-*s", LABEL, number);
		text_strategy(out, r, 1, x_of(r, k));
		gpube__out_printf(out, "\n%*s", LABEL, "");
		text_strategy(out, r, 2, y_of(r, k));
		gpube__out_printf(out, "\n%*spayoffs ", LABEL, "");
		gpube__out_text(out, y_of(r, k)->value);
		gpube__out_text(out, ", ");
		gpube__out_text(out, x_of(r, k)->value);
		gpube__out_text(out, "\n");
	}
}

/* "1 2 5" of the strategies of a subset, as they are numbered below. */
static void text_indices(struct gpube_out *out, char name, const int64_t *list, int64_t n)
{
	for (int64_t k = 0; k < n; k++)
		gpube__out_printf(out, " %c%lld", name, (long long)list[k] + 1);
}

static void text_strategies(struct gpube_out *out, const struct result *r, int player)
{
	const struct gpube_nash_strategy *list = player == 1 ? r->found->xs : r->found->ys;
	int64_t n = player == 1 ? r->found->n_xs : r->found->n_ys;

	for (int64_t k = 0; k < n; k++) {
		char name[32];

		snprintf(name, sizeof(name), "%c%lld", player == 1 ? 'x' : 'y', (long long)k + 1);
		gpube__out_printf(out, "%-*s", LABEL, name);
		text_strategy(out, r, player, &list[k]);
		gpube__out_text(out, "\n");
	}
}

static void text_components(struct gpube_out *out, const struct result *r)
{
	const struct gpube_nash_components *c = r->components;

	gpube__out_printf(out, "%-*s%lld with %lld maximal Nash subset%s\n", LABEL, "components",
		(long long)c->n_components, (long long)c->n_subsets, gpube__plural(c->n_subsets));
	for (int64_t k = 0; k < c->n_subsets; k++) {
		char number[32];

		snprintf(number, sizeof(number), "component %lld",
			(long long)c->subsets[k].component + 1);
		gpube__out_printf(out, "%-*s {", LABEL, number);
		text_indices(out, 'x', c->subsets[k].xs, c->subsets[k].n_xs);
		gpube__out_text(out, " } x {");
		text_indices(out, 'y', c->subsets[k].ys, c->subsets[k].n_ys);
		gpube__out_text(out, " }\n");
	}
	text_strategies(out, r, 1);
	text_strategies(out, r, 2);
}

static void text_head(struct gpube_out *out, const struct result *r)
{
	const struct gpube_nash_result *f = r->found;

	gpube__out_printf(out, "%-*s%d x %d actions", LABEL, "game", actions(r, 1), actions(r, 2));
	if (f->removed[0] + f->removed[1])
		gpube__out_printf(out, ", %d and %d of them strictly dominated", f->removed[0],
			f->removed[1]);
	gpube__out_printf(out, "\n%-*s%lld", LABEL, "equilibria", (long long)f->n_pairs);
	if (f->answer == GPUBE_NASH_ANSWER_ALL)
		gpube__out_text(out, nash_text_all(f->n_pairs));
	else if (f->answer == GPUBE_NASH_ANSWER_SOME)
		gpube__out_text(out, !r->pure     ? ", as asked for\n"
				     : f->n_pairs ? ", all that are pure\n"
						  : ", none is pure\n");
	else
		gpube__out_printf(out, ", incomplete: %s\n", f->reason);
	if (f->n_unchecked)
		gpube__out_printf(out, "%-*s%lld more were found, but not checked in time\n", LABEL,
			"unchecked", (long long)f->n_unchecked);
}

static void report_text(struct gpube_out *out, const void *arg)
{
	const struct result *r = arg;
	const struct gpube_nash_result *f = r->found;

	text_head(out, r);
	text_list(out, r);
	if (r->components)
		text_components(out, r);
	else if (r->no_components)
		gpube__out_printf(out, "%-*snone: %s\n", LABEL, "components", r->no_components);
	gpube__out_printf(out,
		"%-*severy best response, in rationals, from the payoffs of the file\n", LABEL,
		"checked");
	nash_text_end(out, r->session, f);
}

/* ---- JSON ----------------------------------------------------------------------------- */

static void json_strategy(
	struct json *j, const char *key, const struct gpube_nash_strategy *s, int32_t n)
{
	json_open(j, key, '[');
	for (int32_t i = 0; i < n; i++)
		json_text(j, NULL, s->p[i]);
	json_close(j, ']');
}

static void json_indices(struct json *j, const char *key, const int64_t *list, int64_t n)
{
	json_open(j, key, '[');
	for (int64_t k = 0; k < n; k++)
		json_int(j, NULL, list[k]);
	json_close(j, ']');
}

static void json_components(struct json *j, const struct result *r)
{
	const struct gpube_nash_components *c = r->components;

	json_open(j, "x", '[');
	for (int64_t k = 0; k < r->found->n_xs; k++)
		json_strategy(j, NULL, &r->found->xs[k], actions(r, 1));
	json_close(j, ']');
	json_open(j, "y", '[');
	for (int64_t k = 0; k < r->found->n_ys; k++)
		json_strategy(j, NULL, &r->found->ys[k], actions(r, 2));
	json_close(j, ']');
	json_int(j, "n_components", c->n_components);
	json_open(j, "components", '[');
	for (int64_t k = 0; k < c->n_subsets; k++) {
		json_open(j, NULL, '{');
		json_int(j, "component", c->subsets[k].component);
		json_indices(j, "x", c->subsets[k].xs, c->subsets[k].n_xs);
		json_indices(j, "y", c->subsets[k].ys, c->subsets[k].n_ys);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void report_json(struct json *j, const void *arg)
{
	const struct result *r = arg;
	const struct gpube_nash_result *f = r->found;

	nash_json_begin(j, r->session, r->file, f,
		f->answer == GPUBE_NASH_ANSWER_INCOMPLETE || r->no_components);
	json_int(j, "rows", actions(r, 1));
	json_int(j, "columns", actions(r, 2));
	nash_json_method(j, f, f->reason ? f->reason : r->no_components);
	if (f->degenerate < 0)
		json_null(j, "regular");
	else
		json_true_false(j, "regular", !f->degenerate);
	json_int(j, "work", f->work);
	json_int(j, "n_equilibria", f->n_pairs);
	if (f->n_unchecked)
		json_int(j, "unchecked", f->n_unchecked);
	json_open(j, "equilibria", '[');
	for (int64_t k = 0; k < f->n_pairs; k++) {
		json_open(j, NULL, '{');
		json_strategy(j, "x", x_of(r, k), actions(r, 1));
		json_strategy(j, "y", y_of(r, k), actions(r, 2));
		json_text(j, "u", y_of(r, k)->value);
		json_text(j, "v", x_of(r, k)->value);
		json_close(j, '}');
	}
	json_close(j, ']');
	if (r->components)
		json_components(j, r);
}

/* ---- Gambit and lrsnash ------------------------------------------------------------------ */

static void put_all(
	struct gpube_out *out, const char *before, const struct gpube_nash_strategy *s, int32_t n)
{
	for (int32_t i = 0; i < n; i++) {
		gpube__out_text(out, before);
		gpube__out_text(out, s->p[i]);
	}
}

static void gambit_line(struct gpube_out *out, const struct result *r,
	const struct gpube_nash_strategy *x, const struct gpube_nash_strategy *y)
{
	gpube__out_text(out, "NE");
	put_all(out, ",", x, actions(r, 1));
	put_all(out, ",", y, actions(r, 2));
	gpube__out_text(out, "\n");
}

static void report_gambit(struct gpube_out *out, const void *arg)
{
	const struct result *r = arg;

	for (int64_t k = 0; k < r->found->n_pairs; k++)
		gambit_line(out, r, x_of(r, k), y_of(r, k));
}

/* A block for each x: the lines of its ys with what player 1 gets, then x with what player 2 gets.
 */
static void report_lrs(struct gpube_out *out, const void *arg)
{
	const struct result *r = arg;
	const struct gpube_nash_result *f = r->found;

	for (int64_t k = 0; k < f->n_pairs; k++) {
		gpube__out_text(out, "2 ");
		put_all(out, " ", y_of(r, k), actions(r, 2));
		gpube__out_text(out, "  ");
		gpube__out_text(out, y_of(r, k)->value);
		gpube__out_text(out, "\n");
		if (k + 1 < f->n_pairs && f->pairs[k + 1].x == f->pairs[k].x)
			continue;
		gpube__out_text(out, "1 ");
		put_all(out, " ", x_of(r, k), actions(r, 1));
		gpube__out_text(out, "  ");
		gpube__out_text(out, x_of(r, k)->value);
		gpube__out_text(out, "\n\n");
	}
	gpube__out_printf(out, "*Number of equilibria found: %lld\n", (long long)f->n_pairs);
	if (f->answer == GPUBE_NASH_ANSWER_INCOMPLETE)
		gpube__out_printf(out, "*incomplete: %s\n", f->reason);
}

/* ---- the command --------------------------------------------------------------------------- */

/* How the command ends when everything has been written. */
static int verdict(const struct result *r)
{
	if (r->found->answer != GPUBE_NASH_ANSWER_INCOMPLETE)
		return CLI_DONE;
	if (!r->session->quiet)
		cli_error("%s: there may be more equilibria", r->found->reason);
	return CLI_FAILED;
}

/* Of a game that was solved by its tree. */
static int report_tree(const struct result *r, int output)
{
	const struct tree_result t = {
		.session = r->session, .file = r->file, .game = r->game, .found = r->found};

	if (session_report(r->session,
		    output == OUTPUT_GAMBIT ? tree_report_gambit : tree_report_text,
		    tree_report_json, &t))
		return CLI_FAILED;
	return verdict(r);
}

static int report(const struct result *r, int output)
{
	static report_fn *const texts[] = {
		[OUTPUT_TEXT] = report_text,
		[OUTPUT_JSON] = NULL,
		[OUTPUT_GAMBIT] = report_gambit,
		[OUTPUT_LRS] = report_lrs,
	};
	struct session *s = r->session;

	if (session_report(s, texts[output], report_json, r))
		return CLI_FAILED;
	if (r->no_components) {
		if (!s->quiet)
			cli_error("%s: no components", r->no_components);
		return CLI_FAILED;
	}
	return verdict(r);
}

/* It counts from the start; what reading took too long is found out at once. */
static double time_left(const struct session *s, double timeout)
{
	const double left = timeout - session_seconds(s);

	return left > 1e-6 ? left : 1e-6;
}

/* The components of all equilibria; those are reported, too, if it takes too long. */
static int find_components(
	struct result *r, double timeout, struct gpube_nash_components **components)
{
	struct gpube_ctx *ctx = r->session->ctx;
	const struct gpube_opts options = {
		.timeout_seconds = timeout > 0 ? time_left(r->session, timeout) : 0};
	int status;

	if (r->found->answer != GPUBE_NASH_ANSWER_ALL)
		return GPUBE_OK;
	status = gpube_nash_components(components, ctx, r->found, &options);
	r->components = *components;
	if (status == GPUBE_ESTOP)
		r->no_components = gpube_error(ctx);
	return status == GPUBE_ESTOP ? GPUBE_OK : status;
}

/* Where equilibria go as they are found. */
struct stream {
	struct gpube_out out;
	const struct result *result;
};

static int give(void *arg, const struct gpube_nash_strategy *x, const struct gpube_nash_strategy *y)
{
	struct stream *to = arg;

	gambit_line(&to->out, to->result, x, y);
	return to->out.status;
}

/* --stream: the lines that were written before a failure or an end by time stay. */
static int solve_in_a_stream(struct result *r, struct gpube_opts *options)
{
	struct session *s = r->session;
	struct stream to = {.result = r};
	struct gpube_nash_result *found = NULL;
	int rc, status, closed;

	if (gpube__out_open(&to.out, s->ctx, s->output))
		return session_fail(s, NULL);
	options->give = give;
	options->give_arg = &to;
	status = gpube_nash(&found, r->game, options);
	session_clear_line(s);
	closed = gpube__out_close(&to.out, true);
	r->found = found;
	rc = status || closed ? session_fail(s, NULL) : verdict(r);
	gpube_result_free(found);
	return rc;
}

/* The result is told, also where the picture cannot be drawn. */
static int report_with_picture(struct result *r, const struct opts_nash *o, int output)
{
	struct gpube_ctx *ctx = r->session->ctx;
	const struct gpube_nash_components *components = r->components;
	int rc;

	if (!o->components) { /* those are the picture's alone */
		r->components = NULL;
		r->no_components = NULL;
	}
	rc = report(r, output);
	if (o->svg && nash_picture_write(o->svg, ctx, r->file, r->game, r->found, components)) {
		cli_error("%s", gpube_error(ctx));
		rc = CLI_FAILED;
	}
	return rc;
}

static struct gpube_opts options_of(const struct opts_nash *o, int output)
{
	struct gpube_opts to = {0};

	opts_library(&to, GPUBE__ON_NASH, rows, OPT_N(rows), o);
	to.timeout_seconds = 0; /* the caller's clock */
	/* what is said of strategies */
	to.normal_form |= o->components || o->svg || o->stream || output == OUTPUT_LRS;
	return to;
}

static int solve(struct result *r, const struct opts_nash *o, int output, struct ranks *ranks)
{
	struct session *s = r->session;
	struct gpube_opts options = options_of(o, output);
	struct gpube_nash_result *found = NULL;
	struct gpube_nash_components *components = NULL;
	int rc;

	options.world = &ranks->world;
	if (o->timeout > 0)
		options.timeout_seconds = time_left(s, o->timeout);
	if (r->game->n_vars != 2 && (o->svg || o->components || o->stream || output == OUTPUT_LRS))
		return session_fail_text(s, NULL,
			"a game that has not two players: no --svg, --components, --stream or "
			"--output lrs");
	if (o->stream)
		return solve_in_a_stream(r, &options);
	if (gpube_nash(&found, r->game, &options))
		return ranks_fail(ranks, s);
	r->found = found;
	if (ranks->world.rank > 0)
		rc = CLI_DONE; /* rank 0 reports */
	else if (found->tree)
		rc = report_tree(r, output);
	else if (r->game->n_vars != 2)
		rc = nash_report_many(
			s, r->file, r->game, found, &options, output == OUTPUT_GAMBIT);
	else if ((o->components || (o->svg && found->n_pairs <= PICTURE_PAIRS)) &&
		 find_components(r,
			 o->components || o->timeout > 0 ? o->timeout
							 : session_seconds(s) + PICTURE_SECONDS,
			 &components))
		rc = session_fail(s, NULL);
	else
		rc = report_with_picture(r, o, output);
	gpube_result_free(components);
	gpube_result_free(found);
	return rc;
}

/* Options that exclude each other: true after a message. */
static bool clash(const struct opts_nash *o)
{
	if (o->one && o->pure)
		cli_error("--one and --pure exclude each other");
	else if (o->all_labels && !o->one)
		cli_error("--all-labels goes with --one");
	else if (o->support_size && (o->method != GPUBE_NASH_METHOD_SE || o->one || o->pure))
		cli_error("--support-size goes with --method se");
	else if (o->backend == GPUBE_BACKEND_CUDA && o->method != GPUBE_NASH_METHOD_SE &&
		 o->method != GPUBE_NASH_METHOD_EEE)
		cli_error("--backend cuda goes with --method se or eee");
	else if (o->components && (o->one || o->pure || o->max || o->support_size))
		cli_error("--components needs all equilibria: no --one, --pure, --max or "
			  "--support-size");
	else if (o->stream &&
		 (o->one || o->pure || o->max || o->components ||
			 o->method == GPUBE_NASH_METHOD_VE || o->method == GPUBE_NASH_METHOD_SE ||
			 o->backend == GPUBE_BACKEND_CUDA))
		cli_error(
			"--stream gives all equilibria by method eee on the CPU: no --one, --pure, "
			"--max, --components or other method");
	else if (o->svg && (o->stream || o->convert))
		cli_error("--svg draws what is solved and kept: no --stream, no --convert");
	else if (o->stream && (o->json || o->output != OUTPUT_GAMBIT))
		cli_error("--stream goes with --output gambit");
	else
		return false;
	return true;
}

static int read_game(
	struct session *s, struct gpube_model **game, const struct opts_nash *o, const char *path)
{
	const struct opts_read read = {.from = o->from};
	struct contents c = {0};
	int status;

	session_begin_reading(s, o->timeout);
	if (!o->from)
		status = contents_read_form(
			&c, s->ctx, path, GPUBE_CONTENT_GAME, GPUBE_CONTENT_GAME);
	else if (!(status = contents_read(&c, s->ctx, path, &read)) &&
		 (status = contents_become(&c, s->ctx, GPUBE_CONTENT_GAME, false)))
		contents_clear(&c);
	*game = c.model;
	session_end_reading(s);
	if (!status && (*game)->n_vars == 2 && !(*game)->tree)
		gpube__log(s->ctx, GPUBE_LOG_DETAIL, "read %d x %d actions: %.4f s",
			gpube_model_domain(*game, 0), gpube_model_domain(*game, 1),
			session_seconds(s));
	return status;
}

static bool shares_pairs(const struct opts_nash *o)
{
	return o->method == GPUBE_NASH_METHOD_SE && !o->one && !o->pure && !o->convert;
}

static int run(const void *opts, int n_args, char **args)
{
	const struct opts_nash *o = opts;
	int output = o->json ? OUTPUT_JSON : o->output, rc, status;
	struct gpube_model *game = NULL;
	struct ranks ranks;
	struct session s;

	(void)n_args;
	if (clash(o))
		return CLI_USAGE;
	if (ranks_open(&ranks, &o->ranks))
		return CLI_FAILED;
	rc = ranks_session_start(
		&ranks, &s, &o->talk, o->threads, 0, output == OUTPUT_JSON, o->output_file);
	if (!rc && ((o->svg && !session_can_write(&s, o->svg)) ||
			   (o->certify && !session_can_write(&s, o->certify))))
		rc = ranks_fail(&ranks, &s);
	/* beside reading, if it was asked for */
	if (!rc && !o->convert && !o->one && !o->pure && !o->stream && !o->max &&
		o->method != GPUBE_NASH_METHOD_VE)
		session_open_device(&s, (enum gpube_backend)o->backend, false, true);
	if (!rc) {
		status = dcop_world_agree(&ranks.world, read_game(&s, &game, o, args[0]));
		if (status)
			rc = ranks_fail(&ranks, &s);
	}
	if (!rc && ranks.world.n_ranks > 1 && !shares_pairs(o)) {
		if (ranks.world.rank == 0)
			cli_error("several ranks go with --method se alone");
		rc = CLI_USAGE;
	} else if (!rc && o->convert) {
		if (gpube_write(game, o->convert, NULL, NULL))
			rc = session_fail(&s, NULL);
	} else if (!rc) {
		struct result r = {
			.session = &s, .file = args[0], .game = game, .pure = o->pure && !o->max};

		rc = solve(&r, o, output, &ranks);
	}
	gpube_model_free(game);
	ranks_close(&ranks, &s);
	return rc;
}

const struct command cmd_nash = {
	.name = "nash",
	.arguments = "FILE",
	.summary = "find all Nash equilibria of a game, with proof",
	.description =
		"Finds the extreme Nash equilibria of the two-player game in FILE; all "
		"equilibria are convex combinations of these. Payoffs are rational numbers, "
		"every equilibrium is checked in rational arithmetic, and each part of the "
		"search that is skipped is proved to be empty. FILE is Gambit's .nfg, .efg, "
		".agg or .bagg, one of GAMUT's GambitOutput, TwoPlayerOutput, SimpleOutput and "
		"GTOutput, or the input of lrsnash, plain or compressed; '-' is standard input.\n\n"
		"A game of more players is given as .nfg, .agg, SimpleOutput or GTOutput. All "
		"its isolated equilibria are found: as fractions, or as intervals of decimals "
		"each of which is proved to contain exactly one. Regions of mixed strategy "
		"profiles are divided until each is proved to contain at most one equilibrium. "
		"Regions that remain, such as around a component of a degenerate game, are "
		"reported by their supports, and the result is complete only if there are none. "
		"--pure finds the pure equilibria of such a game by comparing all payoffs.\n\n"
		"An .efg of two players with perfect recall is solved in sequence form, and its "
		"equilibria are behaviour strategies: a line for each information set, with its "
		"name and the probabilities of its actions. A set that the player's own moves "
		"never reach shows the first best reply. --one finds one equilibrium: with "
		"perfect information the subgame perfect one of backward induction, for any "
		"number of players; in a constant-sum game the value, by a linear program that "
		"is solved exactly; otherwise one by Lemke's algorithm. Every result is checked "
		"against all best replies on the tree. --normal-form solves the reduced normal "
		"form instead, and so do --pure, --method, --components and games without "
		"perfect recall.\n\n"
		"An .agg is an action graph game, and a .bagg a Bayesian one, in which each "
		"type of a player acts as a player whose payoff is its expectation over the "
		"types of the others. The payoffs of all profiles are computed, and a game "
		"whose profiles do not fit into memory is refused.\n\n"
		"FILE may also be a model with as many functions as variables, each over all "
		"variables: function i has the payoffs of player i. Costs are negated; costs "
		"that are maximised, and potentials, are payoffs as they are.\n\n"
		"Quantal response equilibria and refinements such as perfect or proper "
		"equilibria are not computed.\n\n"
		"Method se enumerates supports of equal size, of up to 64 actions of a player, "
		"which may miss equilibria of a degenerate game. The number is then compared "
		"with that of another method, and if it is smaller, the result is incomplete. "
		"SIGINT, SIGTERM and --timeout end "
		"the run with the equilibria that were found, status 'incomplete' and exit "
		"status 1. 'mpirun gpube-mpi nash --method se' shares the pairs of supports "
		"among ranks; if a rank dies or stops, the run ends with an error after "
		"--receive-timeout.\n\n"
		"With --output json the result is one object; gpube-json(5) says what its "
		"members mean.",
	.examples = "gpube nash game.nfg\n"
		    "all extreme equilibria with payoffs\n"
		    "gpube nash --components --json game.nfg\n"
		    "the same with maximal Nash subsets, for a program to read\n"
		    "gpube nash --svg equilibria.svg game.nfg\n"
		    "and a picture of them\n"
		    "gpube nash --one --output gambit game.nfg\n"
		    "one equilibrium, as Gambit writes it",
	.min_args = 1,
	.max_args = 1,
	.opts_size = sizeof(struct opts_nash),
	.groups = groups,
	.run = run,
};
