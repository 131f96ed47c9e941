#!/usr/bin/env python3
"""check_models.py GPUBE N [TOULBAR2] - random games, auctions and games of coalitions as models.

N of each. What 'gpube solve --count' says of the file is compared with the command of its own (nash
--pure, auction, csg), with brute force, with the written .wcsp and .cfn, and with toulbar2's optimum
of them. Says what differs, and exits 1.
"""
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from decimal import Decimal
from fractions import Fraction
from math import gcd

gpube, number = sys.argv[1], int(sys.argv[2])
toulbar2 = sys.argv[3] if len(sys.argv) > 3 else None
wrong = 0
counts = {}


def run(*command):
	return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def answer(*command):
	done = run(gpube, *command)
	try:
		return json.loads(done.stdout, parse_float=Decimal)
	except ValueError:
		return {"status": done.stderr}


def solved(path, *options):
	"""(value or None: infeasible, count)"""
	d = answer("solve", "--count", "--json", *options, path)
	if d["status"] == "infeasible":
		return None, 0
	return d.get("upper_bound", d["status"]), int(d.get("count", d.get("optima", -1)))


def theirs(path):
	out = run(toulbar2, path).stdout
	found = re.findall(r"^Optimum: ([-.\d]+)", out, re.M)
	return Decimal(found[-1]) if found else None if "No solution" in out else "nothing"


def same(what, text, expected, *found):
	global wrong
	for k, f in enumerate(found):
		if f != expected:
			wrong += 1
			print("# %s: answer %d is %s, not %s\n%s" % (what, k, f, expected, text))
			return


def count(what):
	counts[what] = counts.get(what, 0) + 1


def game(r, d):
	m, n, kind = r.randint(1, 6), r.randint(1, 6), r.choice(["int", "int", "decimal", "rational"])
	draw = {"int": lambda: Fraction(r.randint(-2, 3)), "decimal": lambda: Fraction(r.randint(-9, 9), 4),
		"rational": lambda: Fraction(r.randint(-6, 6), r.choice([1, 2, 3, 7]))}[kind]
	u = [[[draw() for _ in range(n)] for _ in range(m)] for _ in range(2)]
	path = os.path.join(d, "x.nfg")
	text = 'NFG 1 R "x" { "A" "B" } { %d %d }\n\n' % (m, n)
	text += " ".join("%s %s" % (u[0][i][j], u[1][i][j]) for j in range(n) for i in range(m)) + "\n"
	with open(path, "w") as f:
		f.write(text)
	regret = [[[max(u[0][k][j] for k in range(m)) - u[0][i][j], max(u[1][i]) - u[1][i][j]]
		for j in range(n)] for i in range(m)]
	all_cells = list(itertools.product(range(m), range(n)))
	pure = sum(regret[i][j] == [0, 0] for i, j in all_cells)
	nash = answer("nash", "--pure", "--json", path)
	same("pure equilibria", text, pure, nash.get("n_equilibria"), solved(path)[1])
	same("pure equilibria", text, 0 if pure else None, solved(path)[0])
	least = min(sum(regret[i][j]) for i, j in all_cells)
	n_least = sum(sum(regret[i][j]) == least for i, j in all_cells)
	unit = 1
	for side in u:
		for row in side:
			for x in row:
				unit = unit * x.denominator // gcd(unit, x.denominator)
	exact = least if 10 ** 18 % unit == 0 else least * unit
	value, n_optima = solved(path, "--regret")
	same("regret", text, (exact, n_least), (Fraction(value), n_optima))
	written(path, d, text, 0 if pure else None, pure)
	count("games")


def auction(r, d):
	goods, dummies, bids = r.randint(1, 6), r.choice([0, 0, 1, 2]), r.randint(1, 9)
	digits = r.choice([0, 0, 1, 3])
	drawn = []
	for _ in range(bids):
		own = r.sample(range(goods), r.randint(1, min(goods, 3)))
		own += [goods + k for k in range(dummies) if r.random() < 0.3]
		drawn.append((Decimal(r.randint(1, 40)).scaleb(-digits), own))
	path = os.path.join(d, "x.txt")
	text = "goods %d\nbids %d\ndummy %d\n\n" % (goods, bids, dummies)
	text += "".join("%d %s %s #\n" % (k, p, " ".join(map(str, own))) for k, (p, own) in enumerate(drawn))
	with open(path, "w") as f:
		f.write(text)
	best, n_best = Decimal(-1), 0
	for chosen in itertools.product((0, 1), repeat=bids):
		won = [b for c, b in zip(chosen, drawn) if c]
		taken = [g for _, own in won for g in own]
		if len(taken) == len(set(taken)):
			total = sum((p for p, _ in won), Decimal(0))
			n_best = n_best + 1 if total == best else 1 if total > best else n_best
			best = max(best, total)
	same("auction", text, best, answer("auction", "--json", path).get("revenue"), solved(path)[0])
	same("auction, optima", text, n_best, solved(path)[1])
	written(path, d, text, best, n_best)
	count("auctions")


