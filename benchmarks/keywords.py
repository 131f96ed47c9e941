#!/usr/bin/env python3
"""keywords.py - global cost functions that are too wide for a table, beside brute force and toulbar2.

usage: keywords.py [-n NUMBER] [-s SEED] [--toulbar2 PROGRAM] [KEYWORD …] > table

Each .wcsp has one function over 21 to 30 variables, all but a few of which are fixed by others, and
random costs of the rest. Brute force is the definition of the keyword, written here once more; gpube
answers through its Python package (PYTHONPATH, GPUBE_LIBRARY) the optimum and how many there are, and
toulbar2 the optimum. A line of the table: keyword, functions, gpube differs, toulbar2 differs or
refuses; a file of each difference of gpube's is left in the directory.
"""
import argparse
import itertools
import os
import random
import re
import subprocess
import sys
import tempfile

import gpube

TOP = 100000
COMPARE = {"==": lambda s, k: abs(s - k), "!=": lambda s, k: int(s == k), "<": lambda s, k: max(0, s - k + 1),
	"<=": lambda s, k: max(0, s - k), ">": lambda s, k: max(0, k - s + 1), ">=": lambda s, k: max(0, k - s)}
PRICE = {"hard": lambda g: int(g != 0), "lin": lambda g: g, "quad": lambda g: g * g, "var": lambda g: g}


def outside(x, low, high):
	return max(low - x, x - high, 0)


def bounds_of(r, d, n):
	values = r.sample(range(d), r.randint(1, d))
	return [(v, low, r.randint(low, n)) for v in values for low in [r.randint(0, n)]]


def listed(items):
	return "%d %s" % (len(items), " ".join(" ".join(map(str, i)) if isinstance(i, tuple) else str(i) for i in items))


# Each: parameters as text, and the cost of a tuple (TOP or more: forbidden).

def weighted(r):
	return r.choice(["hard", "lin", "quad"]), r.choice([1, 2, 7, TOP])


def wsum(r, d, n):
	m, c = weighted(r)
	o, k = r.choice(list(COMPARE)), r.randint(-1, n * (d - 1))
	return "%s %d %s %d" % (m, c, o, k), lambda t: c * PRICE[m](COMPARE[o](sum(t), k))


def wvarsum(r, d, n):
	m, c = weighted(r)
	o = r.choice(list(COMPARE))
	return "%s %d %s" % (m, c, o), lambda t: c * PRICE[m](COMPARE[o](sum(t[:-1]), t[-1]))


