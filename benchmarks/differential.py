#!/usr/bin/env python3
"""differential.py - random small models by every method, and runs that are stopped, resumed and certified, beside enumeration.

    GPUBE_LIBRARY=build/libgpube.so PYTHONPATH=plugins/python benchmarks/differential.py [-n 20000] [--seed 1] [-j 2] [--only kept]

Each seed is a model of one of the kinds of KINDS: minimised or maximised, with decimals, tops, forbidden cells, observations, up to
four components, functions of up to four variables, costs near the ends of 64 bits, potentials, and functions by what they say
(globals.h); a third of them is solved as it is, the others after simplification. Each of RUNS solves it: every method of solve(),
auto with one and four threads, four that do not wait until a run has become long ('together'), runs that are stopped after some
improvements and resumed with other threads, certificates that are checked, bound() with options of its methods, and the model
written to a file and read again. Each answer has to be the optimum that enumeration finds, without the library; its assignment has
to cost that; what is not proved has to be an interval around it. Prints a line a run (refused: ELIMIT, ERANGE), and one a kind.
"""
import argparse
import collections
import ctypes
import decimal
import itertools
import math
import multiprocessing
import os
import random
import re
import subprocess
import tempfile

import gpube

METHODS = ["auto", "mbe", "arc", "ascent", "tree", "pairwise", "andor", "eliminate", "semidefinite", "linear"]
KEPT = ["auto", "tree", "pairwise", "andor"]  # methods of which a checkpoint keeps something
KINDS = ["mixed", "mixed", "parts", "wide", "ends", "unary", "ties", "search", "dense", "potentials"] * 2 + ["large", "search"]
CLOSE = 1e-9  # of logarithms


class Drawn:
	"""A model as the generator knows it: functions are (scope, cost of a tuple of values, how it is added)."""

	def __init__(self, kind):
		self.kind, self.domains, self.functions, self.observed, self.n_resumed = kind, [], [], {}, 0
		self.maximise, self.decimals, self.top, self.potentials = False, 0, None, False

	def add(self, scope, cells):
		steps = [math.prod(self.domains[v] for v in scope[k + 1:]) for k in range(len(scope))]
		self.functions.append((scope, lambda t: cells[sum(s * x for s, x in zip(steps, t))], ("add_function", scope, cells)))

	def add_named(self, scope, cost_of, *call):
		self.functions.append((scope, cost_of, call))

	def built(self, context):
		m = gpube.Model("potentials" if self.potentials else "costs", maximise=self.maximise, decimals=self.decimals, context=context)
		for d in self.domains:
			m.add_variable(d)
		for _, _, (name, *arguments) in self.functions:
			getattr(m, name)(*[self.given(a) if name == "add_function" and k else a for k, a in enumerate(arguments)])
		for v, x in self.observed.items():
			m.observe(v, x)
		if self.top is not None:
			m.top = self.exact(self.top)
		return m

	def exact(self, units):
		return decimal.Decimal(units).scaleb(-self.decimals) if self.decimals else units

	def given(self, cells):
		return cells if self.potentials else [gpube.INF if c is None else self.exact(c) for c in cells]

	def better(self, a, b):
		return a > b if self.maximise else a < b

	def forbidden(self, total):
		return self.top is not None and not self.better(total, self.top)

	def price(self, function, t):
		"""In units; of potentials -ln. None: forbidden."""
		c = function[1](t)
		if self.potentials:
			return -math.log(c) if c else None
		return c

	def cost(self, values):
		"""None: forbidden."""
		prices = [self.price(f, [values[v] for v in f[0]]) for f in self.functions]
		if None in prices or any(values[v] != x for v, x in self.observed.items()):
			return None
		total = sum(prices)
		return None if self.forbidden(total) else total

	def components(self):
		of = list(range(len(self.domains)))

		def root(v):
			return v if of[v] == v else root(of[v])
		for scope, _, _ in self.functions:
			for v in scope:
				of[root(v)] = root(scope[0])
		parts = collections.defaultdict(list)
		for v in range(len(of)):
			parts[root(v)].append(v)
		return list(parts.values())

	def best(self, variables):
		"""The best total of one component's functions; None: nothing is allowed."""
		last, values, found = {}, [0] * len(self.domains), None
		for f in self.functions:
			if f[0] and f[0][0] in variables:
				last.setdefault(max(map(variables.index, f[0])), []).append(f)

		def walk(k, total):
			nonlocal found
			if k == len(variables):
				if found is None or self.better(total, found):
					found = total
				return
			v = variables[k]
			for values[v] in [self.observed[v]] if v in self.observed else range(self.domains[v]):
				sum_here = total
				for f in last.get(k, ()):
					c = self.price(f, [values[u] for u in f[0]])
					if c is None:
						break
					sum_here += c
				else:
					walk(k + 1, sum_here)
		walk(0, 0)
		return found

	def optimum(self, folder):
		"""In units, without the library; None: nothing is allowed."""
		if self.kind == "large":
			return self.optimum_of_toulbar2(os.path.join(folder, "m.wcsp"))
		bests = [self.best(part) for part in self.components()] + [self.price(f, []) for f in self.functions if not f[0]]
		if None in bests:
			return None
		total = sum(bests)
		return None if self.forbidden(total) else total


	def optimum_of_toulbar2(self, path):
		most = sum(max([c for c in cells if c is not None], default=0) for _, _, (_, _, cells) in self.functions)
		top = most + 1 if self.top is None else self.top
		rows = [(scope, top, list(zip(itertools.product(*(range(self.domains[v]) for v in scope)), cells)))
			for scope, _, (_, _, cells) in self.functions]
		rows += [([v], top, [((x,), 0)]) for v, x in self.observed.items()]
		lines = [f"p {len(self.domains)} {max(self.domains)} {len(rows)} {top}", " ".join(map(str, self.domains))]
		for scope, others, tuples in rows:
			lines.append(" ".join(map(str, [len(scope), *scope, others, len(tuples)])))
			lines += [" ".join(map(str, [*t, top if c is None else c])) for t, c in tuples]
		with open(path, "w", encoding="ascii") as f:
			f.write("\n".join(lines) + "\n")
		told = subprocess.run(["toulbar2", path], stdout=subprocess.PIPE, text=True, check=True).stdout
		found = re.search(r"^Optimum: (\d+)", told, re.M)
		if not found and "No solution" not in told:
			raise RuntimeError(told)
		return int(found[1]) if found else None


