#!/usr/bin/env python3
"""nash_extensive.py GPUBE kuhn|leduc|random [DIRECTORY] - games in extensive form by 'gpube nash'.
       nash_extensive.py GPUBE peers SECONDS FILE...

kuhn       all extreme equilibria of Kuhn's poker of three cards, and one of 4 to 13
leduc      the value of Leduc hold'em (two ranks of bets, six cards), a fraction, and how far it is from what is known
random     300 random games, whose equilibria tests/games/check_extensive.py verifies
write NAME FILE  kuhnN or leduc as an .efg
peers      files of two players beside pygambit's solvers, in fractions and in doubles, each with so many processor seconds: how
           many equilibria, of which kind ("-": refused, ">": not within the time or 8 GiB), and processor
           seconds. pygambit takes no two sets of one name, so that it gets them by their numbers
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from fractions import Fraction

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


class Writer:
	"""Nodes of two players, in the order of the file; information sets by name."""

	def __init__(self, title):
		self.lines = ['EFG 2 R "%s" { "1" "2" }' % title]
		self.sets, self.outcomes, self.chances = {1: {}, 2: {}}, {}, 0

	def chance(self, actions):
		self.chances += 1
		self.lines.append('c "" %d "" { %s } 0' % (self.chances, " ".join('"%s" %s' % a for a in actions)))

	def player(self, player, name, actions):
		number = self.sets[player].setdefault(name, len(self.sets[player]) + 1)
		self.lines.append('p "" %d %d "%s" { %s } 0' % (player, number, name, " ".join('"%s"' % a for a in actions)))

	def end(self, gain):
		known = gain in self.outcomes
		number = self.outcomes.setdefault(gain, len(self.outcomes) + 1)
		self.lines.append('t "" %d' % number + ("" if known else ' "" { %s, %s }' % (gain, -gain)))

	def text(self):
		return "\n".join(self.lines) + "\n"


def kuhn(cards):
	"""Each of two players has a card and pays 1; one bet of 1."""
	w = Writer("Kuhn's poker, %d cards" % cards)
	w.chance([(a, Fraction(1, cards)) for a in range(1, cards + 1)])
	for a in range(1, cards + 1):
		others = [b for b in range(1, cards + 1) if b != a]
		w.chance([(b, Fraction(1, cards - 1)) for b in others])
		for b in others:
			high = 1 if a > b else -1
			w.player(1, "%d" % a, ["pass", "bet"])
			w.player(2, "%d pass" % b, ["pass", "bet"])
			w.end(high)
			w.player(1, "%d pass bet" % a, ["pass", "bet"])
			w.end(-1)
			w.end(2 * high)
			w.player(2, "%d bet" % b, ["pass", "bet"])
			w.end(1)
			w.end(2 * high)
	return w.text()


def leduc():
	"""Six cards of three ranks and two suits; both pay 1, get a card, and bet by 2; a card on the table, bets by 4. One
	raise after a bet; a pair wins, or the higher rank."""
	w = Writer("Leduc hold'em")
	deck = [rank + suit for rank in "JQK" for suit in "sh"]

	def showdown(hands, table, pot):
		a, b = ("JQK".index(h[0]) + 10 * (h[0] == table[0]) for h in hands)
		w.end(0 if a == b else pot[1] if a > b else -pot[0])

	def betting(hands, table, past, pot, to_act, raises, checked):
		"""past: what all have seen since the beginning."""
		name = "%s %s%s" % (hands[to_act - 1], table + " " if table else "", past)
		other = 3 - to_act
		owed = pot[other - 1] - pot[to_act - 1]
		size = 4 if table else 2
		actions = (["fold"] if owed else []) + ["call" if owed else "check"] + (["raise"] if raises < 2 else [])
		w.player(to_act, name.strip(), actions)
		for action in actions:
			then = past + action[0]
			if action == "fold":
				w.end(pot[1] if to_act == 2 else -pot[0])
			elif action == "raise":
				more = list(pot)
				more[to_act - 1] = pot[other - 1] + size
				betting(hands, table, then, more, other, raises + 1, True)
			elif not owed and not checked:
				betting(hands, table, then, pot, other, raises, True)
			else:
				even = [max(pot)] * 2
				if table:
					showdown(hands, table, even)
				else:
					rest = [c for c in deck if c not in hands]
					w.chance([(c, Fraction(1, len(rest))) for c in rest])
					for c in rest:
						betting(hands, c, then + "/", even, 1, 0, False)

	w.chance([(a, Fraction(1, 6)) for a in deck])
	for a in deck:
		others = [b for b in deck if b != a]
		w.chance([(b, Fraction(1, 5)) for b in others])
		for b in others:
			betting([a, b], "", "", [1, 1], 1, 0, False)
	return w.text()


def game(name):
	return leduc() if name == "leduc" else kuhn(int(name[4:] or 3))


def run(gpube, path, *options, limit=600):
	start = os.times()
	p = subprocess.run([gpube, "nash", "-q", "--json", "--timeout", str(limit), *options, path],
		stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
	end = os.times()
	result = json.loads(p.stdout) if p.stdout else {"status": "error", "error": p.stderr}
	result["processor"] = end.children_user + end.children_system - start.children_user - start.children_system
	return result


def written(name, directory):
	path = os.path.join(directory, name + ".efg")
	with open(path, "w") as f:
		f.write(game(name))
	return path


def show_kuhn(gpube, directory):
	r = run(gpube, written("kuhn3", directory))
	print("kuhn3: %d extreme equilibria, value %s, %.2f s of a processor" % (
		r["n_equilibria"], r["equilibria"][0]["payoffs"][0], r["processor"]))
	for cards in (4, 6, 8, 13):
		r = run(gpube, written("kuhn%d" % cards, directory), "--one")
		print("kuhn%d: value %s by %s, %.2f s" % (cards, r["equilibria"][0]["payoffs"][0], r["method"], r["processor"]))


def show_leduc(gpube, directory):
	path = written("leduc", directory)
	r = run(gpube, path, "--one")
	if not r.get("equilibria"):
		sys.exit("leduc: %s" % r)
	value = Fraction(r["equilibria"][0]["payoffs"][0])
	print("leduc: %d information sets, %d sequences, value %s = %.12f (known: -0.0856064), %s, %.1f s of a processor" % (
		len(r["sets"]), 2 + sum(len(s["actions"]) for s in r["sets"]), value, float(value), r["method"], r["processor"]))


def by_numbers(path, directory):
	"""A copy whose information sets are called by their numbers."""
	with open(path) as f:
		text = re.sub(r'(?m)^(p "[^"]*" (\d+) (\d+)) "[^"]*"', r'\1 "\2 \3"', f.read())
	copy = os.path.join(directory, os.path.basename(path))
	with open(copy, "w") as f:
		f.write(text)
	return copy


def show_peers(gpube, limit, paths):
	from nash_gambit import pygambit, theirs

	nash = pygambit.nash
	solvers = [(name, rational, getattr(nash, name + "_solve")) for name in ("lp", "lcp", "enummixed") for rational in (True, False)]
	print("game,solver,equilibria,seconds")
	for path in paths:
		game = os.path.basename(path)
		for options in ("--one", "--threads=1"), ("--threads=1",):
			r = run(gpube, path, *options, limit=limit)
			n = "%d%s" % (r.get("n_equilibria", 0), "" if r.get("all") or len(options) > 1 else " or more")
			print("%s,gpube nash%s,%s,%.2f" % (game, " --one" if len(options) > 1 else "", n, r["processor"]), flush=True)
		copy = by_numbers(path, tempfile.gettempdir())
		for name, rational, solve in solvers:
			n, seconds = theirs(pygambit.read_efg, copy, lambda g: solve(g, rational=rational), limit)
			print("%s,%s %s,%s,%.2f" % (game, name, "fractions" if rational else "doubles", n, seconds), flush=True)


def main(arguments):
	gpube, what = arguments[0], arguments[1]
	if what == "peers":
		return show_peers(gpube, int(arguments[2]), arguments[3:])
	directory = arguments[2] if len(arguments) > 2 else "/tmp"
	if what == "write":
		with open(arguments[3], "w") as f:
			f.write(game(arguments[2]))
	elif what == "random":
		subprocess.run([sys.executable, os.path.join(ROOT, "tests/games/check_extensive.py"), gpube, "300", "7"], check=True)
	else:
		{"kuhn": show_kuhn, "leduc": show_leduc}[what](gpube, directory)


if __name__ == "__main__":
	main(sys.argv[1:])
