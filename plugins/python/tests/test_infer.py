"""Queries: joint distributions, most probable values, samples, rows, soft evidence, compiled models."""
import itertools
import math
import pickle
import random
import threading
import unittest

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


def random_network(r):
	"""A model of potentials with some zeros and names, and its tables."""
	m = gpube.Model("potentials")
	domains = [r.randint(1, 3) for _ in range(r.randint(2, 6))]
	tables = []
	for v, d in enumerate(domains):
		m.add_variable(["%s%d" % ("abc"[x], v) for x in range(d)], "v%d" % v)
	for _ in range(r.randint(2, 8)):
		scope = r.sample(range(len(domains)), r.randint(1, min(3, len(domains))))
		n = math.prod(domains[v] for v in scope)
		cells = [0.0 if r.random() < 0.1 else r.random() * 2.0**r.randint(-40, 40) for _ in range(n)]
		m.add_function(scope, cells)
		tables.append((scope, cells))
	return m, domains, tables


def weight(domains, tables, values, soft=()):
	p = 1.0
	for scope, cells in tables:
		at = 0
		for v in scope:
			at = at * domains[v] + values[v]
		p *= cells[at]
	for v, weights in dict(soft).items():
		p *= weights[values[v]]
	return p


class Queries(unittest.TestCase):
	def test_against_enumeration(self):
		r, zero = random.Random(1), 0
		for _ in range(60):
			m, domains, tables = random_network(r)
			n = len(domains)
			hard = {v: r.randrange(domains[v]) for v in range(n) if r.random() < 0.3}
			soft = {v: [r.random() for _ in range(domains[v])] for v in range(n) if v not in hard and r.random() < 0.3}
			asked = r.sample(range(n), r.randint(1, n))
			sums = {}
			for values in itertools.product(*map(range, domains)):
				if all(values[v] == x for v, x in hard.items()):
					key = tuple(values[v] for v in asked)
					sums[key] = sums.get(key, 0) + weight(domains, tables, values, soft)
			total = sum(sums.values())
			evidence = {"v%d" % v: "abc"[x] + str(v) if r.random() < 0.5 else x for v, x in hard.items()}
			for v, w in soft.items():
				evidence[v] = {x: y for x, y in enumerate(w)} if r.random() < 0.5 else w
			if not total:
				zero += 1
				self.assertRaisesRegex(ValueError, "probability zero", m.query, asked, evidence)
				self.assertRaisesRegex(ValueError, "probability zero", m.sample, 5, evidence)
				self.assertEqual(m.map_query(asked, evidence).answer, "infeasible")
				continue
			joint = m.query(["v%d" % v for v in asked], evidence)
			self.assertEqual(joint.shape, tuple(domains[v] for v in asked))
			self.assertAlmostEqual(joint.log10_z, math.log10(total), 10)
			for key in itertools.product(*(range(domains[v]) for v in asked)):
				p = sums.get(key, 0) / total
				self.assertAlmostEqual(joint[key], p, delta=1e-11 * p + 1e-300)
				named = {"v%d" % v: "abc"[x] + str(v) for v, x in zip(asked, key)}
				self.assertEqual(joint[named], joint[key])
				self.assertEqual(joint[tuple(named.values())], joint[key])
			best = m.map_query(asked, evidence)
			self.assertEqual(best.answer, "optimal")
			key = tuple(best.assignment[v] for v in asked)
			self.assertGreaterEqual(sums[key] * (1 + 1e-5), max(sums.values()))
			self.assertEqual(set(best.named()), {"v%d" % v for v in asked})
			self.assertEqual((m.evidence, m.n_functions), ({}, len(tables)))
			drawn = m.sample(30, evidence, seed=3)
			self.assertEqual(len(drawn), 30)
			for a in drawn:
				self.assertTrue(all(a[v] == x for v, x in hard.items()))
				self.assertGreater(weight(domains, tables, a, soft), 0)
			self.assertEqual([list(a) for a in m.sample(10, evidence, seed=3)], [list(a) for a in drawn][:10])
		self.assertGreater(zero, 3)

	def test_samples(self):
		m = gpube.Model.read(example("sprinkler.bif"))
		s = m.sample(20000, {"lawn": "wet"}, seed=1)
		p = m.query(["rain", "sprinkler"], {"lawn": "wet"})
		for key, share in p.named().items():
			n = sum((a["rain"], a["sprinkler"]) == key for a in s)
			self.assertLess(abs(n - 20000 * share), 5 * math.sqrt(20000 * share * (1 - share)) + 0.1)
		self.assertEqual((repr(s), s[-1]["lawn"]), ("<gpube.Samples: 20000 assignments of 4 variables>", "wet"))
		self.assertRaises(IndexError, lambda: s[20000])
		again = pickle.loads(pickle.dumps(s))
		self.assertEqual((len(again), again[7], again[7]["rain"]), (20000, s[7], s[7]["rain"]))
		self.assertEqual(pickle.loads(pickle.dumps(p)), p)
		self.assertIn("20000 assignments", s._repr_html_())
		self.assertRaises(ValueError, m.sample, 0)
		self.assertRaisesRegex(gpube.Error, "assignments of 4 variables take", m.sample, 2**40)

	def test_shown(self):
		m = gpube.Model.read(example("sprinkler.bif"))
		p = m.query(["rain", "lawn"])
		self.assertEqual(repr(p), "<gpube.Joint: joint of rain, lawn\n no/dry: 0.311, no/wet: 0.189, yes/dry: 0.0419, yes/wet: 0.458>")
		self.assertIn("<th>rain</th><th>lawn</th><th>probability</th>", p._repr_html_())
		one = m.query("rain")
		self.assertEqual(list(one.named()), ["no", "yes"])
		self.assertEqual(one["yes"], one[1])
		for wrong in "maybe", ("yes", "wet"), {"lawn": "wet"}:
			self.assertRaises(KeyError, lambda: one[wrong])
		self.assertRaises(IndexError, lambda: one[2])
		self.assertIn("optimal, log10", repr(m.map_query(["rain"])))

	def test_wrong(self):
		m = gpube.Model.read(example("sprinkler.bif"))
		self.assertRaisesRegex(ValueError, "nearest: rain", m.query, ["rian"])
		self.assertRaisesRegex(ValueError, "nearest: rain", m.query, ["lawn"], {"rian": 1})
		self.assertRaisesRegex(ValueError, "no value 'damp'", m.query, ["rain"], {"lawn": "damp"})
		self.assertRaisesRegex(ValueError, "3 numbers, expected 2", m.query, ["rain"], {"lawn": [1, 2, 3]})
		self.assertRaisesRegex(ValueError, "no value 2", m.query, ["rain"], {"lawn": {2: 1}})
		self.assertRaisesRegex(ValueError, "no variable", m.query, [])
		self.assertRaisesRegex(gpube.Error, "there twice", m.query, ["rain", "rain"])
		self.assertRaisesRegex(gpube.Error, "weight -1", m.query, ["rain"], {"lawn": [1, -1]})
		self.assertRaisesRegex(gpube.Error, "cannot be observed", m.query, ["rain"], {"lawn": 7})
		self.assertRaises(TypeError, m.weigh, "rain", "yes")
		self.assertEqual((m.evidence, m.n_functions), ({}, 4))
		self.assertRaisesRegex(gpube.Error, "EINVAL", gpube.Model.read(example("zebra.wcsp")).query, [0])
		wide = gpube.Model("potentials")
		for _ in range(50):
			wide.add_variable(2)
		with self.assertRaisesRegex(gpube.Error, "joint table of 50 variables has 1.1259e.15 cells") as e:
			wide.query(range(50))
		self.assertEqual((e.exception.status, e.exception.result.n_functions), ("ELIMIT", 0))

	def test_weigh(self):
		m = gpube.Model.read(example("sprinkler.bif"))
		m.weigh("lawn", {"wet": 1})
		self.assertEqual(m.query("lawn")["dry"], 0)
		# a call's weights stand for the model's, which are there again afterwards
		self.assertEqual(m.query("lawn", {"lawn": {"dry": 1}})["dry"], 1)
		self.assertEqual(m.query("lawn")["dry"], 0)
		m.observe("rain", "no")
		self.assertEqual(m.query("rain", {"rain": "yes"})["yes"], 1)
		self.assertEqual((m.evidence, m.n_functions), ({2: 0}, 5))
		m.weigh("lawn", None)
		self.assertEqual(m.n_functions, 4)

	def test_threads_do_not_see_each_others_evidence(self):
		m = gpube.Model.read(example("sprinkler.bif"))
		want = [m.query("rain", {"lawn": x})["yes"] for x in ("dry", "wet")]
		wrong = []

		def ask(x):
			for _ in range(20):
				if m.query("rain", {"lawn": ("dry", "wet")[x]})["yes"] != want[x]:
					wrong.append(x)

		threads = [threading.Thread(target=ask, args=(k % 2,)) for k in range(4)]
		for t in threads:
			t.start()
		for t in threads:
			t.join()
		self.assertEqual(wrong, [])

	def test_compiled(self):
		r = random.Random(2)
		for _ in range(12):
			m, domains, tables = random_network(r)
			names = m.names
			with m.compile([0, "v1"], marginals=True) as c:
				evidence = {}
				for _ in range(8):
					v = r.randrange(len(domains))
					x = r.choice([None, r.randrange(domains[v]), [r.random() for _ in range(domains[v])]])
					evidence.pop(v, None)
					c.observe(names[v], None)
					if x is not None:
						evidence[v] = x
						c.observe(v, x)
					try:
						want = m.query([0, 1], evidence)
					except ValueError:
						self.assertRaises(ValueError, c.query)
						self.assertEqual(c.infer().log10_z, -math.inf)
						continue
					got, all_of = c.query(), c.infer()
					self.assertAlmostEqual(all_of.log10_z, want.log10_z, 10)
					for a, b in zip(got.probabilities, want.probabilities):
						self.assertAlmostEqual(a, b, 11)
					self.assertAlmostEqual(all_of.marginals["v1"][0], sum(want[x, 0] for x in range(domains[0])), 11)
				del m  # what is compiled stays
				c.infer()
			self.assertRaises(ValueError, c.infer)
		c = gpube.Model.read(example("sprinkler.bif")).compile()
		self.assertRaisesRegex(ValueError, "compiled for no variables", c.query)
		self.assertEqual(repr(c), "<gpube.Compiled: 4 variables>")

	def test_what_is_compiled_stays(self):
		m = gpube.Model.read(example("sprinkler.bif"))
		c = m.compile(["rain"])
		before = c.query()["yes"]
		for k in range(200):
			m.add_variable(["x", "y"], "new%d" % k)
			m.add_function(["rain", "new%d" % k], [1, 2, 3, 4])
		m.close()
		c.observe("lawn", "wet")
		c.observe("lawn", None)
		self.assertEqual(c.query()["yes"], before)

	def test_rows(self):
		m = gpube.Model.read(example("sprinkler.bif"))
		r = random.Random(3)
		dicts = [{v.name: r.choice(v.values + [None, None]) for v in m} for _ in range(60)]
		want = []
		for row in dicts:
			for name, x in row.items():
				m.observe(name, x)
			z = m.infer().log10_z
			want.append(z * math.log(10) if z != -math.inf else z)
			for name in row:
				m.observe(name, None)
		self.assertIn(-math.inf, want)
		lists = [[row[name] for name in m.names] for row in dicts]
		numbers = [[-1 if x is None else m[v].values.index(x) for v, x in enumerate(row)] for row in lists]
		ways = [dicts, [{k: x for k, x in row.items() if x is not None} for row in dicts], lists, numbers]
		if numpy:
			ways += [numpy.array(numbers), numpy.array(numbers, dtype=numpy.int8)]
		if pandas:
			ways += [pandas.DataFrame(dicts), pandas.DataFrame(numbers, columns=m.names),
				pandas.DataFrame(numbers, columns=m.names).replace(-1, numpy.nan)[::1],
				pandas.DataFrame(dicts, dtype="string")]
		for way in ways:
			got = m.log_likelihood(way)
			self.assertEqual(len(got), len(want))
			for a, b in zip(got, want):
				self.assertTrue(a == b or abs(a - b) < 1e-12, (a, b))
		m.observe("rain", "yes")
		self.assertAlmostEqual(m.log_likelihood([{}])[0], math.log(0.5), 12)
		self.assertEqual(m.log_likelihood([]), [])
		self.assertRaisesRegex(ValueError, "no variable 'snow'", m.log_likelihood, [{"snow": 1}])
		self.assertRaisesRegex(ValueError, "no value 'damp'", m.log_likelihood, [{"lawn": "damp"}])
		self.assertRaisesRegex(ValueError, "no value 2", m.log_likelihood, [{"lawn": 2}])
		self.assertRaisesRegex(ValueError, "no value 0.5", m.log_likelihood, [{"lawn": 0.5}])
		self.assertRaisesRegex(ValueError, "each of the 4 variables", m.log_likelihood, [[1, 2]])

	@unittest.skipUnless(pandas, "no pandas")
	def test_pandas(self):
		m = gpube.Model.read(example("sprinkler.bif"))
		s = m.sample(50, seed=2)
		frame = s.to_pandas()
		self.assertEqual((frame.shape, list(frame.columns)), ((50, 4), m.names))
		self.assertEqual(frame["lawn"][3], s[3]["lawn"])
		self.assertTrue(all(x > -math.inf for x in m.log_likelihood(frame)))
		p = m.query(["rain", "lawn"])
		self.assertEqual(p.to_pandas()["yes", "wet"], p["yes", "wet"])
		self.assertEqual(m.map_query(["rain"]).to_pandas()["rain"], m.map_query("rain")["rain"])

	@unittest.skipUnless(numpy, "no numpy")
	def test_numpy(self):
		s = gpube.Model.read(example("sprinkler.bif")).sample(50, seed=2)
		self.assertEqual(s.to_numpy().tolist(), [list(a) for a in s])


if __name__ == "__main__":
	unittest.main()
