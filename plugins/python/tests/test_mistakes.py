"""What people who are new to the package try: it works, or an error says what was expected."""
import copy
import os
import pickle
import tempfile
import unittest
import warnings
from decimal import Decimal

import gpube
from test_gpube import example

try:
	import numpy
except ImportError:
	numpy = None
try:
	import pandas
except ImportError:
	pandas = None


def small(**options):
	m = gpube.Model(**options)
	m.add_variable(["a", "b"], "one")
	m.add_variable(["a", "b", "c"], "two")
	return m


class ValuesByName(unittest.TestCase):
	"""Functions by what they say take values by name, and these mean what their indices do."""

	def equal(self, add, by_name, by_index):
		counts = []
		for arguments in by_name, by_index:
			m = small()
			getattr(m, add)(*arguments)
			counts.append([m.cost([x, y]) for x in range(2) for y in range(3)])
		self.assertEqual(*counts)
		self.assertGreater(len(set(counts[0])), 1)

	def test_same_as_indices(self):
		scope = ["one", "two"]
		self.equal("add_tuples", (scope, {("b", "c"): 5, (0, "b"): 2}), (scope, {(1, 2): 5, (0, 1): 2}))
		self.equal("add_tuples", (["two"], {"c": 5}), ([1], {(2,): 5}))
		self.equal("add_tuples", ("two", {2: 5}), ([1], {(2,): 5}))
		self.equal("add_linear", ([("one", "b", 1), ("two", "c", 2)], "=", 3), ([(0, 1, 1), (1, 2, 2)], "==", 3))
		self.equal("add_gcc", (scope, {"b": (1, 1)}), (scope, {1: (1, 1)}))
		self.equal("add_among", (scope, ["b", "c"], 1, 1), (scope, [1, 2], 1, 1))
		self.equal("add_among", (scope, "b", 1, 1), (scope, [1], 1, 1))
		self.equal("add_all_different", (scope, ["a"]), (scope, [0]))
		self.equal("add_regular", (scope, [(0, "a", 0), (0, "b", 1, 3), (1, "c", 1)], [0], [0, 1]),
			(scope, [(0, 0, 0), (0, 1, 1, 3), (1, 2, 1)], [0], [0, 1]))
		self.equal("add_function", ("two", [1, 2, 3]), ([1], [1, 2, 3]))
		self.equal("add_function", (1, [1, 2, 3]), ([1], [1, 2, 3]))

	def test_another_index(self):
		m = small()
		m.add_variable(["b", "a"], "turned")
		for add in (lambda v: m.add_among(v, ["a"], 1, 1), lambda v: m.add_gcc(v, {"a": (1, 1)}),
				lambda v: m.add_all_different(v, ["a"]), lambda v: m.add_regular(v, [(0, "a", 0)], [0], [0])):
			self.assertRaisesRegex(ValueError, "'a' has not the same index", add, ["one", "turned"])
		self.assertRaisesRegex(ValueError, "variable two has no value 'd'", m.add_among, ["two"], ["d"], 1, 1)
		self.assertRaisesRegex(ValueError, "variable one has no value 'C'", m.add_tuples, ["one"], {("C",): 1})
		self.assertEqual(m.n_functions, 0)
		m.add_among(["two", "turned"], ["c"], 2, 2)  # 'turned' has no value of that index
		self.assertEqual(m.count(), 0)


class NumbersAsNames(unittest.TestCase):
	"""Values that are called 1, 2 and 3, or True and False, are not taken for others."""

	def setUp(self):
		self.m = gpube.Model("potentials")
		self.m.add_variable([1, 2, 3], "size")
		self.m.add_variable([True, False], "open")
		self.m.add_variable([0, 1], "bit")
		self.m.add_function(["size", "open", "bit"], [k + 1 for k in range(12)])

	def test_numbers(self):
		m = self.m
		for ask in (lambda x: m.query(["bit"], {"size": x}), lambda x: m.observe("size", x), lambda x: m.cost(
				{"size": x, "open": "True", "bit": 0}), lambda x: m.log_likelihood([{"size": x}]), lambda x: m.compile().observe("size", x)):
			for wrong in 1, 2, 1.0:
				self.assertRaisesRegex(ValueError, "variable size: is [12] the value of this name, or of this index", ask, wrong)
		by_name, by_index = m.query(["bit"], {"size": "2"}), m.query(["bit"], {0: 1})
		self.assertEqual(by_name.probabilities, by_index.probabilities)
		m.observe("size", 0)  # which is the name of none
		self.assertEqual(m.evidence, {0: 0})
		m.observe("size", None)
		m.observe("bit", 1)
		self.assertEqual(m.evidence, {2: 1})
		self.assertEqual(m.log_likelihood([[1, 0, 0]]), m.log_likelihood([{"size": "2", "open": "True", "bit": 0}]))

	def test_bools(self):
		m = self.m
		for name in True, False:
			self.assertEqual(m.query(["bit"], {"open": name}).probabilities, m.query(["bit"], {"open": str(name)}).probabilities)
			self.assertEqual(m.log_likelihood([{"open": name}]), m.log_likelihood([{"open": str(name)}]))
			self.assertEqual(m.query(["size"], {"bit": name}).probabilities, m.query(["size"], {"bit": int(name)}).probabilities)
		self.assertEqual(m.query(["bit"], {"open": {True: 2, False: 0}}).probabilities, m.query(["bit"], {"open": True}).probabilities)
		if numpy:
			self.assertEqual(m.query(["bit"], {"open": numpy.bool_(True)}).probabilities, m.query(["bit"], {"open": 0}).probabilities)


