/* opts_table.c - the rows of table.h, for the library and for programs. See options.h. */
#include "gpube/options/options.h"

#include <string.h>

#define ROW(section, type, field, name, letter, dflt, lo, hi, argument, calls, help)               \
	{GPUBE__SECTION_##section, GPUBE__OPT_##type, name, offsetof(struct gpube_opts, field),    \
		letter, dflt, lo, hi, argument, calls, help},

const struct gpube__opt gpube__opts_table[GPUBE__N_OPTS] = {GPUBE__OPTS(ROW)};

static const char *const call_names[GPUBE__N_CALLS] = {"gpube_ctx_new", "gpube_solve",
	"gpube_bound", "gpube_certify", "gpube_reparam", "gpube_plan", "gpube_count", "gpube_list",
	"gpube_heuristic_new", "gpube_infer", "gpube_infer_compile", "gpube_mmap", "gpube_read",
	"gpube_write", "gpube_dpop", "gpube_csg", "gpube_auction", "gpube_nash",
	"gpube_nash_components", "gpube_nash_generate", "gpube_solver_run", "gpube_model_as",
	"gpube_coalitions_generate", "gpube_auction_generate"};

const char *gpube__option_call(int k)
{
	return k >= 0 && k < GPUBE__N_CALLS ? call_names[k] : NULL;
}

#define FLAG    "flag"
#define INT     "int"
#define LONG    "int"
#define REAL    "real"
#define TIME    "time"
#define SIZE    "size"
#define TEXT    "text"
#define CHOICE  "choice"
#define TOTAL   "total"
#define NUMBERS "numbers"
#define CALL    "call"
#define TOLD(section, type, field, name, letter, dflt, lo, hi, argument, calls, help)              \
	{name, type, dflt, argument, help, lo, hi},

const struct gpube_option *gpube_option(int k, const char *call)
{
	static const struct gpube_option told[GPUBE__N_OPTS] = {GPUBE__OPTS(TOLD)};
	int calls = 0;

	for (int c = 0; call && c < GPUBE__N_CALLS; c++)
		if (!strcmp(call, call_names[c]))
			calls = 1 << c;
	for (int i = 0; k >= 0 && i < GPUBE__N_OPTS; i++)
		if ((!call || gpube__opts_table[i].calls & calls) && k-- == 0)
			return &told[i];
	return NULL;
}
