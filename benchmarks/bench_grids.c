/*
 * bench_grids MODEL.uai MPE ROWS open|wrap H W - is there no better assignment than MPE's of a grid
 * of two values?
 *
 * A second proof of what gpube says of the grids of UAI 2014: it shares no line with gpube, and
 * reads the .uai and the assignment (gpube solve --output uai) for itself. Patches of H x W
 * variables, overlapping in one row or column, have the sum of their functions, -ln, in a table
 * each; sequential reweighted message passing (Kolmogorov, PAMI 2015) makes them agree on all that
 * any two of them share, and raises a constant that stays below every total; cells that would pass
 * the assignment's total are dead. What is left open is split in two at the variable that is least
 * decided.
 *
 * Doubles, so that what is proved is that no assignment is better by more than MARGIN: totals are
 * some 10^4, and so is what moves, where a double is off by 10^-12. After two sweeps in which
 * nothing may die the tables are added up again at 100 random assignments, and after each part at
 * the known one, which must cost what the file says.
 */
#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_VARS = 16, MOST_CELLS = 1 << MOST_VARS, MOST_MEMBERS = 9 };
enum { MOST_SWEEPS = 120, N_CHECKED = 100 };
#define DEAD   1e30
#define MARGIN 1e-6

static int n, n_functions, n_patches, n_separators;
static struct function {
	int arity, var[2];
	double cost[4];
} * functions;

/* Bit k of a cell is the value of var[k]. */
static struct patch {
	int n, var[MOST_VARS], cells;
	double *t;
	int first, last; /* separators */
} * patches;

static struct separator {
	int n, var[MOST_VARS], cells, n_members, n_earlier, n_later;
	struct member {
		int patch;
		uint16_t *cell; /* of the separator, for each of the patch */
	} member[MOST_MEMBERS];
	double *t;
} * separators;

static int *known;
static double upper, constant, start;
static bool over; /* nothing that is left is better */
static bool failed;
static int n_parts;

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void die(const char *text)
{
	fprintf(stderr, "bench_grids: %s\n", text);
	exit(2);
}

static void *room(size_t count, size_t size)
{
	void *p = calloc(count + 1, size);

	if (!p)
		die("out of memory");
	return p;
}

static inline double lesser(double a, double b)
{
	return a < b ? a : b;
}

static int place(int count, const int *vars, int var)
{
	for (int k = 0; k < count; k++)
		if (vars[k] == var)
			return k;
	return -1;
}

/* ---- files --------------------------------------------------------------------------- */

static int number(FILE *f)
{
	int x;

	if (fscanf(f, "%d", &x) != 1)
		die("a number is missing");
	return x;
}

static FILE *opened(const char *path, const char *head)
{
	FILE *f = fopen(path, "r");
	char word[16];

	if (!f || fscanf(f, "%15s", word) != 1 || strcmp(word, head))
		die("a file that is not what it should be");
	return f;
}

static void read_model(const char *path)
{
	FILE *f = opened(path, "MARKOV");

	n = number(f);
	for (int i = 0; i < n; i++)
		if (number(f) != 2)
			die("a variable has not two values");
	n_functions = number(f);
	functions = room((size_t)n_functions, sizeof(*functions));
	for (int k = 0; k < n_functions; k++) {
		functions[k].arity = number(f);
		if (functions[k].arity < 1 || functions[k].arity > 2)
			die("a function is of more than two variables");
		for (int j = 0; j < functions[k].arity; j++)
			functions[k].var[j] = number(f);
	}
	for (int k = 0; k < n_functions; k++) {
		if (number(f) != 1 << functions[k].arity)
			die("a table has another size");
		for (int c = 0; c < 1 << functions[k].arity; c++) {
			double x;

			if (fscanf(f, "%lf", &x) != 1 || x <= 0)
				die("a number is missing or 0");
			functions[k].cost[c] = -log(x);
		}
	}
	fclose(f);
}

static void read_assignment(const char *path)
{
	FILE *f = opened(path, "MPE");

	if (number(f) != n)
		die("the assignment is of another model");
	known = room((size_t)n, sizeof(*known));
	for (int i = 0; i < n; i++)
		known[i] = number(f) != 0;
	fclose(f);
}

