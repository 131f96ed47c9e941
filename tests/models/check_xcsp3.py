#!/usr/bin/env python3
"""check_xcsp3.py GPUBE N [SEED] - random instances of XCSP3.

Each has one to three constraints, one of each kind in turn, and maybe an objective. What
'gpube solve --count' says is compared with every assignment, by the meaning that each constraint's
text is made with. Says what differs, and exits 1.
"""
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile

gpube, number = sys.argv[1], int(sys.argv[2])
rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
OPERATORS = {
	"lt": lambda a, b: a < b, "le": lambda a, b: a <= b, "eq": lambda a, b: a == b,
	"ne": lambda a, b: a != b, "ge": lambda a, b: a >= b, "gt": lambda a, b: a > b,
}


# ---- variables: an assignment is a dictionary by name ---------------------------------------------

def text_of(values):
	"""Integers as XCSP3 writes them, with ranges."""
	runs, out = [], []
	for v in sorted(values):
		if runs and runs[-1][1] == v - 1:
			runs[-1][1] = v
		else:
			runs.append([v, v])
	for a, b in runs:
		out.append(str(a) if a == b else "%d..%d" % (a, b))
	return " ".join(out)


def some_domain(binary):
	if binary:
		return [0, 1]
	low = rng.choice([0, 0, 0, 1, -2])
	values = list(range(low, low + rng.randint(2, 4)))
	if rng.random() < 0.3:
		values = sorted(rng.sample(range(-2, 7), rng.randint(2, 4)))
	return values


class Problem:
	def __init__(self, wide):
		self.xml, self.domains = [], {}
		if wide:
			self.array("x", [rng.randint(11, 13)], [0, 1])
		else:
			self.array("x", [2, rng.randint(2, 3)], some_domain(False))
			for k in range(rng.randint(0, 2)):
				d = some_domain(False)
				self.xml.append('<var id="y%d"> %s </var>' % (k, text_of(d)))
				self.domains["y%d" % k] = d
		self.names = list(self.domains)
		self.wide = wide

	def array(self, name, size, domain):
		self.xml.append('<array id="%s" size="%s"> %s </array>' % (
			name, "".join("[%d]" % n for n in size), text_of(domain)))
		for at in itertools.product(*map(range, size)):
			self.domains[name + "".join("[%d]" % i for i in at)] = domain
		self.size = size

	def pick(self, least=1, most=None):
		if self.wide:
			return list(self.names)
		most = min(most or len(self.names), len(self.names))
		return rng.sample(self.names, rng.randint(min(least, most), most))

	def values(self):
		return sorted({v for d in self.domains.values() for v in d})

	def value(self):
		return rng.choice(self.values())


def condition(p, low, high):
	"""Its text, and a function of the left side and the assignment."""
	kind = rng.randrange(6)
	if kind == 0 and not p.wide:
		name, op = rng.choice(p.names), rng.choice(list(OPERATORS))
		return "(%s,%s)" % (op, name), lambda left, a: OPERATORS[op](left, a[name])
	if kind == 1:
		a, b = sorted((rng.randint(low, high), rng.randint(low, high)))
		inside = rng.random() < 0.7
		return "(%s,%d..%d)" % ("in" if inside else "notin", a, b), lambda left, _: (a <= left <= b) == inside
	if kind == 2:
		s = sorted({rng.randint(low, high) for _ in range(3)})
		inside = rng.random() < 0.7
		return "(%s,{%s})" % ("in" if inside else "notin", ",".join(map(str, s))), lambda left, _: (left in s) == inside
	k, op = rng.randint(low, high), rng.choice(list(OPERATORS))
	return "(%s,%d)" % (op, k), lambda left, _: OPERATORS[op](left, k)


# ---- expressions -----------------------------------------------------------------------------------

def divide(a, b):
	q = abs(a) // abs(b)
	return q if (a < 0) == (b < 0) else -q


def integer(p, depth):
	if depth == 0 or rng.random() < 0.25:
		if rng.random() < 0.25:
			k = rng.randint(-3, 5)
			return str(k), lambda a: k
		name = rng.choice(p.names)
		return name, lambda a: a[name]
	kind = rng.choice(["add", "add", "sub", "mul", "min", "max", "neg", "abs", "dist", "sqr", "div", "mod", "if", "truth"])
	if kind in ("add", "mul", "min", "max"):
		parts = [integer(p, depth - 1) for _ in range(rng.randint(2, 4 if kind != "mul" else 2))]
		text = "%s(%s)" % (kind, ",".join(t for t, _ in parts))
		fs = [f for _, f in parts]
		if kind == "add":
			return text, lambda a: sum(f(a) for f in fs)
		if kind == "mul":
			return text, lambda a: fs[0](a) * fs[1](a)
		extreme = min if kind == "min" else max
		return text, lambda a: extreme(f(a) for f in fs)
	t, f = integer(p, depth - 1)
	if kind in ("neg", "abs", "sqr"):
		return "%s(%s)" % (kind, t), {"neg": lambda a: -f(a), "abs": lambda a: abs(f(a)), "sqr": lambda a: f(a) ** 2}[kind]
	if kind in ("div", "mod"):
		k = rng.choice([2, 3, -2])
		if kind == "div":
			return "div(%s,%d)" % (t, k), lambda a: divide(f(a), k)
		return "mod(%s,%d)" % (t, k), lambda a: f(a) - k * divide(f(a), k)
	if kind == "if":
		c, g = (integer if rng.random() < 0.2 else truth)(p, depth - 1)
		u, h = integer(p, depth - 1)
		return "if(%s,%s,%s)" % (c, t, u), lambda a: f(a) if g(a) else h(a)
	if kind == "truth":
		c, g = truth(p, depth - 1)
		return c, lambda a: int(g(a))
	u, h = integer(p, depth - 1)
	if kind == "sub":
		return "sub(%s,%s)" % (t, u), lambda a: f(a) - h(a)
	return "dist(%s,%s)" % (t, u), lambda a: abs(f(a) - h(a))


