#!/usr/bin/env python3
"""check_extensive.py GPUBE N [SEED] - equilibria of random games in extensive form by 'gpube nash'.

Every profile is checked in fractions on the tree: what a player gets is what its best reply would get. Plans of all
equilibria of the reduced normal form are compared: those that are vertices among the plans to which the same pure
replies are best have to be those by the tree, with no other. Of sum zero the value is that of the normal form. Of three
players with imperfect information equilibria are of strategies, whose payoffs are worked out on the tree.
"""
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
from fractions import Fraction


class Tree:
	"""Nodes are [kind, set, payoffs, children]; sets by (player, number): a list of chances, or how many actions."""

	def __init__(self, rng, n_players=2, zero=False, perfect=False, depth=4):
		self.rng, self.n, self.zero, self.perfect = rng, n_players, zero, perfect
		self.sets, self.past, self.outcomes = {}, {}, []
		self.root = self.node(rng.randint(2, depth), [()] * n_players)

	def payoffs(self, end):
		if self.rng.random() < (0 if end else 0.85):
			return None
		v = [Fraction(self.rng.randint(-4, 4), self.rng.choice([1, 1, 1, 2, 3])) for _ in range(self.n)]
		if self.zero:
			v[1] = -v[0]
		return v

	def node(self, depth, past):
		rng = self.rng
		if depth == 0 or rng.random() < 0.1:
			return ["t", None, self.payoffs(True), []]
		player = rng.choice([0] + list(range(1, self.n + 1)) * 2)
		known = [] if self.perfect and player else [k for k in self.sets if k[0] == player and
			(player == 0 or self.past[k] == past[player - 1])]
		if known and rng.random() < 0.6:
			key = rng.choice(known)
		else:
			key = (player, 1 + sum(k[0] == player for k in self.sets))
			n = rng.randint(2, 3) if rng.random() < 0.9 else 1
			self.sets[key] = n
			if player == 0:
				cuts = sorted(Fraction(rng.randint(0, 6), 6) for _ in range(n - 1))
				self.sets[key] = [b - a for a, b in zip([Fraction(0)] + cuts, cuts + [Fraction(1)])]
			else:
				self.past[key] = past[player - 1]
		n = len(self.sets[key]) if player == 0 else self.sets[key]
		node = ["p" if player else "c", key, self.payoffs(False), []]
		for a in range(n):
			then = list(past)
			if player:
				then[player - 1] += ((key, a),)
			node[3].append(self.node(depth - 1, then))
		return node

	def text(self):
		lines = ['EFG 2 R "random" { %s }' % " ".join('"P%d"' % (p + 1) for p in range(self.n))]
		count = [0]

		def outcome(v):
			if v is None:
				return "0"
			count[0] += 1
			return '%d "" { %s }' % (count[0], ", ".join(map(str, v)))

		def write(node):
			kind, key, v, children = node
			if kind == "t":
				lines.append('t "" ' + outcome(v))
			elif kind == "c":
				lines.append('c "" %d "" { %s } %s' % (key[1],
					" ".join('"%d" %s' % (a, x) for a, x in enumerate(self.sets[key])), outcome(v)))
			else:
				lines.append('p "" %d %d "s%d" { %s } %s' % (key + (key[1],) + (
					" ".join('"a%d"' % a for a in range(self.sets[key])), outcome(v))))
			for child in children:
				write(child)

		write(self.root)
		return "\n".join(lines) + "\n"

	def worth(self, behaviour):
		"""What each player gets; behaviour: by set, a probability for each action."""
		def below(node):
			kind, key, v, children = node
			total = list(v or [Fraction(0)] * self.n)
			for p, child in zip(self.sets[key] if kind == "c" else behaviour[key] if kind == "p" else [], children):
				if p:
					total = [a + p * b for a, b in zip(total, below(child))]
			return total
		return below(self.root)

	def best(self, behaviour, player):
		"""What its best reply gets: sets from the last to the first, each by what reaches it without the player."""
		choice = {k: None for k in self.sets if k[0] == player}
		nodes = {k: [] for k in choice}

		def reach(node, p):
			kind, key, v, children = node
			if kind == "p" and key[0] == player:
				nodes[key].append((node, p))
			for a, child in enumerate(children):
				reach(child, p if kind == "p" and key[0] == player else
					p * (self.sets[key][a] if kind == "c" else behaviour[key][a]))

		def below(node):
			kind, key, v, children = node
			own = (v or [Fraction(0)] * self.n)[player - 1]
			if kind == "t":
				return own
			if kind == "p" and key[0] == player:
				return own + below(children[choice[key]])
			return own + sum(p * below(c) for p, c in
				zip(self.sets[key] if kind == "c" else behaviour[key], children) if p)

		reach(self.root, Fraction(1))
		for key in sorted(choice, key=lambda k: -len(self.past[k])):
			gains = [sum(p * below(node[3][a]) for node, p in nodes[key]) for a in range(self.sets[key])]
			choice[key] = gains.index(max(gains))
		return below(self.root)

	# ---- plans

	def plan(self, behaviour, player):
		"""By sequence, a tuple of (set, action): the product of its probabilities."""
		plan = {(): Fraction(1)}
		for key in sorted((k for k in self.sets if k[0] == player), key=lambda k: len(self.past[k])):
			for a in range(self.sets[key]):
				plan[self.past[key] + ((key, a),)] = plan[self.past[key]] * behaviour[key][a]
		return plan

	def pure(self, player):
		"""All pure plans of the player, as sets of sequences."""
		keys = sorted((k for k in self.sets if k[0] == player), key=lambda k: len(self.past[k]))

		def below(k, played):
			if k == len(keys):
				yield frozenset(played)
			elif self.past[keys[k]] not in played:
				yield from below(k + 1, played)
			else:
				for a in range(self.sets[keys[k]]):
					yield from below(k + 1, played | {self.past[keys[k]] + ((keys[k], a),)})

		return below(0, frozenset([()]))

	def cells(self):
		"""By pair of sequences of both players: what each gets there, chances included."""
		cells = {}

		def below(node, past, p):
			kind, key, v, children = node
			if v and p:
				old = cells.get(tuple(past), [Fraction(0)] * 2)
				cells[tuple(past)] = [a + p * b for a, b in zip(old, v)]
			for a, child in enumerate(children):
				then = list(past)
				if kind == "p":
					then[key[0] - 1] = then[key[0] - 1] + ((key, a),)
				below(child, then, p * self.sets[key][a] if kind == "c" else p)

		below(self.root, [(), ()], Fraction(1))
		return cells


