"""Names: of variables and values in calls and results, and how results are shown."""
import copy
import html
import os
import pickle
import re
import tempfile
import threading
import unittest

import gpube
from test_gpube import example

try:
	import pandas
except ImportError:
	pandas = None


def weather():
	m = gpube.Model("potentials")
	m.add_variable(["no", "yes"], "rain")
	m.add_variable(["dry", "wet"], "lawn")
	m.add_function(["rain"], [0.75, 0.25])
	m.add_function(["lawn", "rain"], [[0.5, 0], [0.5, 1]])
	return m


class Names(unittest.TestCase):
	def test_variables(self):
		m = gpube.Model.read(example("exams.cfn"))
		v = m["drama"]
		self.assertEqual((v, v.name, v.values), (3, "drama", ["monday", "tuesday", "wednesday"]))
		self.assertEqual([w.name for w in m], m.names)
		self.assertEqual((m[3].name, m[v].name, repr(v)), ("drama", "drama",
			"<gpube.Variable 3 drama: monday, tuesday, wednesday>"))
		self.assertEqual(("drama" in m, "dram" in m, 3 in m, 6 in m), (True, False, True, False))
		self.assertRaisesRegex(KeyError, "nearest: drama", lambda: m["dram"])
		for wrong in 6, -1:
			self.assertRaises(IndexError, lambda: m[wrong])
		self.assertRaises(TypeError, lambda: m[1.0])
		again = pickle.loads(pickle.dumps(v))
		self.assertEqual((again, again.name, again.values), (v, v.name, v.values))
		unnamed = gpube.Model()
		unnamed.add_variable(2)
		self.assertEqual((unnamed[0].name, unnamed[0].values, repr(unnamed[0])), (None, [0, 1], "<gpube.Variable 0: 0, 1>"))

	def test_names_and_numbers_say_the_same(self):
		r = gpube.Model.read(example("exams.cfn"))
		by_name, by_number = gpube.Model(), gpube.Model()
		for m in by_name, by_number:
			for v in r:
				m.add_variable(v.values, v.name)
		for k in range(r.n_functions):
			scope, cells = r.function(k)
			cells = [int(100 * c) if c != gpube.INF else c for c in cells]
			by_name.add_function([r[v].name for v in scope], cells)
			by_number.add_function(scope, cells)
		for m in by_name, by_number:
			self.assertEqual([m.function(k) for k in range(m.n_functions)], [by_number.function(k)
				for k in range(by_number.n_functions)])
		by_name.observe("drama", "wednesday")
		by_number.observe(3, 2)
		s, t = by_name.solve(), by_number.solve()
		self.assertEqual((s.optimum, s["drama"], s[3]), (t.optimum, "wednesday", 2))
		said = s.named()
		self.assertEqual(said, {v.name: v.values[s.assignment[v]] for v in r})
		for assignment in said, s.assignment, list(said.values()), {v: s.assignment[v] for v in r}:
			self.assertEqual(by_name.cost(assignment), s.cost)
			self.assertEqual(by_name.bound(assignment=assignment).upper, s.cost)
		self.assertRaisesRegex(ValueError, "no value of drama", by_name.cost, {n: said[n] for n in said if n != "drama"})
		self.assertRaisesRegex(ValueError, "no value 'sunday'", by_name.cost, dict(said, drama="sunday"))
		self.assertRaisesRegex(ValueError, "no variable 'dram'", by_name.add_function, ["dram"], [1, 2, 3])
		self.assertEqual(by_name.solve(order=[r[v].name for v in range(6)]).optimum, s.optimum)

	def test_results(self):
		m = weather()
		p = m.infer(marginals=True).marginals
		self.assertEqual(p["rain"]["yes"], 0.25)
		self.assertEqual((p[0][1], p["rain"][1], p[0]["yes"]), (0.25,) * 3)
		self.assertEqual(p, [list(row) for row in p])
		self.assertEqual(p.named(), m.posteriors(p))
		self.assertRaises(KeyError, lambda: p["ran"])
		self.assertRaisesRegex(KeyError, "nearest: yes", lambda: p["rain"]["ye"])
		m.observe("rain", "yes")
		s = m.solve()
		self.assertEqual((s["rain"], s["lawn"], s.assignment[1], s.assignment["lawn"]), ("yes", "wet", 1, "wet"))
		self.assertEqual(gpube.Model().solve().named(), {})
		none = gpube.Model()
		none.add_function([none.add_variable(1, "x")], [gpube.INF])
		self.assertRaises(KeyError, lambda: none.solve()["x"])
		self.assertEqual([a["drama"] for a in gpube.Model.read(example("exams.cfn")).list(most=2, within=None)],
			["tuesday", "wednesday"])
		d = gpube.dpop(example("meetings.yaml"))
		self.assertEqual(d["plan_north"], d.named()["plan_north"])

	def test_outlive_and_pickle(self):
		with gpube.Model.read(example("exams.cfn")) as m:
			s = m.solve()
			several = m.list(most=3, within=None)
		for again in s, pickle.loads(pickle.dumps(s)), copy.deepcopy(s), copy.copy(s):
			self.assertEqual((again["drama"], again.assignment["drama"]), ("tuesday", "tuesday"))
			self.assertEqual(again, s)
		self.assertEqual([a.named() for a in pickle.loads(pickle.dumps(several))], [a.named() for a in several])
		p = weather().infer(marginals=True)
		self.assertEqual(pickle.loads(pickle.dumps(p)).marginals["lawn"]["wet"], p.marginals["lawn"]["wet"])

	def test_threads(self):
		"""Threads that ask a model for its names all get them all."""
		for _ in range(20):
			m, asked, seen = gpube.Model.read(example("exams.cfn")), threading.Barrier(4), []

			def ask():
				asked.wait()
				seen.append((m.names, m.value_names, m.domains))

			threads = [threading.Thread(target=ask) for _ in range(4)]
			for t in threads:
				t.start()
			for t in threads:
				t.join()
			self.assertEqual(seen, [(m.names, m.value_names, m.domains)] * 4)
			self.assertEqual(len(m.names), len(m))

	def test_names_twice(self):
		"""Of a file's variables or values that share a name it means the first; named() tells all apart."""
		with tempfile.TemporaryDirectory() as d:
			path = os.path.join(d, "twice.nfg")
			with open(path, "w") as f:
				f.write('NFG 1 R "" { "Ann" "Ann" } { { "a" "a" } { "b" "c" } } 0 0 2 0 0 1 1 1')
			m = gpube.Game.read(path).model(regret=True)
		s = m.solve()
		self.assertEqual((s["Ann"], list(s), s.named()), ("a", [1, 1], {"Ann": "a", 1: "c"}))
		m.observe("Ann", "a")
		self.assertEqual((m.solve().optimum, m.solve()[0]), (1, 0))
		for wrong in dict(domain=2, name="Ann"), dict(domain=["a", "b", "a"]):
			self.assertRaisesRegex(gpube.Error, "would both be called '%s'" % wrong.get("name", "a"), m.add_variable, **wrong)
		self.assertEqual(len(m), 2)

	def test_games(self):
		game = gpube.Game([[3, 0], [5, 1]], [[3, 5], [0, 1]], actions=[["quiet", "tell"]] * 2, players=["Ann", "Bob"])
		e = game.nash()[0]
		self.assertEqual((e.x["tell"], e.y["quiet"], e.x[1], e.payoffs), (1, 0, 1, (1, 1)))
		self.assertEqual((e["Ann"], e["Bob"]["quiet"], e[0], e.named()), (e.x, 0, e.x, {
			"Ann": {"quiet": 0, "tell": 1}, "Bob": {"quiet": 0, "tell": 1}}))
		self.assertRaisesRegex(KeyError, "no player 'Cem'", lambda: e["Cem"])
		self.assertRaises(IndexError, lambda: e[2])
		again = pickle.loads(pickle.dumps(e))
		self.assertEqual((again, again["Ann"]), (e, e.x))
		self.assertEqual(gpube.nash([[1]], [[2]])[0].named(), {0: {0: 1}, 1: {0: 1}})
		side = [[[3, 0], [1, 1]], [[1, 1], [0, 3]]]
		three = gpube.Game.from_arrays(side, side, side, players=["Ann", "Bob", "Cem"])
		self.assertEqual([(p["Cem"], p[2]) for p in three.nash(pure=True)], [(p.strategies[2],) * 2 for p in three.nash(pure=True)])
		self.assertEqual((game.players, game.labels(2)), (["Ann", "Bob"], ["quiet", "tell"]))
		pure, = game.pure()
		self.assertEqual((pure["Bob"], pure[1], pure.named()), ("tell", 1, {"Ann": "tell", "Bob": "tell"}))
		for wrong in dict(actions=[["a"], ["b", "c"]]), dict(actions=[["a", "b"]]), dict(players=["a"]):
			self.assertRaises(ValueError, gpube.Game, [[1, 2], [3, 4]], **wrong)

	def test_agents_and_goods(self):
		worth = {("ann",): 1, ("bob",): 2, ("ann", "bob"): 4, "cid": 3, ("bob", "cid"): 1}
		s = gpube.csg(worth)
		self.assertEqual((s.value, s.coalitions, s["bob"]), (7, [("ann", "bob"), ("cid",)], ("ann", "bob")))
		self.assertRaises(KeyError, lambda: s["dan"])
		self.assertRaises(ValueError, gpube.csg, {("ann",): 1, (1,): 2})
		self.assertRaises(ValueError, gpube.csg, {("ann",): 1, 2: 2})
		self.assertEqual(gpube.csg({(0,): 1, (1,): 2, (0, 1): 4})[0], (0, 1))
		a = gpube.auction([(3, ["lamp", "rug"]), (2, ["lamp"]), (2, ["rug"])])
		self.assertEqual((a.winners, a.revenue), ([1, 2], 4))


