/* cmd_auction.c - gpube auction: which bids win. */
#include <math.h>
#include <stdlib.h>

#include "csg/auction.h"
#include "gpube/options/options.h"
#include "gpube/cli/structure_report.h"
#include "gpube/cli/session/contents.h"
#include "gpube/base/decimal.h"
#include "gpube/ir/bids.h"
#include "csg/view.h"

#define OPTS_STRUCT struct opts_auction
static const struct opt_row rows[] = {OPTS_AUCTION(OPT_ROW)};

static const struct opt_group groups[] = {
	OPT_GROUP("Options", rows, 0),
	OPT_GROUP_TALK(offsetof(struct opts_auction, talk)),
	{0},
};

struct report {
	struct session *session;
	const struct gpube_model *auction;
	const struct gpube_auction_result *result;
	const char *file;
};

/* The words of --output, in their order. */
enum { OUTPUT_TEXT, OUTPUT_JSON, OUTPUT_TABLE };

/* Goods without dummies. */
static int32_t n_real(const struct gpube_model *m)
{
	return gpube_model_n_vars(m) - gpube_model_info(m)->n_hidden;
}

/* A bid that wins. */
struct winner {
	int64_t price;
	int bid;
};

static void text_bids(struct gpube_out *out, const struct report *p, const int *bids, int n)
{
	for (int k = 0; k < n; k++)
		gpube__out_printf(
			out, " %lld", (long long)gpube_auction_bid_number(p->auction, bids[k]));
	gpube__out_text(out, "\n");
}

static void report_text(struct gpube_out *out, const void *arg)
{
	const struct report *p = arg;
	const struct gpube_auction_result *r = p->result;

	gpube__out_printf(out, "%-*s", LABEL, "revenue");
	gpube__out_decimal(out, r->revenue, r->scale);
	gpube__out_text(out, r->optimal ? ", the proved maximum\n" : "\n");
	gpube__out_printf(out, "%-*s", LABEL - 1, "bids");
	text_bids(out, p, r->winners, r->n_winners);
	if (!r->optimal) {
		gpube__out_printf(out, "%-*s", LABEL, "upper bound");
		gpube__out_decimal(out, r->upper_bound, r->scale);
		gpube__out_text(out, "\n");
	}
	if (r->n_never) {
		gpube__out_printf(out, "%-*s", LABEL - 1, "never win");
		text_bids(out, p, r->never, r->n_never);
	}
	gpube__out_printf(out, "%-*s%d good%s, %d bid%s\n", LABEL, "auction", n_real(p->auction),
		gpube__plural(n_real(p->auction)), gpube_auction_bids(p->auction),
		gpube__plural(gpube_auction_bids(p->auction)));
	gpube__out_printf(out, "%-*s%.3f s: solve %.3f; %lld node%s, %lld pivot%s\n", LABEL, "time",
		session_seconds(p->session), r->seconds, (long long)r->n_nodes,
		gpube__plural(r->n_nodes), (long long)r->n_pivots, gpube__plural(r->n_pivots));
}

static int dearer_first(const void *x, const void *y)
{
	const struct winner *a = x, *b = y;

	if (a->price != b->price)
		return a->price > b->price ? -1 : 1;
	return (a->bid > b->bid) - (a->bid < b->bid);
}

/* Winners by price, and their goods; dummy goods are none. */
static void table_winners(struct gpube_out *out, const struct report *p,
	const struct gpube__bids *a, struct winner *winner)
{
	const struct gpube_auction_result *r = p->result;
	const double unit = 1 / gpube__ten_to(r->scale);
	char text[GPUBE_DECIMAL_TEXT], what[120];
	int n_sold = 0;

	for (int k = 0; k < r->n_winners; k++)
		winner[k] = (struct winner){a->price[r->winners[k]], r->winners[k]};
	if (r->n_winners)
		qsort(winner, (size_t)r->n_winners, sizeof(*winner), dearer_first);
	table_head(out, "price", "bid: goods");
	for (int k = 0; k < r->n_winners; k++) {
		const int bid = winner[k].bid;

		table_row(out, gpube__decimal_text(text, winner[k].price, a->scale),
			(double)winner[k].price * unit, (double)r->revenue * unit);
		gpube__out_printf(out, " %lld:", (long long)a->id[bid]);
		for (int64_t e = a->at[bid]; e < a->at[bid + 1]; e++)
			if (a->good[e] < a->n_real) {
				gpube__out_printf(out, " %d", a->good[e]);
				n_sold++;
			}
		gpube__out_text(out, "\n");
	}
	snprintf(what, sizeof(what), "%d of %d bid%s, %d of %d good%s sold%s", r->n_winners,
		a->n_bids, gpube__plural(a->n_bids), n_sold, a->n_real, gpube__plural(a->n_real),
		r->optimal ? ", the proved maximum" : "");
	table_line(out, gpube__decimal_text(text, r->revenue, r->scale), what);
	if (!r->optimal)
		table_line(out, gpube__decimal_text(text, r->upper_bound, r->scale),
			"nothing is worth more");
}