# ---- what is drawn ---------------------------------------------------------------------------


def draw_domains(r, kind):
	if kind == "dense":
		return [2] * r.randint(6, 10)
	if kind == "large":
		return [r.choice([2, 2, 3, 4]) for _ in range(r.randint(13, 24))]
	if kind == "search":
		return r.choice([[2] * r.randint(8, 12), [3] * r.randint(5, 7), [r.randint(1, 3) for _ in range(r.randint(6, 8))]])
	if kind == "unary":
		return [r.randint(1, 9) for _ in range(r.randint(1, 12))]
	if kind == "parts":
		return [r.randint(1, 4) for _ in range(r.randint(4, 14))]
	domains = [r.choice([1, 1, 2, 2, 2, 3, 3, 4]) for _ in range(r.randint(1, 8))]
	while math.prod(domains) > 1500:
		domains.pop()
	return domains


def draw_scopes(r, kind, n):
	if kind == "dense":
		pairs = list(itertools.combinations(range(n), 2))
		triples = [r.sample(range(n), 3) for _ in range(r.choice([0, 0, n]))]
		return [list(p) for p in pairs if r.random() < .9] + triples + [[v] for v in range(n) if r.random() < .5]
	if kind in ("search", "large"):
		return [r.sample(range(n), min(n, r.choice([2, 2, 3]))) for _ in range(r.randint(n, 3 * n))]
	if kind == "unary":
		return [[r.randrange(n)] for _ in range(r.randint(0, 2 * n))] + [[]] * r.randint(0, 2)
	parts = [list(range(n))]
	if kind == "parts":
		k = r.randint(2, 4)
		parts = [p for p in (list(range(n))[i::k] for i in range(k)) if p]
		parts = [p[:5] for p in parts]
	most = 4 if kind in ("wide", "parts") else 3
	return [(lambda p: r.sample(p, min(r.randint(0 if r.random() < .2 else 1, most), len(p))))(r.choice(parts)) for _ in range(r.randint(1, 14))]


