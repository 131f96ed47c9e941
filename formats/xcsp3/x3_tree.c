/* x3_tree.c - XCSP3: the elements of one constraint, asked for by name. See x3.h. */
#include <string.h>

#include "formats/xcsp3/x3.h"

/* ---- memory ---------------------------------------------------------------------------- */

int gpube__x3_no_memory(struct gpube_x3 *r)
{
	return r->in->status ? r->in->status : (r->in->status = GPUBE_ENOMEM);
}

void *gpube__x3_temp(struct gpube_x3 *r, int64_t n, size_t size)
{
	const uint64_t most = (uint64_t)1 << 60;
	uint64_t bytes;
	union gpube_x3_temp *t;

	if (r->in->status)
		return NULL;
	if (n < 0 || __builtin_mul_overflow((uint64_t)n, (uint64_t)size, &bytes) || bytes > most) {
		gpube__x3_no_memory(r);
		return NULL;
	}
	t = gpube__alloc_zero(r->m->ctx, bytes + sizeof(*t), 1);
	if (!t) {
		gpube__x3_no_memory(r);
		return NULL;
	}
	t->next = r->temps;
	r->temps = t;
	return t + 1;
}

int gpube__x3_grow(struct gpube_x3 *r, void *p, int64_t *capacity, int64_t need, size_t size)
{
	const int64_t c = need < 4 ? 8 : 2 * need;
	void *old, *larger;

	if (need <= *capacity)
		return r->in->status;
	larger = gpube__x3_temp(r, c, size);
	if (!larger)
		return r->in->status;
	memcpy(&old, p, sizeof(old)); /* any object pointer, without an aliasing cast */
	if (*capacity)
		memcpy(larger, old, (size_t)*capacity * size);
	memcpy(p, &larger, sizeof(larger));
	*capacity = c;
	return GPUBE_OK;
}

char *gpube__x3_copy(struct gpube_x3 *r, const char *text, size_t n)
{
	char *copy = gpube__x3_temp(r, (int64_t)n + 1, 1);

	if (copy)
		memcpy(copy, text, n);
	return copy;
}

void gpube__x3_free_since(struct gpube_x3 *r, union gpube_x3_temp *mark)
{
	while (r->temps != mark) {
		union gpube_x3_temp *next = r->temps->next;

		gpube__free(r->m->ctx, r->temps);
		r->temps = next;
	}
}

/* ---- names --------------------------------------------------------------------------- */

int32_t gpube__x3_known(const struct gpube_x3 *r, enum gpube_x3_space space, const char *text)
{
	const int32_t *found = gpube__names_find(&r->names, (int32_t)space, text);

	return found ? *found : -1;
}

int32_t gpube__x3_named(
	const struct gpube_x3 *r, enum gpube_x3_space space, const char *name, size_t n)
{
	char copy[256];

	if (n >= sizeof(copy))
		return -1;
	memcpy(copy, name, n);
	copy[n] = 0;
	return gpube__x3_known(r, space, copy);
}

int gpube__x3_know(struct gpube_x3 *r, enum gpube_x3_space space, const char *text, int32_t value)
{
	char *copy;

	if (gpube__grow(r->m->ctx, &r->strings, &r->strings_capacity, r->n_strings + 1,
		    sizeof(*r->strings)))
		return gpube__x3_no_memory(r);
	copy = gpube__strdup(r->m->ctx, text);
	if (!copy)
		return gpube__x3_no_memory(r);
	r->strings[r->n_strings++] = copy;
	return gpube__names_add(&r->names, (int32_t)space, copy, value) ? gpube__x3_no_memory(r)
									: GPUBE_OK;
}

/* ---- the tree -------------------------------------------------------------------------- */

bool gpube__x3_is(const struct gpube_x3_node *node, const char *name)
{
	return strcmp(node->name, name) == 0;
}

static struct gpube_x3_node *find(struct gpube_x3_node *node, const char *name)
{
	while (node && !gpube__x3_is(node, name))
		node = node->next;
	if (node)
		node->used = true;
	return node;
}

struct gpube_x3_node *gpube__x3_child(struct gpube_x3_node *node, const char *name)
{
	return find(node->child, name);
}

struct gpube_x3_node *gpube__x3_next(struct gpube_x3_node *node)
{
	return find(node->next, node->name);
}

struct gpube_x3_node *gpube__x3_need(
	struct gpube_x3 *r, struct gpube_x3_node *node, const char *name)
{
	struct gpube_x3_node *child = gpube__x3_child(node, name);

	if (!child) {
		r->in->line = node->line;
		gpube__in_error(r->in, "<%.60s> needs the element <%s>", node->name, name);
	}
	return child;
}

const char *gpube__x3_attribute(struct gpube_x3_node *node, const char *name)
{
	for (struct gpube_x3_attribute *a = node->attributes; a; a = a->next)
		if (strcmp(a->name, name) == 0) {
			a->used = true;
			return a->value;
		}
	return NULL;
}

int gpube__x3_check_used(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	for (struct gpube_x3_attribute *a = node->attributes; a && !r->in->status; a = a->next)
		if (!a->used && strcmp(a->name, "id") != 0 && strcmp(a->name, "class") != 0 &&
			strcmp(a->name, "note") != 0) {
			r->in->line = node->line;
			gpube__in_error(r->in, "attribute '%.40s' of <%.40s> is not read", a->name,
				node->name);
		}
	if (node->child && node->text && node->text[strspn(node->text, " \t\n\r")] &&
		!r->in->status) {
		r->in->line = node->line;
		return gpube__in_error(r->in,
			"expected an element in <%.40s>, found the text '%.20s'", node->name,
			node->text + strspn(node->text, " \t\n\r"));
	}
	for (struct gpube_x3_node *c = node->child; c && !r->in->status; c = c->next) {
		r->in->line = c->line;
		if (!c->used)
			return gpube__in_error(
				r->in, "<%.40s> in <%.40s> is not read", c->name, node->name);
		gpube__x3_check_used(r, c);
	}
	return r->in->status;
}