def truth(p, depth):
	kind = rng.choice(["eq", "ne", "lt", "le", "gt", "ge", "not", "and", "or", "xor", "iff", "imp", "in", "notin"])
	if depth == 0 or kind in OPERATORS:
		op = kind if kind in OPERATORS else "le"
		(t, f), (u, h) = integer(p, max(depth - 1, 0)), integer(p, max(depth - 1, 0))
		if op == "eq" and rng.random() < 0.3:
			v, g = integer(p, 0)
			return "eq(%s,%s,%s)" % (t, u, v), lambda a: f(a) == h(a) == g(a)
		return "%s(%s,%s)" % (op, t, u), lambda a: OPERATORS[op](f(a), h(a))
	# an integer is true unless it is 0, and what is made of truths is 0 or 1
	def part():
		return integer(p, depth - 1) if rng.random() < 0.2 else truth(p, depth - 1)
	if kind == "not":
		t, f = part()
		return "not(%s)" % t, lambda a: not f(a)
	if kind in ("in", "notin"):
		t, f = integer(p, depth - 1)
		s = sorted(rng.sample(range(-3, 8), 3))
		return "%s(%s,set(%s))" % (kind, t, ",".join(map(str, s))), lambda a: (f(a) in s) == (kind == "in")
	parts = [part() for _ in range(2 if kind == "imp" else rng.randint(2, 4))]
	text, fs = "%s(%s)" % (kind, ",".join(t for t, _ in parts)), [f for _, f in parts]
	return text, {
		"and": lambda a: all(f(a) for f in fs), "or": lambda a: any(f(a) for f in fs),
		"xor": lambda a: sum(bool(f(a)) for f in fs) % 2 == 1,
		"iff": lambda a: len({bool(f(a)) for f in fs}) == 1,
		"imp": lambda a: not fs[0](a) or bool(fs[1](a)),
	}[kind]


# ---- constraints: their text, and a function of an assignment --------------------------------------

def terms(p, names):
	"""A list's text; now and then an expression or a number is in it."""
	fs, words = [], []
	for name in names:
		kind = rng.random()
		if kind < 0.08:
			t, f = integer(p, 1)
			if "(" in t:
				words.append(t)
				fs.append(f)
				continue
		if kind < 0.12:
			k = rng.randint(-1, 3)
			words.append(str(k))
			fs.append(lambda a, k=k: k)
			continue
		words.append(name)
		fs.append(lambda a, name=name: a[name])
	return " ".join(words), lambda a: [f(a) for f in fs]


def intension(p):
	if p.wide:
		parts = [rng.choice(["%s", "not(%s)", "eq(%s,1)"]) % n for n in p.names]
		op = rng.choice(["or", "and", "xor"])
		signs = [(-1 if "not" in t else 1, n) for t, n in zip(parts, p.names)]
		def holds(a):
			bits = [a[n] == (1 if s > 0 else 0) for s, n in signs]
			return any(bits) if op == "or" else all(bits) if op == "and" else sum(bits) % 2 == 1
		return "<intension> %s(%s) </intension>" % (op, ",".join(parts)), holds
	t, f = truth(p, rng.randint(1, 3))
	return rng.choice(["<intension> %s </intension>", "<intension><function> %s </function></intension>"]) % t, f


def extension(p):
	names = p.pick(1, 4)
	supports = rng.random() < 0.5
	tuples = []
	for _ in range(rng.randint(0, 12)):
		cells = []
		for n in names:
			kind = rng.random()
			if kind < (0.7 if p.wide else 0.25):
				cells.append(("*", lambda v: True))
			elif kind < 0.35 or (p.wide and kind < 0.75):
				lo = rng.choice(p.domains[n])
				hi = lo + rng.randint(0, 2)
				cells.append(("%d..%d" % (lo, hi), lambda v, lo=lo, hi=hi: lo <= v <= hi))
			else:
				k = p.value() if rng.random() < 0.1 else rng.choice(p.domains[n])
				cells.append((str(k), lambda v, k=k: v == k))
		tuples.append(cells)
	if len(names) == 1 and rng.random() < 0.5:
		body = " ".join(c[0][0] for c in tuples)
	else:
		body = "".join("(%s)" % ",".join(t for t, _ in c) for c in tuples)
	word = "supports" if supports else "conflicts"
	fs = [[f for _, f in c] for c in tuples]
	return ("<extension><list> %s </list><%s> %s </%s></extension>" % (" ".join(names), word, body, word),
		lambda a: any(all(f(a[n]) for f, n in zip(c, names)) for c in fs) == supports)


def hybrid(p):
	names = p.pick(1, 4)
	supports = rng.random() < 0.7
	signs = {"eq": "=", "ne": "\u2260", "le": "\u2264", "ge": "\u2265", "lt": "\ufe64", "gt": "\ufe65"}
	def cell(n):
		kind = rng.randrange(7)
		k, op = p.value(), rng.choice(list(OPERATORS))
		if kind == 0:
			return "*", lambda v, a: True
		if kind == 1:
			return str(k), lambda v, a: v == k
		if kind < 4:
			s = sorted({p.value() for _ in range(3)}) if kind == 2 else list(range(k, k + 3))
			t = "{%s}" % ",".join(map(str, s)) if kind == 2 else "%d..%d" % (k, k + 2)
			return (t, lambda v, a: v in s) if rng.random() < 0.7 else ("\u2201" + t, lambda v, a: v not in s)
		if kind == 4:
			return signs[op] + str(k), lambda v, a: OPERATORS[op](v, k)
		c, d = rng.randrange(len(names)), rng.randint(1, 2)
		if kind == 5:
			more, by = rng.choice([("", 0), ("+%d" % d, d), ("-%d" % d, -d)])
			return (signs[op] if op != "eq" or rng.random() < 0.5 else "") + "c%d%s" % (c, more), lambda v, a: OPERATORS[op](v, a[names[c]] + by)
		e = rng.randrange(len(names))
		return "=c%d-c%d" % (c, e), lambda v, a: v == a[names[c]] - a[names[e]]
	tuples = [[cell(n) for n in names] for _ in range(rng.randint(1, 6))]
	body = "".join("(%s)" % rng.choice([",", " , "]).join(t for t, _ in c) for c in tuples)
	word = "supports" if supports else "conflicts"
	return ('<extension type="hybrid-2"><list> %s </list><%s> %s </%s></extension>' % (" ".join(names), word, body, word),
		lambda a: any(all(f(a[n], a) for (_, f), n in zip(c, names)) for c in tuples) == supports)


