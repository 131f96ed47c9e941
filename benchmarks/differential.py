#!/usr/bin/env python3
"""differential.py - random small models by every method, and by auto with one and four threads, beside enumeration.

    GPUBE_LIBRARY=build/libgpube.so PYTHONPATH=plugins/python benchmarks/differential.py [-n 20000] [--seed 1] [-j 2]

Models to be minimised or maximised, with decimals, tops, forbidden cells, observations, several components, and functions
by what they say (globals.h). Each answer has to be the optimum that enumeration finds, its assignment to cost that; a
method that bounds alone (mbe, arc, ascent) has to bound it. Prints a line a method: answers, proved, wrong.
"""
import argparse
import itertools
import math
import multiprocessing
import random

import gpube

METHODS = ["auto", "auto, 4 threads", "eliminate", "tree", "andor", "pairwise", "ascent", "arc", "mbe", "semidefinite"]


def draw(seed, context):
	r = random.Random(seed)
	m = gpube.Model(maximise=r.random() < .4, decimals=r.choice([0, 0, 2]), context=context)
	variables = [m.add_variable(r.randint(1, 4)) for _ in range(r.randint(1, 7))]
	while math.prod(m.domains) > 800:
		return draw(seed + 10**9, context)
	parts = [variables] if r.random() < .8 else [variables[::2], variables[1::2] or variables]
	hard = r.choice([0, 0, .1, .4])
	size = r.choice([1, 20, 20, 10**6, 10**12])
	for _ in range(r.randint(1, 12)):
		scope = (lambda p: r.sample(p, r.randint(0, min(3, len(p)))))(r.choice(parts))
		n = math.prod(m.domains[v] for v in scope)
		m.add_function(scope, [gpube.INF if scope and r.random() < hard else r.randint(-size // 4, size) for _ in range(n)])
	if r.random() < .3:
		sign = -1 if m.maximise else 1
		m.add_linear([(r.choice(variables), r.randint(-3, 3)) for _ in range(r.randint(1, 5))],
			r.choice(["<=", ">=", "=="]), r.randint(-4, 6), r.choice([gpube.INF, sign * r.randint(0, 9)]), r.random() < .5)
	if r.random() < .2:
		m.add_all_different(r.sample(variables, min(3, len(variables))), cost=r.choice([gpube.INF, r.randint(-5, 5)]))
	if r.random() < .2:
		v = r.choice(variables)
		m.observe(v, r.randrange(m.domains[v]))
	if r.random() < .2:
		m.top = r.randint(0, 3 * size)
	return m


def enumerate_all(m):
	"""The optimum; None: nothing is allowed."""
	hidden, seen = set(m.hidden), m.evidence
	last = max(v for v in range(len(m)) if v not in hidden)
	choices = [[None] if v in hidden else [seen[v]] if v in seen else range(m.domains[v]) for v in range(last + 1)]
	costs = [c for c in map(m.cost, itertools.product(*choices)) if c != gpube.INF]
	return (max if m.maximise else min)(costs) if costs else None


def answer(m, method):
	return m.bound(method=method.split(",")[0], timeout=60)


def is_wrong(m, found, optimum):
	if found.answer == "infeasible":
		return optimum is not None
	if found.assignment is not None and m.cost(found.assignment) != (found.lower if m.maximise else found.upper):
		return True
	if optimum is None:
		return found.assignment is not None
	if found.answer == "optimal":
		return (found.lower, found.upper) != (optimum, optimum)
	return (found.lower is not None and found.lower > optimum) or (found.upper is not None and found.upper < optimum)


def some(task):
	seed, n = task
	contexts = {k: gpube.Context(threads=k, memory=2**28) for k in (1, 4)}
	counts = {method: [0, 0, []] for method in METHODS}
	for k in range(seed, seed + n):
		models = {t: draw(k, c) for t, c in contexts.items()}
		optimum = enumerate_all(models[1])
		for method in METHODS:
			m = models[4 if "threads" in method else 1]
			count = counts[method]
			try:
				found = answer(m, method)
			except gpube.Error as e:
				if e.status not in ("ELIMIT", "ERANGE"):
					raise
				continue
			count[0] += 1
			count[1] += found.proved
			if is_wrong(m, found, optimum):
				count[2].append(k)
	return counts


def main():
	parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
	parser.add_argument("-n", type=int, default=20000, help="models")
	parser.add_argument("--seed", type=int, default=1)
	parser.add_argument("-j", type=int, default=2, help="processes")
	o = parser.parse_args()
	tasks = [(k, min(250, o.seed + o.n - k)) for k in range(o.seed, o.seed + o.n, 250)]
	total = {method: [0, 0, []] for method in METHODS}
	with multiprocessing.Pool(o.j) as pool:
		for counts in pool.imap_unordered(some, tasks):
			for method, (n, proved, wrong) in counts.items():
				total[method][0] += n
				total[method][1] += proved
				total[method][2] += wrong
	print("| method | answers | proved | wrong |\n|---|---|---|---|")
	for method, (n, proved, wrong) in total.items():
		print("| %s | %d | %d | %d |%s" % (method, n, proved, len(wrong), " seeds %s" % wrong[:5] if wrong else ""))
	raise SystemExit(any(wrong for _, _, wrong in total.values()))


if __name__ == "__main__":
	main()
