/* cmd_convert.c - gpube convert: a model from one format to another. */
#include <string.h>

#include "formats/formats.h"
#include "gpube/cli/other_kinds.h"

#define OPTS_STRUCT struct opts_convert
static const struct opt_row rows[] = {OPTS_CONVERT(OPT_ROW)};

static const struct opt_group groups[] = {
	OPT_GROUP("Options", rows, 0),
	OPT_GROUP_READ(offsetof(struct opts_convert, read)),
	OPT_GROUP_TALK(offsetof(struct opts_convert, talk)),
	{0},
};

static int run(const void *opts, int n_args, char **args)
{
	const struct opts_convert *o = opts;
	struct gpube_write_opts write = {.sizeof_options = sizeof(write)};
	struct gpube_model *m = NULL;
	struct session s;
	int rc;

	(void)n_args;
	if (!strcmp(args[1], "-") && o->to == GPUBE_FORMAT_AUTO) {
		cli_error("convert: standard output has no name to tell the format: give --to");
		return CLI_USAGE;
	}
	rc = session_start(&s, &o->talk, 0, 0, false, NULL);
	if (rc)
		return rc;
	if (!o->read.from && other_kinds_convert(&s, &rc, args[0], args[1])) {
		session_end(&s);
		return rc;
	}
	rc = session_read(&s, &m, args[0], &o->read);
	/* the words of --to are those of enum gpube_format, in its order */
	write.format = (enum gpube_format)o->to;
	write.shift = o->shift;
	if (!rc && gpube_write_with(m, args[1], &write))
		rc = session_fail(&s, NULL);
	gpube_model_free(m);
	session_end(&s);
	return rc;
}

const struct command cmd_convert = {
	.name = "convert",
	.arguments = "IN OUT",
	.summary = "write a model in another format",
	.description =
		"Reads the model in IN and writes it to OUT: .wcsp, .cfn or .uai, compressed "
		"if the name ends in .gz or .xz. '-' is standard input or output.\n\n"
		"Numbers survive: an integer cost is the same integer after any chain of "
		"conversions. What the format of OUT cannot hold is refused with the reason.",
	.examples = "gpube convert problem.wcsp.xz problem.cfn.gz\n"
		    "formats and compression go by the names\n"
		    "gpube convert --to wcsp model.cfn -\n"
		    "to standard output",
	.min_args = 2,
	.max_args = 2,
	.opts_size = sizeof(struct opts_convert),
	.groups = groups,
	.run = run,
};