def stretch(p):
	names = p.pick(2)
	values = sorted({v for n in names for v in p.domains[n]})
	if len(values) > 1 and rng.random() < 0.3:
		values.remove(rng.choice(values))
	rng.shuffle(values)
	widths = [sorted((rng.randint(1, 3), rng.randint(1, 4))) for _ in values]
	pairs = [(u, v) for u in values for v in values if u != v and rng.random() < 0.7]
	by_pattern = rng.random() < 0.5 and pairs
	def holds(a):
		v = [a[n] for n in names]
		runs = [(k, len(list(g))) for k, g in itertools.groupby(v)]
		return all(k in values and widths[values.index(k)][0] <= n <= widths[values.index(k)][1] for k, n in runs) and (
			not by_pattern or all((r[0], s[0]) in pairs for r, s in zip(runs, runs[1:])))
	return ("<stretch><list> %s </list><values> %s </values><widths> %s </widths>%s</stretch>" % (
		" ".join(names), " ".join(map(str, values)), " ".join("%d..%d" % tuple(w) for w in widths),
		"<patterns> %s </patterns>" % "".join("(%d,%d)" % q for q in pairs) if by_pattern else ""), holds)


def some_lists(p):
	"""Two or three lists of equal length, and tuples that are excepted."""
	n = rng.randint(1, 2)
	lists = [[rng.choice(p.names) for _ in range(n)] for _ in range(rng.randint(2, 3))]
	out = [tuple(p.value() for _ in range(n)) for _ in range(rng.randint(0, 2))]
	text = "".join("<list> %s </list>" % " ".join(l) for l in lists)
	if out:
		text += "<except> %s </except>" % (" ".join(str(t[0]) for t in out) if n == 1 and rng.random() < 0.5
			else "".join("(%s)" % ",".join(map(str, t)) for t in out))
	return text, lambda a: [t for t in (tuple(a[m] for m in l) for l in lists) if t not in out]


def different_lists(p):
	text, kept = some_lists(p)
	return "<allDifferent>%s</allDifferent>" % text, lambda a: len(set(kept(a))) == len(kept(a))


def equal_lists(p):
	text, kept = some_lists(p)
	return "<allEqual>%s</allEqual>" % text, lambda a: len(set(kept(a))) <= 1


def meta(p, depth=1):
	"""Constraints of constraints."""
	def part():
		if depth and rng.random() < 0.3:
			return meta(p, depth - 1)
		return rng.choice([m for m in MAKERS if m not in (meta, group, slide, circuit)])(p)
	kind = rng.choice(["and", "or", "not", "xor", "iff", "ifThen", "ifThenElse"])
	parts = [part() for _ in range({"not": 1, "ifThen": 2, "ifThenElse": 3}.get(kind) or rng.randint(2, 3))]
	f = [h for _, h in parts]
	holds = {
		"and": lambda a: all(h(a) for h in f), "or": lambda a: any(h(a) for h in f),
		"not": lambda a: not f[0](a), "xor": lambda a: sum(bool(h(a)) for h in f) % 2 == 1,
		"iff": lambda a: len({bool(h(a)) for h in f}) == 1, "ifThen": lambda a: not f[0](a) or f[1](a),
		"ifThenElse": lambda a: f[1](a) if f[0](a) else f[2](a)}[kind]
	return "<%s>%s</%s>" % (kind, "".join(t for t, _ in parts), kind), holds


def cost_table(p):
	"""Tuples with costs: a constraint that always holds, and its cost."""
	names = p.pick(1, 3)
	every = list(itertools.product(*(p.domains[n] for n in names)))
	cost = {t: rng.randint(0, 4) for t in rng.sample(every, min(len(every), rng.randint(1, 6)))}
	text = "".join("<tuples cost=\"%d\"> %s </tuples>" % (c, "".join(
		"(%s)" % ",".join(map(str, t)) for t in cost if cost[t] == c)) for c in sorted(set(cost.values())))
	return ('<extension type="soft" defaultCost="2"><list> %s </list>%s</extension>' % (" ".join(names), text),
		lambda a: cost.get(tuple(a[n] for n in names), 2))


def soften(p, text, holds):
	"""A constraint of a weighted problem: its text, whether it must hold, what it costs."""
	if rng.random() < 0.3 or text.startswith(("<group", "<slide", "<circuit")):
		return text, holds, lambda a: 0
	k = rng.randint(1, 5)
	return re.sub(r"^<(\w+)", r'<\1 violationCost="%d"' % k, text), lambda a: True, lambda a: 0 if holds(a) else k


def group(p):
	k = rng.randint(-1, 4)
	pairs = [p.pick(2, 3) for _ in range(rng.randint(1, 3))]
	pairs = [q for q in pairs if len(q) >= 2] or [p.names[:2]]
	args = "".join("<args> %s </args>" % " ".join(q) for q in pairs)
	if rng.random() < 0.5:
		args = "".join("<args> %s </args>" % " ".join(q[:2]) for q in pairs)
		return ("<group><intension> le(add(%%0,%%1),%d) </intension>%s</group>" % (k, args),
			lambda a: all(a[q[0]] + a[q[1]] <= k for q in pairs))
	return ("<group><sum><list> %%1 %%... </list><condition> (ne,%d) </condition></sum>%s</group>" % (k, args),
		lambda a: all(a[q[1]] + sum(a[n] for n in q[2:]) != k for q in pairs))