def partitions(agents):
	if not agents:
		yield []
		return
	first, rest = agents[0], agents[1:]
	for k in range(len(rest) + 1):
		for others in itertools.combinations(rest, k):
			left = [a for a in rest if a not in others]
			for p in partitions(left):
				yield [(first,) + others] + p


def coalitions(r, d):
	n = r.randint(1, 7)
	forbidden = r.choice([0, 0, 0.2, 0.6])
	value = {}
	text = "csg %d %s\n" % (n, r.choice(["int16", "int32", "int64"]))
	for mask in range(1, 1 << n):
		if r.random() >= forbidden:
			c = tuple(a for a in range(n) if mask >> a & 1)
			value[c] = r.randint(-5, 12)
			text += "%d %d\n" % (mask, value[c])
	path = os.path.join(d, "x.txt")
	with open(path, "w") as f:
		f.write(text)
	totals = [sum(value[c] for c in p) for p in partitions(list(range(n))) if all(c in value for c in p)]
	best = max(totals) if totals else None
	own = answer("csg", "--json", path)
	same("coalitions", text, best, None if own["status"] == "infeasible" else own.get("value"), solved(path)[0])
	same("coalitions, optima", text, totals.count(best) if totals else 0, solved(path)[1])
	written(path, d, text, best, totals.count(best) if totals else 0)
	count("games of coalitions")


def many_agents(r, d):
	"""More than a chain takes: few coalitions are listed, which tile the agents in many ways."""
	n = r.randint(15, 24)
	value = {(a,): r.randint(0, 3) for a in range(n)}
	for _ in range(8):
		value[tuple(sorted(r.sample(range(n), r.randint(2, 5))))] = r.randint(0, 12)
	text = "csg %d int32\n" % n
	text += "".join("{%s} %d\n" % (",".join(str(a + 1) for a in c), v) for c, v in value.items())
	path = os.path.join(d, "x.txt")
	with open(path, "w") as f:
		f.write(text)
	large, alone = [c for c in value if len(c) > 1], sum(value[(a,)] for a in range(n))
	best, n_best = None, 0
	for k in range(len(large) + 1):
		for chosen in itertools.combinations(large, k):
			taken = [a for c in chosen for a in c]
			if len(taken) == len(set(taken)):
				total = alone + sum(value[c] - sum(value[(a,)] for a in c) for c in chosen)
				n_best = n_best + 1 if total == best else 1 if best is None or total > best else n_best
				best = total if best is None else max(best, total)
	same("listed coalitions", text, best, answer("csg", "--json", path).get("value"), solved(path)[0])
	same("listed coalitions, optima", text, n_best, solved(path)[1])
	written(path, d, text, best, n_best)
	count("games of listed coalitions")


def written(path, d, text, value, n):
	"""The files that convert makes: .cfn keeps the value, .wcsp may be shifted and negated."""
	cfn, wcsp = os.path.join(d, "x.cfn"), os.path.join(d, "x.wcsp")
	for to in cfn, wcsp:
		done = run(gpube, "convert", "--check", path, to)
		if done.returncode:
			same("convert", text, "written", done.stderr)
			return
	same(".cfn", text, (value, n), solved(cfn))
	of_wcsp = solved(wcsp)
	same(".wcsp", text, (n, value is None), (of_wcsp[1], of_wcsp[0] is None))
	if toulbar2:
		same("toulbar2", text, of_wcsp[0], theirs(wcsp))


with tempfile.TemporaryDirectory() as directory:
	for k in range(number):
		for f in game, auction, coalitions:
			f(random.Random("%s %d" % (f.__name__, k)), directory)
		if k % 4 == 0:
			many_agents(random.Random("many %d" % k), directory)
print("# " + ", ".join("%d %s" % (n, what) for what, n in counts.items()))
sys.exit(wrong > 0)