static void report_table(struct gpube_out *out, const void *arg)
{
	const struct report *p = arg;
	struct gpube__bids a;
	struct winner *winner =
		gpube__alloc(p->session->ctx, (uint64_t)p->result->n_winners + 1, sizeof(*winner));

	if (winner && !gpube__bids_init(&a, p->auction)) {
		table_winners(out, p, &a, winner);
		gpube__bids_clear(&a);
	} else {
		out->status = GPUBE_ENOMEM;
	}
	gpube__free(p->session->ctx, winner);
}

static void json_bids(
	struct json *j, const char *key, const struct report *p, const int *bids, int n)
{
	json_open(j, key, '[');
	for (int k = 0; k < n; k++)
		json_int(j, NULL, gpube_auction_bid_number(p->auction, bids[k]));
	json_close(j, ']');
}

static void report_json(struct json *j, const void *arg)
{
	const struct report *p = arg;
	const struct gpube_auction_result *r = p->result;

	json_text(j, "status", r->optimal ? "optimal" : "bounds");
	json_text(j, "backend", "cpu");
	json_seconds(j, "seconds", session_seconds(p->session));
	json_text(j, "file", p->file);
	json_decimal(j, "revenue", r->revenue, r->scale);
	json_decimal(j, "upper_bound", r->upper_bound, r->scale);
	json_bids(j, "bids", p, r->winners, r->n_winners);
	json_bids(j, "never", p, r->never, r->n_never);
	json_int(j, "nodes", r->n_nodes);
}

static int solve(struct session *s, const struct gpube_model *a, const struct opts_auction *o,
	const char *file)
{
	const struct gpube_opts options = {.timeout_seconds = session_time_left(s, o->timeout)};
	struct gpube_auction_result *result;
	struct report p = {s, a, NULL, file};
	int rc;

	if (gpube_auction(&result, a, &options))
		return session_fail(s, NULL);
	if (!result->optimal)
		session_note(s, "ended before the optimum was proved");
	p.result = result;
	rc = session_report(
		s, o->output == OUTPUT_TABLE ? report_table : report_text, report_json, &p);
	gpube_result_free(result);
	return rc;
}

/* ---- a bid on every bundle ------------------------------------------------------------- */

static const struct structure_words words = {"revenue", "price", "bundles", "goods", "bundle",
	"all goods cannot be sold (proved)", "stopped before any sale was known"};

struct complete_report {
	struct session *session;
	const struct gpube_model *game;
	const struct gpube_csg_result *result;
	const char *file;
};

static void complete_text(struct gpube_out *out, const void *arg)
{
	const struct complete_report *p = arg;
	const struct gpube_csg_result *r = p->result;

	text_structure(out, r, &words);
	if (r->answer == GPUBE_CSG_BOUNDS && isfinite(r->upper_bound))
		text_upper_bound(out, r);
	gpube__out_printf(out, "%-*s%d good%s, a bid on every bundle, %s\n", LABEL, "auction",
		gpube_model_n_vars(p->game), gpube__plural(gpube_model_n_vars(p->game)),
		gpube__type_name(gpube_coalitions_type(p->game)));
	gpube__out_printf(out, "%-*s%.3f s: solve %.3f, method %s on the %s\n", LABEL, "time",
		session_seconds(p->session), r->seconds_total, csg__method_name(r->method),
		r->backend);
}

static void complete_table(struct gpube_out *out, const void *arg)
{
	const struct complete_report *p = arg;

	if (!table_structure(out, p->game, p->result, &words))
		complete_text(out, arg);
}