def slide(p):
	names = p.pick(3)
	if len(names) < 3:
		names = p.names[:3]
	circular, offset = rng.random() < 0.5, rng.randint(1, 2)
	starts = [k for k in range(0, len(names), offset) if circular or k + 2 <= len(names)]
	return ('<slide circular="%s"><list offset="%d"> %s </list><intension> ne(%%0,add(%%1,1)) </intension></slide>' % (
		str(circular).lower(), offset, " ".join(names)),
		lambda a: all(a[names[k]] != a[names[(k + 1) % len(names)]] + 1 for k in starts))


def random_automaton(p, names, states, layered):
	moves = set()
	values = p.values()
	if layered:
		layers = [["r"]] + [["n%d_%d" % (i, k) for k in range(2)] for i in range(len(names) - 1)] + [["t"]]
		for i in range(len(names)):
			for s in layers[i]:
				for _ in range(rng.randint(1, 4)):
					moves.add((s, rng.choice(values), rng.choice(layers[i + 1])))
		entered = {"r"}
		for i in range(len(names)):  # those that nothing leads to are no roots
			moves = {m for m in moves if m[0] not in layers[i] or m[0] in entered}
			entered |= {m[2] for m in moves if m[0] in layers[i]}
		left = {m[0] for m in moves}
		return moves, "r", {m[2] for m in moves} - left
	for _ in range(rng.randint(4, 14)):
		moves.add((rng.choice(states), rng.choice(values), rng.choice(states)))
	return moves, states[0], {rng.choice(states) for _ in range(2)}


def accepts(moves, start, final, values):
	now = {start}
	for v in values:
		now = {t for s, w, t in moves if w == v and s in now}
	return bool(now & final)


def regular(p):
	names = p.pick(1)
	moves, start, final = random_automaton(p, names, ["a", "b", "c"], False)
	return ("<regular><list> %s </list><transitions> %s </transitions><start> %s </start><final> %s </final></regular>" % (
		" ".join(names), "".join("(%s,%d,%s)" % m for m in sorted(moves)), start, " ".join(sorted(final))),
		lambda a: accepts(moves, start, final, [a[n] for n in names]))


def mdd(p):
	names = p.pick(2)
	if len(names) < 2:
		names = p.names[:2]
	moves, start, final = random_automaton(p, names, None, True)
	return ("<mdd><list> %s </list><transitions> %s </transitions></mdd>" % (
		" ".join(names), "".join("(%s,%d,%s)" % m for m in sorted(moves))),
		lambda a: accepts(moves, start, final, [a[n] for n in names]))


def all_different(p):
	kind = rng.randrange(5)
	if p.wide:
		kind = 3
	if kind == 0:
		x, values = terms(p, p.pick(2))
		return "<allDifferent> %s </allDifferent>" % x, lambda a: len(set(values(a))) == len(values(a))
	if kind == 1:
		x, values = terms(p, p.pick(2))
		out = sorted({p.value() for _ in range(2)})
		def holds(a):
			v = [k for k in values(a) if k not in out]
			return len(set(v)) == len(v)
		return "<allDifferent><list> %s </list><except> %s </except></allDifferent>" % (x, " ".join(map(str, out))), holds
	if kind == 2:
		rows, columns = p.size
		row = [["x[%d][%d]" % (i, j) for j in range(columns)] for i in range(rows)]
		lines = row + [list(c) for c in zip(*row)]
		return "<allDifferent><matrix> x[][] </matrix></allDifferent>", lambda a: all(
			len({a[n] for n in line}) == len(line) for line in lines)
	if kind == 4:
		rows, columns = p.size
		row = [["x[%d][%d]" % (i, j) for j in range(columns)] for i in range(rows)]
		lines, out = row + [list(c) for c in zip(*row)], p.value()
		return "<allDifferent><matrix> x[][] </matrix><except> %d </except></allDifferent>" % out, lambda a: all(
			len({a[n] for n in line} - {out}) == sum(a[n] != out for n in line) for line in lines)
	half = len(p.names) // 2
	names = p.names[:2 * half]
	rng.shuffle(names)
	one, two = names[:half], names[half:]
	return ("<allDifferent><list> %s </list><list> %s </list></allDifferent>" % (" ".join(one), " ".join(two)),
		lambda a: [a[n] for n in one] != [a[n] for n in two])


def all_equal(p):
	x, values = terms(p, p.pick(2, 3))
	if rng.random() < 0.5:
		return "<allEqual> %s </allEqual>" % x, lambda a: len(set(values(a))) == 1
	k = p.value()
	return ("<allEqual><list> %s </list><except> %d </except></allEqual>" % (x, k),
		lambda a: len(set(values(a)) - {k}) <= 1)


def ordered(p):
	x, values = terms(p, p.pick(2, 4))
	op = rng.choice(["lt", "le", "ge", "gt"])
	n = len(values({m: d[0] for m, d in p.domains.items()}))
	if n > 1 and rng.random() < 0.4:
		by = [rng.randint(0, 2) for _ in range(n - 1)]
		return ("<ordered><list> %s </list><lengths> %s </lengths><operator> %s </operator></ordered>" % (
			x, " ".join(map(str, by)), op),
			lambda a: all(OPERATORS[op](u + l, v) for u, l, v in zip(values(a), by, values(a)[1:])))
	return ("<ordered><list> %s </list><operator> %s </operator></ordered>" % (x, op),
		lambda a: all(OPERATORS[op](u, v) for u, v in zip(values(a), values(a)[1:])))


