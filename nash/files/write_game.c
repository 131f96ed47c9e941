/* write_game.c - games as files of any format. See nash.h. */
#include <string.h>

#include "nash/bimatrix.h"

static void write_string(struct gpube_out *out, const char *s)
{
	gpube__out_text(out, "\"");
	for (; s && *s; s++) {
		/* a backslash is a byte like any other unless it stands before a quote */
		if (*s == '"')
			gpube__out_text(out, "\\");
		gpube__out_bytes(out, s, 1);
	}
	gpube__out_text(out, "\"");
}

static void nfg_write(const struct nash_game *g, struct gpube_out *out)
{
	static const char *const names[2] = {"Player 1", "Player 2"};

	gpube__out_text(out, "NFG 1 R ");
	write_string(out, g->title);
	gpube__out_text(out, " {");
	for (int p = 0; p < 2; p++) {
		gpube__out_text(out, " ");
		write_string(out, g->player[p] ? g->player[p] : names[p]);
	}
	gpube__out_text(out, " }\n\n{");
	for (int p = 0; p < 2; p++) {
		int32_t actions = p ? g->n : g->m;

		if (!g->labels[p]) {
			gpube__out_printf(out, " %d", actions);
			continue;
		}
		gpube__out_text(out, " {");
		for (int32_t k = 0; k < actions; k++) {
			gpube__out_text(out, " ");
			write_string(out, g->labels[p][k]);
		}
		gpube__out_text(out, " }");
	}
	gpube__out_text(out, " }\n\n");
	for (int64_t j = 0; j < g->n; j++)
		for (int64_t i = 0; i < g->m; i++)
			for (int p = 0; p < 2; p++) {
				nash__number_write(out, &g->payoffs[p][i * g->n + j]);
				gpube__out_text(out, p && i == g->m - 1 ? "\n" : " ");
			}
}

static void lrs_write(const struct nash_game *g, struct gpube_out *out)
{
	gpube__out_printf(out, "%d %d\n", g->m, g->n);
	for (int p = 0; p < 2; p++) {
		gpube__out_text(out, "\n");
		for (int64_t i = 0; i < g->m; i++)
			for (int64_t j = 0; j < g->n; j++) {
				nash__number_write(out, &g->payoffs[p][i * g->n + j]);
				gpube__out_text(out, j == g->n - 1 ? "\n" : " ");
			}
	}
}

static const struct nash_number *payoff(const struct nash_game *g, int p, int64_t i, int64_t j)
{
	return &g->payoffs[p][i * g->n + j];
}

static void two_player_write(const struct nash_game *g, struct gpube_out *out)
{
	gpube__out_text(out, "// rows: actions of player 1\n");
	for (int64_t i = 0; i < g->m; i++)
		for (int64_t j = 0; j < g->n; j++) {
			gpube__out_text(out, "(");
			nash__number_write(out, payoff(g, 0, i, j));
			gpube__out_text(out, ", ");
			nash__number_write(out, payoff(g, 1, i, j));
			gpube__out_text(out, j == g->n - 1 ? ")\n" : ")\t");
		}
}

static void simple_write(const struct nash_game *g, struct gpube_out *out)
{
	gpube__out_text(out, "# [actions] : [payoffs]\n");
	for (int64_t j = 0; j < g->n; j++)
		for (int64_t i = 0; i < g->m; i++) {
			gpube__out_printf(
				out, "[%lld %lld] :\t[ ", (long long)i + 1, (long long)j + 1);
			nash__number_write(out, payoff(g, 0, i, j));
			gpube__out_text(out, " ");
			nash__number_write(out, payoff(g, 1, i, j));
			gpube__out_text(out, " ]\n");
		}
}

static void gt_write(const struct nash_game *g, struct gpube_out *out)
{
	gpube__out_printf(out, "2\n%d %d\n\n", g->m, g->n);
	for (int p = 0; p < 2; p++)
		for (int64_t j = 0; j < g->n; j++)
			for (int64_t i = 0; i < g->m; i++) {
				nash__number_write(out, payoff(g, p, i, j));
				gpube__out_text(out, i == g->m - 1 ? "\n" : " ");
			}
}

/* Whether a name ends so, before .gz or .xz. */
static bool named(const char *path, const char *ending)
{
	size_t n = strlen(path), k = strlen(ending);

	if (n > 3 && (strcmp(path + n - 3, ".gz") == 0 || strcmp(path + n - 3, ".xz") == 0))
		n -= 3;
	return n >= k && memcmp(path + n - k, ending, k) == 0;
}

int nash_write(const struct nash_game *g, const char *path, enum nash_format format)
{
	static void (*const writers[])(const struct nash_game *, struct gpube_out *) = {
		[NASH_FORMAT_NFG] = nfg_write,
		[NASH_FORMAT_LRS] = lrs_write,
		[NASH_FORMAT_TWO_PLAYER] = two_player_write,
		[NASH_FORMAT_SIMPLE] = simple_write,
		[NASH_FORMAT_GT] = gt_write,
	};
	struct gpube_out out;
	int status;

	if (!g || !path)
		return gpube__missing(g ? g->ctx : NULL);
	status = gpube__check_choice(g->ctx, "format", (int)format, NASH_FORMAT_EFG);
	if (status)
		return status;
	if (g->players)
		return gpube__fail(g->ctx, GPUBE_EINVAL,
			"'%s': games of more than two players are written as models alone", path);
	if (format == NASH_FORMAT_EFG || (format == NASH_FORMAT_AUTO && named(path, ".efg")))
		return gpube__fail(
			g->ctx, GPUBE_EINVAL, "'%s': .efg is only read, not written", path);
	if (format == NASH_FORMAT_AUTO)
		format = named(path, ".nfg")   ? NASH_FORMAT_NFG
			 : named(path, ".gam") ? NASH_FORMAT_GT
					       : NASH_FORMAT_LRS;
	status = gpube__out_open(&out, g->ctx, path);
	if (status)
		return status;
	writers[format](g, &out);
	return gpube__out_close(&out, true);
}
