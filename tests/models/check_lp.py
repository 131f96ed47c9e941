#!/usr/bin/env python3
"""check_lp.py GPUBE CBC N - N random integer programs as .lp and .mps: the optimum and the number of optima
are those of brute force, and CBC's, too, of plain linear ones (CBC "": it is not asked). A third of them have
columns that rows alone bound, semi-continuous ones, sets (SOS1, SOS2) and rows with a condition."""
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
	special = r.random() < 0.33
	bounds = {x: (0, 1) if r.random() < 0.5 else (lambda a: (a, a + r.randint(0, 4)))(r.randint(-3, 3)) for x in names}
	objective = [(decimal(r), x) for x in names]
	pairs = [(decimal(r), r.choice(names), r.choice(names)) for _ in range(r.randint(0, 3))] if r.random() < 0.4 else []
	rows, plain = [], not pairs
	for _ in range(r.randint(0, 5)):
		row = [(decimal(r), x) for x in r.sample(names, r.randint(1, len(names)))]
		low = Fraction(r.randint(-60, 60), 2)
		rows.append((row, r.choice(["<=", ">=", "<", "=>", "=", "range", "left"]), low, low + r.randint(0, 40)))
	semi = [x for x in names if special and bounds[x] != (0, 1) and r.random() < 0.3]
	sets = [(r.randint(1, 2), r.sample(names, r.randint(1, len(names)))) for _ in range(r.randint(0, 2) * special)]
	binary = [x for x in names if bounds[x] == (0, 1)]
	when = {k: (r.choice(binary), r.randint(0, 1)) for k in range(len(rows)) if special and binary and r.random() < 0.3}
	# "x <= 4" and "x - y <= 4" as rows instead of bounds: a column's, or its and another's
	implied, last = {}, None
	for x in names if special else []:
		if bounds[x] != (0, 1) and x not in semi and r.random() < 0.5:
			implied[x] = last if last and r.random() < 0.5 else None
			last = x
	for x, y in implied.items():
		low, high = bounds[x]
		row, more = ([(Fraction(2), x)], 0) if y is None else ([(Fraction(2), x), (Fraction(-2), y)], bounds[y][1])
		rows.append((row, "<=", Fraction(2 * (high - more) + 1), None))
		if low != 0:
			rows.append(([(Fraction(-1), x)], "<=", Fraction(-low), None))
		if y is not None:  # then x may be less than the row alone says
			rows.append(([(Fraction(1), x)], ">=", Fraction(low), None))
	plain = plain and not special
	maximise = r.random() < 0.5
	text = "\\ random\n%s\n obj: %s" % (r.choice(["Maximize", "MAX"]) if maximise else r.choice(["minimise", "Min"]), terms(objective))
	if pairs:
		text += " + [ %s ] / 2" % " ".join("%s %s %s" % ("-" if c < 0 else "+", text_of(abs(c)),
			"%s ^ 2" % x if x == y else "%s * %s" % (x, y)) for c, x, y in pairs)
	text += "\n%s\n" % r.choice(["Subject To", "such that", "st", "s.t."])
	for k, (row, relation, low, high) in enumerate(rows):
		label = " r%d: " % k if r.random() < 0.7 else " "
		if k in when:
			label += "%s = %d -> " % when[k]
		# CBC has its own mind about rows without names and about ranges
		plain = plain and label.strip() and relation not in ("range", "left")
		if relation == "range":
			text += "%s%s <= %s <= %s\n" % (label, text_of(low), terms(row), text_of(high))
		elif relation == "left":
			text += " r%d: %s%s >= %s\n" % (k, "%s = %d -> " % when[k] if k in when else "", text_of(high), terms(row))
		else:
			text += "%s%s %s %s\n" % (label, terms(row), relation, text_of(low))
		if not label.strip() or relation == "left":
			text += " n%d: %s >= -99999\n" % (k, names[0])
	text += "Bounds\n" if any(b != (0, 1) for b in bounds.values()) else ""
	for x, (a, b) in bounds.items():
		if x in implied:
			text += " %s free\n" % x if a else ""
		elif (a, b) != (0, 1):
			text += r.choice([" %s <= %s <= %s\n" % (a, x, b), " %s >= %s\n %s <= %s\n" % (x, a, x, b)])
	for section, those in ("Binary", [x for x in names if bounds[x] == (0, 1)]), \
			("General", [x for x in names if bounds[x] != (0, 1)]):
		text += "%s\n %s\n" % (section, " ".join(those)) if those else ""
	if semi:
		text += "%s\n %s\n" % (r.choice(["Semi-Continuous", "semi"]), " ".join(semi))
	if sets:
		text += "SOS\n"
	for k, (kind, those) in enumerate(sets):
		text += "%s S%d:: %s\n" % (r.choice([" s%d:" % k, ""]), kind, " ".join("%s:%d" % (x, w)
			for w, x in r.sample(list(enumerate(those)), len(those))))
	text += "End\n"

	def allowed(v):
		for kind, those in sets:
			used = [k for k, x in enumerate(those) if v[x]]
			if len(used) > kind or used and used[-1] - used[0] >= kind:
				return False
		for k, (row, relation, low, high) in enumerate(rows):
			if k in when and v[when[k][0]] != when[k][1]:
				continue
			s = sum(c * v[x] for c, x in row)
			if relation in ("<=", "<") and s > low or relation in (">=", "=>") and s < low or \
					relation == "=" and s != low or relation == "range" and not low <= s <= high or \
					relation == "left" and s > high:
				return False
		return True
	best, n = None, 0
	for values in product(*(sorted({*range(bounds[x][0], bounds[x][1] + 1)} | ({0} if x in semi else set())) for x in names)):
		v = dict(zip(names, values))
		if not allowed(v):
			continue
		cost = sum(c * v[x] for c, x in objective) + sum(c * v[x] * v[y] for c, x, y in pairs) * Fraction(1, 2)
		if best is None or (cost > best if maximise else cost < best):
			best, n = cost, 0
		n += cost == best
	return text, best, n, plain and rows, None if pairs else \
		mps(r, names, bounds, objective, rows, maximise, semi, sets, when, implied)


