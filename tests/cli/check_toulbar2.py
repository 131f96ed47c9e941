#!/usr/bin/env python3
"""Models that toulbar2 and gpube could read differently: no false claim may come of one. TAP on standard output.

    tests/cli/check_toulbar2.py tb2-gpube WORK N [SEED]    tb2-gpube, where toulbar2 comes first
    tests/cli/check_toulbar2.py functions WORK N [SEED]    to_pytoulbar2 and for_pytoulbar2 of the Python package

Drawn are N models: decimals beyond those of the bound, negative costs, maximisation, bounds between -1 and 0, costs next to
2^53 and up to 2^62, soft clauses that reach a .wcnf's top. What each is worth is found here, by all its assignments.
"""
import itertools
import os
import random
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal


class Drawn:
	"""A model's text, the totals of its allowed assignments, and whether more is better."""

	def __init__(self, kind, name, text, totals, maximise=False):
		self.kind, self.name, self.text, self.totals, self.maximise = kind, name, text, totals, maximise

	@property
	def optimum(self):
		return None if not self.totals else (max if self.maximise else min)(self.totals.values())


def decimal(units, decimals):
	"""Text of so many units of 10^-decimals."""
	sign, digits = "-" * (units < 0), str(abs(units)).rjust(decimals + 1, "0")
	return sign + (digits[:-decimals] + "." + digits[-decimals:] if decimals else digits)


def tables(r, domains, cost):
	n = len(domains)
	scopes = [(v,) for v in range(n) if r.random() < 0.5]
	scopes += [s for s in itertools.combinations(range(n), 2) if r.random() < 0.7]
	if r.random() < 0.3:
		scopes.append(tuple(range(min(n, 4))))
	return [(s, {t: cost() for t in itertools.product(*(range(domains[v]) for v in s))}) for s in scopes]


def all_totals(domains, functions, constant, allowed):
	found = {}
	for a in itertools.product(*map(range, domains)):
		total = constant + sum(table[tuple(a[v] for v in scope)] for scope, table in functions)
		if allowed(total):
			found[a] = total
	return found


def draw_cfn(r, kind):
	decimals, maximise = r.choice([0, 1, 2, 3, 5]), r.random() < 0.5
	domains = [r.choice([1, 2, 2, 3]) for _ in range(r.randint(2, 5))]
	size, shown = 10**decimals * r.choice([1, 3, 10]), r.randint(0, decimals)
	if kind == "magnitude":
		size = 2**r.choice([40, 50, 51, 52, 53, 54, 57, 60])
	sign = r.choice([-1, 0, 1])
	least, most = (-size, 0) if sign < 0 else (0, size) if sign else (-size, size)
	if kind == "magnitude" and r.random() < 0.5:  # next to each other, and far from 0
		least = most - 5
	functions = tables(r, domains, lambda: r.randint(least, most))
	while kind == "magnitude" and sum(max(map(abs, t.values())) for _, t in functions) >= 2**62:
		functions.pop()
	constant = r.randint(-size, size) if r.random() < 0.3 and kind != "magnitude" else 0
	totals = all_totals(domains, functions, constant, lambda total: True)
	if kind == "bound between -1 and 0":
		decimals, shown = max(decimals, 1), max(decimals, 1)
		bound = -r.randint(1, 10**decimals - 1)
		move = r.choice(sorted(totals.values())) - bound - r.randint(-3, 3)
		constant -= move
	else:
		unit = 10**(decimals - shown)
		bound = r.choice(sorted(totals.values())) + r.choice([1, -1]) * r.randint(0, max(size, 1))
		if r.random() < 0.5:
			bound = (min(totals.values()) - 1) if maximise else max(totals.values()) + 1
		bound = bound // unit * unit
	totals = all_totals(domains, functions, constant, lambda t: t > bound if maximise else t < bound)
	lines = ['{"problem": {"name": "drawn", "mustbe": "%s%s"},' % (
		"<>"[maximise], decimal(bound, decimals)[:-(decimals - shown) or None].rstrip(".")),
		'"variables": {%s},' % ", ".join('"v%d": %d' % x for x in enumerate(domains)), '"functions": {']
	rows = ['"f%d": {"scope": [%s], "costs": [%s]}' % (k, ", ".join('"v%d"' % v for v in scope),
		", ".join(decimal(c, decimals) for c in table.values())) for k, (scope, table) in enumerate(functions)]
	if constant:
		rows.append('"c": {"scope": [], "costs": [%s]}' % decimal(constant, decimals))
	text = "\n".join(lines) + "\n" + ",\n".join(rows) + "}}\n"
	return Drawn("cfn", kind, text, {a: Decimal(decimal(t, decimals)) for a, t in totals.items()}, maximise)