def lex(p):
	op = rng.choice(["lt", "le", "ge", "gt"])
	if not p.wide and rng.random() < 0.4:
		rows, columns = p.size
		row = [["x[%d][%d]" % (i, j) for j in range(columns)] for i in range(rows)]
		column = [list(c) for c in zip(*row)]
		def holds(a):
			return all(OPERATORS[op]([a[n] for n in u], [a[n] for n in v])
				for lines in (row, column) for u, v in zip(lines, lines[1:]))
		return "<lex><matrix> x[][] </matrix><operator> %s </operator></lex>" % op, holds
	half = len(p.names) // 2
	names = p.names[:2 * half]
	rng.shuffle(names)
	one, two = names[:half], names[half:]
	return ("<lex><list> %s </list><list> %s </list><operator> %s </operator></lex>" % (" ".join(one), " ".join(two), op),
		lambda a: OPERATORS[op]([a[n] for n in one], [a[n] for n in two]))


def precedence(p):
	names = p.pick(2)
	order = rng.sample(p.values(), min(len(p.values()), rng.randint(1, 3)))
	covered = rng.random() < 0.3
	def holds(a):
		v = [a[n] for n in names]
		first = [v.index(k) if k in v else None for k in order]
		if covered and None in first:
			return False
		return all(b is None or (f is not None and f < b) for f, b in zip(first, first[1:]))
	return ("<precedence><list> %s </list><values%s> %s </values></precedence>" % (
		" ".join(names), ' covered="true"' if covered else "", " ".join(map(str, order))), holds)


def total(p):
	x, values = terms(p, p.pick(1))
	n = len(values({m: d[0] for m, d in p.domains.items()}))
	c, holds = condition(p, -3, 9)
	if rng.random() < 0.4:
		return "<sum><list> %s </list><condition> %s </condition></sum>" % (x, c), lambda a: holds(sum(values(a)), a)
	if not p.wide and rng.random() < 0.3:
		by = [rng.choice(p.names) for _ in range(n)]
		return ("<sum><list> %s </list><coeffs> %s </coeffs><condition> %s </condition></sum>" % (x, " ".join(by), c),
			lambda a: holds(sum(v * a[k] for v, k in zip(values(a), by)), a))
	by = [rng.randint(-2, 3) for _ in range(n)]
	return ("<sum><list> %s </list><coeffs> %s </coeffs><condition> %s </condition></sum>" % (x, " ".join(map(str, by)), c),
		lambda a: holds(sum(v * k for v, k in zip(values(a), by)), a))


def count(p):
	x, values = terms(p, p.pick(1))
	c, holds = condition(p, 0, 6)
	if not p.wide and rng.random() < 0.4:
		of = rng.sample(p.names, 2)
		return ("<count><list> %s </list><values> %s </values><condition> %s </condition></count>" % (x, " ".join(of), c),
			lambda a: holds(sum(v in [a[n] for n in of] for v in values(a)), a))
	of = {p.value() for _ in range(2)}
	return ("<count><list> %s </list><values> %s </values><condition> %s </condition></count>" % (
		x, " ".join(map(str, of)), c), lambda a: holds(sum(v in of for v in values(a)), a))


def n_values(p):
	x, values = terms(p, p.pick(1))
	c, holds = condition(p, 0, 4)
	if rng.random() < 0.5:
		return "<nValues><list> %s </list><condition> %s </condition></nValues>" % (x, c), lambda a: holds(len(set(values(a))), a)
	k = p.value()
	return ("<nValues><list> %s </list><except> %d </except><condition> %s </condition></nValues>" % (x, k, c),
		lambda a: holds(len(set(values(a)) - {k}), a))


def cardinality(p):
	names = p.pick(1)
	of = sorted({p.value() for _ in range(2)})
	closed = rng.random() < 0.3
	occurs, tests = [], []
	for _ in of:
		kind = rng.randrange(3)
		lo = rng.randint(0, 3)
		hi = lo + rng.randint(0, 3)
		if kind == 0 and not p.wide:
			n = rng.choice(p.names)
			occurs.append(n)
			tests.append(lambda c, a, n=n: c == a[n])
		elif kind == 1:
			occurs.append(str(lo))
			tests.append(lambda c, a, lo=lo: c == lo)
		else:
			occurs.append("%d..%d" % (lo, hi))
			tests.append(lambda c, a, lo=lo, hi=hi: lo <= c <= hi)
	def holds(a):
		v = [a[n] for n in names]
		return all(t(v.count(k), a) for t, k in zip(tests, of)) and (not closed or set(v) <= set(of))
	return ("<cardinality><list> %s </list><values%s> %s </values><occurs> %s </occurs></cardinality>" % (
		" ".join(names), ' closed="true"' if closed else "", " ".join(map(str, of)), " ".join(occurs)), holds)


def extreme(p):
	x, values = terms(p, p.pick(1))
	word = rng.choice(["maximum", "minimum"])
	f = max if word == "maximum" else min
	c, holds = condition(p, -1, 4)
	if rng.random() < 0.3:
		rank, start = rng.choice(["first", "last", "any", None]), rng.randint(0, 1)
		c, holds = condition(p, 0, 4)
		def indices(a):
			v = values(a)
			at = [k + start for k, w in enumerate(v) if w == f(v)]
			return at[:1] if rank == "first" else at[-1:] if rank == "last" else at
		return ('<%sArg%s><list startIndex="%d"> %s </list><condition> %s </condition></%sArg>' % (
			word, ' rank="%s"' % rank if rank else "", start, x, c, word), lambda a: any(holds(k, a) for k in indices(a)))
	return "<%s><list> %s </list><condition> %s </condition></%s>" % (word, x, c, word), lambda a: holds(f(values(a)), a)