def woverlap(r, d, n):
	m, c = weighted(r)
	o, k, h = r.choice(list(COMPARE)), r.randint(0, n // 2), n // 2
	return "%s %d %s %d" % (m, c, o, k), lambda t: c * PRICE[m](
		COMPARE[o](sum(a == b != 0 for a, b in zip(t[:h], t[h:])), k))


def among(order):
	def make(r, d, n):
		m, c = weighted(r)
		m = m if order == "wamong" else "var"
		values, low = r.sample(range(d), r.randint(1, d)), r.randint(0, n)
		high = r.randint(low, n)
		text = ("%s %d %s %d %d" % (m, c, listed(values), low, high) if order == "wamong"
			else "%s %d %d %d %s" % (m, c, low, high, listed(values)))
		return text, lambda t: c * PRICE[m](outside(sum(x in values for x in t), low, high))
	return make


def wvaramong(r, d, n):
	c, values = r.choice([1, 7, TOP]), r.sample(range(d), r.randint(1, d))
	return "hard %d %s" % (c, listed(values)), lambda t: c * (sum(x in values for x in t[:-1]) != t[-1])


def gcc(name):
	def make(r, d, n):
		b = bounds_of(r, d, n)
		m, c = weighted(r)
		if name == "gcc":
			text, m, c = listed(b) + " 0", "hard", TOP
		else:
			m = m if name == "wgcc" else "var"
			text = "%s %d %s" % (m, c, listed(b))
		return text, lambda t: sum(c * PRICE[m](outside(t.count(v), low, high)) for v, low, high in b)
	return make


def sgcc(r, d, n):
	b, c, m = bounds_of(r, d, n), r.choice([1, 7]), r.choice(["var", "dec"])
	free = d > len(b)
	if m == "var" and (sum(x[1] for x in b) > n or (not free and sum(x[2] for x in b) < n)):
		return sgcc(r, d, n)

	def cost(t):
		less = sum(max(0, low - t.count(v)) for v, low, high in b)
		more = sum(max(0, t.count(v) - high) for v, low, high in b)
		return c * (max(less, more) if m == "var" else less + more)
	return "%s %d %s" % (m, c, listed(b)), cost


def alldiff(metrics):
	def make(r, d, n):
		m, c = r.choice(metrics), r.choice([1, 7])
		return "%s %d" % (m, c), lambda t: c * sum(PRICE[m](t.count(v) - 1) for v in set(t))
	return make


def ssame(r, d, n):
	c, h = r.choice([1, 7]), n // 2
	scope = list(range(n))
	text = "%d %d %d %s %s" % (c, h, h, " ".join(map(str, scope[:h])), " ".join(map(str, scope[h:])))
	return text, lambda t: c * sum(max(0, t[:h].count(v) - t[h:].count(v)) for v in set(t))


def wsame(r, d, n):
	m, c = weighted(r)
	h = n // 2
	return "%s %d" % (m, c), lambda t: c * sum(PRICE[m](abs(t[:h].count(v) - t[h:].count(v))) for v in set(t))


def wsamegcc(r, d, n):
	h = n // 2
	b = bounds_of(r, d, h)
	m, c = weighted(r)
	return "%s %d %s" % (m, c, listed(b)), lambda t: c * (
		sum(PRICE[m](abs(t[:h].count(v) - t[h:].count(v))) for v in set(t)) +
		sum(PRICE[m](outside(side.count(v), low, high)) for v, low, high in b for side in (t[:h], t[h:])))


def wdiverse(r, d, n):
	k, v = r.randint(0, n), [r.randrange(d) for _ in range(n)]
	return "%d %s" % (k, " ".join(map(str, v))), lambda t: 0 if sum(a != b for a, b in zip(t, v)) >= k else TOP


def knapsack(r, d, n):
	w = [r.randint(-9, 40) for _ in range(n)]
	k = r.randint(0, max(1, sum(x for x in w if x > 0)))
	return "%d %s" % (k, " ".join(map(str, w))), lambda t: 0 if sum(a * b for a, b in zip(t, w)) >= k else TOP


def knapsackp(r, d, n):
	w = [[(v, r.randint(-9, 40)) for v in r.sample(range(d), r.randint(0, d))] for _ in range(n)]
	k = r.randint(-20, 30 * n // 2)
	return "%d %s" % (k, " ".join(listed(x) for x in w)), lambda t: 0 if sum(
		dict(x).get(v, 0) for x, v in zip(w, t)) >= k else TOP


def maximum(r, d, n):
	default = r.randint(0, 3)
	w = {(i, v): r.randint(0, 30) for i in range(n) for v in range(d) if r.random() < 0.7}
	return "%d %s" % (default, listed([(i, v, c) for (i, v), c in w.items()])), lambda t: max(
		w.get(x, default) for x in enumerate(t))


def automaton(r, d):
	s = r.randint(2, 4)
	states = range(s)
	arcs = sorted({(a, v): r.choice(states) for a in states for v in range(d) if r.random() < 0.8}.items())
	return s, [r.choice(states)], r.sample(states, r.randint(1, s)), [(a, v, b) for (a, v), b in arcs]


def best_path(t, starts, ends, arcs, price):
	now = dict(starts)
	for x in t:
		then = {}
		for a, v, b, c in arcs:
			if a in now:
				step = price(x, v, c)
				then[b] = min(then.get(b, TOP), now[a] + step)
		now = then
	return min([now[s] + c for s, c in ends if s in now] or [TOP])


def sregular(r, d, n):
	s, starts, ends, arcs = automaton(r, d)
	c = r.choice([1, 7])
	text = "var %d %d %s %s %s" % (c, s, listed(starts), listed(ends), listed(arcs))
	arcs = [a + (0,) for a in arcs]
	return text, lambda t: best_path(t, [(x, 0) for x in starts], [(x, 0) for x in ends], arcs,
		lambda x, v, _: 0 if x == v else c)


def wregular(r, d, n):
	s, starts, ends, arcs = automaton(r, d)
	starts = [(x, r.randint(0, 5)) for x in starts]
	ends = [(x, r.randint(0, 5)) for x in ends]
	arcs = [a + (r.randint(0, 5),) for a in arcs]
	return "%d %s %s %s" % (s, listed(starts), listed(ends), listed(arcs)), lambda t: best_path(
		t, starts, ends, arcs, lambda x, v, c: c if x == v else TOP)


KEYWORDS = {"wsum": wsum, "wvarsum": wvarsum, "woverlap": woverlap, "wamong": among("wamong"), "samong": among("samong"),
	"samongdp": among("samong"), "wvaramong": wvaramong, "gcc": gcc("gcc"), "wgcc": gcc("wgcc"), "sgccdp": gcc("sgccdp"),
	"sgcckp": gcc("sgcckp"), "sgcc": sgcc, "salldiff": alldiff(["var"]), "salldiffdp": alldiff(["var"]),
	"walldiff": alldiff(["hard", "lin", "quad"]), "ssame": ssame, "wsame": wsame, "wsamegcc": wsamegcc,
	"wdiverse": wdiverse, "whdiverse": wdiverse, "wtdiverse": wdiverse, "knapsack": knapsack, "knapsackp": knapsackp,
	"max": maximum, "smaxdp": maximum, "sregular": sregular, "sregulardp": sregular, "wregular": wregular}
# what toulbar2 1.1.1 has not
UNKNOWN = {"wvaramong", "knapsackp", "max", "wdiverse", "whdiverse", "wtdiverse"}


def problem(keyword, r):
	"""(.wcsp, optimum, number of optima)"""
	d = 2 if keyword == "knapsack" else r.choice([2, 2, 3])
	n = r.randint(21, 28) if d == 2 else r.randint(14, 18)
	n += n % 2
	text, cost = KEYWORDS[keyword](r, d, n)
	free = r.sample(range(n), 7 if d == 2 else 4)
	start = [r.randrange(d) for _ in range(n)]
	unary = {v: [r.randint(0, 9) for _ in range(d)] for v in free}
	lines = ["%d %s -1 %s %s" % (n, " ".join(map(str, range(n))), keyword, text)]
	for v in range(n):
		costs = unary.get(v) or [0 if x == start[v] else TOP for x in range(d)]
		lines.append("1 %d 0 %d %s" % (v, d, " ".join("%d %d" % x for x in enumerate(costs))))
	best, count = TOP, 0
	for values in itertools.product(range(d), repeat=len(free)):
		t = list(start)
		for v, x in zip(free, values):
			t[v] = x
		total = cost(t) + sum(unary[v][x] for v, x in zip(free, values))
		if total < best:
			best, count = total, 0
		count += total == best < TOP
	head = "keyword %d %d %d %d\n%s\n" % (n, d, len(lines), TOP, " ".join([str(d)] * n))
	return head + "\n".join(lines) + "\n", best, count


def toulbar2(program, path):
	"""The optimum, TOP: none; None: refused."""
	out = subprocess.run([program, path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60).stdout
	if "No solution" in out:
		return TOP
	found = re.findall(r"^Optimum: (\d+)", out, re.M)
	return int(found[-1]) if found else None


def main():
	p = argparse.ArgumentParser()
	p.add_argument("-n", type=int, default=500)
	p.add_argument("-s", type=int, default=1)
	p.add_argument("--toulbar2")
	p.add_argument("keywords", nargs="*")
	a = p.parse_args()
	print("keyword functions gpube_differs toulbar2_differs toulbar2_refuses")
	wrong = 0
	with tempfile.TemporaryDirectory() as directory:
		for keyword in a.keywords or KEYWORDS:
			differs = theirs = refused = 0
			for k in range(a.n):
				r = random.Random("%s %d %d" % (keyword, a.s, k))
				text, best, count = problem(keyword, r)
				path = os.path.join(directory, "x.wcsp")
				with open(path, "w") as f:
					f.write(text)
				s = gpube.Model.read(path).solve(count=True)
				ours = (TOP, 0) if s.answer == "infeasible" else (s.optimum, s.count)
				if ours != (best, count):
					differs += 1
					with open("differs-%s-%d.wcsp" % (keyword, k), "w") as f:
						f.write(text)
					print("# %s %d: gpube %s, brute force %s" % (keyword, k, ours, (best, count)), flush=True)
				if a.toulbar2 and keyword not in UNKNOWN:
					their = toulbar2(a.toulbar2, path)
					refused += their is None
					theirs += their is not None and their != best
			known = a.toulbar2 and keyword not in UNKNOWN
			print(keyword, a.n, differs, theirs if known else "-", refused if known else "-", flush=True)
			wrong += differs
	return 1 if wrong else 0


if __name__ == "__main__":
	sys.exit(main())