def draw_wcnf(r, kind):
	n, top = r.randint(3, 6), r.randint(3, 12)
	clauses = [(top if r.random() < 0.2 else r.randint(1, top - 1), [v if r.random() < 0.5 else -v
		for v in r.sample(range(1, n + 1), r.randint(1, min(n, 4)))]) for _ in range(r.randint(4, 20))]
	totals = {}
	for a in itertools.product(range(2), repeat=n):
		broken = [w for w, c in clauses if not any((x > 0) == a[abs(x) - 1] for x in c)]
		if top not in broken:
			totals[a] = Decimal(sum(broken))
	text = "p wcnf %d %d %d\n" % (n, len(clauses), top)
	text += "".join("%d %s 0\n" % (w, " ".join(map(str, c))) for w, c in clauses)
	return Drawn("wcnf", kind, text, totals)


def draw_wcsp(r, kind):
	domains = [r.choice([1, 2, 3]) for _ in range(r.randint(2, 5))]
	size = 2**r.choice([3, 20, 51, 53, 56, 60])
	functions = tables(r, domains, lambda: r.randint(0, size))
	totals = all_totals(domains, functions, 0, lambda total: True)
	top = r.choice([max(totals.values()) + 1, r.choice(sorted(totals.values())) + 1, 2**62])
	text = "drawn %d %d %d %d\n%s\n" % (len(domains), max(domains), len(functions), top, " ".join(map(str, domains)))
	for scope, table in functions:
		text += "%d %s 0 %d\n" % (len(scope), " ".join(map(str, scope)), len(table))
		text += "".join("%s %d\n" % (" ".join(map(str, t)), c) for t, c in table.items())
	return Drawn("wcsp", kind, text, {a: Decimal(t) for a, t in totals.items() if t < top})


KINDS = (("decimals", draw_cfn), ("bound between -1 and 0", draw_cfn), ("magnitude", draw_cfn), ("soft reaches top", draw_wcnf),
	("integers", draw_wcsp))


def models(n, seed):
	for k in range(n):
		kind, draw = KINDS[k % len(KINDS)]
		yield k, draw(random.Random("%d %d" % (seed, k)), kind)


# ---- tb2-gpube

def false_claim(m, said, status):
	"""What is wrong with what tb2-gpube says; '': nothing."""
	words = said.split("\n")
	if status not in (0, 3):
		return "exit status %d" % status
	if words[0].startswith("infeasible"):
		return "" if not m.totals else "infeasible, but the optimum is %s" % m.optimum
	shown = re.match(r"(?:optimum|best) +(-?[0-9.]+)", next((w for w in words if w.startswith(("optimum", "best"))), ""))
	values = next((tuple(map(int, w.split()[1:])) for w in words if w.startswith("assignment")), None)
	if shown and (values not in m.totals or m.totals[values] != Decimal(shown.group(1))):
		return "the assignment costs %s" % m.totals.get(values)
	if words[0].startswith("optimum") and Decimal(shown.group(1)) != m.optimum:
		return "the optimum is %s" % m.optimum
	return "" if words[0].startswith(("optimum", "bounds")) else "no answer"


