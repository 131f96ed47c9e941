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


def value_of(cost, none, maximise):
	return cost - none if maximise else none - cost


def coalitions(r, d):
	form = r.choice(["wcsp", "cfn", "uai"])
	draw, maximise = numbers(r, form), form == "uai" or (form == "cfn" and r.random() < 0.5)
	n = r.choice([1, 2, 3, 4, 5, 6, 6, 7])
	scope = r.sample(range(n), n)
	cells = {t: draw() for t in tuples([2] * n)}
	none = (0,) * n
	if form == "uai":  # floats add up to what they add up to: let them be exact
		cells = {t: Decimal(r.randint(0, 64)) / 8 if any(t) else 0 for t in cells}
	elif r.random() < 0.3:  # forbidden, the empty one perhaps, too
		out = 10 ** 6 if form == "wcsp" else -2000 if maximise else 2000
		for t in cells:
			if r.random() < 0.2 and form != "uai":
				cells[t] = out
	path, text = write(r, d, form, [2] * n, [(scope, cells)], maximise)
	forbidden = {t for t, c in cells.items() if abs(c) >= 1000}
	base = 0 if none in forbidden else cells[none]
	values = {sum(1 << v for v, x in zip(scope, t) if x): value_of(c, base, maximise)
		for t, c in cells.items() if t not in forbidden and any(t)}
	own = put(d, "x.txt", "csg %d int64\n%s" % (n, "".join(
		"%d %d\n" % (mask, v * 10 ** 9) for mask, v in values.items())))
	for options in [], ["--method", "conv"], ["--free-disposal"]:
		expected, found = answer("csg", "--json", *options, own), answer("csg", "--json", *options, path)
		worth = expected.get("value")
		same("a ." + form + " as a game of coalitions", text,
			[expected["status"], worth and Decimal(worth) / 10 ** 9],
			[found["status"], found.get("value") and Decimal(found["value"])])
		if found["status"] == "optimal":  # which of several optima may differ
			parts = [sum(1 << (a - 1) for a in part) for part in found["structure"]]
			same("its structure", text, Decimal(found["value"]), Decimal(sum(values[c] for c in parts)))
	count("games of coalitions")


def listed(r, d):
	"""More agents than a table is made of."""
	n = r.randint(21, 28)
	dflt, none = r.choice([(0, 0), (7, 7), (10 ** 6, 0)]), 0
	dflt, none = dflt
	value = {}
	for _ in range(12):
		value[tuple(sorted(r.sample(range(n), r.randint(1, 6))))] = r.randint(0, 9)
	for a in range(n):
		value.setdefault((a,), r.randint(0, 9))
	tuples_of = [(tuple(int(a in c) for a in range(n)), v) for c, v in value.items()]
	if none != dflt:
		tuples_of.append(((0,) * n, none))
	text = "x %d 2 1 1000000\n%s\n%d %s %d %d\n" % (
		n, " ".join(["2"] * n), n, " ".join(map(str, range(n))), dflt, len(tuples_of))
	text += "".join("%s %d\n" % (" ".join(map(str, t)), v) for t, v in tuples_of)
	path = put(d, "x.wcsp", text)
	own = put(d, "x.txt", "csg %d int32\n%s%s" % (n,
		"" if dflt == 10 ** 6 else "default %d\n" % (none - dflt),
		"".join("{%s} %d\n" % (",".join(str(a + 1) for a in c), none - v) for c, v in value.items())))
	keys = "status", "value", "agents", "method"
	options = ["--method", "lp"]
	expected, found = answer("csg", "--json", *options, own), answer("csg", "--json", *options, path)
	same("a listed game of coalitions", text, [expected.get(k) for k in keys], [found.get(k) for k in keys])
	count("listed games of coalitions")


def auction(r, d):
	"""As convert writes them, in either of its forms."""
	goods, dummies, bids = r.randint(1, 7), r.choice([0, 0, 1, 2]), r.randint(1, 12)
	digits, most = r.choice([0, 0, 1, 3]), r.choice([2, 3, 7])
	price, text = {}, "goods %d\nbids %d\ndummy %d\n\n" % (goods, bids, dummies)
	for k in r.sample(range(3 * bids), bids):
		price[k] = Decimal(r.randint(1, 40)).scaleb(-digits)
		own = r.sample(range(goods), r.randint(1, min(goods, most)))
		own += [goods + i for i in range(dummies) if r.random() < 0.3]
		text += "%d %s %s #\n" % (k, price[k], " ".join(map(str, own)))
	path = put(d, "x.txt", text)
	own = answer("auction", "--json", path)
	for to in "cfn", "wcsp":
		model = os.path.join(d, "x." + to)
		answer("convert", path, model)
		found = answer("auction", "--json", model)
		scale = 1 if to == "cfn" else 10 ** max(-p.normalize().as_tuple().exponent for p in price.values()) \
			if any(p % 1 for p in price.values()) else 1
		same("an auction by way of ." + to, text, [own["status"], own.get("revenue") * scale],
			[found["status"], found.get("revenue")])
		if to == "cfn" and found["status"] == "optimal":
			same("its bids", text, own["revenue"], sum(price[k] for k in found["bids"]))
	with open(os.path.join(d, "x.cfn")) as f:
		count("auctions of " + ("goods" if '"good' in f.read() else "bids"))


def mixture(r, d):
	"""Variables of some values, of which some need and some exclude each other."""
	n = r.randint(1, 5)
	values = [[] for _ in range(n)]  # of each variable: the bid of each value but 0
	for b in range(r.randint(1, 7)):
		for v in r.sample(range(n), min(n, r.choice([1, 1, 2, 3]))):
			values[v].append(b)
	domains = [1 + len(x) for x in values]
	maximise = r.random() < 0.5
	draw = numbers(r, "cfn")
	functions = [([v], {(a,): draw() for a in range(domains[v])}) for v in range(n) if r.random() < 0.9]
	far, even = Decimal(10) ** 4 * (-1 if maximise else 1), draw()
	for v in range(n):
		for w in range(v + 1, n):
			cells, used = {}, False
			for a, b in tuples([domains[v], domains[w]]):
				i, j = a and values[v][a - 1], b and values[w][b - 1]
				need = (a and i in values[w] and (not b or i != j)) or (b and j in values[v] and (not a or i != j))
				out = need or (a and b and i != j and r.random() < 0.15)
				cells[a, b] = far if out else even
				used = used or out
			if used:
				functions.append(([v, w], cells))
	text = cfn(r, domains, functions, "-5000.0" if maximise else "5000.0", maximise)
	path = put(d, "x.cfn", text)
	best = None
	for t in tuples(domains):
		total = sum((cells[tuple(t[v] for v in scope)] for scope, cells in functions), Decimal(0))
		if abs(total) < 4000:
			gain = value_of(total, sum((c[tuple(0 for _ in s)] for s, c in functions), Decimal(0)), maximise)
			best = gain if best is None else max(best, gain)
	found = answer("auction", "--json", path)
	same("a mixture", text, ["optimal", best], [found["status"], found.get("revenue")])
	count("mixtures")


forms = [game, coalitions, listed, auction, mixture]

with tempfile.TemporaryDirectory() as directory:
	for k in range(number):
		for f in forms:
			f(random.Random("%s %d" % (f.__name__, k)), directory)
print("# " + ", ".join("%d %s" % (n, what) for what, n in counts.items()))
sys.exit(wrong > 0)