def rank(rows):
	rows, r = [list(row) for row in rows], 0
	for c in range(len(rows[0]) if rows else 0):
		at = next((k for k in range(r, len(rows)) if rows[k][c]), None)
		if at is None:
			continue
		rows[r], rows[at] = rows[at], rows[r]
		for k in range(r + 1, len(rows)):
			if rows[k][c]:
				f = rows[k][c] / rows[r][c]
				rows[k] = [a - f * b for a, b in zip(rows[k], rows[r])]
		r += 1
	return r


def is_vertex(tree, cells, player, plan):
	"""Whether no direction keeps the plan's zeros, its sums and the ties of the other's pure best replies."""
	other = 3 - player
	direct = {}
	for (s, t), v in cells.items():
		own, its = (s, t) if player == 1 else (t, s)
		direct.setdefault(its, {}).setdefault(own, Fraction(0))
		direct[its][own] += v[other - 1]
	worths = {}
	for reply in tree.pure(other):
		row = {}
		for its in reply:
			for own, v in direct.get(its, {}).items():
				row[own] = row.get(own, 0) + v
		worths[reply] = (sum(v * plan[own] for own, v in row.items()), row)
	best = max(w for w, _ in worths.values())
	ties = [row for w, row in worths.values() if w == best]
	names = [s for s in plan if s and plan[s]]
	rows = []
	for key in tree.sets:
		if key[0] == player and plan[tree.past[key]]:
			rows.append([Fraction(1 if s[:-1] == tree.past[key] and s[-1][0] == key else -1 if s == tree.past[key] else 0)
				for s in names])
	rows += [[row.get(s, Fraction(0)) - ties[0].get(s, 0) for s in names] for row in ties[1:]]
	return rank(rows) == len(names) if names else True


