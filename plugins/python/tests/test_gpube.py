"""The package on the shipped examples, and on small random models against brute force."""
import copy
import ctypes
import doctest
import inspect
import itertools
import math
import os
import pickle
import random
import re
import signal
import tempfile
import threading
import unittest
from decimal import Decimal, localcontext
from fractions import Fraction

import gpube
from gpube import (_build, _coalitions, _dpop, _engine, _games, _infer, _model, _names, _results, _solve, _solver, _toulbar2)

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
EXAMPLES = os.path.join(ROOT, "examples")


def example(name):
	return os.path.join(EXAMPLES, name)


def random_model(r, maximise=False, decimals=0):
	m = gpube.Model(maximise=maximise, decimals=decimals)
	domains = [r.randint(1, 4) for _ in range(r.randint(1, 6))]
	tables = []
	for d in domains:
		m.add_variable(d)
	for _ in range(r.randint(1, 8)):
		scope = r.sample(range(len(domains)), r.randint(0, min(3, len(domains))))
		n = math.prod(domains[v] for v in scope)
		cells = [Fraction(r.randint(-50, 50), 10**decimals) for _ in range(n)]
		if scope:
			cells = [gpube.INF if r.random() < 0.1 else c for c in cells]
		m.add_function(scope, cells)
		tables.append((scope, cells))
	return m, domains, tables


def price(domains, tables, values):
	total = 0
	for scope, cells in tables:
		at = 0
		for v in scope:
			at = at * domains[v] + values[v]
		if cells[at] == gpube.INF:
			return gpube.INF
		total += cells[at]
	return total


def hard_model(**context):
	"""A model that no bound closes while anybody waits."""
	r = random.Random(5)
	m = gpube.Model(context=gpube.Context(**context))
	for _ in range(60):
		m.add_variable(6)
	for a, b in itertools.combinations(range(60), 2):
		m.add_function([a, b], [r.randint(0, 1000) for _ in range(36)])
	return m


class Globals(unittest.TestCase):
	def test_linear_between_variables(self):
		"""Variables that come after a constraint that is a chain, and named twice in it, keep their indices."""
		r, chains = random.Random(3), 0
		for _ in range(100):
			m, variables, rules = gpube.Model(), [], []
			domains = [r.randint(1, 3) for _ in range(r.randint(2, 5))]
			for k, d in enumerate(domains):
				variables.append(m.add_variable(d, "v%d" % k))
				if r.random() < .6:
					scope = [r.choice(variables) for _ in range(r.randint(2, 9))]
					rule = scope, [r.randint(-3, 3) for _ in scope], r.randint(-5, 9), r.randint(1, 4)
					m.add_linear(list(zip(rule[0], rule[1])), "<=", rule[2], cost=rule[3], per_unit=True)
					rules.append(rule)
			# more values than a table has room for, so that the constraint becomes a chain
			wide = [m.add_variable(3) for _ in range(8)] if r.random() < .3 else []
			if wide:
				m.add_linear({v: 1 for v in wide}, ">=", 12, cost=3, per_unit=True)
				for v in wide:
					m.add_function([v], [0, 2, 4])
				last = m.add_variable(2, "last")
				m.add_function([last], [7, 5])
				chains += bool(m.hidden)
			best = gpube.INF
			for values in itertools.product(*map(range, domains)):
				a = dict(zip(variables, values))
				total = sum(c * max(0, sum(a[v] * k for v, k in zip(scope, coefficients)) - right)
					for scope, coefficients, right, c in rules)
				best = min(best, total)
			s = m.solve()
			self.assertEqual(s.optimum, best + (29 if wide else 0))
			self.assertEqual(m.cost(s.assignment), s.optimum)
			self.assertEqual(m.list(most=2).costs[0], s.optimum)
			if wide:
				self.assertEqual(s.assignment[last], 1)
				self.assertEqual(m.named(s.assignment)["last"], 1)
		self.assertGreater(chains, 5)

	def test_by_name(self):
		m = gpube.Model(maximise=True)
		for name in "abc":
			m.add_function([m.add_variable(3, name)], [0, 1, 2])
		m.add_all_different(["a", "b"])
		m.add_linear([("a", 2, 1), ("c", 2, 1)], "<=", 1)
		m.add_among(["b", "c"], [2], 0, 1)
		self.assertEqual(m.solve().optimum, 4)
		m.add_tuples(["a", "c"], {(2, 1): gpube.INF, (1, 1): gpube.INF})
		self.assertEqual(m.solve().optimum, 3)
		self.assertRaisesRegex(ValueError, "there is no variable 'd'", m.add_among, ["d"], [1], 0, 1)
		self.assertRaisesRegex(ValueError, "relation '<'", m.add_linear, {"a": 1}, "<", 1)
		self.assertRaisesRegex(ValueError, "a tuple of 1 values", m.add_tuples, ["a", "c"], {(1,): 1})
		self.assertRaisesRegex(gpube.Error, "EINVAL|wsum: expected", m.add_global, "wsum", ["a", "b"], "lin", 2)
		m.add_regular(["a", "b"], [(0, 0, 0)], [0], [0, 7])  # value 0 alone, which b may not have then
		self.assertEqual(m.solve().answer, "infeasible")


class Progress(unittest.TestCase):
	def test_told(self):
		m, told = hard_model(), []
		s = m.bound(on_progress=lambda p: told.append(p) or len(told) == 20)
		self.assertEqual(len(told), 20)
		self.assertTrue(told[-1].lower <= s.lower <= s.upper <= told[-1].upper)
		for p in told:
			self.assertIsInstance(p.by, str)
			self.assertTrue(p.assignment is None or m.cost(p.assignment) == p.upper)
		self.assertEqual([p.lower for p in told], sorted(p.lower for p in told))

	def test_ends(self):
		m, told = hard_model(), []
		s = m.solve(on_progress=lambda p: told.append(p) or len(told) == 5)
		self.assertEqual((s.answer, s.cost <= told[4].upper), ("incomplete", True))
		most = random_model(random.Random(3), maximise=True, decimals=2)[0]
		told = []
		self.assertEqual(most.solve(on_progress=told.append).optimum, most.solve().optimum)
		self.assertTrue(all(p.lower is None or p.upper is None or p.lower <= p.upper for p in told))

	def test_raises(self):
		m = hard_model()
		with self.assertRaisesRegex(ZeroDivisionError, "division"):
			m.solve(on_progress=lambda p: 1 / 0)
		self.assertEqual(m.bound(timeout=.1).answer, "incomplete")


