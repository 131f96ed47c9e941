/*
 * xmlbif.c - XMLBIF 0.3, Bayesian networks in XML, as JavaBayes, Weka, pyAgrum (.bifxml) and pgmpy
 * write them.
 *
 *   <VARIABLE><NAME>x</NAME><OUTCOME>yes</OUTCOME><OUTCOME>no</OUTCOME></VARIABLE>
 *   <DEFINITION><FOR>x</FOR><GIVEN>a</GIVEN><GIVEN>b</GIVEN><TABLE>p ...</TABLE></DEFINITION>
 *
 * In a table x varies fastest, then b. Other elements are passed over.
 */
#include <string.h>
#include <strings.h>

#include "formats/common/registry.h"
#include "formats/uai/bayes.h"

#define BLANKS " \t\n\v\f\r"

/* What is told so far: in a variable its name, in a definition its child, its table. */
enum state { OUTSIDE, IN_VARIABLE, IN_DEFINITION, OF_CHILD, COMPLETE };

struct reader {
	struct gpube_in *in; /* first: gpube__in_xml() */
	struct gpube_bayes b;
	bool begun;
	enum state state;
	char *name; /* of the variable */
	char *text; /* since an element began or ended */
	int64_t n_text, text_capacity, text_line;
};

static bool is(const char *element, const char *name)
{
	return strcasecmp(element, name) == 0;
}

static bool is_definition(const char *element)
{
	return is(element, "DEFINITION") || is(element, "PROBABILITY");
}

static void begin(void *arg, const char *element, const char **attributes)
{
	struct reader *r = arg;

	if (r->in->status)
		return;
	r->in->line = r->text_line = gpube__in_xml_line(r->in);
	r->n_text = 0;
	if (!r->begun && !is(element, "BIF"))
		gpube__in_error(r->in, "expected <BIF>, found <%.60s>", element);
	r->begun = true;
	if (is_definition(element))
		r->state = IN_DEFINITION;
	if (!is(element, "VARIABLE"))
		return;
	r->state = IN_VARIABLE;
	for (; *attributes; attributes += 2)
		if (is(attributes[0], "TYPE") && !is(attributes[1], "nature") &&
			!is(attributes[1], "discrete"))
			gpube__in_error(r->in,
				"a variable of the type '%.40s': those of nature are read",
				attributes[1]);
}

static void characters(void *arg, const char *text, int n)
{
	struct reader *r = arg;

	if (r->in->status)
		return;
	if (gpube__grow(r->in->ctx, &r->text, &r->text_capacity, r->n_text + n + 1, 1)) {
		r->in->status = GPUBE_ENOMEM;
		return;
	}
	memcpy(r->text + r->n_text, text, (size_t)n);
	r->n_text += n;
}

static void keep(struct reader *r, char **to, const char *text)
{
	gpube__free(r->in->ctx, *to);
	*to = gpube__strdup(r->in->ctx, text);
	if (!*to)
		r->in->status = GPUBE_ENOMEM;
}

static void read_table(struct reader *r, char *text)
{
	r->in->line = r->text_line;
	gpube__bayes_scoped(&r->b);
	while (*text && !r->in->status) {
		char *end = text + strcspn(text, BLANKS ","), mark = *end;

		*end = 0;
		gpube__bayes_number(&r->b, text, r->b.n_values, r->b.cells);
		*end = mark;
		for (text = end; *text && strchr(BLANKS ",", *text); text++)
			r->in->line += *text == '\n';
	}
	gpube__bayes_add(&r->b, NULL);
}

/* An element's text, where it says something. */
static void end_text(struct reader *r, const char *element, char *text)
{
	const bool named = is(element, "NAME");
	const bool value = is(element, "OUTCOME") || is(element, "VALUE");

	if ((named || value) && r->state == IN_VARIABLE && !*text) {
		gpube__in_error(r->in, "an empty <%.40s>", element);
	} else if (named && r->state == IN_VARIABLE) {
		keep(r, &r->name, text);
	} else if (named && r->state == OUTSIDE) {
		keep(r, &r->b.m->name, text);
	} else if (value && r->state == IN_VARIABLE) {
		gpube__bayes_label(&r->b, text);
	} else if (is(element, "FOR") && r->state == IN_DEFINITION) {
		gpube__bayes_child(&r->b, text);
		r->state = OF_CHILD;
	} else if (is(element, "GIVEN") && r->state == OF_CHILD) {
		gpube__bayes_parent(&r->b, text);
	} else if (is(element, "TABLE") && r->state == OF_CHILD) {
		read_table(r, text);
		r->state = COMPLETE;
	} else if (is(element, "FOR") || is(element, "GIVEN") || is(element, "TABLE")) {
		gpube__in_error(r->in,
			"expected one <FOR>, what is <GIVEN>, then one <TABLE>, found <%.40s>",
			element);
	}
}

static void end(void *arg, const char *element)
{
	struct reader *r = arg;
	char *text;

	characters(arg, "", 0); /* so that there is a text */
	if (r->in->status)
		return;
	r->in->line = gpube__in_xml_line(r->in);
	while (r->n_text > 0 && strchr(BLANKS, r->text[r->n_text - 1]))
		r->n_text--;
	r->text[r->n_text] = 0;
	for (text = r->text; *text && strchr(BLANKS, *text); text++)
		r->text_line += *text == '\n';
	end_text(r, element, text);
	r->n_text = 0;
	if (is_definition(element) && r->state != COMPLETE)
		gpube__in_error(r->in, "a definition without <FOR> and <TABLE>");
	if (is(element, "VARIABLE")) {
		if (!r->name)
			gpube__in_error(r->in, "a variable without <NAME>");
		else
			gpube__bayes_variable(&r->b, r->name);
		gpube__free(r->in->ctx, r->name);
		r->name = NULL;
	}
	if (is_definition(element) || is(element, "VARIABLE"))
		r->state = OUTSIDE;
}

int gpube__xmlbif_read(struct gpube_model *m, struct gpube_in *in)
{
	struct reader r = {.in = in};

	gpube__bayes_init(&r.b, m, in);
	gpube__in_xml(in, &r, begin, end, characters);
	gpube__free(m->ctx, r.name);
	gpube__free(m->ctx, r.text);
	return gpube__bayes_finish(&r.b);
}
