/*
 * net.c - .net: Bayesian networks of Hugin, as GeNIe, SamIam, bnlearn and pyAgrum write them, too.
 *
 *   net { ... }
 *   node X { states = ("yes" "no"); }
 *   potential ( X | A B ) { data = (((p ...)...)...); }      B faster than A, X fastest
 *
 * What other fields say is passed over. Comments begin with %.
 */
#include <string.h>

#include "formats/common/registry.h"
#include "formats/uai/bayes.h"

/* To what stands behind "NAME =" of this field; others are passed over. At the '}': false. */
static bool find_field(struct gpube_blocks *t, const char *name)
{
	for (gpube__block_next(t); gpube__block_is_name(t); gpube__block_next(t)) {
		const bool found = gpube__block_is_word(t, name);

		gpube__block_expect(t, '=');
		if (found)
			return !t->b.in->status;
		gpube__block_skip_property(t);
	}
	if (t->kind != '}')
		gpube__block_refuse(t, "a field or '}'");
	return false;
}

/* What follows the word node. */
static void read_node(struct gpube_blocks *t)
{
	char name[GPUBE_BLOCK_TOKEN];

	gpube__block_head(t, name, "the name of a node");
	if (find_field(t, "states")) {
		gpube__block_expect(t, '(');
		gpube__block_next(t);
		for (; gpube__block_is_name(t); gpube__block_item(t))
			gpube__bayes_label(&t->b, t->token);
		if (t->kind != ')')
			gpube__block_refuse(t, "a state or ')'");
		gpube__block_expect(t, ';');
		find_field(t, "");
	}
	gpube__bayes_variable(&t->b, name);
}

/* What follows "data =": numbers, and brackets about them that only have to close. */
static void read_data(struct gpube_blocks *t)
{
	int64_t depth = 0;

	do {
		gpube__block_item(t);
		if (t->kind == '(')
			depth++;
		else if (t->kind == ')')
			depth--;
		else if (depth)
			gpube__bayes_number(&t->b, t->token, t->b.n_values, t->b.cells);
		else
			gpube__block_refuse(t, "'('");
	} while (depth > 0 && !t->b.in->status);
	gpube__block_expect(t, ';');
	find_field(t, "");
}

static void read_part(struct gpube_blocks *t)
{
	static const char *const unread[] = {
		"continuous", "decision", "utility", "function", "interval", "instance"};

	for (size_t k = 0; k < sizeof(unread) / sizeof(*unread); k++)
		if (gpube__block_is_word(t, unread[k]))
			gpube__in_error(t->b.in,
				"a node of the kind '%s': discrete chance nodes are read",
				unread[k]);
	if (gpube__block_is_word(t, "discrete"))
		gpube__block_next(t);
	if (gpube__block_is_word(t, "node")) {
		read_node(t);
	} else if (gpube__block_is_word(t, "potential")) {
		gpube__block_scope(t);
		gpube__block_expect(t, '{');
		if (find_field(t, "data"))
			read_data(t);
		gpube__bayes_add(&t->b, NULL);
	} else {
		gpube__block_refuse(t, "'node' or 'potential'");
	}
}

int gpube__net_read(struct gpube_model *m, struct gpube_in *in)
{
	struct gpube_blocks t = {.marks = "{}()|,;\"=%"};

	in->comment = '%';
	gpube__bayes_init(&t.b, m, in);
	gpube__block_next(&t);
	if (!gpube__block_is_word(&t, "net"))
		gpube__block_refuse(&t, "'net'");
	gpube__block_expect(&t, '{');
	find_field(&t, "");
	for (gpube__block_next(&t); t.kind; gpube__block_next(&t))
		read_part(&t);
	return gpube__bayes_finish(&t.b);
}
