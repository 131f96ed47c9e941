/* count.c - exact numbers of optima of any size: 64 bits, or residues put together. */
#include "gpube/eliminate/count.h"
#include "gpube/eliminate/be.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* Decimal text of a mixed-radix number; limbs of nine digits. */
static char *to_decimal(struct gpube_ctx *ctx, const uint64_t *digits, const uint64_t *p, int n)
{
	enum { LIMB = 1000000000 };
	uint64_t n_limbs = 1, room = (uint64_t)n * 10 / 9 + 3;
	uint32_t *limbs = gpube__alloc_zero(ctx, room, sizeof(*limbs));
	char *text = gpube__alloc(ctx, room * 9 + 1, 1), *s = text;

	if (!limbs || !text) {
		gpube__free(ctx, limbs);
		gpube__free(ctx, text);
		return NULL;
	}
	for (int k = n - 1; k >= 0; k--) { /* limbs = limbs * p[k] + digits[k] */
		uint64_t carry = digits[k];

		for (uint64_t i = 0; i < n_limbs; i++) {
			carry += limbs[i] * (k < n - 1 ? p[k] : 0);
			limbs[i] = (uint32_t)(carry % LIMB);
			carry /= LIMB;
		}
		for (; carry; carry /= LIMB)
			limbs[n_limbs++] = (uint32_t)(carry % LIMB);
	}
	while (n_limbs > 1 && limbs[n_limbs - 1] == 0)
		n_limbs--;
	s += snprintf(s, 10, "%" PRIu32, limbs[n_limbs - 1]);
	for (uint64_t i = n_limbs - 1; i-- > 0;)
		s += snprintf(s, 10, "%09" PRIu32, limbs[i]);
	gpube__free(ctx, limbs);
	return text;
}

static int count_by_residues(char **text, const struct gpube_be *be, const struct gpube_be_sides *sides,
	const struct gpube_working *w, double bits)
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
		status = gpube__be_run(&optimum, NULL, &residues[k], be, sides, w, prime, false,
			NULL);
		if (status)
			goto out;
	}
	to_mixed_radix(residues, primes, n);
	*text = to_decimal(ctx, residues, primes, n);
	if (!*text)
		status = GPUBE_ENOMEM;
out:
	gpube__free(ctx, residues);
	gpube__free(ctx, primes);
	return status;
}

int gpube__be_count(char **text, const struct gpube_be *be, const struct gpube_be_sides *sides,
	const struct gpube_working *w)
{
	double bits = 0;
	int64_t optimum;
	uint64_t count;
	int status;
	char small[24];

	*text = NULL;
	status = gpube__be_run(&optimum, NULL, &count, be, sides, w, 0, false, NULL);
	if (status)
		return status;
	if (count != UINT64_MAX) {
		snprintf(small, sizeof(small), "%" PRIu64, count);
		*text = gpube__strdup(be->ctx, small);
		return *text ? GPUBE_OK : GPUBE_ENOMEM;
	}
	for (int32_t i = 0; i < be->m->n_vars; i++)
		bits += log2(be->m->vars[i].domain);
	return count_by_residues(text, be, sides, w, bits);
}