def run(gpube, path, *options):
	p = subprocess.run([gpube, "nash", "-q", "--json", *options, path], stdout=subprocess.PIPE,
		stderr=subprocess.PIPE, universal_newlines=True)
	if p.returncode:
		sys.exit("nash %s %s: exit %d: %s" % (" ".join(options), path, p.returncode, p.stderr))
	return json.loads(p.stdout)


def behaviours(result):
	for e in result["equilibria"]:
		yield ({(s["player"], s["number"]): list(map(Fraction, p)) for s, p in zip(result["sets"], e["behaviour"])},
			list(map(Fraction, e["payoffs"])))


def check_profiles(tree, result, path):
	for behaviour, payoffs in behaviours(result):
		if tree.worth(behaviour) != payoffs:
			sys.exit("%s: payoffs %s, found %s" % (path, tree.worth(behaviour), payoffs))
		for player in range(1, tree.n + 1):
			if tree.best(behaviour, player) != payoffs[player - 1]:
				sys.exit("%s: player %d gets more by another reply" % (path, player))


def frozen(plan):
	return tuple(sorted(plan.items()))


def mixed_plans(tree, player, labels, x):
	"""The plan of a mixed strategy of the normal form, whose labels are the actions by set of the player."""
	keys = [k for k in order(tree) if k[0] == player]
	plan = {s: Fraction(0) for s in tree.plan({k: [Fraction(1)] * tree.sets[k] for k in keys}, player)}
	for label, p in zip(labels, x):
		played = {()}
		for key, c in sorted(zip(keys, label), key=lambda kc: len(tree.past[kc[0]])):
			if c != "*":
				played.add(tree.past[key] + ((key, int(c) - 1),))
		for s in played:
			plan[s] += Fraction(p)
	return plan


def order(tree):
	found = []

	def below(node):
		if node[0] == "p" and node[1] not in found:
			found.append(node[1])
		for child in node[3]:
			below(child)

	below(tree.root)
	return found


def labels_of(gpube, path, n=2):
	"""Of the players' strategies, out of a .nfg."""
	with tempfile.TemporaryDirectory() as d:
		out = os.path.join(d, "x.nfg")
		subprocess.run([gpube, "convert", "-q", path, out], check=True)
		text = open(out).read().split("{")
	lists = [part for part in text if '"' in part][2:2 + n]
	return [part[:part.index("}")].replace('"', "").split() for part in lists]


def compare(gpube, tree, path, found):
	normal = run(gpube, path, "--normal-form")
	labels, cells = labels_of(gpube, path), tree.cells()
	by_tree = {(frozen(tree.plan(b, 1)), frozen(tree.plan(b, 2))) for b, _ in behaviours(found)}
	if len(by_tree) != len(found["equilibria"]):
		sys.exit("%s: an equilibrium is listed twice" % path)
	expected, known = set(), {}
	for e in normal["equilibria"]:
		pair = []
		for player, key in (1, "x"), (2, "y"):
			plan = mixed_plans(tree, player, labels[player - 1], e[key])
			name = frozen(plan)
			if (player, name) not in known:
				known[player, name] = is_vertex(tree, cells, player, plan)
			pair.append((name, known[player, name]))
		if pair[0][1] and pair[1][1]:
			expected.add((pair[0][0], pair[1][0]))
	if by_tree != expected:
		sys.exit("%s: %d equilibria by the tree, %d by the normal form, %d of both" % (
			path, len(by_tree), len(expected), len(by_tree & expected)))
	if tree.zero and {e["u"] for e in normal["equilibria"]} != {e["payoffs"][0] for e in found["equilibria"]}:
		sys.exit("%s: another value" % path)
	return len(by_tree)


