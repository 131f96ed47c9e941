/* opts_json.c - 'gpube COMMAND --help --json': the options as programs read them. See cli.h. */
#include <string.h>

#include "gpube/cli/cli.h"
#include "gpube/cli/session/json.h"

/* The other commands that have the option as it is here. */
static void json_takers(struct json *j, const struct opt_row *row)
{
	const struct opt_row *other;

	json_open(j, "commands", '[');
	for (const struct command *const *c = cli_commands; *c; c++) {
		other = opts_find(*c, row->field, NULL);
		if (other && other->type == row->type && !strcmp(other->help, row->help))
			json_text(j, NULL, (*c)->name);
	}
	json_close(j, ']');
}

static void json_option(struct json *j, const struct opt_row *found, const char *heading)
{
	static const char *const types[] = {
		"flag", "int", "real", "size", "time", "text", "out", "list", "choice"};
	const struct opt_row row = *found; /* what was found stays until another is asked for */
	const bool number = row.type == OPT_INT || row.type == OPT_REAL;
	const char letter[2] = {row.letter, 0};

	json_open(j, NULL, '{');
	json_text(j, "name", opts_name(&row));
	if (row.letter)
		json_text(j, "letter", letter);
	json_text(j, "type", types[row.type]);
	if (row.argument)
		json_text(j, row.type == OPT_CHOICE ? "choices" : "argument", row.argument);
	if (row.dflt)
		json_text(j, "default", row.dflt);
	if (number)
		json_int(j, "least", row.lo);
	if (number && row.hi != OPTS_NO_END)
		json_int(j, "most", row.hi);
	json_text(j, "section", heading);
	json_text(j, "help", row.help);
	json_takers(j, &row);
	json_close(j, '}');
}

static void json_command(struct json *j, const struct command *c)
{
	const struct opt_group *group;
	const struct opt_row *row;

	json_open(j, NULL, '{');
	json_text(j, "command", c->name);
	json_text(j, "arguments", c->arguments);
	json_text(j, "summary", c->summary);
	json_open(j, "options", '[');
	for (int k = 0; (row = opts_row(c, k, &group)); k++)
		json_option(j, row, group->heading);
	json_close(j, ']');
	json_close(j, '}');
}

int cli_help_json(const struct command *c)
{
	struct gpube_ctx ctx = gpube__ctx_plain();
	struct gpube_out out;
	struct json j = {.out = &out};

	if (gpube__out_open(&out, &ctx, "-")) {
		cli_error("%s", gpube_error(&ctx));
		return CLI_FAILED;
	}
	if (c) {
		json_command(&j, c);
	} else {
		json_open(&j, NULL, '{');
		json_text(&j, "version", GPUBE_VERSION);
		json_open(&j, "commands", '[');
		for (const struct command *const *k = cli_commands; *k; k++)
			json_command(&j, *k);
		json_close(&j, ']');
		json_close(&j, '}');
	}
	gpube__out_text(&out, "\n");
	if (gpube__out_close(&out, true)) {
		cli_error("%s", gpube_error(&ctx));
		return CLI_FAILED;
	}
	return CLI_DONE;
}