def shown():
	"""Results with names that would break out of HTML, one of them with very many variables."""
	evil = "<b>&\"'\n</table>"
	m = gpube.Model()
	for v in range(3000):
		m.add_variable([evil + str(x) for x in range(3)], evil + str(v))
		m.add_function([v], [1, 0, 2])
	p = gpube.Model("potentials")
	p.add_variable([evil, "2"], evil)
	p.add_function([0], [.5, .5])
	game = gpube.Game([[1, 0], [0, 1]], [[0, 1], [1, 0]], actions=[[evil, "b"], ["c", "d"]], players=[evil, "2"])
	s = m.solve()
	i = p.infer(marginals=True)
	yield from (m, s, s.assignment, m.bound(), m.list(most=2), p, i, i.marginals, i.marginals[0], game, game.nash(),
		game.nash()[0].x, gpube.csg({(evil,): 1, ("b", evil): 2, "b": 1}), gpube.auction([(1, [evil])]),
		gpube.dpop(m), gpube.Model(), gpube.Model().solve(), m.list(most=1))


class Shown(unittest.TestCase):
	def test_three_lines(self):
		for x in shown():
			if isinstance(x, list):  # as lists are shown
				continue
			lines = repr(x).split("\n")
			self.assertLessEqual((len(lines), max(map(len, lines)) <= 130), (3, True), repr(x))
			self.assertIn(type(x).__name__, lines[0])

	def test_html(self):
		for x in shown():
			text = x._repr_html_()
			self.assertLess(len(text), 60000, type(x))
			self.assertEqual(set(re.findall(r"</?([a-z]+)", text)) - {"table", "caption", "thead", "tbody", "tr", "th", "td"},
				set(), type(x))
			self.assertEqual(text.count("<table"), text.count("</table>"))
			self.assertEqual(text.count("<tr"), text.count("</tr>"))
			self.assertNotIn("<b>", text)
		self.assertIn(html.escape("<b>&\"'"), text)

	@unittest.skipUnless(pandas, "no pandas")
	def test_pandas(self):
		m = weather()
		p = m.infer(marginals=True)
		for x in p, p.marginals:
			self.assertEqual(x.to_pandas()["rain", "yes"], .25)
		self.assertEqual(p.marginals["rain"].to_pandas()["no"], .75)
		exams = gpube.Model.read(example("exams.cfn"))
		s = exams.solve()
		for x in s, s.assignment, exams.bound(), gpube.dpop(exams):
			self.assertEqual(x.to_pandas().to_dict(), s.named())
		best = exams.list(most=2, within=None).to_pandas()
		self.assertEqual((list(best["drama"]), list(best.columns)), (["tuesday", "wednesday"], exams.names + ["cost"]))
		e = gpube.nash([[3, 0], [5, 1]], [[3, 5], [0, 1]]).to_pandas()
		self.assertEqual((e[1, 1][0], e[2, "payoff"][0]), (1, 1))
		c = gpube.csg({("ann",): 1, ("bob",): 2, ("ann", "bob"): 4, "cid": 3}).to_pandas()
		self.assertEqual((c["ann"] == c["bob"], c["ann"] == c["cid"]), (True, False))

	@unittest.skipIf(pandas, "pandas is there")
	def test_without_pandas(self):
		s = gpube.Model.read(example("exams.cfn")).solve()
		self.assertRaisesRegex(ImportError, "pip install pandas", s.to_pandas)


if __name__ == "__main__":
	unittest.main()
