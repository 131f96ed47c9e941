#!/usr/bin/env python3
"""check_forms.py GPUBE N - random models that have the form of a game: 'gpube nash' takes them.

N of each form. What it finds is compared with what it finds in the game's own file, which says the
same in other words. Says what differs, and exits 1.
"""
import json
import os
import random
import subprocess
import sys
import tempfile
from decimal import Decimal

gpube, number = sys.argv[1], int(sys.argv[2])
wrong = 0
counts = {}


def answer(*command):
	done = subprocess.run((gpube,) + command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
	try:
		d = json.loads(done.stdout, parse_float=Decimal)
		return d if d["status"] != "error" else {"status": done.stderr}
	except ValueError:
		return {"status": done.stderr}


def same(what, text, expected, found):
	global wrong
	if expected != found:
		wrong += 1
		print("# %s: %s, not %s\n%s" % (what, found, expected, text))


def count(what):
	counts[what] = counts.get(what, 0) + 1


def put(directory, name, text):
	path = os.path.join(directory, name)
	with open(path, "w") as f:
		f.write(text)
	return path


def cfn(r, domains, functions, top, maximise):
	"""functions: (scope, {tuple: cost}); some as tuples beside a default."""
	text = '{"problem": {"name": "x", "mustbe": "%s%s"},\n"variables": {' % ("><"[not maximise], top)
	text += ", ".join('"v%d": %d' % (k, n) for k, n in enumerate(domains)) + '},\n"functions": {\n'
	lines = []
	for k, (scope, cells) in enumerate(functions):
		if r.random() < 0.5:
			shown = ", ".join(str(c) for c in cells.values())
			rest = ""
		else:
			dflt = r.choice(list(cells.values()))
			rest = '"defaultcost": %s, ' % dflt
			listed = [(t, c) for t, c in cells.items() if c != dflt or r.random() < 0.3]
			shown = ", ".join(", ".join(map(str, t + (c,))) for t, c in listed)
		lines.append('"f%d": {"scope": [%s], %s"costs": [%s]}' % (
			k, ", ".join(map(str, scope)), rest, shown))
	return text + ",\n".join(lines) + "}}\n"


def wcsp(r, domains, functions, top):
	text = "x %d %d %d %d\n%s\n" % (len(domains), max(domains), len(functions), top, " ".join(map(str, domains)))
	for scope, cells in functions:
		dflt = r.choice(list(cells.values()))
		listed = [(t, c) for t, c in cells.items() if c != dflt or r.random() < 0.3]
		text += "%d %s %d %d\n" % (len(scope), " ".join(map(str, scope)), dflt, len(listed))
		text += "".join("%s %d\n" % (" ".join(map(str, t)), c) for t, c in listed)
	return text


def uai(domains, functions):
	text = "MARKOV\n%d\n%s\n%d\n" % (len(domains), " ".join(map(str, domains)), len(functions))
	text += "".join("%d %s\n" % (len(s), " ".join(map(str, s))) for s, _ in functions)
	return text + "".join("%d %s\n" % (len(c), " ".join(map(str, c.values()))) for _, c in functions)


def tuples(domains):
	if not domains:
		yield ()
		return
	for first in range(domains[0]):
		for rest in tuples(domains[1:]):
			yield (first,) + rest


def numbers(r, form):
	if form == "wcsp":
		return lambda: r.randint(0, 6)
	if form == "uai":
		return lambda: r.choice([r.randint(0, 4), Decimal(r.randint(0, 40)).scaleb(-r.randint(1, 9))])
	digits = r.choice([0, 0, 1, 4])
	return lambda: Decimal(r.randint(-9, 9)).scaleb(-digits)


def write(r, d, form, domains, functions, maximise):
	"""A model's file, and its text."""
	text = (wcsp(r, domains, functions, 10 ** 6) if form == "wcsp" else uai(domains, functions)
		if form == "uai" else cfn(r, domains, functions, "-1000.0" if maximise else "1000.0", maximise))
	return put(d, "x." + form, text), text


def game(r, d):
	form = r.choice(["wcsp", "cfn", "uai"])
	draw, maximise = numbers(r, form), form == "uai" or (form == "cfn" and r.random() < 0.5)
	domains, functions, payoff = [r.randint(1, 4), r.randint(1, 4)], [], []
	for _ in range(2):
		scope = r.choice([[0, 1], [1, 0]])
		cells = {t: draw() for t in tuples([domains[v] for v in scope])}
		functions.append((scope, cells))
		payoff.append({(t if scope == [0, 1] else t[::-1]): c if maximise else -c for t, c in cells.items()})
	path, text = write(r, d, form, domains, functions, maximise)
	own = put(d, "x.nfg", 'NFG 1 R "x" { "A" "B" } { %d %d }\n\n%s\n' % (domains[0], domains[1],
		" ".join("%s %s" % (payoff[0][i, j], payoff[1][i, j])
			for j in range(domains[1]) for i in range(domains[0]))))
	keys = "equilibria", "all", "n_equilibria"
	expected, found = answer("nash", "--json", own), answer("nash", "--json", path)
	same("a ." + form + " as a game", text, [expected.get(k) for k in keys] + ["optimal"],
		[found.get(k) for k in keys] + [found["status"]])
	# regrets have the same best responses
	done = answer("convert", "--regret", own, os.path.join(d, "r.cfn"))
	regrets = answer("nash", "--json", os.path.join(d, "r.cfn"))
	same("regrets as a game", text, [(e["x"], e["y"]) for e in expected["equilibria"]],
		[(e["x"], e["y"]) for e in regrets.get("equilibria", [])] or (done, regrets))
	count("games")


forms = [game]

with tempfile.TemporaryDirectory() as directory:
	for k in range(number):
		for f in forms:
			f(random.Random("%s %d" % (f.__name__, k)), directory)
print("# " + ", ".join("%d %s" % (n, what) for what, n in counts.items()))
sys.exit(wrong > 0)