class Mistakes(unittest.TestCase):
	def test_variables(self):
		m = small()
		self.assertRaisesRegex(TypeError, "found 'x'; the variable's name comes second", m.add_variable, "x", ["a", "b"])
		self.assertRaisesRegex(TypeError, "a number of values, or their names, found 2.5", m.add_variable, 2.5)
		self.assertRaisesRegex(TypeError, "a name is a text, found 5", m.add_variable, 2, 5)
		self.assertEqual(len(m), 2)

	def test_tables(self):
		for kind in "costs", "potentials":
			m = gpube.Model(kind)
			m.add_variable(2, "x")
			for wrong in {0: 1, 1: 2}, {1, 2}, "12":
				self.assertRaisesRegex(TypeError, "a table is nested lists, an array, or a function", m.add_function, ["x"], wrong)
			self.assertEqual(m.n_functions, 0)
		self.assertRaisesRegex(ValueError, "not a number: 'one'", small().add_function, ["one"], ["one", 2])
		self.assertRaisesRegex(ValueError, "not a number: '1/0'", small().add_function, ["one"], ["1/0", 2])
		self.assertRaisesRegex(ValueError, r"not of shape \(2, 3\)", small().add_function, ["one", "two"], [[1, 2, 3], [4, 5]])

	def test_functions_by_what_they_say(self):
		m = small()
		self.assertRaisesRegex(TypeError, "whole number, found 1.5", m.add_linear, {"one": 1.5}, "<=", 1)
		self.assertRaisesRegex(ValueError, r"a term is \(variable, coefficient\)", m.add_linear, ["one", "two"], "<=", 1)
		self.assertRaisesRegex(ValueError, "a term is", m.add_linear, [("one",)], "<=", 1)
		self.assertRaisesRegex(ValueError, "expected one of >= <= ==", m.add_linear, {"one": 1}, "<", 1)
		self.assertRaisesRegex(ValueError, r"\{value: \(least, most\)\}", m.add_gcc, ["one"], {0: 1})
		self.assertRaisesRegex(ValueError, "a transition is", m.add_regular, ["one"], [(0, 0)], [0], [0])
		self.assertRaisesRegex(TypeError, "a dict", m.add_tuples, ["one"], [((0,), 1)])
		for wrong, cost in (7, 7), (1, 1), ([7], "…"), (["d"], "…"), ("d", "…"), (2.5, "…"), ([0, -1], "…"):
			with self.assertRaises(ValueError) as said:
				m.add_all_different(["one", "two"], wrong)
			self.assertEqual(str(said.exception), "excepted: expected a list of values that the variables have, found %r; "
				"a cost is cost=%s" % (wrong, cost))
		self.assertEqual(m.n_functions, 0)
		m.add_all_different(["one", "two"], (x for x in [2]), cost=7)  # 'two' alone has a value of that index
		self.assertEqual((m.cost([1, 1]), m.cost([1, 2])), (7, 0))

	def test_infer_takes_no_evidence(self):
		m = gpube.Model.read(example("sprinkler.bif"))
		hint = r"infer\(\) takes no evidence: observe\(\) or weigh\(\) set it, or query\(variables, evidence\)"
		for wrong in {"lawn": "wet"}, ["rain"], "rain", 3:
			self.assertRaisesRegex(TypeError, "^" + hint, m.infer, wrong)
		self.assertRaisesRegex(TypeError, r"^infer\(\) has no option 'evidence': " + hint, m.infer, evidence={"lawn": "wet"})
		if numpy:
			self.assertEqual(m.infer(numpy.bool_(True)).marginals, m.infer(True).marginals)

	def test_hidden_ones_written(self):
		m = gpube.Model()
		m.add_linear([(m.add_variable(2), 1) for _ in range(40)], "<=", 20)
		said = "cannot hide variables: %d hidden ones are written like others" % len(m.hidden)
		self.assertGreater(len(m.hidden), 1)
		with tempfile.TemporaryDirectory() as directory:
			for name, told in ("x.wcsp", 1), ("X.WCSP.gz", 1), ("x.cfn", 0), ("x.cfn.xz", 0):
				path = os.path.join(directory, name)
				with warnings.catch_warnings(record=True) as caught:
					warnings.simplefilter("always")
					m.write(path)
				self.assertEqual([str(w.message) for w in caught], ["%s: the format %s" % (path, said)] * told)
				self.assertEqual([w.filename for w in caught], [__file__] * told)
				self.assertEqual(len(gpube.Model.read(path).hidden), 0 if told else len(m.hidden))

	def test_options(self):
		m = small()
		self.assertRaisesRegex(TypeError, "did you mean 'cutoff'", m.solve, ub=3)
		self.assertRaisesRegex(TypeError, r"gpube.Context\(threads=…\)", m.solve, threads=2)
		self.assertRaisesRegex(TypeError, "expected a gpube.Context, found list", gpube.Game, [[1]], [[2]], [[3]])
		net, values = gpube.Model.read(example("sprinkler.bif")), [0, 1, 2, 4]
		for call, function, name, near in (
				(m.list, "list", "limit", "most"), (m.list, "list", "distnace", "distance"),
				(m.diverse, "diverse", "dist", "distance"), (net.sample, "sample", "size", "n"),
				(gpube.csg, "csg", "certify", "certificate"), (gpube.csg, "csg", "agents", "n"),
				(gpube.auction, "auction", "timout", "timeout"), (gpube.Game([[1]]).nash, "nash", "digts", "digits")):
			with self.assertRaises(TypeError) as said:
				call(**{name: 3})
			self.assertEqual(str(said.exception), "%s() has no option %r, did you mean %r?" % (function, name, near))
		for call in lambda f: m.list(on_progress=f), lambda f: gpube.csg(values, on_progress=f):
			self.assertRaisesRegex(TypeError, r"no option 'on_progress': solve\(\) and bound\(\) of a Model", call, print)
		self.assertRaisesRegex(TypeError, "list.. has no option 'threads': context=", m.list, threads=2)
		self.assertRaisesRegex(ValueError, r"a file is read by Model.read\(\)", gpube.Model, example("exams.cfn"))
		self.assertEqual(repr(gpube.Context(threads=1, memory="1G")), "<gpube.Context: threads=1, memory='1G'>")
		self.assertEqual(repr(gpube.Context()), "<gpube.Context>")
		self.assertRaisesRegex(IndexError, "there is no variable 9", lambda: m.solve()[9])
		for held in m, m.solver(), gpube.Model.read(example("sprinkler.bif")).compile():
			for take in pickle.dumps, copy.copy, copy.deepcopy:
				self.assertRaisesRegex(TypeError, "neither pickled nor copied", take, held)

	def test_empty(self):
		m = gpube.Model()
		self.assertEqual((m.solve().optimum, m.count(), m.bound().upper, len(m.list())), (0, 1, 0, 1))
		self.assertEqual(gpube.Model("potentials").infer(marginals=True).z, 1)
		self.assertEqual(gpube.dpop(m).optimum, 0)
		self.assertEqual(repr(gpube.auction([])), "<gpube.AuctionResult: optimal, revenue 0\n no bid wins>")

	def test_evidence(self):
		m = gpube.Model.read(example("sprinkler.bif"))
		wet = m.query(["rain"], {"lawn": "wet"}).probabilities
		for same in [("lawn", "wet")], {"lawn": 1.0}, {"lawn": "wet", "cloudy": None}, {"lawn": "wet", "cloudy": float("nan")}:
			self.assertEqual(m.query(["rain"], same).probabilities, wet)
		m.observe("lawn", "dry")
		self.assertEqual(m.query(["rain"], {"lawn": None}).probabilities, gpube.Model.read(
			example("sprinkler.bif")).query(["rain"]).probabilities)
		self.assertEqual(m.evidence, {3: 0})
		self.assertRaisesRegex(TypeError, r"expected \{variable: value\}", m.query, ["rain"], "lawn=wet")
		for wrong in {"rain": "yes"}, [1, 0, 1, 1], ["yes"]:
			self.assertRaisesRegex(TypeError, r"one row alone is \[row\]", m.log_likelihood, wrong)

	def test_games(self):
		self.assertRaisesRegex(ValueError, "each player's payoffs are a table of their own", gpube.nash, [[(3, 2), (0, 0)]])
		self.assertRaisesRegex(ValueError, "rows and columns", gpube.nash, [1, 2])
		tree = gpube.Equilibria("all", [gpube.BehaviourProfile([gpube.Behaviour(1, 1, "market", ["enter", ""], [0, 1])],
			(0, 3))], None, "", "", None, 0, (0, 0), 0, None, 0)
		if pandas:
			self.assertEqual([tuple(c) for c in tree.to_pandas().columns],
				[(1, "market: enter"), (1, "market: 1"), (1, "payoff"), (2, "payoff")])

	def test_behaviour_by_names(self):
		text = """EFG 2 R "Entry" { "Entrant" "Monopolist" }
p "" 1 1 "market" { "enter" "stay" } 0
p "" 2 4 "" { "fight" "share" } 0
t "" 1 "" { -1, -1 }
t "" 2 "" { 2, 1 }
t "" 3 "" { 0, 3 }
"""
		with tempfile.TemporaryDirectory() as directory:
			path = os.path.join(directory, "entry.efg")
			with open(path, "w") as f:
				f.write(text)
			found = gpube.Game.read(path).nash()
		e = next(e for e in found if e.payoffs == (2, 1))
		self.assertEqual((e["Entrant"]["market"]["enter"], e["Monopolist"][4]["share"], e[1][4]["fight"]), (1, 1, 0))
		self.assertEqual(e.named(), {"Entrant": {"market": {"enter": 1, "stay": 0}}, "Monopolist": {4: {"fight": 0, "share": 1}}})
		self.assertEqual((e.of("Entrant"), e.of("Monopolist")), (e.of(1), e.of(2)))
		self.assertEqual(e.of("Entrant"), "market: enter 1")
		for wrong in lambda: e["Ann"], lambda: e.of("Ann"), lambda: e[2]:
			self.assertRaisesRegex(KeyError, "there is no player", wrong)

	def test_other_packages(self):
		class Network:  # of pgmpy
			cpds = []

			def nodes(self):
				return ["rain", "lawn"]

			def get_cpds(self):
				return self.cpds

			def get_cardinality(self):
				return {}

		network = Network()
		self.assertRaisesRegex(ValueError, "no CPD of lawn, rain", gpube.Model.from_pgmpy, network)
		network.cpds = [5]
		for wrong in network, 5, gpube.Model():
			self.assertRaisesRegex(TypeError, "discrete network of pgmpy, found", gpube.Model.from_pgmpy, wrong)
		self.assertRaisesRegex(TypeError, "of pyAgrum, found Network", gpube.Model.from_pyagrum, network)

		m = small()
		for take in (gpube.Game.from_nashpy, gpube.Game.from_pygambit, gpube.Game.from_model, gpube.Model.from_pytoulbar2,
				lambda x: m.add_bounded(["one"], x, 0, 1)):
			self.assertRaisesRegex(TypeError, "expected a .*, found list", take, [])
		self.assertRaisesRegex(ValueError, "nan where a number", m.list, within=Decimal("NaN"))
		with m.solver() as s:
			self.assertEqual(s.solve(assume=[("one", "b")]).named()["one"], "b")

		class Gambit:
			def to_nfg(self):
				with open(example("battle.nfg")) as f:
					return f.read()

		self.assertEqual(len(gpube.nash(Gambit())), 3)
		self.assertRaisesRegex(TypeError, r"Game.from_pygambit\(\) takes it", gpube.Game, Gambit())

	def test_games_from_arrays(self):
		side = [[[3, 0], [1, 1]], [[1, 1], [0, "7/2"]]]
		g = gpube.Game.from_arrays(side, side, side, players=["Ann", "Bob", "Cem"], actions=[["left", "right"]] * 3)
		self.assertEqual((g.shape, g.players, g.payoffs(3)), ((2, 2, 2), ["Ann", "Bob", "Cem"], g.payoffs(1)))
		self.assertEqual([p.named()["Cem"] for p in g.pure()], ["left", "right"])
		turned = gpube.Game.from_arrays([[[1, 2], [3, 4], [5, 6]]], [[[0] * 2] * 3], [[[0] * 2] * 3])
		self.assertEqual((turned.shape, turned.payoffs(1)), ((1, 3, 2), [[[1, 2], [3, 4], [5, 6]]]))
		self.assertEqual(gpube.Game.from_arrays([[1, 2]], [[3, 4]]).payoffs(2), gpube.Game([[1, 2]], [[3, 4]]).payoffs(2))
		for wrong in [], [side], [side, side], [side, side, side[:1]], [5, 6], [[[1, 2]], [[1]]]:
			self.assertRaises(ValueError, gpube.Game.from_arrays, *wrong)

	def test_agents(self):
		m = gpube.Model.read(example("exams.cfn"))
		owners = gpube.dpop(m, agents={v: "science" if v < 3 else "arts" for v in range(6)}).owner
		for same in ({"science": [0, "botany", 2], "arts": ["drama", 4, 5]}, ["science"] * 3 + ["arts"] * 3):
			self.assertEqual(gpube.dpop(m, agents=same).owner, owners)
		self.assertRaisesRegex(ValueError, "1 owners of 6 variables", gpube.dpop, m, agents=["science"])

	def test_coalitions_and_bids(self):
		self.assertRaisesRegex(ValueError, "3 values, expected 2\\^n", gpube.csg, [0, 1, 2])
		self.assertRaisesRegex(ValueError, "for n=3", gpube.csg, [0, 1, 2, 3], n=3)
		self.assertRaisesRegex(TypeError, "a table is", gpube.csg, {0, 1})
		for wrong in ([0], 3), ("lamp",), 5:
			self.assertRaisesRegex(ValueError, "a bid is", gpube.auction, [wrong])
		self.assertEqual(gpube.auction([(3, "lamp"), (2, ["lamp"]), (1, ["l"])]).winners, [0, 2])

	@unittest.skipUnless(numpy, "no numpy")
	def test_numpy(self):
		m = small(decimals=1)
		m.add_function(["two"], numpy.array([0.1, 0.2, 0.3], dtype="f2"))
		self.assertEqual([str(c) for c in m.function(0)[1]], ["0.1", "0.2", "0.3"])
		m = small(decimals=7)
		m.add_function(["one"], numpy.array([0.1234567, 1.5], dtype="f4"))
		self.assertEqual([str(c) for c in m.function(0)[1]], ["0.1234567", "1.5000000"])
		masked = numpy.ma.array([1, 2], mask=[0, 1])
		self.assertRaisesRegex(ValueError, "masked", m.add_function, ["one"], masked)
		m.add_function(["one"], numpy.ma.array([1, 2]))
		p = gpube.Model.read(example("sprinkler.bif")).query(["rain", "lawn"])
		self.assertEqual(numpy.asarray(p).tolist(), [p.probabilities[:2], p.probabilities[2:]])

	@unittest.skipUnless(pandas, "no pandas")
	def test_pandas(self):
		m = small()
		m.add_function(["one", "two"], pandas.DataFrame([[1, 2, 3], [4, 5, 6]], columns=list("abc")))
		m.add_function(["one"], pandas.Series([7, 8]), copy=False)
		self.assertEqual([m.function(k)[1] for k in range(2)], [[1, 2, 3, 4, 5, 6], [7, 8]])
		self.assertRaises(ValueError, m.add_function, ["one"], pandas.array([1, None], dtype="Int64"))
		self.assertEqual(len(gpube.nash(pandas.DataFrame([[3, 0], [0, 2]]), pandas.DataFrame([[2, 0], [0, 3]]))), 3)
		self.assertEqual(gpube.csg(pandas.Series([0, 1, 2, 4])).value, 4)
		self.assertEqual(gpube.auction([(2, [0]), (3, [1])]).to_pandas()["bid"].tolist(), [0, 1])
		m = gpube.Model()
		m.add_function([m.add_variable(["low", "high"], "cost")], [3, 4])
		listed = m.list(most=2, within=None).to_pandas()
		self.assertEqual((listed["cost"].tolist(), listed["cost of the assignment"].tolist()), (["low", "high"], [3, 4]))
		mixed = gpube.csg({("ann",): 1, ("bob",): 2}, n=3, free_disposal=True)
		self.assertEqual(mixed.to_pandas().to_dict(), {"ann": 0, "bob": 1})
		self.assertEqual(gpube.Structure("optimal", [("ann", 1), (0,)], 0, 0, 0, "", "", 0).to_pandas().to_dict(), {"ann": 0, 1: 0, 0: 1})
		net = gpube.Model.read(example("sprinkler.bif"))
		rows = net.sample(3, seed=1).to_pandas()
		self.assertRaisesRegex(ValueError, "two columns", net.log_likelihood, pandas.concat([rows, rows[["rain"]]], axis=1))
		self.assertEqual(net.query(["rain"], rows.iloc[0].drop("rain")).probabilities,
			net.query(["rain"], dict(rows.iloc[0].drop("rain"))).probabilities)


if __name__ == "__main__":
	unittest.main()