def element(p):
	index, names = rng.choice(p.names), p.pick(2)
	start = rng.randint(0, 1)
	kind = rng.randrange(4)
	if kind == 0 and not p.wide:
		rows, columns = p.size
		j, v = rng.choice(p.names), rng.choice(p.names)
		return ("<element><matrix> x[][] </matrix><index> %s %s </index><value> %s </value></element>" % (index, j, v),
			lambda a: 0 <= a[index] < rows and 0 <= a[j] < columns and a["x[%d][%d]" % (a[index], a[j])] == a[v])
	if kind == 1:
		c, holds = condition(p, -1, 4)
		return ('<element><list startIndex="%d"> %s </list><index> %s </index><condition> %s </condition></element>' % (
			start, " ".join(names), index, c),
			lambda a: 0 <= a[index] - start < len(names) and holds(a[names[a[index] - start]], a))
	v = rng.choice(p.names)
	if kind == 2:
		numbers = [p.value() for _ in range(rng.randint(1, 4))]
		return ('<element><list startIndex="%d"> %s </list><index> %s </index><value> %s </value></element>' % (
			start, " ".join(map(str, numbers)), index, v),
			lambda a: 0 <= a[index] - start < len(numbers) and numbers[a[index] - start] == a[v])
	k = p.value()
	return ("<element><list> %s </list><value> %d </value></element>" % (" ".join(names), k),
		lambda a: k in [a[n] for n in names])


def channel(p):
	if p.wide:
		v = p.names[0]
		names = p.names[1:]
		return ("<channel><list> %s </list><value> %s </value></channel>" % (" ".join(names), v),
			lambda a: all((a[n] == 1) == (a[v] == i) for i, n in enumerate(names)))
	names = p.pick(2, 4)
	start = rng.randint(0, 1)
	if rng.random() < 0.3:
		n = len(names)
		return ('<channel><list startIndex="%d"> %s </list></channel>' % (start, " ".join(names)),
			lambda a: all(0 <= a[x] - start < n for x in names) and
			all((a[names[i]] == j + start) == (a[names[j]] == i + start) for i in range(n) for j in range(n)))
	k = rng.randint(1, len(names) - 1)
	one, two = names[:k], names[k:]
	if len(one) > len(two):
		one, two = two, one
	def holds(a):
		if not all(0 <= a[x] - start < len(two) for x in one):
			return False
		if len(one) < len(two):
			return all(a[two[a[x] - start]] == i + start for i, x in enumerate(one))
		return all(0 <= a[y] - start < len(one) for y in two) and all(
			(a[x] == j + start) == (a[y] == i + start) for i, x in enumerate(one) for j, y in enumerate(two))
	return ('<channel><list startIndex="%d"> %s </list><list startIndex="%d"> %s </list></channel>' % (
		start, " ".join(one), start, " ".join(two)), holds)


def no_overlap(p):
	names = p.pick(2, 4)
	if rng.random() < 0.4 and len(p.names) >= 4:
		q = rng.sample(p.names, 4)
		l = [[rng.randint(0, 2) for _ in range(2)] for _ in range(2)]
		def apart(a):
			return 0 in l[0] + l[1] or any(
				a[q[k]] + l[0][k] <= a[q[k + 2]] or a[q[k + 2]] + l[1][k] <= a[q[k]] for k in range(2))
		return ("<noOverlap><origins> (%s,%s)(%s,%s) </origins><lengths> (%d,%d)(%d,%d) </lengths></noOverlap>" % (
			*q, *l[0], *l[1]), apart)
	by = [rng.choice([0, 1, 1, 2]) for _ in names]
	ignored = rng.random() < 0.5
	lengths = list(map(str, by))
	at = None
	if rng.random() < 0.4:  # a length that is a variable of no negative value
		positive = [n for n in p.names if min(p.domains[n]) >= 0]
		if positive:
			at = rng.choice(positive)
			lengths[0] = at
	def holds(a):
		l = [a[at] if at else by[0]] + by[1:]
		for i in range(len(names)):
			for j in range(i):
				if ignored and 0 in (l[i], l[j]):
					continue
				if not (a[names[i]] + l[i] <= a[names[j]] or a[names[j]] + l[j] <= a[names[i]]):
					return False
		return True
	return ('<noOverlap zeroIgnored="%s"><origins> %s </origins><lengths> %s </lengths></noOverlap>' % (
		str(ignored).lower(), " ".join(names), " ".join(lengths)), holds)


def cumulative(p):
	names = p.pick(2)
	by, high = [rng.randint(0, 3) for _ in names], [rng.randint(0, 2) for _ in names]
	limit = rng.randint(1, 4)
	lengths, at = list(map(str, by)), None
	positive = [n for n in p.names if min(p.domains[n]) >= 0]
	if positive and rng.random() < 0.4:
		at = rng.choice(positive)
		lengths[0] = at
	def holds(a):
		l = [a[at] if at else by[0]] + by[1:]
		return all(sum(h for n, k, h in zip(names, l, high) if a[n] <= t < a[n] + k) <= limit for t in range(-3, 16))
	return ("<cumulative><origins> %s </origins><lengths> %s </lengths><heights> %s </heights>"
		"<condition> (le,%d) </condition></cumulative>" % (" ".join(names), " ".join(lengths), " ".join(map(str, high)), limit), holds)


def bins(p):
	names = p.pick(2)
	by = [rng.randint(1, 3) for _ in names]
	every = {v for n in names for v in p.domains[n]}
	def load(a, k):
		return sum(s for n, s in zip(names, by) if a[n] == k)
	kind = rng.randrange(4)
	head = "<binPacking><list> %s </list><sizes> %s </sizes>" % (" ".join(names), " ".join(map(str, by)))
	if kind == 0:
		limit = rng.randint(2, 6)
		return head + "<condition> (le,%d) </condition></binPacking>" % limit, lambda a: all(load(a, k) <= limit for k in every)
	right = [rng.randint(1, 6) for _ in range(3)]
	if kind == 3:
		each = [condition(p, 0, 6) for _ in range(3)]
		return (head + "<conditions> %s </conditions></binPacking>" % rng.choice(["", " "]).join(t for t, _ in each),
			lambda a: all(0 <= a[n] < 3 for n in names) and all(h(load(a, k), a) for k, (_, h) in enumerate(each)))
	if kind == 1:
		return (head + "<limits> %s </limits></binPacking>" % " ".join(map(str, right)),
			lambda a: all(0 <= a[n] < 3 for n in names) and all(load(a, k) <= right[k] for k in range(3)))
	n = rng.choice(p.names)
	return (head + "<loads> %s %d </loads></binPacking>" % (n, right[0]),
		lambda a: all(0 <= a[m] < 2 for m in names) and load(a, 0) == a[n] and load(a, 1) == right[0])


