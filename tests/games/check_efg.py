#!/usr/bin/env python3
"""check_efg.py GPUBE N [SEED] - random games in extensive form, as 'gpube convert x.efg x.nfg' writes them.

Strategies and payoffs are compared with those of all complete strategies, of which those that reach
the same information sets are one; where pygambit is there, with its strategies in their order, too.
"""
import itertools
import os
import random
import re
import subprocess
import sys
import tempfile
from fractions import Fraction

gpube, number = sys.argv[1], int(sys.argv[2])
rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
try:
	import pygambit
except ImportError:
	pygambit = None


class Game:
	"""Nodes are (kind, information set, outcome, children); sets are (player, number of actions or chances)."""

	def __init__(self):
		self.sets, self.outcomes, self.written = {}, {}, set()
		self.recall = rng.random() < 0.6
		self.root = self.node(rng.randint(1, 4), ((), ()))

	def outcome(self, end):
		if rng.random() < (0.1 if end else 0.8):
			return 0
		if self.outcomes and rng.random() < 0.4:
			return rng.choice(list(self.outcomes))
		k = len(self.outcomes) + 1
		value = lambda: rng.choice([Fraction(rng.randint(-9, 9)), Fraction(rng.randint(-9, 9), rng.randint(1, 6)), Fraction(rng.randint(-90, 90), 10)])
		self.outcomes[k] = (value(), value())
		return k

	def node(self, depth, past):
		if depth == 0 or rng.random() < 0.15:
			return ("t", None, self.outcome(True), [])
		player = rng.choice([0, 1, 1, 2, 2])
		known = [k for k, s in self.sets.items() if k[0] == player and
			(player == 0 or not self.recall or s[1] == past[player - 1])]
		if known and rng.random() < 0.5:
			key = rng.choice(known)
		else:
			key = (player, 1 + sum(k[0] == player for k in self.sets) + rng.choice([0, 0, 100]))
			while key in self.sets:
				key = (player, key[1] + 1)
			n = rng.randint(1, 3)
			if player == 0:
				cuts = sorted(Fraction(rng.randint(0, 6), 6) for _ in range(n - 1))
				chances = [b - a for a, b in zip([Fraction(0)] + cuts, cuts + [Fraction(1)])]
				self.sets[key] = (chances, None)
			else:
				self.sets[key] = (n, past[player - 1])
		n = len(self.sets[key][0]) if player == 0 else self.sets[key][0]
		children = []
		at = self.outcome(False)
		for a in range(n):
			then = list(past)
			if player:
				then[player - 1] += ((key, a),)
			children.append(self.node(depth - 1, tuple(then)))
		return ("p" if player else "c", key, at, children)

	def text(self):
		lines = ['EFG 2 R "random" { "A" "B" }', '"a \\"comment\\""']
		self.written = set()
		def outcome(k):
			if k == 0 or ("o", k) in self.written:
				return str(k)
			self.written.add(("o", k))
			return '%d "o%d" { %s%s %s }' % (k, k, self.outcomes[k][0], rng.choice(["", ","]), self.outcomes[k][1])
		def write(node):
			kind, key, at, children = node
			if kind == "t":
				lines.append('t "" ' + outcome(at))
				return
			player = "" if kind == "c" else "%d " % key[0]
			again = key in self.written
			self.written.add(key)
			if kind == "c":
				actions = "{ %s }" % " ".join('"a%d" %s' % (k, c) for k, c in enumerate(self.sets[key][0]))
			else:
				actions = "{ %s }" % " ".join('"a%d"' % k for k in range(self.sets[key][0]))
			said = "" if again and pygambit is None and rng.random() < 0.5 else '"s%d" %s ' % (key[1], actions)
			lines.append('%s "" %s%d %s%s' % (kind, player, key[1], said, outcome(at)))
			for c in children:
				write(c)
		write(self.root)
		return "\n".join(lines) + "\n"

	def own_sets(self, player):
		out = []
		def walk(node):
			if node[0] == "p" and node[1][0] == player and node[1] not in out:
				out.append(node[1])
			for c in node[3]:
				walk(c)
		walk(self.root)
		return out

	def labels(self, player):
		"""Reduced strategies: label -> one complete strategy."""
		own, found = self.own_sets(player), {}
		for choice in itertools.product(*(range(self.sets[s][0]) for s in own)):
			says, met = dict(zip(own, choice)), set()
			def walk(node):
				if node[0] == "p" and node[1][0] == player:
					met.add(node[1])
					walk(node[3][says[node[1]]])
				else:
					for c in node[3]:
						walk(c)
			walk(self.root)
			found.setdefault("".join(str(says[s] + 1) if s in met else "*" for s in own) or "*", says)
		return found

	def payoffs(self, says):
		def walk(node):
			kind, key, at, children = node
			here = self.outcomes.get(at, (Fraction(0), Fraction(0)))
			if kind == "t":
				return here
			if kind == "p":
				parts = [(Fraction(1), walk(children[says[key]]))]
			else:
				parts = [(p, walk(c)) for p, c in zip(self.sets[key][0], children) if p]
			return tuple(here[i] + sum(p * v[i] for p, v in parts) for i in range(2))
		return walk(self.root)


def read_nfg(path):
	text = open(path).read()
	head, body = re.match(r'NFG 1 R "[^"]*" \{[^}]*\}\s*\{ \{(.*?)\} \{(.*?)\} \}(.*)', text, re.S).group(1, 2), text.split("}")[-1]
	rows, columns = (re.findall(r'"([^"]*)"', h) for h in head)
	v = [Fraction(w) for w in re.sub(r'"[^"]*"', "", body).split()]
	return rows, columns, {(r, c): (v[2 * (j * len(rows) + i)], v[2 * (j * len(rows) + i) + 1])
		for j, c in enumerate(columns) for i, r in enumerate(rows)}


def main():
	wrong, compared = 0, 0
	with tempfile.TemporaryDirectory() as d:
		efg, nfg = os.path.join(d, "x.efg"), os.path.join(d, "x.nfg")
		for _ in range(number):
			g = Game()
			n = 1
			for p in (1, 2):
				for s in g.own_sets(p):
					n *= g.sets[s][0]
			if n > 4000:
				continue
			compared += 1
			with open(efg, "w") as f:
				f.write(g.text())
			done = subprocess.run([gpube, "convert", efg, nfg], capture_output=True, text=True)
			complaint = done.stderr if done.returncode else None
			if not complaint:
				rows, columns, table = read_nfg(nfg)
				a, b = g.labels(1), g.labels(2)
				if sorted(rows) != sorted(a) or sorted(columns) != sorted(b):
					complaint = "strategies %s %s, not %s %s" % (rows, columns, sorted(a), sorted(b))
				elif any(table[r, c] != g.payoffs({**a[r], **b[c]}) for r in rows for c in columns):
					complaint = "payoffs differ"
			if not complaint and pygambit:
				theirs = pygambit.read_efg(efg)
				order = [[s.label for s in p.strategies] for p in theirs.players]
				if order != [rows, columns]:
					complaint = "strategies %s %s, pygambit's are %s" % (rows, columns, order)
				else:
					for i, r in enumerate(rows):
						for j, c in enumerate(columns):
							x = theirs[i, j]
							v = [Fraction(str(x[p])) for p in theirs.players]
							if v != list(table[r, c]):
								complaint = "pygambit's payoffs differ"
			if complaint:
				wrong += 1
				print("# %s:\n%s" % (complaint, open(efg).read()))
	print("%d of %d differ%s" % (wrong, compared, ", pygambit's too" if pygambit else ""))
	sys.exit(wrong > 0)


main()
