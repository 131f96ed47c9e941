#!/usr/bin/env python3
"""check_agg.py GPUBE N [SEED] - random action graph games, Bayesian ones, too, as 'gpube convert x.agg x.nfg' writes them.

Payoffs are compared with those by the definition, in fractions: what each node counts in a profile, recursively, and the
expectation over all types of the others.
"""
import itertools
import os
import random
import subprocess
import sys
import tempfile
from fractions import Fraction


class Game:
	"""Nodes are numbers, functions behind actions; agents (player, type) have lists of action nodes."""

	def __init__(self, rng):
		self.rng, self.bayesian = rng, rng.random() < 0.5
		self.n = rng.randint(2, 4)
		self.types = [rng.randint(1, 2) if self.bayesian else 1 for _ in range(self.n)]
		self.actions, self.functions = rng.randint(1, 5), rng.randint(0, 4)
		self.nodes = self.actions + self.functions
		self.chances = [self.chance(k) for k in self.types]
		self.sets = [[sorted(rng.sample(range(self.actions), rng.randint(1, min(3, self.actions)))) for _ in range(k)]
			for k in self.types]
		self.kinds, self.neighbours = [], []
		for f in range(self.functions):
			kind = rng.choice([0, 1, 2, 3, 10, 11, 12, 13])
			weights = [rng.randint(0, 4) for _ in range(self.actions)]
			same = [g for g, k in enumerate(self.kinds) if k[0] < 10]
			if kind >= 12:
				weights.sort()
			if same and rng.random() < 0.5:
				kind = self.kinds[rng.choice(same)][0]
			self.kinds.append((kind, rng.randint(0, 1) if kind == 11 else 9 if kind >= 12 else 0, weights))
		for node in range(self.nodes):
			known = list(range(self.nodes if node < self.actions else self.actions))
			if node >= self.actions:
				kind = self.kinds[node - self.actions][0]
				known += [self.actions + g for g in range(node - self.actions) if kind < 10 and self.kinds[g][0] == kind]
			self.neighbours.append(rng.sample(known, rng.randint(0, min(3, len(known)))))
		if rng.random() < 0.5:  # functions in any order
			self.turn()
		self.payoffs = [{c: self.payoff() for c in self.reached(node)} for node in range(self.actions)]

	def chance(self, n):
		cuts = sorted(self.rng.randint(0, 6) for _ in range(n - 1))
		return [Fraction(b - a, 6) for a, b in zip([0] + cuts, cuts + [6])]

	def payoff(self):
		return self.rng.choice([Fraction(self.rng.randint(-9, 9)), Fraction(self.rng.randint(-9, 9), 7),
			Fraction(self.rng.randint(-99, 99), 10)])

	def turn(self):
		"""The functions from the last to the first."""
		name = list(range(self.actions)) + list(range(self.nodes - 1, self.actions - 1, -1))
		lists = [[name[m] for m in self.neighbours[k]] for k in range(self.nodes)]
		self.neighbours = lists[:self.actions] + lists[self.actions:][::-1]
		self.kinds.reverse()

	def count(self, node, played):
		"""What a node counts; None of highest and lowest: nothing."""
		if node < self.actions:
			return played.count(node)
		kind, _, weights = self.kinds[node - self.actions]
		total, best = 0, None
		for m in self.neighbours[node]:
			c = self.count(m, played)
			if kind % 10 < 2:
				total += c * (weights[m] if kind >= 10 and m < self.actions else 1)
				continue
			if m < self.actions:
				c = None if not c else weights[m] if kind >= 10 else m
			if c is not None:
				best = c if best is None else max(best, c) if kind % 10 == 2 else min(best, c)
		return best if kind % 10 >= 2 else int(total > 0) if kind % 10 == 1 else total

	def counts(self, node, played):
		found = []
		for m in self.neighbours[node]:
			c = self.count(m, played)
			if m >= self.actions:
				kind, default, _ = self.kinds[m - self.actions]
				c = (default if kind >= 10 else self.nodes) if c is None else int(c or default > 0) if kind == 11 else c
			found.append(c)
		return tuple(found)

	def united(self):
		return [sorted(set().union(*of)) for of in self.sets]

	def reached(self, node):
		return sorted({self.counts(node, played) for played in itertools.product(*self.united()) if node in played})

	def agents(self):
		return [(i, t) for i, k in enumerate(self.types) for t in range(k)]

	def worth(self, agent, profile):
		"""profile: by agent, a node"""
		i, t = agent
		total = Fraction(0)
		for types in itertools.product(*([t] if j == i else range(k) for j, k in enumerate(self.types))):
			p = Fraction(1)
			for j, u in enumerate(types):
				p *= 1 if j == i else self.chances[j][u]
			node = profile[agent]
			if p:
				total += p * self.payoffs[node][self.counts(node, [profile[j, u] for j, u in enumerate(types)])]
		return total

	def text(self):
		rng, out = self.rng, []

		def line(*words):
			if rng.random() < 0.3:
				out.append("# a comment")
			out.append(" ".join(map(str, words)))

		out.append("#BAGG" if self.bayesian else "#AGG")
		line(self.n)
		line(self.actions, self.functions)
		if self.bayesian:
			line(*self.types)
			for of in self.chances:
				line(*of)
		for of in self.sets:
			line(*map(len, of))
		for of in self.sets:
			for one in of:
				line(*one)
		for of in self.neighbours:
			line(len(of), *of)
		for kind, default, weights in self.kinds:
			line(kind, *([default, "[%s]" % " ".join(map(str, weights))] if kind >= 10 else []))
		for of in self.payoffs:
			rows = list(of.items())
			if rng.random() < 0.5:
				line(0, *(v for _, v in rows))
				continue
			rng.shuffle(rows)
			line(1, len(rows))
			for c, v in rows:
				line("[%s]" % " ".join(map(str, c)), v)
		return "\n".join(out) + "\n"


def main(gpube, number, seed):
	rng = random.Random(seed)
	profiles = 0
	with tempfile.TemporaryDirectory() as directory:
		agg, nfg = os.path.join(directory, "x.agg"), os.path.join(directory, "x.nfg")
		for _ in range(number):
			game = Game(rng)
			agents = game.agents()
			with open(agg, "w") as f:
				f.write(game.text())
			p = subprocess.run([gpube, "convert", "-q", agg, nfg], stderr=subprocess.PIPE, universal_newlines=True)
			if p.returncode:
				sys.exit("%s\n%s" % (p.stderr, game.text()))
			numbers = list(map(Fraction, open(nfg).read().rsplit('}', 1)[1].replace('""', "").split()))
			for back in itertools.product(*(game.sets[i][t] for i, t in reversed(agents))):
				profile = dict(zip(agents, reversed(back)))
				found, numbers = numbers[:len(agents)], numbers[len(agents):]
				expected = [game.worth(a, profile) for a in agents]
				profiles += 1
				if found != expected:
					sys.exit("%s: %s, expected %s\n%s" % (profile, found, expected, game.text()))
			if numbers:
				sys.exit("more payoffs than profiles")
	print("%d games, %d profiles: the same" % (number, profiles))


if __name__ == "__main__":
	main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1)
