#!/usr/bin/env python3
"""What the quick starts of other packages do, and the same with gpube: lines of code and seconds.

    pip install pytoulbar2 pgmpy pyagrum "pygambit<17" nashpy
    GPUBE_LIBRARY=build/libgpube.so PYTHONPATH=plugins/python benchmarks/quick_starts.py [-n 3]

Each is a program of its own, which prints its answer, and both must print the same. Lines are those that are
not blank, and seconds those of the processor, with the start of Python and all imports; the median of n runs in
turns. A package that is not installed has no row.
"""
import argparse
import importlib.util
import os
import resource
import statistics
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")

ROWS = [
	("pytoulbar2", "two cost functions, built and solved", """
import pytoulbar2
p = pytoulbar2.CFN(ubinit=100, resolution=1)
p.AddVariable("x", ["a", "b"])
p.AddVariable("y", ["a", "b", "c"])
p.AddFunction(["x"], [1.5, 0.5])
p.AddFunction(["x", "y"], [2.5, 0, 3, 1, 2, 0.5])
values, cost, _ = p.Solve()
print(values, round(cost, 1))
""", """
import gpube
m = gpube.Model(decimals=1)
m.add_variable(["a", "b"], "x")
m.add_variable(["a", "b", "c"], "y")
m.add_function(["x"], [1.5, 0.5])
m.add_function(["x", "y"], [2.5, 0, 3, 1, 2, 0.5])
s = m.solve()
print(s.assignment, s.optimum)
"""),
	("pytoulbar2", "a file, solved", """
import pytoulbar2
p = pytoulbar2.CFN(vac=0)
p.Read("examples/zebra.wcsp")
print(round(p.Solve()[1]))
""", """
import gpube
print(gpube.Model.read("examples/zebra.wcsp").solve().optimum)
"""),
	("pytoulbar2", "8 queens, the cheapest placement", """
import pytoulbar2
n = 8
p = pytoulbar2.CFN(ubinit=1000)
for i in range(n):
    p.AddVariable("q%d" % i, range(n))
    p.AddFunction([i], [(3 * i + 5 * a) % 7 for a in range(n)])
p.AddAllDifferent(list(range(n)))
for i in range(n):
    for j in range(i + 1, n):
        p.AddFunction([i, j], [1000 if abs(a - b) == j - i else 0 for a in range(n) for b in range(n)])
print(round(p.Solve()[1]))
""", """
import gpube
n = 8
m = gpube.Model()
for i in range(n):
    m.add_variable(n, "q%d" % i)
    m.add_function([i], lambda a: (3 * i + 5 * a) % 7)
m.add_all_different(range(n))
for i in range(n):
    for j in range(i + 1, n):
        m.add_function([i, j], lambda a, b: gpube.INF if abs(a - b) == j - i else 0)
print(m.solve().optimum)
"""),
	("pgmpy", "a Bayesian network, built and asked", """
from pgmpy.models import DiscreteBayesianNetwork
from pgmpy.factors.discrete import TabularCPD
from pgmpy.inference import VariableElimination
n = DiscreteBayesianNetwork([("rain", "grass"), ("sprinkler", "grass")])
n.add_cpds(TabularCPD("rain", 2, [[0.8], [0.2]]), TabularCPD("sprinkler", 2, [[0.6], [0.4]]),
    TabularCPD("grass", 2, [[1, 0.1, 0.2, 0.01], [0, 0.9, 0.8, 0.99]], ["rain", "sprinkler"], [2, 2]))
q = VariableElimination(n).query(["rain"], evidence={"grass": 1}, show_progress=False)
print([round(float(p), 6) for p in q.values])
""", """
import gpube
m = gpube.Model("potentials")
for name in "rain", "sprinkler", "grass":
    m.add_variable(2, name)
m.add_function(["rain"], [0.8, 0.2])
m.add_function(["sprinkler"], [0.6, 0.4])
m.add_function(["grass", "rain", "sprinkler"], [1, 0.1, 0.2, 0.01, 0, 0.9, 0.8, 0.99])
m.observe("grass", 1)
print([round(p, 6) for p in m.infer(marginals=True).marginals["rain"]])
"""),
	("pgmpy", "a .bif, posteriors given evidence", """
from pgmpy.readwrite import BIFReader
from pgmpy.inference import VariableElimination
n = BIFReader("examples/sprinkler.bif").get_model()
q = VariableElimination(n).query(["rain"], evidence={"lawn": "wet"}, show_progress=False)
print(round(float(q.get_value(rain="yes")), 6))
""", """
import gpube
m = gpube.Model.read("examples/sprinkler.bif")
m.observe("lawn", "wet")
print(round(m.infer(marginals=True).marginals["rain"]["yes"], 6))
"""),
	("pgmpy", "a .bif, the most probable explanation", """
from pgmpy.readwrite import BIFReader
from pgmpy.inference import VariableElimination
n = BIFReader("examples/sprinkler.bif").get_model()
q = VariableElimination(n).map_query(["cloudy", "sprinkler", "rain"], evidence={"lawn": "wet"}, show_progress=False)
print([q[v] for v in ("cloudy", "sprinkler", "rain")])
""", """
import gpube
m = gpube.Model.read("examples/sprinkler.bif")
m.observe("lawn", "wet")
s = m.solve()
print([s[v] for v in ("cloudy", "sprinkler", "rain")])
"""),
	("pyagrum", "a Bayesian network, all posteriors", """
import pyagrum as gum
bn = gum.fastBN("cloudy{no|yes}->rain{no|yes}->lawn{dry|wet}")
bn.cpt("cloudy").fillWith([0.5, 0.5])
bn.cpt("rain").fillWith([0.8, 0.2, 0.2, 0.8])
bn.cpt("lawn").fillWith([1, 0, 0.1, 0.9])
ie = gum.LazyPropagation(bn)
ie.setEvidence({"lawn": "wet"})
ie.makeInference()
print([[round(float(p), 6) for p in ie.posterior(v).tolist()] for v in ("cloudy", "rain")])
""", """
import gpube
m = gpube.Model("potentials")
for name, values in (("cloudy", ["no", "yes"]), ("rain", ["no", "yes"]), ("lawn", ["dry", "wet"])):
    m.add_variable(values, name)
m.add_function(["cloudy"], [0.5, 0.5])
m.add_function(["cloudy", "rain"], [0.8, 0.2, 0.2, 0.8])
m.add_function(["rain", "lawn"], [1, 0, 0.1, 0.9])
m.observe("lawn", "wet")
p = m.infer(marginals=True).marginals
print([[round(x, 6) for x in p[v]] for v in ("cloudy", "rain")])
"""),
	("pygambit", "the prisoner's dilemma: all equilibria", """
import numpy
import pygambit
g = pygambit.Game.from_arrays(numpy.array([[8, 0], [10, 2]]), numpy.array([[8, 10], [0, 2]]))
r = pygambit.nash.enummixed_solve(g, rational=True)
print([[str(e[s]) for p in g.players for s in p.strategies] for e in r.equilibria])
""", """
import gpube
e = gpube.nash([[8, 0], [10, 2]], [[8, 10], [0, 2]])
print([[str(p) for p in x.x + x.y] for x in e])
"""),
	("pygambit", "a .nfg, how many extreme equilibria", """
import pygambit
g = pygambit.read_nfg("examples/effort.nfg")
print(len(pygambit.nash.enummixed_solve(g, rational=True).equilibria))
""", """
import gpube
print(len(gpube.nash("examples/effort.nfg")))
"""),
	("nashpy", "rock, paper, scissors", """
import nashpy
g = nashpy.Game([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
print([[round(float(p), 6) for s in e for p in s] for e in g.vertex_enumeration()])
""", """
import gpube
e = gpube.nash([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
print([[round(float(p), 6) for p in x.x + x.y] for x in e])
"""),
]