static void complete_json(struct json *j, const void *arg)
{
	const struct complete_report *p = arg;
	const struct gpube_csg_result *r = p->result;

	json_text(j, "status", csg_status_words[r->answer]);
	json_text(j, "backend", r->backend);
	json_seconds(j, "seconds", session_seconds(p->session));
	json_text(j, "file", p->file);
	json_int(j, "goods", gpube_model_n_vars(p->game));
	json_worth(j, "revenue", r);
	json_upper_bound(j, r);
	json_real(j, "error", r->error);
	json_parts(j, "bundles", r);
	json_text(j, "method", csg__method_name(r->method));
}

static int solve_complete(
	struct session *s, struct gpube_model *g, const struct opts_auction *o, const char *file)
{
	const struct gpube_opts options = {.free_disposal = !o->sell_all,
		.backend = (enum gpube_backend)o->backend,
		.timeout_seconds = session_time_left(s, o->timeout)};
	struct gpube_csg_result *result;
	struct complete_report p = {s, g, NULL, file};
	int rc;

	if (gpube_csg(&result, g, &options))
		return session_fail(s, NULL);
	if (result->answer == GPUBE_CSG_BOUNDS || result->answer == GPUBE_CSG_INCOMPLETE)
		session_note(s, "ended before the optimum was proved");
	p.result = result;
	rc = session_report(
		s, o->output == OUTPUT_TABLE ? complete_table : complete_text, complete_json, &p);
	gpube_result_free(result);
	return rc;
}

/* Some bids alone: what is asked for has no meaning. */
static int refuse(struct session *s, const char *file)
{
	gpube__fail(s->ctx, GPUBE_EINVAL,
		"%s: --sell-all and --backend cuda are for auctions with a bid on every bundle",
		file);
	return session_fail(s, NULL);
}

static int run(const void *opts, int n_args, char **args)
{
	const struct opts_auction *o = opts;
	struct contents c = {0};
	struct session s;
	int rc, status;

	(void)n_args;
	rc = session_start(
		&s, &o->talk, o->threads, 0, o->json || o->output == OUTPUT_JSON, o->output_file);
	if (rc)
		return rc;
	session_open_device(&s, (enum gpube_backend)o->backend, true, false);
	session_begin_reading(&s, o->timeout);
	/* bids, or a bid on every bundle */
	status = contents_read_form(
		&c, s.ctx, args[0], GPUBE_CONTENT_AUCTION, GPUBE_CONTENT_COALITIONS);
	session_end_reading(&s);
	if (status)
		rc = session_fail(&s, NULL);
	else if (c.kind == GPUBE_CONTENT_COALITIONS)
		rc = solve_complete(&s, c.model, o, args[0]);
	else if (o->sell_all || o->backend == GPUBE_BACKEND_CUDA)
		rc = refuse(&s, args[0]);
	else
		rc = solve(&s, c.model, o, args[0]);
	contents_clear(&c);
	session_end(&s);
	return rc;
}

const struct command cmd_auction = {
	.name = "auction",
	.arguments = "FILE",
	.summary = "find the winning bids of a combinatorial auction",
	.description =
		"Solves the winner determination problem of a combinatorial auction: finds "
		"bids, no two of them on the same good, whose prices have the greatest sum. "
		"FILE is in the format of CATS, plain or compressed; '-' is standard input. "
		"Goods may stay unsold. Bids that share a dummy good exclude each other. Prices "
		"are decimals and are added exactly.\n\n"
		"FILE may also be a complete auction, with a bid on every bundle: a coalition "
		"game in a format of 'gpube csg', whose agents are the goods, from 1. The "
		"method is chosen as by 'gpube csg', which with --free-disposal solves the same "
		"problem and has more options. Models of these forms, as 'gpube convert' writes "
		"them, are taken, too.\n\n"
		"SIGINT, SIGTERM and --timeout end the run with the best bids so far and an "
		"upper bound of the revenue. The result also lists the bids that can never win, "
		"because another bid offers as much for the same goods or fewer.\n\n"
		"With --output json the result is one object; gpube-json(5) says what its "
		"members mean.",
	.examples = "gpube auction 0000.txt\n"
		    "revenue and winning bids\n"
		    "gpube auction --output table 0000.txt\n"
		    "what each winner pays, and for which goods\n"
		    "gpube auction --timeout 60 --json 0000.txt\n"
		    "after a minute the best that is known, with a bound\n"
		    "gpube auction --sell-all bundles.csg\n"
		    "a bid on every bundle, and no good stays unsold",
	.min_args = 1,
	.max_args = 1,
	.opts_size = sizeof(struct opts_auction),
	.groups = groups,
	.run = run,
};
