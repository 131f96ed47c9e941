"""Models and games from and to other packages, each only where it is installed."""
import importlib
import os
import random
import subprocess
import sys
import tempfile
import unittest
from decimal import Decimal
from fractions import Fraction

import gpube
from test_gpube import EXAMPLES, random_model


class OtherPackages(unittest.TestCase):
	def package(self, name):
		"""It, or a skipped test."""
		try:
			return importlib.import_module(name)
		except ImportError:
			self.skipTest("no %s: pip install %s" % (name, name))

	def test_numpy(self):
		numpy = self.package("numpy")
		m = gpube.Model()
		a, b = m.add_variable(2), m.add_variable(3)
		m.add_function([a, b], numpy.arange(6).reshape(2, 3))
		m.add_function([b], numpy.array([0, -1.0, numpy.inf]))
		self.assertEqual(m.function(0)[1], list(range(6)))
		m.add_function([b, a], numpy.arange(6, dtype="int16").reshape(2, 3).T)  # not contiguous
		self.assertEqual(m.function(2)[1], [0, 3, 1, 4, 2, 5])
		self.assertRaises(gpube.Error, m.add_function, [b], numpy.array([2**63 - 1, 0, 0]))
		p = gpube.Model("potentials")
		p.add_variable(2)
		p.add_function([0], numpy.array([0.25, 0.5], dtype="float32"))
		self.assertEqual(p.function(0), ([0], [0.25, 0.5]))
		self.assertEqual(m.solve().optimum, 0)
		self.assertRaises(ValueError, m.add_function, [a, b], numpy.zeros((3, 2)))
		self.assertRaises(ValueError, m.add_function, [b], numpy.array([0.5, 0, 0]))
		g = gpube.nash(numpy.array([[1, -1], [-1, 1.0]]))
		self.assertEqual(g.equilibria[0].x, [Fraction(1, 2)] * 2)
		self.assertEqual(gpube.csg(numpy.array([0, 1, 2, 4])).value, 4)

	def test_nashpy(self):
		nashpy = self.package("nashpy")
		e = gpube.nash(nashpy.Game([[3, 0], [5, 1]], [[3, 5], [0, 1]]))
		self.assertEqual([x.payoffs for x in e.equilibria], [(1, 1)])

	def test_to_nashpy(self):
		self.package("nashpy")
		r = random.Random(5)
		for _ in range(20):
			rows, columns = r.randint(1, 4), r.randint(1, 4)
			a, b = ([[r.randint(-9, 9) for _ in range(columns)] for _ in range(rows)] for _ in range(2))
			there = gpube.Game(a, b).to_nashpy()
			self.assertEqual([m.tolist() for m in there.payoff_matrices], [a, b])
			back = gpube.Game.from_nashpy(there)
			self.assertEqual((back.payoffs(1), back.payoffs(2)), (a, b))
		g = gpube.Game([[3, 0], [5, 1]], [[3, 5], [0, 1]])
		(x, y), = g.to_nashpy().vertex_enumeration()
		e, = g.nash().equilibria
		self.assertEqual((x.round(9).tolist(), y.round(9).tolist()), (e.x, e.y))

	def test_pytoulbar2(self):
		pytoulbar2 = self.package("pytoulbar2")
		p = pytoulbar2.CFN(100, 1)
		p.AddVariable("a", range(2))
		p.AddVariable("b", range(2))
		p.AddFunction(["a", "b"], [3.5, 1.2, 2, 4])
		self.assertEqual(gpube.Model.from_pytoulbar2(p).solve().optimum, Decimal("1.2"))

	def test_to_pytoulbar2(self):
		pytoulbar2 = self.package("pytoulbar2")
		m = gpube.Model.read(os.path.join(EXAMPLES, "exams.cfn"))
		p = m.to_pytoulbar2()
		values, cost, _ = p.Solve()
		self.assertAlmostEqual(cost, 4.3)
		self.assertEqual(m.cost(values), Decimal("4.30"))
		# what Assign fixes, observe() does; Store and Restore are observe(None)
		q = m.to_pytoulbar2()
		q.SolveFirst()
		free, depth = values[0], q.Depth()
		q.Store()
		q.Assign(0, (free + 1) % 3)
		found = q.SolveNext()
		q.Restore(depth)
		m.observe(0, (free + 1) % 3)
		self.assertAlmostEqual(found[1], float(m.solve().optimum))
		m.observe(0, None)
		self.assertEqual(m.solve().optimum, Decimal("4.30"))

	def test_pygambit(self):
		pygambit = self.package("pygambit")
		g = gpube.Game([[3, 0], [5, Fraction(1, 3)]], [[3, 5], [0, Fraction(1, 3)]])
		there = g.to_pygambit()
		self.assertEqual([len(p.strategies) for p in there.players], [2, 2])
		self.assertEqual(len(pygambit.nash.enumpure_solve(there).equilibria), 1)
		back = gpube.Game.from_pygambit(there).nash()
		self.assertEqual([e.payoffs for e in back.equilibria], [(Fraction(1, 3), Fraction(1, 3))])

	def test_pyagrum(self):
		gum = self.package("pyagrum")
		bn = gum.fastBN("a->c[3]<-b[4];c->d")
		inference = gum.LazyPropagation(bn)
		inference.makeInference()
		m = gpube.Model.from_pyagrum(bn)
		rows = m.infer(marginals=True).marginals
		for v, node in enumerate(bn.nodes()):
			for x, p in enumerate(rows[v]):
				self.assertAlmostEqual(p, inference.posterior(node)[x], places=12)

	def test_pgmpy(self):
		class Factor:
			def __init__(self, variables, values):
				self.variables, self.values = variables, values
				self.state_names = {"rain": [0, 1], "wet": ["dry", "soaked"]}

			def to_factor(self):
				return self

		class Network:  # what is used of pgmpy's
			def nodes(self):
				return ["rain", "wet"]

			def get_cardinality(self):
				return {"rain": 2, "wet": 2}

			def get_cpds(self):
				return [Factor(["rain"], [0.8, 0.2]), Factor(["wet", "rain"], [[0.9, 0.1], [0.1, 0.9]])]

		networks = [Network()]
		try:
			from pgmpy.factors.discrete import TabularCPD
			from pgmpy.models import DiscreteBayesianNetwork
		except ImportError:
			pass  # the likeness above stands for it
		else:
			network = DiscreteBayesianNetwork([("rain", "wet")])
			network.add_cpds(TabularCPD("rain", 2, [[0.8], [0.2]]),
				TabularCPD("wet", 2, [[0.9, 0.1], [0.1, 0.9]], ["rain"], [2],
					{"rain": [0, 1], "wet": ["dry", "soaked"]}))
			networks += [network, network.to_markov_model()]
		for network in networks:
			with self.subTest(network=type(network)):
				self.check_pgmpy(gpube.Model.from_pgmpy(network))

	def check_pgmpy(self, m):
		self.assertEqual(m.names, ["rain", "wet"])
		self.assertEqual(m.value_names, [None, ["dry", "soaked"]])
		self.assertAlmostEqual(m.infer(marginals=True).marginals[1][1], 0.26)

	def check_prepared(self, m, given, worth):
		best = m.solve().cost
		p = gpube.for_pytoulbar2(given, timeout=1e-6, worth=worth)
		self.assertTrue(p.share is None or 0 <= p.share)
		values, cost, who = p.solve()
		self.assertEqual(cost, best)
		self.assertEqual(values is None, best is None)
		if values is not None:
			self.assertEqual(m.cost(values), best)
		self.assertEqual(who, "gpube" if p.bounds.proved else "toulbar2")
		return p

	def test_integers_for_pytoulbar2(self):
		"""What for_pytoulbar2() writes for toulbar2, which need not be there for that."""
		from gpube import _toulbar2
		for maximise in False, True:
			m = gpube.Model(maximise=maximise, decimals=1)
			for _ in range(3):
				m.add_variable(2)
			for scope in [0, 1], [1, 2], [0, 2]:
				m.add_function(scope, [0.5, -1.5, 3.2, 2.9])
			with tempfile.TemporaryDirectory() as directory:
				path = os.path.join(directory, "integers.cfn")
				meaning = _toulbar2._integers(m, path, directory)
				with gpube.Model.read(path) as integers:
					self.assertEqual((integers.decimals, integers.maximise, meaning.negated), (0, False, maximise))
					for k in range(8):
						values = [k >> v & 1 for v in range(3)]
						self.assertEqual(meaning.total(integers.cost(values)), m.cost(values))
						self.assertEqual(meaning.integer(m.cost(values)), integers.cost(values))
						told = _toulbar2.Prepared(None, m.bound(), False, None, None, None, m, meaning)
						self.assertEqual(told.answer((values, integers.cost(values))), (values, m.cost(values)))

	def test_for_pytoulbar2(self):
		"""Whatever is handed on, toulbar2 ends with the optimum."""
		pytoulbar2 = self.package("pytoulbar2")
		r, reparametrised, asked = random.Random(22), 0, 0
		for k in range(60):
			m, _, _ = random_model(r, decimals=k % 3)
			given = m
			if k % 4 == 1:
				given = m.to_pytoulbar2()
			p = self.check_prepared(m, given, (0, 0.1, 2)[k // 4 % 3])
			self.assertIsInstance(p.problem, (pytoulbar2.CFN, type(None) if p.bounds.proved else pytoulbar2.CFN))
			reparametrised += p.reparametrised
			asked += p.first_bound is not None
		self.assertGreater(reparametrised, 5)
		self.assertGreater(asked, 10)

	def test_for_pytoulbar2_small(self):
		"""Without variables there is one assignment, of none; where all is forbidden there is no order."""
		self.package("pytoulbar2")
		m = gpube.Model(maximise=True, decimals=1)
		m.add_function([], [-2.5])
		self.assertEqual(gpube.for_pytoulbar2(m, timeout=1).solve(), ([], Decimal("-2.5"), "gpube"))
		m = gpube.Model()
		m.add_variable(2)
		m.add_function([0], [gpube.INF, gpube.INF])
		with tempfile.TemporaryDirectory() as directory:
			for name in "x.cov", "x.order":
				path = os.path.join(directory, name)
				p = gpube.for_pytoulbar2(m, timeout=1, order=path)
				self.assertEqual((p.order, p.solve()), (None, (None, None, "gpube")))
				self.assertFalse(os.path.exists(path))

	def test_for_pytoulbar2_several(self):
		"""What enumerates says nothing of the best. In a process of its own: pytoulbar2 keeps these options."""
		self.package("pytoulbar2")
		script = ("import sys, gpube; p = gpube.for_pytoulbar2(sys.argv[1], timeout=1e-6, worth=0); "
			"assert p.bounds.proved or p.solve(**eval(sys.argv[2]))[2] is None")
		for options in "{'allSolutions': 3}", "{'allSolutions': 2, 'diversityBound': 2}":
			subprocess.run([sys.executable, "-c", script, os.path.join(EXAMPLES, "exams.cfn"), options],
				check=True, stdout=subprocess.DEVNULL)

	def test_for_pytoulbar2_upper_bound(self):
		pytoulbar2 = self.package("pytoulbar2")
		with self.assertRaisesRegex(ValueError, "ubinit"):
			gpube.for_pytoulbar2(os.path.join(EXAMPLES, "zebra.wcsp"), timeout=1e-6, worth=0,
				make=lambda: pytoulbar2.CFN(ubinit=5))

	def test_for_pytoulbar2_maximum(self):
		"""Two in one process, of which pytoulbar2 itself takes the second one wrongly."""
		self.package("pytoulbar2")
		program = """if True:
			import gpube, sys
			m = gpube.Model(maximise=True, decimals=1)
			for _ in range(3):
				m.add_variable(2)
			for scope in [0, 1], [1, 2], [0, 2]:
				m.add_function(scope, [0.5, -1.5, 3.2, 2.9])
			for worth in 0, 2:
				p = gpube.for_pytoulbar2(m.to_pytoulbar2() if sys.argv[1] == "CFN" else m, timeout=1e-6, worth=worth)
				print(p.reparametrised, p.solve()[1] == m.solve().optimum)
			"""
		for given in "CFN", "Model":
			said = subprocess.run([sys.executable, "-c", program, given], stdout=subprocess.PIPE, check=True).stdout
			self.assertEqual(said.decode().split(), ["True", "True", "False", "True"])

	def test_excepted_values(self):
		"""toulbar2 dumps values of an alldiff and of a gcc, and reads them as indices."""
		tb2 = self.package("pytoulbar2")

		def problem(domain, **options):
			m = tb2.CFN(ubinit=1000, resolution=0)
			for k in "x1", "x2", "x3":
				m.AddVariable(k, domain)
			for k, costs in ("x1", [0, 5, 5]), ("x2", [0, 4, 5]), ("x3", [0, 5, 7]):
				m.AddFunction([k], costs)
			if "bounds" in options:
				m.AddGlobalCardinalityConstraint(["x1", "x2", "x3"], options["bounds"])
			else:
				m.AddAllDifferent(["x1", "x2", "x3"], **options)
			return m

		for domain in [1, 2, 3], [0, 1, 2], [5, 6, 7]:
			wanted = [0, 9, 9, 9]
			for k, excepted in enumerate([[domain[0]], [domain[1]], [domain[2]], []]):
				said = gpube.Model.from_pytoulbar2(problem(domain, encoding="hungarian", excepted=excepted))
				self.assertEqual((k, said.solve().optimum), (k, wanted[k]))
			bounds = [(domain[0], 0, 1), (domain[2], 1, 3)]
			theirs = problem(domain, bounds=bounds).Solve()[1]
			self.assertEqual(gpube.Model.from_pytoulbar2(problem(domain, bounds=bounds)).solve().optimum, theirs)

	def test_what_is_not_dumped(self):
		tb2 = self.package("pytoulbar2")
		for encoding in "salldiff", "salldiffdp":
			m = tb2.CFN(ubinit=1000, resolution=1)
			for k in "x1", "x2", "x3":
				m.AddVariable(k, [1, 2, 3])
			m.AddAllDifferent(["x1", "x2", "x3"], encoding=encoding)
			with self.assertRaisesRegex(gpube.Error, "(salldiff|samong) over x1, x2, x3"):
				gpube.Model.from_pytoulbar2(m)

	def test_a_dump_that_is_not_the_problem(self):
		tb2 = self.package("pytoulbar2")

		class Wrong(tb2.CFN):
			def Dump(self, path):
				super().Dump(path)
				with open(path) as f:
					text = f.read()
				with open(path, "w") as f:
					f.write(text.replace('"exceptedvalues":[]', '"exceptedvalues":[0]'))

		m = Wrong(ubinit=1000, resolution=0)
		for k in "a", "b":
			m.AddVariable(k, [0, 1])
		m.AddAllDifferent(["a", "b"])
		with self.assertRaisesRegex(gpube.Error, "is not its problem.* due to alldiff over a,b"):
			gpube.Model.from_pytoulbar2(m)

	def test_what_toulbar2_would_misread(self):
		self.package("pytoulbar2")
		m = gpube.Model(decimals=1)
		for _ in range(2):
			m.add_function([m.add_variable(2)], [0, "0.4"])
		m.add_function([], [-1])
		m.top = "-0.5"
		with self.assertRaisesRegex(gpube.Error, "without its sign"):
			m.to_pytoulbar2()
		p = gpube.for_pytoulbar2(m, timeout=1e-6, worth=2)
		self.assertEqual(p.solve()[1], -1)
		m.top = None
		self.assertEqual(m.to_pytoulbar2().Solve()[1], -1)
		m.add_function([0], [2**58, 2**57])
		with self.assertRaisesRegex(gpube.Error, "reads exactly"):
			m.to_pytoulbar2()

	def test_for_pytoulbar2_order(self):
		self.package("pytoulbar2")
		with tempfile.TemporaryDirectory() as directory:
			path = os.path.join(directory, "x.order")
			p = gpube.for_pytoulbar2(os.path.join(EXAMPLES, "zebra.wcsp"), timeout=1e-6, worth=0, order=path)
			with open(path) as f:
				self.assertEqual([int(v) for v in f.read().split()], p.order)
		self.assertEqual(sorted(p.order), list(range(25)))
		self.assertEqual(p.solve()[1], 0)
		self.assertRaises(ValueError, gpube.for_pytoulbar2, gpube.Model("potentials"))


if __name__ == "__main__":
	unittest.main()