def mps(r, names, bounds, objective, rows, maximise, semi, sets, when, implied):
	"""The same program as .mps."""
	kinds = {"<=": "L", "<": "L", ">=": "G", "=>": "G", "=": "E", "range": r.choice("LG"), "left": "L"}
	right = [(high if relation == "left" or relation == "range" and kinds["range"] == "L" else low)
		for _, relation, low, high in rows]
	text = "NAME p\n%sROWS\n N obj\n%s" % (r.choice(["OBJSENSE\n    MAX\n", "OBJSENSE MAXIMIZE\n"]) if maximise else "",
		"".join(" %s r%d\n" % (kinds[row[1]], k) for k, row in enumerate(rows)))
	text += "COLUMNS\n M 'MARKER' 'INTORG'\n"
	for x in names:
		entries = [("obj", c) for c, y in objective if x == y] + \
			[("r%d" % k, c) for k, row in enumerate(rows) for c, y in row[0] if x == y]
		for k in range(0, len(entries), 2):
			text += " %s %s\n" % (x, " ".join("%s %s" % (row, text_of(c)) for row, c in entries[k:k + 2]))
	text += " M 'MARKER' 'INTEND'\nRHS\n" + "".join(" %s r%d %s\n" % (r.choice(["", "rhs"]), k, text_of(v)) for k, v in enumerate(right))
	text += "RANGES\n" + "".join(" rng r%d %s\n" % (k, text_of(high - low)) for k, (_, relation, low, high) in enumerate(rows)
		if relation == "range")
	text += "BOUNDS\n"
	for x in names:
		low, high = bounds[x]
		if x in implied:
			text += " %s b %s\n" % ("FR" if low else "PL", x)
		elif (low, high) != (0, 1) or r.random() < 0.3:
			text += "%s %s b %s %d\n" % (" LO b %s %d\n" % (x, low) if low or high < 0 or r.random() < 0.5 else "",
				"SC" if x in semi else "UP", x, high)
	text += "SOS\n" + "".join(" S%d s\n%s" % (kind, "".join("    %s %d\n" % (x, w) for w, x in enumerate(those))) for kind, those in sets)
	text += "INDICATORS\n" + "".join(" IF r%d %s %d\n" % (k, x, v) for k, (x, v) in when.items())
	return text + "ENDATA\n"


def found_in(path, text):
	with open(path, "w") as f:
		f.write(text)
	out = run(gpube, "solve", "-q", "--count", path)
	found = re.search(r"^optimum +([-.\d]+)", out, re.M)
	count = re.search(r"^count +(\d+)|^optima +(\d+)|(\d+) optim", out, re.M)
	return (Fraction(found.group(1)), int(next(g for g in count.groups() if g))) if found and count else \
		(None, 0) if out.startswith("infeasible") else out


with tempfile.TemporaryDirectory() as d:
	path = os.path.join(d, "x.lp")
	for k in range(number):
		text, best, n, plain, as_mps = program(random.Random(k))
		for form, file in ((text, path),) + (((as_mps, os.path.join(d, "x.mps")),) if as_mps else ()):
			ours = found_in(file, form)
			if ours != (best, n):
				wrong += 1
				print("# program %d: %s, not %s\n%s" % (k, ours, (best, n), form))
		if cbc and plain and best is not None:
			solved = run(cbc, path, "solve")
			value = re.search(r"^Objective value: +([-.\de+]+)", solved, re.M)
			# some words and signs it does not know
			if value and abs(abs(float(value.group(1))) - abs(float(best))) > 1e-6:
				wrong += 1
				print("# program %d: CBC has %s, not %s\n%s" % (k, value.group(1), best, text))
sys.exit(wrong > 0)
