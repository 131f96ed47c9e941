#!/usr/bin/env python3
"""check_mip.py GPUBE CBC N - N random models as .lp and .mps: CBC's optimum is gpube's."""
import os
import random
import re
import subprocess
import sys
import tempfile
from itertools import product

gpube, cbc, number = sys.argv[1], sys.argv[2], int(sys.argv[3])
wrong = 0


def run(*command):
	done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
	return done.stdout


def ours(path):
	out = run(gpube, "solve", "-q", path)
	found = re.search(r"^optimum +([-.\d]+)", out, re.M)
	return float(found.group(1)) if found else None if out.startswith("infeasible") else out


def theirs(path):
	solution = path + ".sol"
	out = run(cbc, path, "solve", "solution", solution)
	with open(solution) as f:
		first = f.readline()
	if "nfeasible" in first:
		return None
	found = re.search(r"^Optimal - objective value +([-.\de+]+)", first)
	return float(found.group(1)) if found else out + first


def model(r):
	"""A .cfn: both directions, decimals, forbidden tuples, defaults, a bound that may be reached."""
	maximise, decimals = r.random() < 0.5, r.choice([0, 1, 3])
	domains = [r.randint(1, 4) for _ in range(r.randint(1, 6))]
	bound = r.choice([8, 30, 1000])
	top = ("-%d" if maximise else "%d") % bound
	text = '{"problem": {"name": "r", "mustbe": "%s%s.%s"},\n"variables": {%s},\n"functions": {\n' % (
		">" if maximise else "<", top, "0" * max(decimals, 1), ", ".join('"v%d": %d' % x for x in enumerate(domains)))
	for f in range(r.randint(1, 8)):
		scope = r.sample(range(len(domains)), r.randint(1, min(3, len(domains))))
		share = r.choice([0.2, 1])

		def cost():
			if r.random() < 0.15:
				return "-1000.0" if maximise else "1000.0"
			return "%.*f" % (max(decimals, 1), r.randint(-9, 12) / 10 ** decimals)
		tuples = [t for t in product(*(range(domains[v]) for v in scope)) if r.random() < share]
		text += '"f%d": {"scope": [%s], "defaultcost": %s, "costs": [%s]},\n' % (f,
			", ".join('"v%d"' % v for v in scope), cost(),
			", ".join("%s, %s" % (", ".join(map(str, t)), cost()) for t in tuples))
	return text + "}}\n", maximise


with tempfile.TemporaryDirectory() as d:
	for k in range(number):
		text, maximise = model(random.Random(k))
		path = os.path.join(d, "x.cfn")
		with open(path, "w") as f:
			f.write(text)
		expected = ours(path)
		for ending, sign in ("lp", 1), ("lp, read back", 1), ("mps", -1 if maximise else 1), \
				("mps, read back", -1 if maximise else 1):
			to = os.path.join(d, "x." + ending.split(",")[0])
			said = run(gpube, "convert", "-q", path, to)
			found = said if said else theirs(to) if "," not in ending else ours(to)
			if isinstance(found, float):
				found *= sign
			if found != expected and not (isinstance(found, float) and isinstance(expected, float) and
					abs(found - expected) < 1e-6):
				wrong += 1
				print("# model %d .%s: %s, not %s\n%s" % (k, ending, found, expected, text))
			os.path.exists(to) and os.remove(to)
sys.exit(wrong > 0)
