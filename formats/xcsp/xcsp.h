/* xcsp.h - the parts of the reader of XCSP 2.1. Internal to formats/. */
#ifndef GPUBE_XCSP_H
#define GPUBE_XCSP_H

#include "formats/expr/expr.h"
#include "formats/common/names.h"
#include "formats/common/reals.h"
#include "formats/xcsp3/xcsp3.h"

/* Spaces of names; references are relations (even) and predicates (odd). */
enum { GPUBE_XCSP_DOMAINS, GPUBE_XCSP_VARIABLES, GPUBE_XCSP_AGENTS, GPUBE_XCSP_REFERENCES };

enum { GPUBE_XCSP_SCOPE = 1000 }; /* most variables of a constraint */

/* Integers, rising, as an expression reads them. */
struct gpube_xcsp_domain {
	int32_t n;
	int64_t capacity;
	struct gpube_value *values;
};

enum gpube_xcsp_kind { GPUBE_XCSP_SUPPORTS, GPUBE_XCSP_CONFLICTS, GPUBE_XCSP_SOFT };

/* Tuples of numbers, as they are in the file. */
struct gpube_xcsp_relation {
	enum gpube_xcsp_kind kind;
	int64_t arity, n, tuples_capacity, costs_capacity;
	int64_t *tuples;
	double *costs; /* INFINITY: forbidden */
	double dflt;
	int64_t line;
	int32_t table, first; /* made for the scope of function 'first'; -1: none yet */
};

struct gpube_xcsp_predicate {
	bool function; /* its value is the cost */
	char *parameters, *functional;
};

struct gpube_xcsp {
	struct gpube_in *in; /* first: gpube__in_xml() */
	struct gpube_model *m;
	struct gpube_x3 *third; /* the reader of XCSP 3, once the file is that */
	int depth;
	char *text; /* since the element began, or another ended */
	int64_t n_text, text_capacity, text_line;
	struct gpube_names names;
	char **strings; /* that the names borrow */
	int64_t n_strings, strings_capacity;
	struct gpube_xcsp_domain *domains;
	int64_t n_domains, domains_capacity;
	int32_t *domain_of, *owner_of; /* by variable */
	int64_t domain_of_capacity, owner_of_capacity;
	struct gpube_xcsp_relation *relations;
	int64_t n_relations, relations_capacity;
	struct gpube_xcsp_predicate *predicates;
	int64_t n_predicates, predicates_capacity;
	double maximal_cost, initial_cost;
	/* the constraint that is being read */
	bool in_predicate, in_constraint, has_parameters;
	bool in_presentation;
	char *reference, *constraint, *parameters;
	int arity;
	int32_t scope[GPUBE_XCSP_SCOPE];
};

/* In xcsp_numbers.c and xcsp_parts.c. All return in->status, which they set. */
/* An integer at *p, which moves behind it. */
int gpube__xcsp_next_int(struct gpube_xcsp *r, int64_t *v, const char **p, const char *what);
int gpube__xcsp_int(struct gpube_xcsp *r, int64_t *v, const char *text, int64_t min, int64_t max,
	const char *what);
/* A number or "infinity", which is forbidden whatever its sign. */
int gpube__xcsp_cost(struct gpube_xcsp *r, double *cost, const char *text);
int gpube__xcsp_values(struct gpube_xcsp *r, struct gpube_xcsp_domain *d, const char *text);
int gpube__xcsp_tuples(struct gpube_xcsp *r, struct gpube_xcsp_relation *rel, const char *text);
int gpube__xcsp_scope(struct gpube_xcsp *r, const char *text);
/* Adds the constraint that has been read. */
int gpube__xcsp_constraint(struct gpube_xcsp *r);
void gpube__xcsp_clear(struct gpube_xcsp *r);

/* In xcsp_sum.c: the element <eq/> or one like it; the constraint global:weightedSum. */
bool gpube__xcsp_is_comparison(const char *element);
int gpube__xcsp_weighted_sum(struct gpube_xcsp *r);

#endif
