/* uai.h - what readers of numbered variables share. Internal to formats/uai/. */
#ifndef GPUBE_UAI_H
#define GPUBE_UAI_H

#include "formats/io/io.h"

/* How many variables there are, and the domain of each. */
int gpube__uai_domains(struct gpube_model *m, struct gpube_in *in);
/*
 * What errors call a function, its scope's size, its variables and its values.
 * children  variable i is the last one of function i, and not in the file's list
 * decimals  NULL, or values are logarithms, of which it gets the most that one has
 */
struct gpube_uai_words {
	const char *of, *arity, *variable, *value;
	bool children;
	int *decimals;
};

/* n scopes, and then as many tables. */
int gpube__uai_functions(
	struct gpube_model *m, struct gpube_in *in, int64_t n, const struct gpube_uai_words *w);

#endif