def draw_cost(r, kind, size):
	if kind == "ends":
		near = r.choice([0, 1, size, size - 1, size // 2, r.randrange(size)])
		return near * r.choice([1, 1, -1])
	if kind == "ties":
		return r.choice([0, 0, 1])
	if kind in ("search", "dense", "large"):
		return r.randrange(size + 1)
	return r.randint(-size // 4, size)


def draw_cells(r, d, scope, hard, size, unit):
	"""Now and then a spin glass's function, whose total depends on whether two values are equal."""
	cells = math.prod(d.domains[v] for v in scope)
	if d.potentials:
		return [0.0 if r.random() < hard / 2 else r.choice([r.random(), r.random(), 1.0, 10**r.uniform(-30, 5), 0.5]) for _ in range(cells)]
	if unit < 0 and len(scope) == 2:
		w = r.choice([unit, -unit])
		return [abs(unit) + (w if a == b else -w) for a in range(d.domains[scope[0]]) for b in range(d.domains[scope[1]])]
	return [None if r.random() < (hard if scope else hard / 20) else abs(unit) * draw_cost(r, d.kind, size) for _ in range(cells)]


def draw_named(r, d):
	"""Functions by what they say; of a model that is maximised they cost less than nothing."""
	n, sign = len(d.domains), -1 if d.maximise else 1

	def scope_of(most):
		return r.sample(range(n), r.randint(1, min(most, n)))

	def times(cost, k):
		return 0 if k == 0 else None if cost is None else cost * k

	def drawn_cost():
		units = r.choice([None, sign * r.randint(0, 9)])
		return units, gpube.INF if units is None else d.exact(units)

	def outside(k, least, most):
		return max(least - k, k - most, 0)
	for kind in r.sample(["linear", "different", "gcc", "among", "knapsack"], r.randint(1, 2)):
		units, cost = drawn_cost()
		scope = scope_of(6)
		if kind == "linear":
			terms, right, relation = [(v, r.randint(-3, 3)) for v in scope], r.randint(-4, 6), r.choice(["<=", ">=", "=="])
			ends, per_unit = (-999 if relation == "<=" else right, 999 if relation == ">=" else right), r.random() < .5
			d.add_named(scope, lambda t, terms=terms, ends=ends, per_unit=per_unit, units=units: (lambda off: times(units, off if per_unit else off > 0))(
				outside(sum(w * x for (_, w), x in zip(terms, t)), *ends)), "add_linear", terms, relation, right, cost, per_unit)
		elif kind == "different":
			d.add_named(scope, lambda t, units=units: times(units, sum(a == b for a, b in itertools.combinations(t, 2))),
				"add_all_different", scope, [], cost)
		elif kind == "gcc":
			counts = {x: tuple(sorted((r.randint(0, 3), r.randint(0, 3)))) for x in range(r.randint(1, 3))}
			d.add_named(scope, lambda t, counts=counts, units=units: times(units, sum(outside(list(t).count(x), *ends) for x, ends in counts.items())),
				"add_gcc", scope, counts, cost)
		elif kind == "among":
			values, ends = r.sample(range(4), 2), tuple(sorted((r.randint(0, 3), r.randint(0, 4))))
			d.add_named(scope, lambda t, values=values, ends=ends, units=units: times(units, outside(sum(x in values for x in t), *ends)),
				"add_among", scope, values, *ends, cost)
		else:
			weights, capacity = [r.randint(-2, 5) for _ in scope], r.randint(-1, 6)
			d.add_named(scope, lambda t, weights=weights, capacity=capacity: 0 if sum(w for w, x in zip(weights, t) if x == 1) >= capacity else None,
				"add_global", "knapsack", scope, capacity, *weights)


def draw(seed):
	r = random.Random(seed)
	kind = r.choice(KINDS)
	d = Drawn(kind)
	d.domains = draw_domains(r, kind)
	n = len(d.domains)
	d.maximise, d.decimals = r.random() < .4, r.choice([0, 0, 2, 9])
	d.potentials = kind == "potentials"
	if kind in ("large", "potentials"):
		d.maximise, d.decimals = False, 0
	hard = r.choice([0, 0, 0, .02, .1, .3])
	size = r.choice([2**40, 2**55, 2**60, 2**62 - 1]) if kind == "ends" else r.choice([1, 5, 20, 20, 100, 10**6, 10**12])
	unit = 1 if kind == "ends" else r.choice([1, 1, 1, 2, 6, 100, -1, -3])  # below 0: a spin glass's
	for scope in draw_scopes(r, kind, n):
		d.add(scope, draw_cells(r, d, scope, hard, size, unit))
	if kind in ("mixed", "wide", "ties") and r.random() < .5:
		draw_named(r, d)
	if r.random() < .2:
		v = r.randrange(n)
		d.observed[v] = r.randrange(d.domains[v])
	if not d.potentials and r.random() < .25:
		d.top = r.randint(-size if d.maximise else 0, 3 * size)
	return d, r


def tighten(d, r, optimum):
	"""Now and then a top that the optimum does not reach, or just so. Returns the optimum."""
	if optimum is None or d.potentials or r.random() > .15:
		return optimum
	d.top = optimum + (-1 if d.maximise else 1) * r.choice([0, 1, 1, 2])
	return None if d.forbidden(optimum) else optimum


class Direct(gpube.Context):
	"""Long calls are made by this thread: one of their own would wake up more often than small models take."""

	def _call(self, function, *arguments):
		out, error = ctypes.c_void_p(), None
		with self._lock:
			self._free_those()
			status = function(ctypes.byref(out), *arguments)
			gpube._c.lib.gpube_ctx_resume(self._address)
			try:
				self._check(status)
			except gpube.Error as e:
				error = e
		return out.value, error, None


# ---- runs ---------------------------------------------------------------------------------------


Found = collections.namedtuple("Found", "answer bound cost assignment log_value cutoff", defaults=[None])


def found_of_solution(s):
	return Found(s.answer, s.bound, s.cost, s.assignment, s.log_value)


def found_of_bounds(d, b, cutoff=None):
	upside_down = d.maximise and not d.potentials
	bound, cost = (b.upper, b.lower) if upside_down else (b.lower, b.upper)
	return Found(b.answer, bound, cost, b.assignment, b.log_value, cutoff)


def solved(d, m, **options):
	try:
		return found_of_solution(m.solve(timeout=60, **options))
	except gpube.Error as e:
		if e.status != "ELIMIT" or e.result is None:
			raise
		return found_of_solution(e.result)


def kept(d, models, r, folder, **options):
	"""Stopped after so many calls of progress, again and again, each time with any of the models, which differ in threads."""
	path = os.path.join(folder, "run")
	if os.path.exists(path):
		os.remove(path)
	left, method, known = r.randint(0, 6), r.choice(KEPT), []
	while True:
		calls, m = itertools.count(), r.choice(models)
		resume = {"resume": path} if os.path.exists(path) else {}
		found = solved(d, m, method=method, checkpoint=path, checkpoint_every=r.choice([0, 1e-9]),
			on_progress=lambda _: next(calls) >= left, **resume, **options)
		known.append(found)
		d.n_resumed += bool(resume)
		if found.answer != "incomplete" or left > 200:
			return known
		left = 2 * left + 1


def certified(d, m, r, folder, **options):
	"""What is certified is a bound, and what is read again is that."""
	path = os.path.join(folder, "proof")
	b, proved = m.certify(path, timeout=20, method=r.choice(["auto", "arc", "ascent", "tree", "pairwise", "andor", "eliminate", "semidefinite", "linear"]),
		split=r.choice(["auto", "first"]), **options)
	if m.verify(path) != proved:
		raise ValueError("%s was certified, and %s is read" % (proved, m.verify(path)))
	return [Found("incomplete", proved, None, None, None), found_of_bounds(d, b)]


def bounded(d, m, r, optimum, **options):
	options.update(method=r.choice(METHODS), split=r.choice(["auto", "never", "first"]), partition=r.choice(["scope", "first", "merge"]), z=r.choice([0, 0, 2, 3]), no_match=r.random() < .3,
		no_eliminate=r.random() < .7, seed=r.randrange(9))
	if options["method"] == "ascent":
		options["regions"] = r.choice(["auto", "joins", "nested"])
	cutoff = None
	if optimum is not None and not d.potentials and r.random() < .5:
		cutoff = optimum + r.choice([-1, 0, 1, 1, 5])
		options["cutoff"] = d.exact(cutoff)
	return found_of_bounds(d, m.bound(timeout=60, **options), cutoff)


def through_a_file(d, m, folder, context, **options):
	path = os.path.join(folder, "m.uai" if d.potentials else "m.cfn")
	m.write(path, check=True)
	with gpube.Model.read(path, evidence="", context=context) as again:
		return solved(d, again, **options)


def runs_of(d, r, contexts, optimum, folder):
	"""(name, what makes a Found or a list of these)"""
	one, four, together = map(d.built, contexts)
	options = {"no_simplify": True} if r.random() < .3 else {}
	for method in METHODS:
		yield method, lambda: solved(d, one, method=method, **options)
	yield "ascent, nested", lambda: solved(d, one, method="ascent", regions="nested", **options)
	yield "auto, 4 threads", lambda: solved(d, four, **options)
	shared = r.choice(KEPT)
	yield shared + ", together", lambda: solved(d, together, method=shared, **options)
	yield "kept", lambda: kept(d, [one, four, together], r, folder, **options)
	if r.random() < .5:
		yield "certified", lambda: certified(d, r.choice([one, four]), r, folder, **options)
	yield "bound, options", lambda: bounded(d, r.choice([one, together]), r, optimum, **options)
	if not d.observed and not one.hidden and r.random() < .3:
		yield "of a file", lambda: through_a_file(d, one, folder, contexts[0], **options)


def units_of(d, x):
	return None if x is None else int(decimal.Decimal(x).scaleb(d.decimals)) if not d.potentials else float(x)


def error_of(d, found, optimum):
	"""What is wrong with an answer, or None."""
	slack = 0
	if d.potentials:  # each function is off by half a unit, whose size the answer tells
		told = [x for x in (found.bound, found.cost) if isinstance(x, decimal.Decimal)]
		slack = (len(d.functions) + 1) * 10.0**max([x.as_tuple().exponent for x in told], default=0) + CLOSE * (1 + abs(optimum or 0))
	bound, cost = units_of(d, found.bound), units_of(d, found.cost)
	if found.answer == "infeasible":
		return None if optimum is None else "infeasible"
	if found.assignment is not None:
		real = d.cost(list(found.assignment)[:len(d.domains)])
		if real is None:
			return "a forbidden assignment"
		if abs(real - cost) > slack:
			return f"an assignment that costs {real}, not {cost}"
		if d.potentials and abs(real + found.log_value) > CLOSE * (1 + abs(real)):
			return f"an assignment of ln {-real}, not {found.log_value}"
	if optimum is None:
		return None if found.assignment is None and found.answer == "incomplete" else "an optimum"
	if found.answer == "optimal" and (cost is None or bound is None or abs(cost - optimum) > slack or abs(bound - optimum) > slack):
		return f"optimal: {bound}, {cost}"
	sign = -1 if d.maximise else 1
	if bound is not None and sign * (bound - optimum) > slack and (found.cutoff is None or sign * (bound - found.cutoff) > 0):
		return f"a bound of {bound}"
	return None


def some(task):
	seed, n, only = task
	os.environ.pop("GPUBE_TEST_THREADS", None)
	contexts = [Direct(threads=n, memory=2**28) for n in (1, 4)]
	os.environ["GPUBE_TEST_THREADS"] = "together"
	contexts.append(Direct(threads=4, memory=2**28))
	counts, kinds, wrong = collections.defaultdict(lambda: [0, 0, 0, 0]), collections.Counter(), []
	with tempfile.TemporaryDirectory() as folder:
		for k in range(seed, seed + n):
			d, r = draw(k)
			optimum = tighten(d, r, d.optimum(folder))
			kinds[d.kind + ("" if optimum is not None else ", forbidden")] += 1
			try:
				for name, run in runs_of(d, r, contexts, optimum, folder):
					if only and name != only:
						continue
					count = counts[name]
					try:
						all_found = run()
						all_found = all_found if isinstance(all_found, list) else [all_found]
						errors = [error_of(d, f, optimum) for f in all_found]
						count[1] += all_found[-1].answer != "incomplete"
						errors = [e for e in errors if e]
					except gpube.Error as e:
						count[2] += 1
						errors = [] if e.status in ("ELIMIT", "ERANGE") else [repr(e)]
					except ValueError as e:
						errors = [repr(e)]
					count[0] += 1
					count[3] += bool(errors)
					wrong += [f"seed {k}, {d.kind}, {name}: {e}, where {optimum} is the optimum" for e in errors]
				kinds["resumed"] += d.n_resumed
			except gpube.Error as e:  # the model cannot be made
				kinds[d.kind + ", refused"] += 1
				if e.status != "ERANGE":
					wrong.append(f"seed {k}, {d.kind}: {e!r}")
	return dict(counts), kinds, wrong


def main():
	parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
	parser.add_argument("-n", type=int, default=20000, help="models")
	parser.add_argument("--seed", type=int, default=1)
	parser.add_argument("-j", type=int, default=2, help="processes")
	parser.add_argument("--only", help="one of the runs: its name in the table")
	o = parser.parse_args()
	tasks = [(k, min(100, o.seed + o.n - k), o.only) for k in range(o.seed, o.seed + o.n, 100)]
	total, kinds, n_wrong = collections.defaultdict(lambda: [0, 0, 0, 0]), collections.Counter(), 0
	with multiprocessing.Pool(o.j) as pool:
		for counts, some_kinds, wrong in pool.imap_unordered(some, tasks):
			for name, count in counts.items():
				total[name] = [a + b for a, b in zip(total[name], count)]
			kinds += some_kinds
			n_wrong += len(wrong)
			for line in wrong:
				print(line, flush=True)
	print("| run | models | proved | refused | wrong |\n|---|---|---|---|---|")
	for name, count in total.items():
		print("| %s | %d | %d | %d | %d |" % (name, *count))
	print("; ".join("%s: %d" % pair for pair in sorted(kinds.items())))
	raise SystemExit(n_wrong > 0)


if __name__ == "__main__":
	main()
