/*
 * bench_bids FILE REVENUE SECONDS - would a card's thousands of threads help with sparse auctions?
 *
 * The auction report's future work is to search the branches of CABOB at the same time. CABOB
 * solves a linear program in each node, as gpube does; a thread of a card has no room for that, but
 * for the bound of CASS: a good is worth at most the best price per good of the bids on it that are
 * still possible. This program counts the nodes which that bound needs to prove REVENUE (known
 * beforehand, which is the best that a search could have), in the format of CATS, one core: goods
 * by fewest possible bids, bids by price per good. Tab-separated: file, nodes, seconds, nodes a
 * second, 'proved' or the share of the tree's first levels that was done.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WORDS     16
#define MAX_BIDS  4000
#define MAX_GOODS (64 * WORDS)

static struct bid {
	uint64_t set[WORDS]; /* dummy goods, too */
	double price, share; /* of a real good */
} bids[MAX_BIDS];
static int *of_good[MAX_GOODS], n_of_good[MAX_GOODS];
static int n_goods, n_bids, n_words;
static double known, deadline, done;
static uint64_t n_nodes;
static bool stopped;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool possible(const struct bid *b, const uint64_t *taken)
{
	for (int w = 0; w < n_words; w++)
		if (b->set[w] & taken[w])
			return false;
	return true;
}

/* An upper bound on what the goods that are not taken bring; *good: the one with fewest possible
 * bids, or -1. */
static double bound(const uint64_t *taken, int *good)
{
	int fewest = MAX_BIDS + 1;
	double sum = 0;

	*good = -1;
	for (int g = 0; g < n_goods; g++) {
		double best = 0;
		int n = 0;

		if (taken[g / 64] >> (g % 64) & 1)
			continue;
		for (int k = 0; k < n_of_good[g]; k++) {
			const struct bid *b = &bids[of_good[g][k]];

			if (!possible(b, taken))
				continue;
			if (n++ == 0)
				best = b->share; /* the first one is the best */
		}
		sum += best;
		if (n && n < fewest) {
			fewest = n;
			*good = g;
		}
	}
	return sum;
}

static void search(const uint64_t *taken, double revenue, double share)
{
	uint64_t next[WORDS];
	int good, n = 1;

	n_nodes++;
	if ((n_nodes & 1023) == 0 && now() > deadline)
		stopped = true;
	if (stopped)
		return;
	if (revenue + bound(taken, &good) <= known + 1e-7 || good < 0) {
		done += share;
		return;
	}
	for (int k = 0; k < n_of_good[good]; k++)
		n += possible(&bids[of_good[good][k]], taken);
	for (int k = 0; k < n_of_good[good] && !stopped; k++) {
		const struct bid *b = &bids[of_good[good][k]];

		if (!possible(b, taken))
			continue;
		for (int w = 0; w < n_words; w++)
			next[w] = taken[w] | b->set[w];
		search(next, revenue + b->price, share / n);
	}
	memcpy(next, taken, sizeof(next)); /* nobody gets the good */
	next[good / 64] |= (uint64_t)1 << (good % 64);
	search(next, revenue, share / n);
}

static int by_share(const void *a, const void *b)
{
	const double x = bids[*(const int *)a].share, y = bids[*(const int *)b].share;

	return (x < y) - (x > y);
}

static int read_bids(const char *path)
{
	char line[8192];
	FILE *f = fopen(path, "r");
	int dummies = 0;

	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f)) {
		char *p = line, *end;
		struct bid *b = &bids[n_bids];
		int real = 0;

		if (sscanf(line, "goods %d", &n_goods) == 1 ||
			sscanf(line, "dummy %d", &dummies) == 1 || line[0] < '0' || line[0] > '9')
			continue;
		if (n_bids == MAX_BIDS || n_goods + dummies > MAX_GOODS)
			break;
		strtol(p, &p, 10);
		b->price = strtod(p, &p);
		for (;;) {
			const long g = strtol(p, &end, 10);

			if (end == p || g < 0 || g >= MAX_GOODS)
				break;
			b->set[g / 64] |= (uint64_t)1 << (g % 64);
			real += g < n_goods;
			p = end;
		}
		b->share = b->price / (real ? real : 1);
		n_bids++;
	}
	fclose(f);
	n_words = (n_goods + dummies + 63) / 64;
	for (int g = 0; g < n_goods; g++) {
		of_good[g] = malloc((size_t)n_bids * sizeof(int));
		if (!of_good[g])
			return -1;
		for (int k = 0; k < n_bids; k++)
			if (bids[k].set[g / 64] >> (g % 64) & 1)
				of_good[g][n_of_good[g]++] = k;
		qsort(of_good[g], (size_t)n_of_good[g], sizeof(int), by_share);
	}
	return n_goods && n_bids ? 0 : -1;
}

int main(int argc, char **argv)
{
	uint64_t taken[WORDS] = {0};
	double start;

	if (argc < 4 || read_bids(argv[1])) {
		fprintf(stderr, "usage: bench_bids FILE REVENUE SECONDS\n");
		return 2;
	}
	known = atof(argv[2]);
	start = now();
	deadline = start + atof(argv[3]);
	search(taken, 0, 1);
	start = now() - start;
	printf("%s\t%llu\t%.2f\t%.3g\t", argv[1], (unsigned long long)n_nodes, start,
		(double)n_nodes / start);
	if (stopped)
		printf("%.3g of the tree\n", done);
	else
		printf("proved\n");
	return 0;
}