def run_tb2_gpube(work, k, m):
	path = os.path.join(work, "drawn%d.%s" % (k, m.kind))
	with open(path, "w") as f:
		f.write(m.text)
	env = dict(os.environ, TB2_GPUBE_DELAY="600", TB2_GPUBE_CORES="1")
	run = subprocess.run(["plugins/toulbar2/tb2-gpube", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
	said = run.stdout.decode()
	return m, path, said, run.stderr.decode(), false_claim(m, said, run.returncode)


def tb2_gpube(work, n, seed):
	by, wrong = {}, []
	with ThreadPoolExecutor(2) as pool:
		for m, path, said, talk, why in pool.map(lambda x: run_tb2_gpube(work, *x), models(n, seed)):
			who = "toulbar2" if "by toulbar2" in said else "gpube" if "by gpube" in said else "nobody"
			by[m.name, who] = by.get((m.name, who), 0) + 1
			if why:
				wrong.append((path, m.name, why, said, talk))
			else:
				os.remove(path)
	return by, wrong


# ---- the functions of the Python package

def ask(gpube, model, m):
	"""What is wrong with what the functions say, and who proved it."""
	import pytoulbar2
	try:
		try:
			found = model.to_pytoulbar2().Solve()
		except pytoulbar2.pytoulbar2.tb2.Contradiction:  # its first look finds no solution
			found = None
		if (found is None) != (not m.totals) or (found and m.totals.get(tuple(found[0])) != m.optimum):
			return "to_pytoulbar2: %s, but the optimum is %s" % (found, m.optimum), None
		to = "to"
	except gpube.Error as e:
		if e.status not in ("ERANGE",):
			return "to_pytoulbar2: %s" % e, None
		to = "refused"
	p = gpube.for_pytoulbar2(model, timeout=1e-6, worth=(0, 0.3, 2)[len(m.totals) % 3])
	if p.problem is not None:  # toulbar2 comes first, whatever gpube knows
		p.bounds.answer = "incomplete"
	values, cost, who = p.solve()
	if who and cost != m.optimum:
		return "for_pytoulbar2: %s by %s, but the optimum is %s" % (cost, who, m.optimum), None
	if values is not None and m.totals.get(tuple(values)) != cost:
		return "for_pytoulbar2: %s costs %s" % (values, cost), None
	return "", "%s, %s" % (to, who)


def functions(work, n, seed):
	import gpube
	by, wrong = {}, []
	context = gpube.Context(threads=1)
	for k, m in models(n, seed):
		path = os.path.join(work, "drawn%d.%s" % (k, m.kind))
		with open(path, "w") as f:
			f.write(m.text)
		why, who = ask(gpube, gpube.Model.read(path, context=context), m)
		by[m.name, who] = by.get((m.name, who), 0) + 1
		if why:
			wrong.append((path, m.name, why, "", ""))
		else:
			os.remove(path)
	return by, wrong


def main():
	mode, work, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
	by, wrong = {"tb2-gpube": tb2_gpube, "functions": functions}[mode](work, n, int((sys.argv + ["1"])[4]))
	for (name, who), count in sorted(by.items(), key=str):
		print("# %s: %d by %s" % (name, count, who))
	for path, name, why, said, talk in wrong[:10]:
		print("# %s (%s): %s\n%s" % (path, name, why, "".join("#   %s\n" % x for x in (said + talk).split("\n")[:12])))
	proved = sum(count for (name, who), count in by.items() if who and "toulbar2" in who)
	print("%s 1 - %s: %d models, %d false claims" % ("not ok" if wrong else "ok", mode, n, len(wrong)))
	print("%s 2 - %s: toulbar2 proves some of them" % ("ok" if proved > n / 10 else "not ok", mode))
	print("1..2")
	return bool(wrong)


if __name__ == "__main__":
	sys.exit(main())
