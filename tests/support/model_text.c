/* model_text.c - see model_text.h. */
#include "tests/support/memory.h"
#include "gpube/options/options.h"
#include "tests/support/model_text.h"

#include "tests/support/files.h"
#include "tests/support/test.h"

int text_to_model(
	struct gpube_model **m, struct gpube_ctx *ctx, const char *text, enum gpube_format format)
{
	char dir[256], path[300];
	int status;

	test_make_dir(dir);
	snprintf(path, sizeof(path), "%s/m", dir);
	test_put(path, text, strlen(text));
	status = gpube_read(m, ctx, path, &(struct gpube_opts){.from = format, .evidence = ""});
	test_clear_dir(dir);
	return status;
}

char *model_to_text(const struct gpube_model *m, enum gpube_format format, int *status)
{
	char dir[256], path[300], *text = NULL;
	size_t n;

	test_make_dir(dir);
	snprintf(path, sizeof(path), "%s/m", dir);
	*status = gpube_write(m, path, &(struct gpube_opts){.to = format}, NULL);
	if (!*status)
		text = test_get(path, &n);
	else
		assert_int_equal(test_count_files(dir), 0);
	test_clear_dir(dir);
	return text;
}

struct text {
	const char *text;
	enum gpube_format format;
};

static int there_and_back(struct gpube_ctx *ctx, struct gpube_model *none, const void *arg)
{
	const struct text *t = arg;
	struct gpube_model *m;
	int status = text_to_model(&m, ctx, t->text, t->format);

	(void)none;
	assert_true(!m == (status != GPUBE_OK));
	if (!status)
		free(model_to_text(m, t->format, &status));
	gpube_model_free(m);
	return status;
}

long read_and_write_scarcely(const char *text, enum gpube_format format)
{
	const struct text t = {text, format};

	return fail_each_allocation(there_and_back, NULL, &t, 0);
}

int64_t cost_at(const struct gpube_model *m, int32_t f, const int32_t *tuple)
{
	const struct gpube_table *t = gpube__table(m, f);
	const int32_t *scope = gpube__scope(m, f);
	int32_t domains[64];
	int64_t k;

	assert_true(t->arity <= 64);
	for (int i = 0; i < t->arity; i++)
		domains[i] = m->vars[scope[i]].domain;
	k = gpube__table_find(t, domains, tuple);
	return k < 0 ? t->dflt.i : gpube__table_int(t, k);
}

void assert_cells(const struct gpube_model *m, int32_t f, const int64_t *costs, int64_t n)
{
	const int32_t *scope = gpube__scope(m, f);
	int arity = m->functions[f].arity;
	int32_t tuple[64] = {0};

	assert_true(arity <= 64);
	assert_int_equal(gpube__cells(m, arity, scope), n);
	for (int64_t c = 0; c < n; c++) {
		int64_t rest = c;

		for (int k = arity - 1; k >= 0; k--) {
			tuple[k] = (int32_t)(rest % m->vars[scope[k]].domain);
			rest /= m->vars[scope[k]].domain;
		}
		assert_int_equal(cost_at(m, f, tuple), costs[c]);
	}
}

int64_t parse_costs(int64_t *costs, int64_t max, const char *text)
{
	int64_t n = 0;
	char *end;

	while (*text && *text != '\n') {
		assert_true(n < max);
		if (*text == '*') {
			costs[n++] = GPUBE_INF;
			text++;
		} else {
			costs[n++] = strtoll(text, &end, 10);
			assert_ptr_not_equal(end, text);
			text = end;
		}
		text += strspn(text, " ");
	}
	return n;
}

void assert_reads(
	const struct model_row *row, enum gpube_format format, enum gpube_direction direction)
{
	struct test_memory memory = {.fail_at = -1};
	struct gpube_ctx *ctx = test_memory_ctx(&memory);
	int64_t costs[16], n = parse_costs(costs, 16, row->costs ? row->costs : "");
	struct gpube_model *m;

	if (text_to_model(&m, ctx, row->text, format))
		fail_msg("%s", gpube_error(ctx));
	assert_int_equal(m->kind, GPUBE_COSTS);
	assert_int_equal(m->direction, direction);
	assert_int_equal(m->scale, row->scale);
	assert_string_equal(m->name, "t");
	assert_int_equal(m->n_functions, row->n_functions);
	assert_int_equal(m->constant, row->constant);
	assert_int_equal(m->top, row->top);
	if (row->function >= 0)
		assert_cells(m, row->function, costs, n);
	gpube_model_free(m);
	assert_int_equal(memory.live, 0);
	gpube_ctx_free(ctx);
}

void assert_writes(
	struct gpube_model *m, enum gpube_format format, const char *text, const char *why)
{
	int status;
	char *got = model_to_text(m, format, &status);

	if (text) {
		if (status)
			fail_msg("%s", gpube_error(m->ctx));
		assert_string_equal(got, text);
	} else {
		assert_int_equal(status, GPUBE_ERANGE);
		assert_non_null(strstr(gpube_error(m->ctx), why));
	}
	free(got);
	gpube_model_free(m);
}
