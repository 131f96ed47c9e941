#!/usr/bin/env python3
"""What a call from Python takes, and solving again and again as evidence changes, beside pytoulbar2.

    GPUBE_LIBRARY=build/libgpube.so PYTHONPATH=plugins/python benchmarks/python_calls.py [-n 200] [--gpube build/gpube]

Prints three tables for plugins/python/README.md. Processor seconds of the process and its children, the median
of five rounds; without pytoulbar2 (pip install pytoulbar2) its column is empty, without numpy the table of arrays
is not there. --arrays prints that alone.
"""
import argparse
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile

import gpube

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples")


def used():
	who = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
	return sum(u.ru_utime + u.ru_stime for u in map(resource.getrusage, who))


def seconds(call, n):
	"""Processor seconds of a call: the median of five rounds of n."""
	rounds = []
	for _ in range(5):
		start = used()
		for _ in range(n):
			call()
		rounds.append((used() - start) / n)
	return statistics.median(rounds)


def text(s):
	return "%.1f us" % (s * 1e6) if s < 1e-3 else "%.2f ms" % (s * 1e3)


def calls(program, n):
	zebra = os.path.join(EXAMPLES, "zebra.wcsp")
	exams = gpube.Model.read(os.path.join(EXAMPLES, "exams.cfn"))
	values = exams.solve().assignment
	context = gpube.Context(threads=1)
	table = [0, 1, 2, 3]

	def build():
		m = gpube.Model(context=context)
		for _ in range(10):
			m.add_variable(2)
		for v in range(9):
			m.add_function([v, v + 1], table)

	rows = [
		("domain of a variable, cost of an assignment", lambda: exams.cost(values), 20 * n),
		("a context: threads, memory", gpube.Context, n),
		("a model of 10 variables and 9 functions, built", build, n),
		("exams.cfn read", lambda: gpube.Model.read(os.path.join(EXAMPLES, "exams.cfn"), context=context), n),
		("exams.cfn solved", exams.solve, n),
		("a game of 2 x 2, built and solved", lambda: gpube.nash([[3, 0], [5, 1]], [[3, 5], [0, 1]], context=context), n),
		("a coalition game of 3, built and solved", lambda: gpube.csg({(0,): 1, (1,): 2, (0, 1, 2): 9}, context=context), n),
		("an auction of 3 bids", lambda: gpube.auction([(3, [0, 1]), (2, [0]), (2, [1])], context=context), n),
	]
	print("| call | processor time |\n|---|---|")
	for name, call, times in rows:
		print("| %s | %s |" % (name, text(seconds(call, times))), flush=True)
	if program:
		def run():
			subprocess.run([program, "solve", "-q", zebra], stdout=subprocess.DEVNULL, check=True)

		print("| for comparison: the program `gpube solve examples/zebra.wcsp` | %s |" % text(seconds(run, max(n // 10, 1))))
	print()


CSG = """
import sys, resource
import numpy, gpube
values = numpy.fromfile(sys.argv[1], "i4", offset=32)  # behind the header of formats/coalitions/csg_file.c
used = lambda: sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
begin = used()
print(gpube.csg(values).value if len(sys.argv) < 3 else values.max(), used() - begin)
"""


def child(command):
	"""(what it prints, processor seconds, bytes at the most) of a process."""
	with tempfile.TemporaryFile() as out:
		process = subprocess.Popen(command, stdout=out)
		_, status, used = os.wait4(process.pid, 0)
		process.returncode = status
		assert status == 0, command
		out.seek(0)
		return out.read().decode(), used.ru_utime + used.ru_stime, used.ru_maxrss * 1024


def arrays(program, rounds=5):
	"""A game of 24 agents and a table of 10^6 decimals, given as arrays of numpy."""
	try:
		import numpy
	except ImportError:
		return
	print("| arrays of numpy | processor time | memory |\n|---|---|---|")
	if program:
		with tempfile.TemporaryDirectory() as d:
			path = os.path.join(d, "game.csg")
			subprocess.run([program, "generate", "csg", "-n", "24", "--type", "int32", "--seed", "1", "-o", path], check=True)
			ours, theirs, alone = [], [], []
			for _ in range(rounds):  # in turns, for the machine is shared
				said, s, m = child([program, "csg", "--json", path])
				theirs.append((s, m))
				value, s = child([sys.executable, "-c", CSG, path])[0].split()
				ours.append((float(s), child([sys.executable, "-c", CSG, path])[2]))
				alone.append((0, child([sys.executable, "-c", CSG, path, "alone"])[2]))
				assert '"value": %s' % value in said, (value, said)
			rows = (("`gpube csg` of 24 agents, int32", theirs), ("`gpube.csg(values)` of the same in memory", ours),
				("Python, numpy, gpube and that array, without the call", alone))
			for name, told in rows:
				s, m = (statistics.median(column) for column in zip(*told))
				print("| %s | %s | %.0f MB |" % (name, "%.2f s" % s if s else "", m / 1e6), flush=True)
	cells = numpy.round(numpy.random.default_rng(1).uniform(0, 1000, 10**6), 2)
	for name, given in ("an array", cells), ("a list", cells.tolist()):
		def add():
			m = gpube.Model(decimals=2)
			m.add_function([m.add_variable(1000), m.add_variable(1000)], given)

		print("| 10^6 floats of two decimals, %s | %s | |" % (name, text(seconds(add, 1))), flush=True)
	print()


def network(n, domain, edges, seed=3):
	r = random.Random(seed)
	m = gpube.Model(context=gpube.Context(threads=1))
	for _ in range(n):
		m.add_variable(domain)
	for _ in range(edges):
		m.add_function(r.sample(range(n), 2), [r.randint(0, 99) for _ in range(domain * domain)])
	return m


def again(m, changes):
	"""Each change: observe, solve, take it back; the optima. Of a Solver from what it keeps, of a Model anew."""
	optima = []
	for v, x in changes:
		m.observe(v, x)
		optima.append(m.solve().optimum)
		m.observe(v, None)
	return optima


def again_toulbar2(p, changes):
	"""The same with Assign, SolveNext and Restore."""
	optima, depth, top = [], p.Depth(), p.GetUB()
	for v, x in changes:
		p.Store()
		p.Assign(v, x)
		found = p.SolveNext()
		optima.append(round(found[1]))
		p.Restore(depth)
		p.SetUB(top)
	return optima


def incremental(n):
	try:
		import pytoulbar2
	except ImportError:
		pytoulbar2 = None
	print("| problem | changes | Solver, each | Model, each | pytoulbar2, each |\n|---|---|---|---|---|")
	for variables, domain, edges in (20, 4, 40), (60, 4, 75), (40, 5, 80), (25, 8, 70):
		m = network(variables, domain, edges)
		r = random.Random(1)
		changes = [(r.randrange(variables), r.randrange(domain)) for _ in range(max(n // 10, 1))]
		start = used()
		anew = again(m, changes)
		anew_s = (used() - start) / len(changes)
		solver = m.solver()
		solver.solve()
		start = used()
		ours = again(solver, changes)
		ours_s, theirs_s = (used() - start) / len(changes), None
		assert ours == anew, (ours, anew)
		if pytoulbar2:
			p = m.to_pytoulbar2()
			p.NoPreprocessing()  # which takes values away that a change may want
			p.SolveFirst()
			start = used()
			theirs = again_toulbar2(p, changes)
			theirs_s = (used() - start) / len(changes)
			assert ours == theirs, (ours, theirs)
		print("| %d variables of %d values, %d functions of two | %d | %s | %s | %s |" % (variables, domain, edges, len(changes),
			text(ours_s), text(anew_s), "" if theirs_s is None else text(theirs_s)), flush=True)


def main():
	parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
	parser.add_argument("-n", type=int, default=200, help="calls a round")
	parser.add_argument("--gpube", help="the program, to be compared with")
	parser.add_argument("--arrays", action="store_true", help="the table of arrays alone")
	o = parser.parse_args()
	if o.arrays:
		arrays(o.gpube)
		return
	calls(o.gpube, o.n)
	arrays(o.gpube)
	incremental(o.n)


if __name__ == "__main__":
	main()