def flow(p):
	names = p.pick(2)
	start, nodes = rng.randint(0, 2), rng.randint(2, 3)
	arcs = [(rng.randrange(nodes), rng.randrange(nodes)) for _ in names]
	arcs[0] = (0, rng.randrange(nodes))
	one = {n: rng.choice(p.domains[n]) for n in p.names}
	def out(a, i):
		return sum(a[n] * ((u == i) - (v == i)) for n, (u, v) in zip(names, arcs))
	balance, right = [], []
	for i in range(nodes):
		m = rng.choice(p.names)
		by_variable = rng.random() < 0.15
		balance.append(m if by_variable else str(out(one, i)))
		right.append((lambda m: lambda a: a[m])(m) if by_variable else (lambda v: lambda a: v)(out(one, i)))
	text = "<flow><list> %s </list><balance> %s </balance><arcs> %s </arcs>" % (" ".join(names), " ".join(balance),
		rng.choice(["", " "]).join("(%d,%s%d)" % (u + start, rng.choice(["", " "]), v + start) for u, v in arcs))
	by = [rng.randint(-1, 3) for _ in names]
	c, holds = condition(p, -3, 9)
	if rng.random() < 0.5:
		text += "<weights> %s </weights><condition> %s </condition>" % (" ".join(map(str, by)), c)
	else:
		holds = lambda left, a: True
	return text + "</flow>", lambda a: all(out(a, i) == right[i](a) for i in range(nodes)) and holds(
		sum(a[n] * k for n, k in zip(names, by)), a)


def knapsack(p):
	names = p.pick(2)
	w, v = [rng.randint(1, 4) for _ in names], [rng.randint(1, 4) for _ in names]
	limit = rng.randint(3, 12)
	c, holds = condition(p, 0, 9)
	return ("<knapsack><list> %s </list><weights> %s </weights><limit> %d </limit><profits> %s </profits>"
		"<condition> %s </condition></knapsack>" % (" ".join(names), " ".join(map(str, w)), limit, " ".join(map(str, v)), c),
		lambda a: sum(a[n] * k for n, k in zip(names, w)) <= limit and holds(sum(a[n] * k for n, k in zip(names, v)), a))


def instantiation(p):
	names = p.pick(1, 2) if not p.wide else p.names[:2]
	values = [rng.choice(p.domains[n]) for n in names]
	return ("<instantiation><list> %s </list><values> %s </values></instantiation>" % (
		" ".join(names), " ".join(map(str, values))), lambda a: all(a[n] == v for n, v in zip(names, values)))


def clause(p):
	names = p.pick(1)
	signs = [rng.random() < 0.5 for _ in names]
	return ("<clause> %s </clause>" % " ".join(n if s else "not(%s)" % n for n, s in zip(names, signs)),
		lambda a: any((a[n] != 0) == s for n, s in zip(names, signs)))


def circuit(p):
	names = p.pick(2, 5) if not p.wide else p.names[:2]
	start, n = rng.randint(0, 1), len(names)
	def holds(a):
		x = [a[m] - start for m in names]
		if sorted(x) != list(range(n)):
			return False
		round_ = [i for i in range(n) if x[i] != i]
		if not round_:
			return False
		at, seen = round_[0], 0
		while True:
			at, seen = x[at], seen + 1
			if at == round_[0]:
				return seen == len(round_)
	return '<circuit><list startIndex="%d"> %s </list></circuit>' % (start, " ".join(names)), holds


MAKERS = [intension, extension, group, slide, regular, mdd, all_different, all_equal, ordered, lex, precedence, total,
	count, n_values, cardinality, extreme, element, channel, no_overlap, cumulative, bins, knapsack, instantiation,
	clause, circuit, flow, hybrid, stretch, different_lists, equal_lists, meta]


# ---- symbols -------------------------------------------------------------------------------------

SYMBOLS = ["red", "green", "blue", "None", "x1"]


class Symbols:
	"""Variables of symbols, and a number or two."""
	def __init__(self):
		self.xml, self.domains, self.wide = [], {}, False
		for k in range(rng.randint(2, 4)):
			d = rng.sample(SYMBOLS, rng.randint(2, 4) if k else len(SYMBOLS))
			self.add("v%d" % k, d)
			self.xml.append('<var id="v%d" type="symbolic"> %s </var>' % (k, " ".join(d)))
		d = rng.sample(SYMBOLS, 3)
		self.xml.append('<array id="w" size="[2]" type="symbolic"> %s </array>' % " ".join(d))
		self.add("w[0]", d), self.add("w[1]", d)
		self.names = list(self.domains)
		self.domains["y"] = [0, 1, 2]
		self.xml.append('<var id="y"> 0..2 </var>')

	def add(self, name, domain):
		self.domains[name] = domain


def same_symbol(p):
	n = rng.choice(p.names)
	m = rng.choice(p.names + SYMBOLS)
	kind = rng.randrange(4)
	value = (lambda a: a[m]) if m in p.domains else (lambda a: m)
	if kind == 0:
		return "eq(%s,%s)" % (n, m), lambda a: a[n] == value(a)
	if kind == 1:
		return "ne(%s,%s)" % (m, n), lambda a: a[n] != value(a)
	s = rng.sample(SYMBOLS, 2)
	if kind == 2:
		return "in(%s,set(%s))" % (n, ",".join(s)), lambda a: a[n] in s
	return "eq(y,if(eq(%s,%s),1,2))" % (n, m), lambda a: a["y"] == (1 if a[n] == value(a) else 2)


