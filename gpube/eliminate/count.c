/* count.c - exact numbers of optima of any size: 64 bits, or residues put together. */
#include "gpube/eliminate/count.h"
#include "gpube/eliminate/be.h"

#include <math.h>

static bool is_prime(uint64_t n)
{
	for (uint64_t d = 3; d * d <= n; d += 2)
		if (n % d == 0)
			return false;
	return n > 2 && n % 2 == 1;
}

/* The k-th call's prime: descending from 2^32, whose residues multiply within 64 bits. */
static uint64_t next_prime(uint64_t below)
{
	do
		below--;
	while (!is_prime(below));
	return below;
}

static uint64_t power(uint64_t base, uint64_t exponent, uint64_t p)
{
	uint64_t r = 1;

	for (; exponent; exponent >>= 1, base = base * base % p)
		if (exponent & 1)
			r = r * base % p;
	return r;
}

/*
 * Garner: residues r[k] modulo primes p[k] to mixed-radix digits, in place:
 * value = r[0] + p[0] (r[1] + p[1] (r[2] + …)).
 */
static void to_mixed_radix(uint64_t *r, const uint64_t *p, int n)
{
	for (int k = 1; k < n; k++)
		for (int j = 0; j < k; j++) {
			uint64_t inverse = power(p[j] % p[k], p[k] - 2, p[k]);

			r[k] = (r[k] + p[k] - r[j] % p[k]) % p[k] * inverse % p[k];
		}
}

/* What mixed-radix digits stand for. */
static int from_mixed_radix(
	struct gpube__natural *count, const uint64_t *digits, const uint64_t *p, int n)
{
	int status = GPUBE_OK;

	for (int k = n - 1; k >= 0 && !status; k--)
		status = gpube__natural_grow(count, p[k], digits[k]);
	return status;
}

static int count_by_residues(struct gpube__natural *count, const struct gpube_be *be,
	const struct gpube_be_sides *sides, const struct gpube_working *w, double bits)
{
	struct gpube_ctx *ctx = be->ctx;
	int n = (int)ceil(bits / 31.9) + 1, status = GPUBE_ENOMEM;
	uint64_t *residues = gpube__alloc(ctx, (uint64_t)n, sizeof(*residues));
	uint64_t *primes = gpube__alloc(ctx, (uint64_t)n, sizeof(*primes));
	uint64_t prime = (uint64_t)1 << 32;
	int64_t optimum;

	if (!residues || !primes)
		goto out;
	for (int k = 0; k < n; k++) {
		primes[k] = prime = next_prime(prime);
		status = gpube__be_run(
			&optimum, NULL, &residues[k], be, sides, w, prime, false, NULL);
		if (status)
			goto out;
	}
	to_mixed_radix(residues, primes, n);
	status = from_mixed_radix(count, residues, primes, n);
out:
	gpube__free(ctx, residues);
	gpube__free(ctx, primes);
	return status;
}

int gpube__be_count(struct gpube__natural *count, const struct gpube_be *be,
	const struct gpube_be_sides *sides, const struct gpube_working *w)
{
	double bits = 0;
	int64_t optimum;
	uint64_t small;
	int status;

	*count = (struct gpube__natural){.ctx = be->ctx};
	status = gpube__be_run(&optimum, NULL, &small, be, sides, w, 0, false, NULL);
	if (status)
		return status;
	if (small != UINT64_MAX)
		return gpube__natural_grow(count, 1, small);
	for (int32_t i = 0; i < be->m->n_vars; i++)
		bits += log2(be->m->vars[i].domain);
	return count_by_residues(count, be, sides, w, bits);
}
