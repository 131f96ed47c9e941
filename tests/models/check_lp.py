#!/usr/bin/env python3
"""check_lp.py GPUBE CBC N - N random integer programs as .lp: the optimum and the number of optima are
those of brute force, and CBC's, too, of plain linear ones (CBC "": it is not asked)."""
import os
import random
import re
import subprocess
import sys
import tempfile
from fractions import Fraction
from itertools import product

gpube, cbc, number = sys.argv[1], sys.argv[2], int(sys.argv[3])
wrong = 0


def run(*command):
	return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout


def decimal(r):
	return Fraction(r.randint(-40, 40), r.choice([1, 1, 2, 4, 10]))


def text_of(v):
	return "%s" % (float(v) if v.denominator > 1 else v.numerator)


def terms(row):
	return " ".join("%s %s %s" % ("-" if c < 0 else "+", text_of(abs(c)), x) for c, x in row)


def program(r):
	names = ["x%d" % k for k in range(r.randint(1, 6))]
	bounds = {x: (0, 1) if r.random() < 0.5 else (lambda a: (a, a + r.randint(0, 4)))(r.randint(-3, 3)) for x in names}
	objective = [(decimal(r), x) for x in names]
	pairs = [(decimal(r), r.choice(names), r.choice(names)) for _ in range(r.randint(0, 3))] if r.random() < 0.4 else []
	rows, plain = [], not pairs
	for _ in range(r.randint(0, 5)):
		row = [(decimal(r), x) for x in r.sample(names, r.randint(1, len(names)))]
		low = Fraction(r.randint(-60, 60), 2)
		rows.append((row, r.choice(["<=", ">=", "<", "=>", "=", "range", "left"]), low, low + r.randint(0, 40)))
	maximise = r.random() < 0.5
	text = "\\ random\n%s\n obj: %s" % (r.choice(["Maximize", "MAX"]) if maximise else r.choice(["minimise", "Min"]), terms(objective))
	if pairs:
		text += " + [ %s ] / 2" % " ".join("%s %s %s" % ("-" if c < 0 else "+", text_of(abs(c)),
			"%s ^ 2" % x if x == y else "%s * %s" % (x, y)) for c, x, y in pairs)
	text += "\n%s\n" % r.choice(["Subject To", "such that", "st", "s.t."])
	for k, (row, relation, low, high) in enumerate(rows):
		label = " r%d: " % k if r.random() < 0.7 else " "
		# CBC has its own mind about rows without names and about ranges
		plain = plain and label.strip() and relation not in ("range", "left")
		if relation == "range":
			text += "%s%s <= %s <= %s\n" % (label, text_of(low), terms(row), text_of(high))
		elif relation == "left":
			text += " r%d: %s >= %s\n" % (k, text_of(high), terms(row))
		else:
			text += "%s%s %s %s\n" % (label, terms(row), relation, text_of(low))
		if not label.strip() or relation == "left":
			text += " n%d: %s >= -99999\n" % (k, names[0])
	text += "Bounds\n" if any(b != (0, 1) for b in bounds.values()) else ""
	for x, (a, b) in bounds.items():
		if (a, b) != (0, 1):
			text += r.choice([" %s <= %s <= %s\n" % (a, x, b), " %s >= %s\n %s <= %s\n" % (x, a, x, b)])
	for section, those in ("Binary", [x for x in names if bounds[x] == (0, 1)]), \
			("General", [x for x in names if bounds[x] != (0, 1)]):
		text += "%s\n %s\n" % (section, " ".join(those)) if those else ""
	text += "End\n"

	def allowed(v):
		for row, relation, low, high in rows:
			s = sum(c * v[x] for c, x in row)
			if relation in ("<=", "<") and s > low or relation in (">=", "=>") and s < low or \
					relation == "=" and s != low or relation == "range" and not low <= s <= high or \
					relation == "left" and s > high:
				return False
		return True
	best, n = None, 0
	for values in product(*(range(bounds[x][0], bounds[x][1] + 1) for x in names)):
		v = dict(zip(names, values))
		if not allowed(v):
			continue
		cost = sum(c * v[x] for c, x in objective) + sum(c * v[x] * v[y] for c, x, y in pairs) * Fraction(1, 2)
		if best is None or (cost > best if maximise else cost < best):
			best, n = cost, 0
		n += cost == best
	return text, best, n, plain and rows


with tempfile.TemporaryDirectory() as d:
	path = os.path.join(d, "x.lp")
	for k in range(number):
		text, best, n, plain = program(random.Random(k))
		with open(path, "w") as f:
			f.write(text)
		out = run(gpube, "solve", "-q", "--count", path)
		found = re.search(r"^optimum +([-.\d]+)", out, re.M)
		count = re.search(r"^count +(\d+)|^optima +(\d+)|(\d+) optim", out, re.M)
		ours = (Fraction(found.group(1)), int(next(g for g in count.groups() if g))) if found and count else \
			(None, 0) if out.startswith("infeasible") else out
		if ours != (best, n):
			wrong += 1
			print("# program %d: %s, not %s\n%s" % (k, ours, (best, n), text))
		if cbc and plain and best is not None:
			solved = run(cbc, path, "solve")
			value = re.search(r"^Objective value: +([-.\de+]+)", solved, re.M)
			# some words and signs it does not know
			if value and abs(abs(float(value.group(1))) - abs(float(best))) > 1e-6:
				wrong += 1
				print("# program %d: CBC has %s, not %s\n%s" % (k, value.group(1), best, text))
sys.exit(wrong > 0)