def is_perfect(tree):
	"""Whether all sets of players have one node."""
	def below(node):
		return ([node[1]] if node[0] == "p" else []) + [k for child in node[3] for k in below(child)]
	found = below(tree.root)
	return len(found) == len(set(found))


def check_strategies(gpube, tree, path):
	"""Equilibria of more than two players, on the tree; within what their ends leave open."""
	p = subprocess.run([gpube, "nash", "-q", "--json", path], stdout=subprocess.PIPE, universal_newlines=True)
	result = json.loads(p.stdout)
	if not result["equilibria"] and not result["open"]:
		sys.exit("%s: no equilibrium" % path)
	choices = []
	for player, labels in enumerate(labels_of(gpube, path, tree.n), 1):
		keys = [k for k in order(tree) if k[0] == player]
		choices.append([{k: [Fraction(int(a == (0 if c == "*" else int(c) - 1))) for a in range(tree.sets[k])]
			for k, c in zip(keys, label)} for label in labels])
	worths = {at: tree.worth({k: v for c, a in zip(choices, at) for k, v in c[a].items()})
		for at in itertools.product(*(range(len(c)) for c in choices))}
	for e in result["equilibria"]:
		x = [[Fraction(p) if isinstance(p, str) else sum(map(Fraction, p)) / 2 for p in of] for of in e["strategies"]]
		for player in range(tree.n):
			gains = [Fraction(0)] * len(choices[player])
			for at, worth in worths.items():
				p = Fraction(1)
				for other, a in enumerate(at):
					p *= 1 if other == player else x[other][a]
				gains[at[player]] += p * worth[player]
			value, near = e["payoffs"][player], Fraction(1, 10**9)
			low, high = (Fraction(value),) * 2 if isinstance(value, str) else map(Fraction, value)
			if not low - near <= max(gains) <= high + near or any(
					p > near and g < low - near for p, g in zip(x[player], gains)):
				sys.exit("%s: player %d gets %s, by strategies %s" % (path, player + 1, value, list(map(float, gains))))
	return len(result["equilibria"])


def main(gpube, number, seed):
	rng = random.Random(seed)
	counts, equilibria = {}, 0
	with tempfile.TemporaryDirectory() as directory:
		path = os.path.join(directory, "game.efg")
		done = 0
		while done < number:
			kind = rng.choice(["general", "zero", "perfect", "players", "strategies"])
			players = {"players": rng.randint(3, 4), "strategies": 3}.get(kind, 2)
			tree = Tree(rng, players, kind == "zero", kind in ("perfect", "players"), 3 if kind == "strategies" else 4)
			sizes = [sum(1 for _ in tree.pure(p)) if any(k[0] == p for k in tree.sets) else 1
				for p in range(1, tree.n + 1)]
			if max(sizes) > (6 if kind == "strategies" else 40) or max(sizes) < 2:
				continue
			with open(path, "w") as f:
				f.write(tree.text())
			if kind == "strategies" and not is_perfect(tree):
				equilibria += check_strategies(gpube, tree, path)
				counts[kind, "regions"] = counts.get((kind, "regions"), 0) + 1
				done += 1
				continue
			one = run(gpube, path, "--one")
			if len(one["equilibria"]) != 1:
				sys.exit("no equilibrium")
			check_profiles(tree, one, path)
			if tree.n == 2:
				found = run(gpube, path)
				check_profiles(tree, found, path)
				equilibria += compare(gpube, tree, path, found)
				if tree.zero and one["equilibria"][0]["payoffs"] != found["equilibria"][0]["payoffs"]:
					sys.exit("another value")
			counts[kind, one["method"]] = counts.get((kind, one["method"]), 0) + 1
			done += 1
	print("%d games, %d equilibria: %s" % (number, equilibria,
		", ".join("%s by %s %d" % (*k, n) for k, n in sorted(counts.items()))))


if __name__ == "__main__":
	main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1)
