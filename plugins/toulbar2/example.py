#!/usr/bin/env python3
"""pytoulbar2 alone, and after gpube.for_pytoulbar2(): nodes and seconds of each, by problem.

    make install && pip install pytoulbar2 ./plugins/python
    plugins/toulbar2/example.py [-t SECONDS] [-l SECONDS] FILE...

-t is for gpube, -l the limit of toulbar2's search. Ways: alone; bound (gpube's upper bound); asked
(the reparametrised model where that closes half of the gap, as for_pytoulbar2() does by itself); reparametrised (always).
Each run is a process of its own; processor seconds are of all threads.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time

# options of for_pytoulbar2()
WAYS = {"alone": None, "bound": {"worth": 2}, "asked": {}, "reparametrised": {"worth": 0}}


def alone(pytoulbar2, m, limit):
	"""(cost, who proved it, nodes)"""
	with tempfile.TemporaryDirectory() as directory:
		cfn = os.path.join(directory, "problem.cfn")
		m.write(cfn)
		p = pytoulbar2.CFN()
		p.Read(cfn)
	found = p.Solve(timeLimit=limit)
	if found is None:
		return None, None, p.GetNbNodes()
	ended = abs(p.GetDDualBound() - found[1]) < 0.5 * 10.0**-m.decimals
	return m.cost(found[0]), "toulbar2" if ended else None, p.GetNbNodes()


def run(way, path, seconds, limit):
	import gpube
	import pytoulbar2
	m = gpube.Model.read(path)
	start = time.process_time()
	before, reparametrised, share = 0.0, "", ""
	if WAYS[way] is None:
		cost, who, nodes = alone(pytoulbar2, m, limit)
	else:
		prepared = gpube.for_pytoulbar2(m, timeout=seconds, **WAYS[way])
		before = time.process_time() - start
		_, cost, who = prepared.solve(timeLimit=limit)
		nodes = prepared.problem.GetNbNodes() if prepared.problem else 0
		reparametrised = "yes" if prepared.reparametrised else "no"
		share = "" if prepared.share is None else "%.2f" % prepared.share
	print(os.path.basename(path), way, cost, who or "-", nodes, "%.1f" % before,
		"%.1f" % (time.process_time() - start), reparametrised, share, sep="\t", flush=True)


def main():
	parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
	parser.add_argument("-t", type=float, default=10)
	parser.add_argument("-l", type=int, default=60)
	parser.add_argument("--way", choices=list(WAYS), help=argparse.SUPPRESS)
	parser.add_argument("files", nargs="+", metavar="FILE")
	o = parser.parse_args()
	if o.way:
		return run(o.way, o.files[0], o.t, o.l)
	print("problem", "way", "cost", "proved by", "nodes", "gpube s", "all s", "reparametrised", "share", sep="\t", flush=True)
	for path in o.files:
		for way in WAYS:
			subprocess.run([sys.executable, os.path.abspath(__file__), "--way", way, "-t", str(o.t), "-l", str(o.l),
				path], check=True)


if __name__ == "__main__":
	main()