def symbol_constraint(p):
	kind = rng.randrange(7)
	names = rng.sample(p.names, rng.randint(2, 3))
	joined = " ".join(names)
	if kind == 0:
		(t, f), (u, g) = same_symbol(p), same_symbol(p)
		op, both = rng.choice([("or", lambda x, y: x or y), ("imp", lambda x, y: y or not x), ("xor", lambda x, y: x != y)])
		return "<intension> %s(%s,%s) </intension>" % (op, t, u), lambda a: both(f(a), g(a))
	if kind == 1:
		t, f = same_symbol(p)
		return "<intension> %s </intension>" % t, f
	if kind == 2:
		return "<allDifferent> %s </allDifferent>" % joined, lambda a: len({a[n] for n in names}) == len(names)
	if kind == 3:
		tuples = [tuple(rng.choice(p.domains[n] + ["*"]) for n in names) for _ in range(rng.randint(1, 5))]
		supports = rng.random() < 0.6
		word = "supports" if supports else "conflicts"
		return ("<extension><list> %s </list><%s> %s </%s></extension>" % (joined, word,
			"".join("(%s)" % rng.choice([",", ", "]).join(t) for t in tuples), word),
			lambda a: any(all(v in ("*", a[n]) for n, v in zip(names, t)) for t in tuples) == supports)
	if kind == 4:
		s = rng.sample(SYMBOLS, rng.randint(1, 2))
		c, holds = rng.choice(["le", "ge", "eq"]), rng.randint(0, 2)
		return ("<count><list> %s </list><values> %s </values><condition> (%s,%d) </condition></count>" % (joined, " ".join(s), c, holds),
			lambda a: OPERATORS[c](sum(a[n] in s for n in names), holds))
	if kind == 5:
		k = rng.randint(1, 3)
		return ("<nValues><list> %s </list><condition> (le,%d) </condition></nValues>" % (joined, k),
			lambda a: len({a[n] for n in names}) <= k)
	n, s = rng.choice(names), rng.choice(SYMBOLS)
	return ("<group><intension> ne(%%0,%%1) </intension><args> %s %s </args><args> %s w[0] </args></group>" % (n, s, names[0]),
		lambda a: a[n] != s and a[names[0]] != a["w[0]"])


# ---- objectives ----------------------------------------------------------------------------------

def objective(p):
	word = rng.choice(["minimize", "maximize"])
	kind = rng.randrange(5)
	if kind == 0:
		t, f = integer(p, 2)
		return "<%s> %s </%s>" % (word, t, word), f
	x, values = terms(p, p.pick(1))
	if kind == 1:
		n = len(values({m: d[0] for m, d in p.domains.items()}))
		by = [rng.randint(-3, 3) for _ in range(n)]
		return ('<%s type="sum"><list> %s </list><coeffs> %s </coeffs></%s>' % (word, x, " ".join(map(str, by)), word),
			lambda a: sum(v * k for v, k in zip(values(a), by)))
	if kind == 2:
		return '<%s type="nValues"> %s </%s>' % (word, x, word), lambda a: len(set(values(a)))
	name = rng.choice(["minimum", "maximum"])
	f = min if name == "minimum" else max
	return '<%s type="%s"> %s </%s>' % (word, name, x, word), lambda a: f(values(a))


def expected(p, tests, cost, maximise):
	best, n = None, 0
	for values in itertools.product(*(p.domains[m] for m in p.names)):
		a = dict(zip(p.names, values))
		if not all(t(a) for t in tests):
			continue
		c = cost(a) if cost else 0
		if best is None or (c > best if maximise else c < best):
			best, n = c, 0
		n += c == best
	return best, n


def main():
	wrong = 0
	with tempfile.TemporaryDirectory() as directory:
		path = os.path.join(directory, "x.xml")
		for k in range(number):
			if k % 9 == 8:
				p = Symbols()
				parts = [symbol_constraint(p) for _ in range(rng.randint(1, 4))]
				p.names.append("y")
				goal = ("<maximize> y </maximize>", lambda a: a["y"]) if rng.random() < 0.5 else None
			elif k % 9 == 7:
				p = Problem(False)
				soft = [soften(p, *rng.choice(MAKERS)(p)) for _ in range(rng.randint(1, 3))]
				table, (value, of) = cost_table(p), integer(p, 2)
				soft += [(table[0], lambda a: True, table[1]), ('<intension type="soft"> sqr(%s) </intension>' % value, lambda a: True, lambda a: of(a) ** 2)]
				parts = [(t, h) for t, h, _ in soft]
				goal = ("", lambda a: sum(c(a) for _, _, c in soft))
			else:
				p = Problem(k % 5 == 4)
				parts = [MAKERS[k % len(MAKERS)](p)] + [rng.choice(MAKERS)(p) for _ in range(rng.randint(0, 2))]
				goal = objective(p) if rng.random() < 0.5 else None
			text = '<instance format="XCSP3" type="%s">\n<variables>\n%s\n</variables>\n<constraints>\n%s\n</constraints>\n%s</instance>\n' % (
				("COP" if goal[0] else "WCSP") if goal else "CSP", "\n".join(p.xml), "\n".join(t for t, _ in parts),
				"<objectives>\n%s\n</objectives>\n" % goal[0] if goal and goal[0] else "")
			with open(path, "w") as f:
				f.write(text)
			best, n = expected(p, [t for _, t in parts], goal and goal[1], goal and goal[0].startswith("<max"))
			done = subprocess.run([gpube, "solve", "--count", "--json", path], capture_output=True, text=True)
			try:
				d = json.loads(done.stdout)
				found = (None, 0) if d["status"] == "infeasible" else (d["upper_bound"], d["count"])
			except (ValueError, KeyError):
				found = done.stderr
			if found != (best, n):
				wrong += 1
				print("# %s, not %s:\n%s" % (found, (best, n), text))
	print("%d of %d differ" % (wrong, number))
	sys.exit(wrong > 0)


main()