static double total(const int *values)
{
	double sum = 0;

	for (int k = 0; k < n_functions; k++) {
		const struct function *f = &functions[k];

		sum += f->cost[f->arity == 1 ? values[f->var[0]]
					     : 2 * values[f->var[0]] + values[f->var[1]]];
	}
	return sum;
}

/* ---- patches and separators ---------------------------------------------------------- */

static void make_patches(int rows, int columns, int height, int width, bool wrap)
{
	patches = room((size_t)n, sizeof(*patches));
	for (int r = 0; r + !wrap < rows; r += height - 1)
		for (int c = 0; c + !wrap < columns; c += width - 1) {
			struct patch *a = &patches[n_patches++];

			for (int i = 0; i < height * width; i++) {
				const int y = r + i / width, x = c + i % width,
					  var = y % rows * columns + x % columns;

				if ((wrap || (y < rows && x < columns)) &&
					place(a->n, a->var, var) < 0)
					a->var[a->n++] = var;
			}
			a->cells = 1 << a->n;
			a->first = a->last = -1;
			a->t = room((size_t)a->cells, sizeof(*a->t));
		}
	for (int k = 0; k < n_functions; k++) {
		const struct function *f = &functions[k];
		int a = -1, b = -1, q = -1;

		while (a < 0 || b < 0) {
			if (++q == n_patches)
				die("a function is in no patch: it is no such grid");
			a = place(patches[q].n, patches[q].var, f->var[0]);
			b = place(patches[q].n, patches[q].var, f->var[f->arity - 1]);
		}
		for (int c = 0; c < patches[q].cells; c++)
			patches[q].t[c] += f->cost[f->arity == 1 ? c >> a & 1
								 : 2 * (c >> a & 1) + (c >> b & 1)];
	}
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void add_separator(int count, int *vars)
{
	struct separator *s = &separators[n_separators];

	qsort(vars, (size_t)count, sizeof(*vars), compare);
	for (int k = 0; k < n_separators; k++)
		if (separators[k].n == count &&
			!memcmp(separators[k].var, vars, (size_t)count * sizeof(*vars)))
			return;
	n_separators++;
	s->n = count;
	s->cells = 1 << count;
	memcpy(s->var, vars, (size_t)count * sizeof(*vars));
	s->t = room((size_t)s->cells, sizeof(*s->t));
	for (int q = 0; q < n_patches; q++) {
		const struct patch *a = &patches[q];
		int at[MOST_VARS] = {0}, n_in = 0;
		uint16_t *cell;

		for (int j = 0; j < count; j++) {
			at[j] = place(a->n, a->var, vars[j]);
			n_in += at[j] >= 0;
		}
		if (n_in < count)
			continue;
		if (s->n_members == MOST_MEMBERS)
			die("too many patches have the same variables");
		cell = room((size_t)a->cells, sizeof(*cell));
		for (int c = 0; c < a->cells; c++)
			for (int j = 0; j < count; j++)
				cell[c] |= (uint16_t)((c >> at[j] & 1) << j);
		s->member[s->n_members++] = (struct member){q, cell};
	}
}

static int in_order(const void *x, const void *y)
{
	const struct separator *a = x, *b = y;

	for (int j = 0; j < 2; j++)
		if (a->member[j].patch != b->member[j].patch)
			return a->member[j].patch - b->member[j].patch;
	return a->n - b->n;
}

static void make_separators(void)
{
	separators = room((size_t)n_patches * 32 + (size_t)n, sizeof(*separators));
	for (int a = 0; a < n_patches; a++)
		for (int b = 0; b < a; b++) {
			int vars[MOST_VARS], count = 0;

			for (int i = 0; i < patches[a].n; i++)
				if (place(patches[b].n, patches[b].var, patches[a].var[i]) >= 0)
					vars[count++] = patches[a].var[i];
			if (count) {
				add_separator(count, vars);
				for (int i = 0; i < count; i++)
					add_separator(1, &(int){vars[i]});
			}
		}
	qsort(separators, (size_t)n_separators, sizeof(*separators), in_order);
	for (int k = 0; k < n_separators; k++)
		for (int j = 0; j < separators[k].n_members; j++) {
			struct patch *a = &patches[separators[k].member[j].patch];

			a->first = a->first < 0 ? k : a->first;
			a->last = k;
		}
	for (int k = 0; k < n_separators; k++)
		for (int j = 0; j < separators[k].n_members; j++) {
			separators[k].n_earlier += patches[separators[k].member[j].patch].first < k;
			separators[k].n_later += patches[separators[k].member[j].patch].last > k;
		}
}

/* ---- the bound ----------------------------------------------------------------------- */

static void ask(int k, bool back)
{
	static double least_of[MOST_MEMBERS][MOST_CELLS], share[MOST_CELLS];
	struct separator *s = &separators[k];
	const int n_next = back ? s->n_earlier : s->n_later,
		  n_done = back ? s->n_later : s->n_earlier,
		  parts = n_next > n_done ? n_next : n_done;
	double least = DEAD, slack;

	memcpy(share, s->t, (size_t)s->cells * sizeof(*share));
	for (int j = 0; j < s->n_members; j++) {
		const struct patch *a = &patches[s->member[j].patch];
		double *of = least_of[j];

		for (int i = 0; i < s->cells; i++)
			of[i] = DEAD;
		for (int c = 0; c < a->cells; c++)
			of[s->member[j].cell[c]] = lesser(of[s->member[j].cell[c]], a->t[c]);
		for (int i = 0; i < s->cells; i++)
			share[i] += of[i];
	}
	for (int i = 0; i < s->cells; i++)
		least = lesser(least, share[i]);
	slack = upper - MARGIN - constant - least;
	over = slack <= 0;
	if (over)
		return;
	constant += least;
	for (int i = 0; i < s->cells; i++) {
		const double rest = share[i] - least;

		share[i] = rest > slack ? DEAD : parts ? rest / parts : 0;
		s->t[i] = rest > slack ? DEAD : rest - share[i] * n_next;
	}
	for (int j = 0; j < s->n_members; j++) {
		struct patch *a = &patches[s->member[j].patch];
		const bool goes_on = back ? a->first < k : a->last > k;
		double *more = least_of[j];

		for (int i = 0; i < s->cells; i++)
			more[i] = share[i] == DEAD ? DEAD : (goes_on ? share[i] : 0) - more[i];
		for (int c = 0; c < a->cells; c++) {
			const double x = a->t[c] + more[s->member[j].cell[c]];

			a->t[c] = x > slack ? DEAD : x;
		}
	}
}

static void sweep(void)
{
	for (int i = 0; i < 2 * n_separators && !over; i++)
		ask(i < n_separators ? i : 2 * n_separators - 1 - i, i >= n_separators);
}

static void fix(int var, int value)
{
	for (int q = 0; q < n_patches; q++) {
		const int k = place(patches[q].n, patches[q].var, var);

		for (int c = 0; c < patches[q].cells && k >= 0; c++)
			if ((c >> k & 1) != value)
				patches[q].t[c] = DEAD;
	}
}

/* The least cell of each value, all patches together: forced[2 * var + value]. */
static void force(double *forced)
{
	memset(forced, 0, 2 * (size_t)n * sizeof(*forced));
	for (int q = 0; q < n_patches; q++) {
		const struct patch *a = &patches[q];

		for (int k = 0; k < a->n; k++) {
			double least[2] = {DEAD, DEAD};

			for (int c = 0; c < a->cells; c++)
				least[c >> k & 1] = lesser(least[c >> k & 1], a->t[c]);
			forced[2 * a->var[k]] += least[0];
			forced[2 * a->var[k] + 1] += least[1];
		}
	}
}

/*
 * Values that pass the limit go; the open variable that is least decided, or -1, and its better
 * value.
 */
static int look(int *value, int *n_open)
{
	double *forced = room(2 * (size_t)n, sizeof(*forced)), least = DEAD;
	const double slack = upper - MARGIN - constant;
	int var = -1;

	force(forced);
	*n_open = 0;
	for (int i = 0; i < n && !over; i++) {
		const double a = forced[2 * i], b = forced[2 * i + 1];

		over = a > slack && b > slack;
		if (a <= slack && b <= slack) {
			++*n_open;
			if (fabs(a - b) < least) {
				least = fabs(a - b);
				var = i;
				*value = b < a;
			}
		} else if (!over && (a < DEAD && b < DEAD)) {
			fix(i, b < a);
		}
	}
	free(forced);
	return var;
}

/* The tables say what the file says; or that the assignment is no longer of interest. */
static void check(const int *values)
{
	double sum = constant;

	for (int q = 0; q < n_patches; q++) {
		int c = 0;

		for (int k = 0; k < patches[q].n; k++)
			c |= values[patches[q].var[k]] << k;
		sum += patches[q].t[c];
	}
	for (int s = 0; s < n_separators; s++) {
		int c = 0;

		for (int k = 0; k < separators[s].n; k++)
			c |= values[separators[s].var[k]] << k;
		sum += separators[s].t[c];
	}
	if (sum >= DEAD || fabs(sum - total(values)) < MARGIN / 100)
		return;
	printf("the tables add up to %.9f, not %.9f\n", sum, total(values));
	failed = true;
}

static void check_at_random(void)
{
	int *values = room((size_t)n, sizeof(*values));

	for (int k = 0; k < N_CHECKED; k++) {
		for (int i = 0; i < n; i++)
			values[i] = rand() >> 8 & 1;
		check(values);
	}
	free(values);
}

/* ---- parts --------------------------------------------------------------------------- */

static void copy(double **to, double *t, int cells, bool back)
{
	memcpy(back ? t : *to, back ? *to : t, (size_t)cells * sizeof(*t));
	*to += cells;
}

/* All tables into 'kept', or back from there. */
static void keep(double *kept, bool back)
{
	copy(&kept, &constant, 1, back);
	for (int q = 0; q < n_patches; q++)
		copy(&kept, patches[q].t, patches[q].cells, back);
	for (int k = 0; k < n_separators; k++)
		copy(&kept, separators[k].t, separators[k].cells, back);
}

static void part(int depth, size_t n_kept)
{
	int value = 0, n_open = 0, var = 0;
	double *kept;

	n_parts++;
	for (int k = 0; k < MOST_SWEEPS / 2 && !over && var >= 0; k++) {
		const double before = constant;

		sweep();
		if (!over && k % 4 == 3)
			var = look(&value, &n_open);
		if (k > 3 && (constant - before) * 200 < upper - constant)
			break;
	}
	if (!over) {
		check(known);
		var = look(&value, &n_open);
	}
	printf("part %d, depth %d: %.6f of %.6f, %s, %.1f s\n", n_parts, depth, constant, upper,
		over ? "closed" : "open", seconds() - start);
	fflush(stdout);
	if (over)
		return;
	if (var < 0) {
		/* one assignment is left, within MARGIN below the known one or a better one */
		printf("an assignment is left\n");
		failed = true;
		return;
	}
	kept = room(n_kept, sizeof(*kept));
	keep(kept, false);
	for (int side = 0; side < 2; side++) {
		fix(var, side ? value : 1 - value);
		part(depth + 1, n_kept);
		keep(kept, true);
		over = false;
	}
	free(kept);
}

int main(int argc, char **argv)
{
	const int rows = argc > 3 ? atoi(argv[3]) : 0, height = argc > 6 ? atoi(argv[5]) : 0,
		  width = argc > 6 ? atoi(argv[6]) : 0;
	size_t n_kept = 1;

	if (argc != 7 || rows < 2 || height < 2 || width < 2 || height * width > MOST_VARS)
		die("usage: bench_grids MODEL.uai MPE ROWS open|wrap H W");
	read_model(argv[1]);
	read_assignment(argv[2]);
	if (n % rows || n / rows < width || rows < height)
		die("it has not so many rows");
	make_patches(rows, n / rows, height, width, !strcmp(argv[4], "wrap"));
	make_separators();
	for (int q = 0; q < n_patches; q++)
		n_kept += (size_t)patches[q].cells;
	for (int k = 0; k < n_separators; k++)
		n_kept += (size_t)separators[k].cells;
	start = seconds();
	upper = DEAD; /* nothing dies */
	check_at_random();
	sweep();
	check_at_random();
	upper = total(known);
	part(0, n_kept);
	printf("%s: no assignment is below %.9f by more than 1e-6; %d parts, %.1f processor "
	       "seconds\n",
		failed ? "FAILED" : "proved", upper, n_parts, seconds() - start);
	return failed;
}