class Costs(unittest.TestCase):
	def test_names_are_unique(self):
		m = gpube.Model()
		self.assertEqual([m.add_variable(2, n) for n in ("x", None, "y", None)], [0, 1, 2, 3])
		with self.assertRaisesRegex(gpube.Error, "variables 2 and 4 would both be called 'y'") as e:
			m.add_variable(["a", "b"], "y")
		self.assertEqual((e.exception.status, len(m)), ("EINVAL", 4))
		self.assertEqual((m.add_variable(3, "z"), m.names), (4, ["x", None, "y", None, "z"]))
		self.assertRaisesRegex(gpube.Error, "variables 4 and 5 ", m.add_variable, 2, "z")
		m = gpube.Model.read(example("exams.cfn"))
		self.assertRaisesRegex(gpube.Error, "variables 0 and %d .*%r" % (len(m), m.names[0]), m.add_variable, 2, m.names[0])
		m.add_variable(2, "another")
		self.assertRaisesRegex(gpube.Error, "variables %d and %d " % (len(m) - 1, len(m)), m.add_variable, 2, "another")

	def test_examples(self):
		s = gpube.Model.read(example("exams.cfn")).solve(count=True)
		self.assertEqual((s.optimum, type(s.optimum), s.proved), (Decimal("4.30"), Decimal, True))
		self.assertEqual(s.assignment, [0, 1, 2, 1, 0, 2])
		z = gpube.Model.read(example("zebra.wcsp")).solve(count=True)
		self.assertEqual((z.optimum, type(z.optimum), z.count), (0, int, 1))
		self.assertEqual(gpube.Model.read(example("meetings.yaml")).solve().optimum, 3)

	def test_random(self):
		for seed in range(150):
			r = random.Random(seed)
			maximise, decimals = r.random() < 0.5, r.choice([0, 0, 2, 7])
			m, domains, tables = random_model(r, maximise, decimals)
			totals = {values: price(domains, tables, values)
				for values in itertools.product(*map(range, domains))}
			allowed = [t for t in totals.values() if t != gpube.INF]
			s, b = m.solve(count=True), m.bound()
			with self.subTest(seed=seed):
				self.assertTrue(s.proved)
				for values, total in totals.items():
					self.assertEqual(m.cost(values), total)
				if not allowed:
					self.assertEqual((s.answer, s.optimum, s.assignment), ("infeasible", None, None))
					self.assertEqual((b.answer, b.lower, b.upper), ("infeasible", None, None))
					continue
				best = max(allowed) if maximise else min(allowed)
				self.assertEqual(s.optimum, best)
				self.assertEqual(totals[tuple(s.assignment)], best)
				self.assertEqual(s.count, allowed.count(best))
				self.assertEqual((b.lower, b.upper, b.answer), (best, best, "optimal"))
				self.assertEqual(totals[tuple(b.assignment)], best)

	def test_list(self):
		r = random.Random(4)
		for k in range(20):
			m, domains, _ = random_model(r, maximise=k % 2 == 1)
			every = [(m.cost(t), list(t)) for t in itertools.product(*map(range, domains))]
			every = sorted((x for x in every if x[0] != gpube.INF), key=lambda x: -x[0] if m.maximise else x[0])
			best = m.list(within=None)
			self.assertEqual((best.costs, best.more, best.complete), ([c for c, _ in every], False, True))
			self.assertEqual(sorted(best.assignments), sorted(t for _, t in every))
			self.assertEqual(m.list().costs, [c for c, _ in every if c == every[0][0]])
			self.assertEqual(m.list(most=1, within=None).more, len(every) > 1)
			near = m.list(within=3)
			self.assertEqual(near.costs, [c for c, _ in every if abs(c - every[0][0]) <= 3])
		m = gpube.Model.read(example("sprinkler.uai"))
		self.assertEqual(m.list(within=1).costs, m.list(within=None).costs[:2])
		for wrong in ({"most": 0}, {"most": -1}, {"within": -1}):
			self.assertRaises(ValueError, m.list, **wrong)

	def test_diverse(self):
		"""Each next one is optimal among those that are far enough from the ones before."""
		r = random.Random(17)
		for seed in range(40):
			m, domains, tables = random_model(r, maximise=seed % 2 == 1, decimals=seed % 3)
			distance, sign = r.randint(2, 4), -1 if m.maximise else 1
			prices = {v: price(domains, tables, v) for v in itertools.product(*map(range, domains))}
			left = {v: sign * c for v, c in prices.items() if c != gpube.INF}
			far = m.diverse(4, distance)
			for a, cost in zip(far, far.costs):
				self.assertEqual((prices[tuple(a)], sign * cost), (cost, min(left.values())))
				left = {v: c for v, c in left.items() if sum(x != y for x, y in zip(v, a)) >= distance}
			self.assertTrue(far.complete and (not left if far.more is False else far.more is None and len(far) == 4))
		m = gpube.Model.read(example("exams.cfn"))
		self.assertEqual(m.diverse(9, 6, within="0.5").costs[0], Decimal("4.30"))
		for wrong in dict(k=0, distance=2), dict(k=2, distance=0), dict(k=2, distance=2, within=-1):
			self.assertRaises(ValueError, m.diverse, **wrong)

	def test_hidden(self):
		n = 30
		text = "wide %d 2 %d 1000\n%s\n%d %s -1 wsum hard 1000 == 2\n" % (
			n, n + 1, " 2" * n, n, " ".join(map(str, range(n))))
		text += "".join("1 %d 0 1 1 %d\n" % (v, 9 if v == 0 else 1) for v in range(n))
		with tempfile.TemporaryDirectory() as directory:
			path = os.path.join(directory, "wide.wcsp")
			with open(path, "w") as f:
				f.write(text)
			m = gpube.Model.read(path)
		self.assertEqual((len(m), m.hidden), (2 * n - 1, list(range(n, 2 * n - 1))))
		s, b = m.solve(count=True), m.bound()
		self.assertEqual((s.optimum, s.count), (2, (n - 1) * (n - 2) // 2))
		for assignment in s.assignment, b.assignment:
			self.assertEqual((len(assignment), sum(assignment), m.cost(assignment)), (n, 2, 2))
		self.assertEqual(m.cost([1, 1] + [0] * (n - 2)), 10)
		self.assertEqual(m.cost([0] * n), gpube.INF)
		self.assertEqual(len(m.named(s.assignment)), n)
		self.assertEqual(m.bound(assignment=[1, 1] + [0] * (n - 2)).upper, 2)
		self.assertEqual(m.solve(order=s.order).optimum, 2)
		self.assertRaises(ValueError, m.cost, [0] * len(m))
		for wrong in [0] * len(m), [-1] + [0] * (n - 1), [0] * (n - 1) + [2]:
			self.assertRaises(ValueError, m.named, wrong)

	def test_named(self):
		"""Values that a variable does not have are no names and no indices."""
		m = gpube.Model()
		m.add_variable(2, "a")
		m.add_variable(3)
		self.assertEqual(m.named([1, 2]), {"a": 1, 1: 2})
		for wrong in [2, 0], [0, 3], [-1, 0], [0, -1], [0], [0, 0, 0]:
			self.assertRaises(ValueError, m.named, wrong)

	def test_posteriors(self):
		"""Marginals by names; what has no name of its own is told by its index."""
		m = gpube.Model("potentials")
		m.add_variable(["no", "yes"], "rain")
		m.add_variable(2)
		m.add_function([0, 1], [[1, 1], [2, 4]])
		m.observe("rain", "yes")
		rows = m.infer(marginals=True).marginals
		told = m.posteriors(rows)
		self.assertEqual(told["rain"], {"no": 0.0, "yes": 1.0})
		self.assertEqual(told, {"rain": {"no": 0.0, "yes": 1.0}, 1: {0: rows[1][0], 1: rows[1][1]}})
		self.assertRaises(ValueError, m.posteriors, rows[:1])
		with tempfile.TemporaryDirectory() as directory:
			with open(os.path.join(directory, "seen"), "w") as f:
				f.write("1\ncall no\n")
			m = gpube.Model.read(os.path.join(ROOT, "tests/instances/alarm.bif"), evidence=f.name)
		self.assertEqual(m.evidence, {3: 0})

	def test_value_names(self):
		"""Names of values that are given, written, read, and taken for an observed value."""
		m = gpube.Model()
		day = m.add_variable(["monday", "tuesday", "friday"], "day")
		m.add_variable(2)
		m.add_function([day, 1], [[3, 2], [1, 4], [5, 6]])
		self.assertEqual(m.value_names, [["monday", "tuesday", "friday"], None])
		self.assertEqual(m.named(m.solve().assignment), {"day": "tuesday", 1: 0})
		m.observe(day, "monday")
		self.assertEqual((m.evidence, m.solve().optimum), ({day: 0}, 2))
		m.observe(day, None)
		self.assertRaises(ValueError, m.observe, day, "sunday")
		self.assertRaises(ValueError, m.observe, 1, "monday")
		m.observe("day", "friday")
		self.assertEqual(m.evidence, {day: 2})
		m.observe("day", None)
		self.assertEqual(m.evidence, {})
		self.assertRaisesRegex(ValueError, "no variable 'dya': the nearest: day$", m.observe, "dya", 0)
		self.assertRaisesRegex(ValueError, "variable day has no value 'fryday': the nearest: friday$", m.observe, "day", "fryday")
		self.assertRaises(ValueError, m.add_variable, ["a\0"])
		self.assertRaises(ValueError, m.add_variable, ["\ud800", "a"])
		self.assertEqual(len(m), 2)
		self.assertRaises(TypeError, m.add_variable, "day")
		self.assertRaises(gpube.Error, m.add_variable, [])
		with tempfile.TemporaryDirectory() as directory:
			path = os.path.join(directory, "m.cfn")
			m.write(path)
			self.assertEqual(gpube.Model.read(path).value_names, m.value_names)

	def test_reparam(self):
		"""What is better than the best that is known costs the same in the reparametrised model."""
		for seed in range(60):
			r = random.Random(seed)
			m, domains, _ = random_model(r, seed % 2, seed % 3)
			prune = seed % 4 < 2
			b, reparametrised = m.reparam(timeout=5, prune=prune, decimals=seed % 5, max_arity=2 + seed % 2)
			self.assertEqual(reparametrised.domains, domains)
			self.assertLessEqual(reparametrised.decimals - m.decimals, seed % 5)
			bound, sign = reparametrised.constant, -1 if m.maximise else 1
			for values in itertools.product(*map(range, domains)):
				cost = m.cost(values)
				if cost == gpube.INF or (prune and b.assignment and sign * cost >= sign * m.cost(b.assignment)):
					self.assertEqual(reparametrised.cost(values), gpube.INF)
				else:
					self.assertEqual(reparametrised.cost(values), cost)
					self.assertGreaterEqual(sign * cost, sign * bound)
		self.assertRaises(ValueError, m.reparam, max_arity=1)
		self.assertRaises(gpube.Error, m.reparam, method="mbe")

	def test_elimination_order(self):
		m = gpube.Model.read(example("zebra.wcsp"))
		with tempfile.TemporaryDirectory() as directory:
			path = os.path.join(directory, "zebra.order")
			order = m.elimination_order(path)
			with open(path) as f:
				self.assertEqual([int(x) for x in f.read().split()], order)
			m.elimination_order(os.path.join(directory, "zebra.cov"))
			self.assertRaises(gpube.Error, m.elimination_order, os.path.join(directory, "no", "x"))
		self.assertEqual(sorted(order), list(range(25)))
		self.assertEqual(m.plan(order=order, no_simplify=True).width, m.plan(no_simplify=True).width)

	def test_tables_come_back(self):
		for seed in range(30):
			m, _, tables = random_model(random.Random(seed), decimals=3)
			theirs = [m.function(k) for k in range(m.n_functions)]
			ours = [t for t in tables if t[0]]
			self.assertEqual([t for t in theirs if t[0]], ours)
			self.assertEqual(m.constant + sum(t[1][0] for t in theirs if not t[0]),
				sum(t[1][0] for t in tables if not t[0]))
		self.assertRaises(IndexError, m.function, m.n_functions)

	def test_exact(self):
		m = gpube.Model(decimals=18)
		a = m.add_variable(3)
		m.add_function([a], [0.1, "0.3", Fraction(1, 4)])
		self.assertEqual(m.function(0)[1], [Decimal("0.1"), Decimal("0.3"), Decimal("0.25")])
		m.add_function([a], [Decimal("3.999999999999999999"), 4, 4])
		with localcontext() as c:
			c.prec = 3  # of the user's own sums
			self.assertEqual(str(m.solve().optimum), "4.099999999999999999")
		for cost, error in ((Fraction(1, 3), ValueError), (-gpube.INF, ValueError),
				("1e-19", ValueError), (None, TypeError), (10, gpube.Error)):
			self.assertRaises(error, m.add_function, [a], [cost, 0, 0])
		self.assertEqual(m.n_functions, 2)

	def test_building(self):
		m = gpube.Model()
		a, b = m.add_variable(2, "a"), m.add_variable(3)
		m.add_function([b, a], lambda y, x: 10 * y + x)
		m.add_function([a], [[5], [0]][1] + [0])
		m.add_function([], 7)
		self.assertEqual((m.domains, m.names, len(m)), ([2, 3], ["a", None], 2))
		self.assertEqual(m.function(0), ([1, 0], [0, 1, 10, 11, 20, 21]))
		m.observe(b, 2)
		self.assertEqual((m.evidence, m.solve().optimum), ({1: 2}, 27))
		m.observe(b, None)
		m.top = 8
		self.assertEqual((m.top, m.solve(count=True).count), (8, 1))
		for scope, table, error in (([a], [1], ValueError), ([a, b], [[1, 2], [3, 4]], ValueError),
				([5], [1], gpube.Error), ([a, a], [1, 2, 3, 4], gpube.Error)):
			self.assertRaises(error, m.add_function, scope, table)
		for call in (lambda: m.solve(timeout=0), lambda: m.solve(backend="abacus"),
				lambda: m.cost([0]), lambda: m.solve(order=[0]), lambda: m.add_variable(2, "a\0b"),
				lambda: gpube.nash(gpube.Game([[1]]), [[1]])):
			self.assertRaises(ValueError, call)
		for wanted, cost in (("Model(decimals=", 0.5), ("^nan where", float("nan"))):
			self.assertRaisesRegex(ValueError, wanted.replace("(", r"\("), m.add_function, [a], [cost, 0])
		self.assertEqual(len(m), 2)
		# a repeated variable is called that, whatever else is wrong, as in [a, a, b] of two variables
		for scope, table in (([a, a], [[1, 2], [3, 4]]), ([b, b], [1]), ([a, b, a], [0] * 12), ([a, a], lambda x: x)):
			self.assertRaisesRegex(gpube.Error, "variable %d is twice in a scope" % scope[0], m.add_function, scope, table)
		with self.assertRaises(gpube.Error) as e:
			m.solve(order=[0, 0])
		self.assertEqual(e.exception.status, "EINVAL")
		m.close()
		self.assertRaises(ValueError, m.solve)
		m.close()

	def test_shown_and_pickled(self):
		m = gpube.Model()
		m.add_function([m.add_variable(2)], [3, 1])
		game = gpube.Game([[1, 2]])
		self.assertEqual(repr(m), "<gpube.Model: 1 variable, 1 function, costs to minimise>")
		self.assertEqual(repr(game), "<gpube.Game: 1 x 2 actions>")
		self.assertEqual(pickle.loads(pickle.dumps(m.solve())).optimum, 1)
		for call in (pickle.dumps, copy.copy, copy.deepcopy):
			for x in (m, game):
				self.assertRaisesRegex(TypeError, "write\\(\\) it", call, x)
		m.close()
		self.assertEqual(repr(m), "<gpube.Model: closed>")

	def test_nothing_wraps(self):
		"""ctypes drops the upper bits of a number that is too large."""
		m = gpube.Model()
		m.add_variable(2)
		for call in (lambda: m.add_variable(2**32 + 2), lambda: m.add_function([2**32], [0, 0]),
				lambda: m.observe(2**32, 0), lambda: m.observe(0, 2**32), lambda: m.cost([2**32]),
				lambda: m.solve(seed=2**64), lambda: m.solve(precision=2**32), lambda: m.bound(z=2**32),
				lambda: m.bound(assignment=[2**32]), lambda: gpube.Model(decimals=2**32),
				lambda: gpube.Context(threads=2**32), lambda: gpube.Context(memory=-1),
				lambda: gpube.Context(devices=[2**32]), lambda: gpube.nash([[1]], max=2**64),
				lambda: gpube.csg({2**60: 1}), lambda: gpube.csg({1: 1}, n=2**32 + 1)):
			self.assertRaises(ValueError, call)
		self.assertEqual((m.domains, m.n_functions, m.evidence), ([2], 0, {}))
		self.assertRaises(TypeError, m.add_variable, 2.5)

	def test_plan_and_limits(self):
		m = hard_model(memory=1 << 20)
		self.assertGreater(m.plan().width, 40)
		with self.assertRaises(gpube.Error) as e:
			m.solve(method="eliminate", no_slices=True)
		self.assertEqual((e.exception.status, e.exception.result.proved), ("ELIMIT", False))
		b = m.bound(on_progress=lambda p: None not in (p.lower, p.upper))
		self.assertLessEqual(b.lower, b.upper)
		self.assertEqual(m.cost(b.assignment), b.upper)

	def test_files(self):
		with self.assertRaises(gpube.Error) as e:
			gpube.Model.read("no.wcsp")
		self.assertEqual(e.exception.status, "EIO")
		with tempfile.TemporaryDirectory() as d:
			bad, made = os.path.join(d, "bad.wcsp"), os.path.join(d, "made.wcsp")
			with open(bad, "w") as f:
				f.write("x 1 2 1 10\n2\n1 0 0 z\n")
			with self.assertRaises(gpube.Error) as e:
				gpube.Model.read(bad)
			self.assertEqual(e.exception.status, "EPARSE")
			self.assertIn("bad.wcsp:3", e.exception.text)
			gpube.convert(example("exams.cfn"), made, check=True)
			self.assertEqual(gpube.Model.read(made).solve().optimum, 430)
			self.assertEqual(gpube.Model.read(made, format="wcsp").domains, [3] * 6)
			self.assertRaises(ValueError, gpube.Model.read, made, format="doc")
			self.assertRaises(gpube.Error, gpube.convert, made, os.path.join(d, "no", "x.cfn"))


class Solver(unittest.TestCase):
	def test_random(self):
		"""Changes beside a model that is built anew; by names and indices, with Decimals."""
		for seed in range(20):
			r = random.Random(seed)
			n, decimals = r.randint(2, 6), r.choice((0, 2))
			tables = []

			def build(maximise=seed % 2 == 1):
				m = gpube.Model(maximise=maximise, decimals=decimals, context=gpube.Context(threads=1))
				for v in range(n):
					m.add_variable(3, "v%d" % v)
				for scope, table in tables:
					m.add_function(scope, table)
				return m

			def draw(cells):
				return [gpube.INF if r.random() < .1 else Decimal(r.randint(-99, 99)).scaleb(-decimals) for _ in range(cells)]

			for _ in range(n):
				scope = r.sample(range(n), 2)
				tables.append((scope, draw(9)))
			observed = {}
			with build().solver() as s:
				for _ in range(25):
					step, f = r.randrange(5), r.randrange(len(tables))
					if step == 0:
						v, x = r.randrange(n), r.choice((None, 0, 1, 2))
						observed[v] = x
						s.observe("v%d" % v, x)
					elif step == 1:
						tables.append(([r.randrange(n)], draw(3)))
						s.add_function(*tables[-1])
					elif step == 2:
						scope, _ = tables[f]
						tables[f] = scope, draw(3**len(scope))
						s.change(f, tables[f][1])
					elif step == 3:
						scope, cells = tables[f]
						tables[f] = scope, [Decimal(1)] + cells[1:]
						s.change(f, {(0,) * len(scope): 1})
					assume = {r.randrange(n): r.randrange(3)} if r.random() < .3 else {}
					m = build()
					for v, x in list(observed.items()) + list(assume.items()):
						m.observe(v, x)
					wanted = m.solve()
					if any(observed.get(v) not in (None, x) for v, x in assume.items()):
						wanted.answer, wanted.cost = "infeasible", None
					said = s.solve(assume={"v%d" % v: x for v, x in assume.items()})
					self.assertEqual((said.answer, said.cost), (wanted.answer, wanted.cost))
					if said.assignment:
						self.assertEqual(m.cost(said.assignment), said.cost)

	def test_limits(self):
		m = gpube.Model()
		a, b = m.add_variable(2, "a"), m.add_variable(2, "b")
		m.add_function([a, b], [[3, 1], [2, gpube.INF]])
		s = m.solver(method="tree")
		self.assertEqual(s.solve(cutoff=1).answer, "incomplete")
		self.assertEqual(s.solve(cutoff=2).optimum, 1)
		self.assertEqual(s.solve(timeout=10).assignment, [0, 1])
		self.assertEqual(s.solve(assume={a: 1, b: 1}).answer, "infeasible")
		self.assertEqual(s.list(most=9, within=None).costs, [1, 2, 3])  # it is a model
		for wrong in (lambda: s.change(1, [0]), lambda: s.change(0, [1, 2, 3]), lambda: s.change(0, {(0, 2): 1}),
				lambda: s.solve(assume={a: 2}), lambda: s.solve(assume={"c": 0}), lambda: m.solver(method="x"),
				lambda: s.solve(timeout=-1)):
			self.assertRaises((ValueError, gpube.Error), wrong)
		self.assertEqual(s.solve().optimum, 1)
		self.assertIn("2 variables", repr(s))
		self.assertEqual(gpube.Solver.read(os.path.join(EXAMPLES, "exams.cfn")).solve().optimum, Decimal("4.30"))
		self.assertRaises(TypeError, gpube.Solver, "costs")
		s.close()
		self.assertRaises(ValueError, s.solve)
		self.assertEqual(m.solve().optimum, 1)

	def test_potentials(self):
		m = gpube.Model("potentials")
		a, b = m.add_variable(2), m.add_variable(2)
		m.add_function([a, b], [.5, .25, .125, .125])
		s = m.solver()
		self.assertEqual(s.solve().assignment, [0, 0])
		s.change(0, [.1, .1, .2, .6])
		self.assertEqual((s.solve().assignment, s.solve().log_value), ([1, 1], math.log(.6)))
		self.assertRaises(gpube.Error, s.change, 0, {(0, 0): 1})


class Potentials(unittest.TestCase):
	def test_sprinkler(self):
		m = gpube.Model.read(example("sprinkler.uai"))
		s, i = m.solve(), m.infer(marginals=True)
		self.assertAlmostEqual(s.log_value / math.log(10), -0.489, 3)
		self.assertEqual(m.cost(s.assignment), s.log_value)
		self.assertEqual((m.kind, m.evidence, i.marginals[3]), ("potentials", {3: 1}, [0.0, 1.0]))
		self.assertAlmostEqual(i.log10_z, -0.18902860017779244)

	def test_random(self):
		for seed in range(50):
			r = random.Random(seed)
			m, domains, tables = gpube.Model("potentials"), [r.randint(1, 3) for _ in range(5)], []
			for d in domains:
				m.add_variable(d)
			for _ in range(6):
				scope = r.sample(range(5), r.randint(1, 3))
				cells = [r.choice([0, r.random()]) for _ in range(math.prod(domains[v] for v in scope))]
				m.add_function(scope, cells)
				tables.append((scope, [math.log(c) if c else gpube.INF for c in cells]))
			sums, z = [[0.0] * d for d in domains], 0.0
			for values in itertools.product(*map(range, domains)):
				total = price(domains, tables, values)
				p = 0.0 if total == gpube.INF else math.exp(total)
				z += p
				for v, x in enumerate(values):
					sums[v][x] += p
			i = m.infer(marginals=True)
			with self.subTest(seed=seed):
				self.assertTrue(math.isclose(i.z, z, rel_tol=1e-9), (i.z, z))
				if not z:
					self.assertEqual((i.log10_z, i.marginals), (-gpube.INF, None))
					continue
				for v, d in enumerate(domains):
					for x in range(d):
						self.assertAlmostEqual(i.marginals[v][x], sums[v][x] / z, 9)
		self.assertRaises(gpube.Error, gpube.Model().infer)


class Nash(unittest.TestCase):
	def check(self, a, b, result):
		"""Every equilibrium is one, in Fractions."""
		for e in result.equilibria:
			self.assertEqual((sum(e.x), sum(e.y)), (1, 1))
			rows = [sum(p * q for p, q in zip(row, e.y)) for row in a]
			columns = [sum(x * row[j] for x, row in zip(e.x, b)) for j in range(len(b[0]))]
			self.assertEqual(e.payoffs, (max(rows), max(columns)))
			self.assertEqual(sum(x * v for x, v in zip(e.x, rows)), max(rows))
			self.assertEqual(sum(y * v for y, v in zip(e.y, columns)), max(columns))

	def test_example(self):
		g = gpube.Game.read(example("effort.nfg"))
		e = g.nash(components=True)
		self.assertEqual((g.shape, len(e.equilibria), e.proved, len(e.subsets)), ((4, 3), 7, True, 7))
		self.assertEqual(g.labels(1), ["low", "middle", "high", "leave"])
		self.assertEqual(e.equilibria[4].payoffs, (Fraction(5, 2), Fraction(5, 2)))

	def test_random(self):
		for seed in range(60):
			r = random.Random(seed)
			rows, columns = r.randint(1, 4), r.randint(1, 4)
			a, b = ([[Fraction(r.randint(-5, 5), r.randint(1, 3)) for _ in range(columns)]
				for _ in range(rows)] for _ in range(2))
			g = gpube.Game(a, b)
			results = [g.nash(method=m) for m in ("eee", "ve")]
			for e in results:
				self.assertTrue(e.proved and e.equilibria)
				self.check(a, b, e)
			found = [sorted((x.x, x.y) for x in e.equilibria) for e in results]
			self.assertEqual(*found)
			pure = sorted((x.x.index(1), x.y.index(1)) for x in g.nash(pure=True).equilibria)
			self.assertEqual(pure, [(i, j) for i in range(rows) for j in range(columns)
				if a[i][j] == max(row[j] for row in a) and b[i][j] == max(b[i])])

	def test_several_players(self):
		"""Two agree, the third gains by a difference from both: as a .nfg, SimpleOutput and GTOutput."""
		payoffs = {}
		for profile in ((a, b, c) for c in range(2) for b in range(2) for a in range(2)):
			a, b, c = profile
			payoffs[profile] = (int(a == b) + a, int(a == b), Fraction(int(c != a and c != b), 2))
		texts = {
			"nfg": 'NFG 1 R "" { "a" "b" "c" } { { "x" "y" } { "x" "y" } { "x" "y" } }\n""\n' +
				" ".join(str(v) for p in payoffs.values() for v in p),
			"txt": "".join("[%d %d %d] : [ %s ]\n" % (*(k + 1 for k in profile), " ".join(map(str, p)))
				for profile, p in payoffs.items()),
			"gam": "3\n2 2 2\n" + "\n".join(" ".join(str(p[k]) for p in payoffs.values()) for k in range(3)),
		}
		with tempfile.TemporaryDirectory() as directory:
			for ending, text in texts.items():
				path = os.path.join(directory, "three." + ending)
				with open(path, "w") as f:
					f.write(text + "\n")
				g = gpube.Game.read(path)
				self.assertEqual(g.shape, (2, 2, 2))
				self.assertEqual([(p.actions, p.payoffs) for p in g.pure()], [
					((0, 0, 1), (1, 1, Fraction(1, 2))), ((1, 1, 0), (2, 1, Fraction(1, 2)))])
				for player in 1, 2, 3:
					self.assertEqual({(a, b, c): x for a, t in enumerate(g.payoffs(player)) for b, r in enumerate(t)
						for c, x in enumerate(r)}, {profile: p[player - 1] for profile, p in payoffs.items()})
				self.assertEqual(g.labels(3), ["x", "y"] if ending == "nfg" else [None, None])
				self.assertEqual(g.model().solve(count=True).count, 2)
				self.assertRaises(ValueError, g.labels, 4)
				self.assertRaises(ValueError, g.payoffs, 0)
				found = g.nash()
				# player 1 may mix where both get as much
				self.assertEqual((found.answer, found.reason, found.supports), ("incomplete", "supports are open", 27))
				self.assertEqual([o.states for o in found.open], [("11", "10", "01")])
				self.assertEqual([(e.tie, e.index) for e in found], [(True, 0), (False, 1)])
				pure = [(tuple(list(of).index(1) for of in e.strategies), e.payoffs) for e in found]
				self.assertEqual(pure, [(p.actions, p.payoffs) for p in g.pure()])
				with self.assertRaisesRegex(gpube.Error, "no method"):
					g.nash(all_labels=True, one=True)
				g.write(os.path.join(directory, "out.nfg"))
				again = gpube.Game.read(os.path.join(directory, "out.nfg"))
				self.assertEqual([again.payoffs(p) for p in (1, 2, 3)], [g.payoffs(p) for p in (1, 2, 3)])
				with self.assertRaisesRegex(gpube.Error, "games of 2 players are written so"):
					g.write(os.path.join(directory, "out.lrs"))

	def test_values(self):
		e = gpube.nash([[1, -1], [-1, 1]]).equilibria
		self.assertEqual([(x.x, x.payoffs) for x in e], [([Fraction(1, 2)] * 2, (0, 0))])
		pennies = gpube.Game([[1, -1], [-1, 1]])
		self.assertEqual(pennies.model().solve().answer, "infeasible")
		self.assertEqual(pennies.model(regret=True).solve(count=True).count, 4)
		self.assertEqual(gpube.Game([["1/4"], [0]], [[0], [0]]).model(regret=True).cost([1, 0]), Decimal("0.25"))
		self.assertRaises(ValueError, gpube.Game, [[1, 2], [3]])
		self.assertRaises(ValueError, gpube.Game, [[1, 2]], [[1]])
		with self.assertRaises(gpube.Error) as error:
			gpube.Game([[2**70]])
		self.assertEqual(error.exception.status, "ERANGE")
		with tempfile.TemporaryDirectory() as d:
			path = os.path.join(d, "g.nfg")
			gpube.Game([[1, Fraction(2, 3)]], [[0, 1]]).write(path)
			self.assertEqual(gpube.nash(path).equilibria[0].payoffs, (Fraction(2, 3), 1))


def partitions(agents):
	if not agents:
		yield []
		return
	for p in partitions(agents[1:]):
		yield [1 << agents[0]] + p
		for k in range(len(p)):
			yield p[:k] + [p[k] | 1 << agents[0]] + p[k + 1:]


class Agents(unittest.TestCase):
	def test_random(self):
		"""Agents find what solve() finds, of files and of models that were built."""
		r = random.Random(4)
		for k in range(12):
			m = random_model(r, maximise=k % 2 == 1, decimals=k % 3)[0]
			s, agents = m.solve(), {v: "agent%d" % (v % 2) for v in range(len(m))}
			d = gpube.dpop(m, agents=agents if k % 2 else None)
			self.assertEqual((d.answer, d.optimum), (s.answer, s.optimum))
			if s.optimum is not None:
				self.assertEqual(m.cost(d.assignment), d.cost)
			self.assertEqual(sum(a.variables for a in d.agents) or len(m), len(m))

	def test_bound(self):
		d = gpube.dpop(example("exams.cfn"), z=2, root="algebra", tree="max-degree", seed=1, timeout=60)
		self.assertLessEqual(d.bound, Decimal("4.30"))
		self.assertEqual(d.agents[[a.parent for a in d.agents].index(None)].name, "algebra")

	def test_tree(self):
		"""Agents that share a function are one above the other, and the lower one knows it."""
		m, pairs = gpube.Model(), [(0, 1), (1, 2), (2, 3), (3, 0), (1, 4), (4, 5), (5, 2)]
		for v in range(6):
			m.add_variable(3, "v%d" % v)
		for pair in pairs:
			m.add_function(pair, lambda x, y: 2 if x == y else y)
		optimum = m.solve().optimum
		for tree in "min_degree", "max-degree", "min_id", "max_id", "min_name", "max_name", "best":
			d = gpube.dpop(m, tree=tree, tries=3, latency=1)
			self.assertEqual((d.optimum, d.tree), (optimum, tree.replace("-", "_")))
			self.assertGreaterEqual(d.seconds, 2 * max(a.depth for a in d.agents))
			self.assertEqual(d.width, max(a.separator for a in d.agents))
			for pair in pairs:
				high, low = sorted((d.owner[v] for v in pair), key=lambda a: d.agents[a].depth)
				self.assertIn(high, d.agents[low].pseudo_parents + [d.agents[low].parent])

	def test_refused(self):
		with self.assertRaisesRegex(gpube.Error, "cannot open 'no.wcsp'"):
			gpube.dpop("no.wcsp")
		exams = gpube.Model.read(example("exams.cfn"))
		for wrong in {"tree": "oak"}, {"agents": {"latin": "a"}}, {"agents": {0: "a", "algebra": "b"}}, \
				{"timeout": -1}, {"observe": {"algebra": "never"}}, {"z": -1}, {"latency": -1}, {"partition": "merge"}:
			with self.assertRaises(ValueError):
				gpube.dpop(exams, **wrong)
		for wrong in {"root": "latin"}, {"agents": {9: "a"}}, {"agents": "no such file"}:
			with self.assertRaises(gpube.Error) as error:
				gpube.dpop(exams, **wrong)
			self.assertEqual(error.exception.status, "EIO" if wrong == {"agents": "no such file"} else "EINVAL")
		with self.assertRaises(TypeError):
			gpube.dpop(exams, trees="best")
		with self.assertRaises(gpube.Error) as error:
			gpube.dpop(example("exams.cfn"), context=gpube.Context(memory=16))
		self.assertEqual(error.exception.status, "ELIMIT")

	def test_distributed(self):
		"""By messages of the agents the tree is what the central search makes of it."""
		m = gpube.Model.read(example("zebra.wcsp"))
		a, b = gpube.dpop(m, tree="max_degree"), gpube.dpop(m, distributed_dfs=True)
		self.assertEqual([(x.parent, x.pseudo_parents) for x in a.agents], [(x.parent, x.pseudo_parents) for x in b.agents])
		self.assertEqual((b.tree, b.optimum, a.tree_messages), ("max_degree", 0, 0))
		self.assertGreater(b.tree_messages, 2 * len(b.agents))
		self.assertGreater(b.tree_bytes, 40 * b.tree_messages)
		with self.assertRaisesRegex(gpube.Error, "whole pseudo-trees"):
			gpube.dpop(m, tree="best", distributed_dfs=True)

	def test_observe(self):
		m = gpube.Model.read(example("meetings.yaml"))
		self.assertEqual(gpube.dpop(m, observe={"plan_north": "10"}).optimum, 4)
		self.assertEqual(gpube.dpop(m).optimum, 3)  # as it was


class Coalitions(unittest.TestCase):
	def test_random(self):
		for seed in range(40):
			r = random.Random(seed)
			n, decimals = r.randint(1, 6), r.choice([0, 2])
			values = [0] + [Fraction(r.randint(-99, 99), 10**decimals) for _ in range(2**n - 1)]
			forbidden = [v if m == 0 or r.random() < 0.8 else -gpube.INF for m, v in enumerate(values)]
			for v in values, forbidden:
				totals = [sum(v[c] for c in p) for p in partitions(range(n))]
				model = gpube.csg_model(v).solve(count=True)
				best = max(totals)
				self.assertEqual((model.optimum, model.count or 0),
					(None, 0) if best == -gpube.INF else (best, totals.count(best)))
				for method in "auto", "lp", "dp":
					s = gpube.csg(v, method=method)
					with self.subTest(seed=seed, method=method):
						if max(totals) == -gpube.INF:
							self.assertIsNone(s.value)
							if method != "lp":  # which may leave that open
								self.assertEqual(s.answer, "infeasible")
							continue
						self.assertEqual((s.value, s.proved), (max(totals), True))
						self.assertEqual(sorted(i for c in s.coalitions for i in c), list(range(n)))
						self.assertEqual(
							sum(v[sum(1 << i for i in c)] for c in s.coalitions), max(totals))

	def test_values(self):
		s = gpube.csg({(0, 1): 3, 4: "0.1", frozenset([0]): 9, (1, 2): -20})
		self.assertEqual((s.coalitions, s.value), ([(0, 1), (2,)], Decimal("3.1")))
		self.assertIsInstance(gpube.csg([0, 1.5]).value, float)
		self.assertEqual(gpube.csg([0, 2**63 - 1]).value, 2**63 - 1)
		for bad in ([0, 1, 2], [1, 2], {}, {(41,): 1}, [0, gpube.INF], [0, Fraction(1, 3)], {(0, 0): 1, 1: 2}):
			self.assertRaises(ValueError, gpube.csg, bad)
		from_1 = {(1,): 4, (2,): 3, (1, 2): 9}
		with self.assertRaisesRegex(ValueError, "1 dimensions; Game.from_arrays\(\) takes the payoffs"):
			gpube.nash(type("Array", (), {"ndim": 1})())
		with self.assertRaisesRegex(ValueError, "agent 0 is in no coalition: agents are numbered from 0"):
			gpube.csg(from_1)
		self.assertEqual(gpube.csg(from_1, n=3).answer, "infeasible")
		with self.assertRaisesRegex(ValueError, r"method: expected auto\|lp\|conv\|dp\|idp, found 'lq'"):
			gpube.csg([0, 1], method="lq")
		self.assertEqual((list(s), len(s)), ([(0, 1), (2,)], 2))
		with self.assertRaises(gpube.Error) as e:
			gpube.csg([0, 2**63])
		self.assertEqual(e.exception.status, "ERANGE")
		with tempfile.TemporaryDirectory() as d:
			path = os.path.join(d, "x.csg")
			with open(path, "w") as f:
				f.write("csg 2 int32\n1 5\n2 6\n{1,2} 7\n")
			self.assertEqual(gpube.csg(path).coalitions, [(0,), (1,)])

	def test_models(self):
		"""A model of one function over Boolean variables is a game, and others are refused."""
		for seed in range(20):
			r = random.Random(seed)
			n = r.randint(2, 5)
			values = [0] + [Decimal(r.randint(-99, 99)) / 10 for _ in range(2**n - 1)]
			m = gpube.Model(decimals=1)
			agents = [m.add_variable(2) for _ in range(n)]
			# costs of no agent and of all, the first variable slowest
			cells = [Decimal(3) - values[sum(1 << i for i in range(n) if k >> (n - 1 - i) & 1)] for k in range(2**n)]
			m.add_function(agents, cells)
			self.assertEqual(gpube.csg(m).value, gpube.csg(values).value)
			with self.assertRaises(gpube.Error) as e:
				gpube.Model("coalitions").solve()
			self.assertIn("gpube csg takes it", str(e.exception))
		with self.assertRaises(gpube.Error) as e:
			gpube.nash(m)
		self.assertEqual(e.exception.status, "EINVAL")
		self.assertIn("no game: it has", str(e.exception))

	def test_what_is_no_game(self):
		"""What surely holds something else is told by that, not by the first word that a game has not."""
		for name in ("exams.cfn", "zebra.wcsp", "sprinkler.uai"):
			for read in (gpube.Game.read, gpube.csg, gpube.auction):
				with self.assertRaises(gpube.Error) as e:
					read(example(name))
				# those two take a model of the form
				words = {gpube.csg: "no coalition game: ", gpube.auction: "no auction: "}
				self.assertIn(words.get(read, f"{name}' is a model, which 'gpube solve' reads"),
					str(e.exception))
				self.assertEqual(e.exception.status, "EINVAL")
		with self.assertRaises(gpube.Error) as e:
			gpube.csg(example("effort.nfg"))
		self.assertIn("effort.nfg' is a game: gpube.Game.read() reads it", str(e.exception))
		with self.assertRaises(gpube.Error) as e:
			gpube.Game.read(example("exams.cfn"), format="lrs")
		self.assertIn("exams.cfn:1: expected", str(e.exception))

	def test_auctions(self):
		for seed in range(30):
			r = random.Random(seed)
			bids = [(Decimal(r.randint(1, 999)) / 100, r.sample(range(5), r.randint(1, 3)))
				for _ in range(8)]
			best = max(sum(p for p, _ in chosen) for k in range(9)
				for chosen in itertools.combinations(bids, k)
				if len(set(sum((g for _, g in chosen), []))) == sum(len(g) for _, g in chosen))
			a = gpube.auction(bids)
			self.assertEqual((a.revenue, a.upper_bound, a.proved), (best, best, True))
			self.assertEqual(sum(bids[k][0] for k in a.winners), best)
			model = gpube.auction_model(bids)
			self.assertEqual(model.solve().optimum, best)
			again = gpube.auction(model)
			self.assertEqual((again.revenue, sum(bids[k][0] for k in again.ids)), (best, best))
		large = gpube.auction([(2**53 + 1, [0]), ("1e2", [1])])
		self.assertEqual((large.revenue, type(large.revenue)), (2**53 + 101, int))
		self.assertRaises(ValueError, gpube.auction, [(1, [])])
		self.assertRaises(gpube.Error, gpube.auction, "no.txt")


class Interrupting(unittest.TestCase):
	"""The signal comes when the first bounds are there, as the log tells."""

	def model(self, act):
		noted = []

		def log(level, text):
			if level == "bounds" and not noted:
				noted.append(text)
				act()

		return hard_model(log=log), noted

	def works_on(self, m, b):
		self.assertEqual(b.answer, "incomplete")
		if b.assignment is not None:
			self.assertEqual(m.cost(b.assignment), b.upper)
		self.assertLessEqual(m.bound(timeout=0.2, method="arc").lower, 10**6)

	def test_ctrl_c(self):
		before = signal.signal(signal.SIGINT, signal.default_int_handler)
		m, noted = self.model(lambda: os.kill(os.getpid(), signal.SIGINT))
		try:
			with self.assertRaises(gpube.Interrupted) as e:
				m.bound()
		finally:
			signal.signal(signal.SIGINT, before)
		self.assertIsInstance(e.exception, KeyboardInterrupt)
		self.assertTrue(noted)
		self.works_on(m, e.exception.result)

	def test_another_signal(self):
		def handler(*signal):
			raise TimeoutError("mine")

		before = signal.signal(signal.SIGUSR1, handler)
		m, _ = self.model(lambda: os.kill(os.getpid(), signal.SIGUSR1))
		try:
			self.assertRaisesRegex(TimeoutError, "mine", m.bound)
		finally:
			signal.signal(signal.SIGUSR1, before)
		self.assertEqual(len(m.bound(timeout=0.2).assignment), 60)

	def test_stop(self):
		stopped = []
		m, _ = self.model(lambda: stopped.append(m.stop()))
		self.works_on(m, m.bound())
		self.assertEqual(len(stopped), 1)
		m.stop()  # nothing runs
		self.works_on(m, m.bound(timeout=0.2))

	def test_threads(self):
		"""A model that threads share answers all of them."""
		m, found = gpube.Model.read(example("exams.cfn")), []
		threads = [threading.Thread(target=lambda: found.append(m.solve().optimum)) for _ in range(8)]
		for t in threads:
			t.start()
		for t in threads:
			t.join()
		self.assertEqual(found, [Decimal("4.30")] * 8)


	def test_fork(self):
		m = gpube.Model.read(example("exams.cfn"))
		m.solve()
		child = os.fork()
		if not child:
			os._exit(0 if m.solve().optimum == Decimal("4.30") else 1)
		self.assertEqual(os.waitpid(child, 0)[1], 0)

	def test_freed_during_a_call(self):
		"""What is dropped while its context works is freed after that."""
		dropped = []

		def log(level, text):
			if level == "bounds" and shared:
				dropped.append(len(shared))
				shared.clear()
				m.stop()

		m = hard_model(log=log)
		shared = [gpube.Model(context=m.context) for _ in range(3)]
		self.works_on(m, m.bound())
		self.assertEqual((dropped, len(m.context._freed)), ([3], 0))


class Words(unittest.TestCase):
	def test_examples_of_the_docstrings(self):
		with tempfile.TemporaryDirectory() as d:
			os.symlink(os.path.abspath(EXAMPLES), os.path.join(d, "examples"))
			before = os.getcwd()
			os.chdir(d)
			try:
				n = 0
				for module in (gpube, _build, _coalitions, _dpop, _engine, _games, _infer, _model, _names, _results, _solve, _solver, _toulbar2):
					failed, tried = doctest.testmod(module, extraglobs={"gpube": gpube})
					self.assertEqual(failed, 0)
					n += tried
			finally:
				os.chdir(before)
		self.assertGreater(n, 20)

	def test_readme(self):
		"""What it says that its lines are, they are."""
		with open(os.path.join(ROOT, "plugins/python/README.md")) as f:
			code = f.read().split("```python\n")[1].split("```")[0]
		said = [line.split("#") for line in code.splitlines() if re.search(r"# [(\[].*[)\]]$", line)]
		with tempfile.TemporaryDirectory() as d:
			names = {}
			for line in code.splitlines():
				line = line.replace("examples/", EXAMPLES + "/")
				line = line.replace("small.wcsp", d + "/small.wcsp").replace("zebra.cfn", d + "/zebra.cfn")
				exec(line, names)
				text = [right for left, right in said if left and line.startswith(left)]
				if text:
					self.assertEqual(eval(line, names), eval(text[0], {"Decimal": Decimal}))
		self.assertEqual(len(said), 5)

	def test_everything_has_one(self):
		for name in gpube.__all__:
			thing = getattr(gpube, name)
			if name == "INF":
				continue
			self.assertTrue(thing.__doc__, name)
			for part, value in vars(thing).items() if inspect.isclass(thing) else ():
				if not part.startswith("_") and (callable(value) or isinstance(value, property)):
					self.assertTrue(inspect.getdoc(value), name + "." + part)
					function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
					if inspect.isfunction(function):
						self.assertIn("return", function.__annotations__, name + "." + part)


if __name__ == "__main__":
	unittest.main()
