"""What is an integer, and what a game of few coalitions takes: run by tests/cli/test_python.sh."""
import random
import unittest

import gpube

try:
	import numpy
except ImportError:
	numpy = None


class Integers(unittest.TestCase):
	"""Where an integer is meant a float is a TypeError, also one that is whole, and nothing is cut."""

	def setUp(self):
		self.m = gpube.Model()
		a, b = self.m.add_variable(2), self.m.add_variable(3)
		self.m.add_function([a], [0, 4])
		self.m.add_function([a, b], [0, 1, 2, 3, 4, 5])

	def test_floats(self):
		m, game = self.m, gpube.Game([[1, 2], [3, 4]])
		for name, call in (("function", lambda: m.function(1.5)), ("whole", lambda: m.function(1.0)),
				("text", lambda: m.function("1")), ("none", lambda: m.function(None)),
				("domain", lambda: m.add_variable(2.0)), ("scope", lambda: m.add_function([0.0], [1, 2])),
				("observed", lambda: m.observe(0.0, 1)), ("value", lambda: m.observe(0, 1.0)),
				("name", lambda: m.observe(0.0, "a")), ("named", lambda: m.named([0, 1.0])),
				("cost", lambda: m.cost([0, 1.0])), ("order", lambda: m.solve(order=[0, 1.0])),
				("seed", lambda: m.solve(seed=1.5)), ("z", lambda: m.bound(z=2.5)),
				("known", lambda: m.bound(assignment=[0.5, 1])), ("precision", lambda: m.solve(precision=2.5)),
				("most", lambda: m.list(most=1.5)), ("decimals", lambda: gpube.Model(decimals=1.5)),
				("threads", lambda: gpube.Context(threads=1.5)), ("memory", lambda: gpube.Context(memory=1e9)),
				("devices", lambda: gpube.Context(devices=[0.5])), ("player", lambda: game.payoffs(1.0)),
				("labels", lambda: game.labels(1.5)), ("max", lambda: game.nash(max=1.5)),
				("agent", lambda: gpube.csg({(0.5,): 1})), ("coalition", lambda: gpube.csg({1.5: 1})),
				("agents", lambda: gpube.csg({1: 1}, n=2.5)),
				("all agents", lambda: gpube.csg([0, 1, 2, 3], n=2.0)),
				("good", lambda: gpube.auction([(1, [0.5])])), ("goods", lambda: gpube.auction([(1, [0])], n_goods=1.5)),
				("colors", lambda: gpube.Model.read("x.col", colors=2.5))):
			with self.subTest(name):
				self.assertRaises(TypeError, call)
		self.assertEqual((m.domains, m.n_functions, m.evidence), ([2, 3], 2, {}))

	def test_costs(self):
		"""Costs are numbers of any kind, as long as they are whole units."""
		self.assertRaises(ValueError, self.m.add_function, [0], [0.5, 1])
		self.m.add_function([0], [1.0, True])
		self.assertEqual(self.m.function(2), ([0], [1, 1]))

	def test_what_is_an_integer(self):
		self.assertEqual(self.m.function(True), self.m.function(1))
		self.assertRaises(IndexError, self.m.function, 2)
		self.assertRaises(IndexError, self.m.function, -1)
		if numpy is None:
			self.skipTest("no numpy")
		for kind in numpy.int8, numpy.int64, numpy.uint8, numpy.uint64:
			with self.subTest(kind.__name__):
				one, two = kind(1), kind(2)
				self.assertEqual(self.m.function(one), self.m.function(1))
				self.assertEqual(self.m.cost([one, two]), 9)
				self.assertEqual(len(self.m.list(most=two, within=None).costs), 2)
				self.assertEqual(self.m.solve(seed=one, precision=kind(0), order=[one, kind(0)]).optimum, 0)
				self.assertEqual(gpube.csg({one: 3, (one,): 4}, n=two).value, 7)
				self.assertEqual(gpube.auction([(one, [one])], n_goods=two).revenue, 1)
				self.assertEqual(gpube.Game([[1, 2]]).payoffs(one), [[1, 2]])
				m = gpube.Model(decimals=one)
				m.add_variable(two)
				m.observe(kind(0), one)
				self.assertEqual((m.decimals, m.domains, m.evidence), (1, [2], {0: 1}))
		self.assertRaises(TypeError, self.m.function, numpy.float64(1))


class FewCoalitions(unittest.TestCase):
	"""A dict takes memory by what is listed, as a file does, not by the coalitions that there are."""

	def test_many_agents(self):
		little = gpube.Context(memory=1 << 20)
		for n in 21, 31, 40:
			with self.subTest(n):
				s = gpube.csg({2**n - 1: 1}, context=little)
				self.assertEqual((s.value, s.coalitions, s.proved), (1, [tuple(range(n))], True))
				alone = {(i,): "0.5" for i in range(n)}
				s = gpube.csg({**alone, (0, n - 1): 3}, context=little)
				self.assertEqual((s.value * 2, len(s.coalitions)), (n - 2 + 6, n - 1))
				s = gpube.csg({(i,): 0.25 for i in range(n)}, context=little)
				self.assertEqual((s.value, s.proved), (n / 4, True))
		s = gpube.csg({2: 5}, n=40, free_disposal=True, context=little)
		self.assertEqual((s.value, s.coalitions), (5, [(1,)]))
		self.assertEqual(gpube.csg({2: 5}, n=40, context=little).answer, "infeasible")

	def test_lists_and_tables(self):
		"""The same of a game that is a list, and of its agents alone in a table."""
		for seed in range(20):
			r = random.Random(seed)
			n = r.randint(2, 6)
			values = {c: r.randint(-9, 99) for c in r.sample(range(1, 2**n), r.randint(1, 2**n - 1))}
			table = [0] + [values.get(c, -gpube.INF) for c in range(1, 2**n)]
			more = {**values, **{1 << i: 0 for i in range(n, 25)}}
			with self.subTest(seed):
				best = gpube.csg(table)
				self.assertEqual(gpube.csg(values, n=n).value, best.value)
				self.assertEqual(gpube.csg(more).value, best.value)

	def test_bad_values(self):
		for bad in ({2**30: gpube.INF}, {2**30: "1/3"}, {0: 1, 2**30: 1}, {-1: 1}, {2**40: 1}, {}):
			self.assertRaises(ValueError, gpube.csg, bad)
		for status, bad in ("EINVAL", {2**30: float("nan")}), ("ERANGE", {2**30: 2**63}):
			with self.assertRaises(gpube.Error) as e:
				gpube.csg(bad)
			self.assertEqual(e.exception.status, status)


class Ends(unittest.TestCase):
	def test_the_last_totals(self):
		"""An optimum that is the last one that 64 bits hold is known, and so is its bound."""
		for last in 2**63 - 2, 2 - 2**63:
			for maximise in False, True:
				with self.subTest(last=last, maximise=maximise):
					m = gpube.Model(maximise=maximise)
					m.add_function([m.add_variable(2)], [last, gpube.INF])
					s, b = m.solve(), m.bound()
					self.assertEqual((s.answer, s.cost, s.bound), ("optimal", last, last))
					self.assertEqual((b.lower, b.upper), (last, last))


if __name__ == "__main__":
	unittest.main()