def run(code):
	"""(what it prints, processor seconds)"""
	environment = dict(os.environ, OMP_NUM_THREADS="1")
	environment.pop("PYTHONDONTWRITEBYTECODE", None)  # as users have it: modules are compiled once
	before = resource.getrusage(resource.RUSAGE_CHILDREN)
	said = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, stdout=subprocess.PIPE,
		stderr=subprocess.DEVNULL, env=environment).stdout.decode()
	after = resource.getrusage(resource.RUSAGE_CHILDREN)
	# toulbar2 may write lines of its own
	return said.strip().split("\n")[-1], after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def lines(code):
	return sum(bool(line.strip()) for line in code.split("\n"))


def main():
	parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
	parser.add_argument("-n", type=int, default=3, help="runs of each")
	o = parser.parse_args()
	for name in "GPUBE_LIBRARY", "PYTHONPATH":
		if os.environ.get(name):
			os.environ[name] = os.path.abspath(os.environ[name])
	print("| what | package | its lines | gpube's | its seconds | gpube's |\n|---|---|---|---|---|---|")
	for package, what, theirs, ours in ROWS:
		if importlib.util.find_spec(package) is None:
			print("# no %s" % package, file=sys.stderr)
			continue
		told = [(run(theirs), run(ours)) for _ in range(o.n + 1)][1:]  # the first one fills caches
		answers = {answer for pair in told for answer, _ in pair}
		if len(answers) != 1:
			sys.exit("%s, %s: %s" % (package, what, " and ".join(sorted(answers))))
		seconds = [statistics.median(pair[k][1] for pair in told) for k in range(2)]
		print("| %s | %s | %d | %d | %.2f | %.2f |" % (what, package, lines(theirs), lines(ours), *seconds), flush=True)


if __name__ == "__main__":
	main()
