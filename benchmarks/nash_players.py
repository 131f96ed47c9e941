#!/usr/bin/env python3
"""Equilibria of random games of several players, checked by a program that shares nothing with gpube.

usage: nash_players.py GPUBE [--games N] [--seed N] [--plain N] [--degenerate N] [--certify N] [--time PLAYERSxACTIONS ...] [--one N]

--games N   N games of 3 to 5 players with 2 to 4 actions, payoffs from -100000 to 100000: the answer must be complete, of an odd
            number of equilibria whose indices add up to 1, and each one by definition: in fractions, on the whole enclosure, no action
            is better by more than the enclosure's width explains, and those that are played are as good as each other.
--plain N   N games of 2 x 2 x 2, 2 x 2 x 3 and 3 x 2 x 2 actions are divided, too, without anything but payoffs on vertices: what is
            not excluded must be near an equilibrium of the list.
--degenerate N  N games of 3 and 4 players with 1 to 3 actions and payoffs of few numbers, which are divided plainly, too: what is not
            excluded must be near an equilibrium or in an open support. Pure equilibria are compared with all profiles, and the
            list with that of the game changed in a way that does not matter: payoffs of 1e-300 to 1e300 times as much with sums that
            others decide, players and actions in another order, a player of one action; with an action twice no list is complete
            that plays it.
--certify N  N forged certificates, of games whose players' payoffs are of different sizes, a hundred of each: those as gpube writes
            them are verified by tests/games/check_nash.py, forged ones refused
--time      for such random games the seconds of processor time of all equilibria; --one: of one equilibrium of N games 10 x 10 x 10
"""
import argparse
import itertools
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
from fractions import Fraction


def draw(shape, rng, most=100000):
	return [{profile: rng.randint(-most, most) for profile in itertools.product(*map(range, shape))} for _ in shape]


def write(path, shape, payoffs):
	with open(path, "w") as f:
		f.write('NFG 1 R "" { %s } { %s }\n\n' % (" ".join('"%d"' % p for p in range(len(shape))), " ".join(map(str, shape))))
		for backwards in itertools.product(*map(range, shape[::-1])):
			f.write(" ".join(str(of[backwards[::-1]]) for of in payoffs) + "\n")


def nash(gpube, path, *options):
	before = resource.getrusage(resource.RUSAGE_CHILDREN)
	run = subprocess.run([gpube, "nash", "-q", "--json", *options, path], stdout=subprocess.PIPE, universal_newlines=True)
	after = resource.getrusage(resource.RUSAGE_CHILDREN)
	return json.loads(run.stdout), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def interval(number):
	ends = [number, number] if isinstance(number, str) else number
	return tuple(map(Fraction, ends))


def times(a, b):
	products = [x * y for x in a for y in b]
	return min(products), max(products)


def payoff(of, player, action, x):
	"""What a player gets by an action on a box of the others' probabilities."""
	lo = hi = Fraction(0)
	for profile, value in of.items():
		if profile[player] == action:
			product = value, value
			for p, a in enumerate(profile):
				product = product if p == player else times(product, x[p][a])
			lo, hi = lo + product[0], hi + product[1]
	return lo, hi


def check_equilibrium(shape, payoffs, e, width):
	x = [[interval(number) for number in of] for of in e["strategies"]]
	for p, actions in enumerate(shape):
		u = [payoff(payoffs[p], p, a, x) for a in range(actions)]
		value = interval(e["payoffs"][p])
		assert sum(lo for lo, _ in x[p]) <= 1 <= sum(hi for _, hi in x[p])
		assert value[1] - value[0] <= 2 * width
		for a in range(actions):
			assert 0 <= x[p][a][0] <= x[p][a][1] <= x[p][a][0] + 2 * width
			slack = u[a][1] - u[a][0] + 2 * width
			assert u[a][0] <= value[1] + slack, "action %d of player %d is better" % (a, p)
			if x[p][a][1]:
				assert u[a][1] >= value[0] - slack, "action %d of player %d is worse" % (a, p)


def check(gpube, shape, payoffs, path):
	write(path, shape, payoffs)
	r, _ = nash(gpube, path)
	assert r["all"] and not r["open"], r
	for e in r["equilibria"]:
		check_equilibrium(shape, payoffs, e, Fraction(1, 10**12))
	assert len(r["equilibria"]) % 2 == 1 and sum(e["index"] for e in r["equilibria"]) == 1
	assert len({json.dumps(e["strategies"]) for e in r["equilibria"]}) == len(r["equilibria"])
	return r


# ---- plain division: regions are products of simplices, each a list of vertices

def value(of, player, action, vertices):
	"""A player's payoff by an action where the others are at vertices."""
	total = 0.0
	for profile, v in of.items():
		if profile[player] == action:
			for p, a in enumerate(profile):
				v *= 1 if p == player else vertices[p][a]
			total += v
	return total


def excluded(shape, payoffs, region):
	"""Whether an action that is played in all of the region is worse than another one in all of it."""
	for p, actions in enumerate(shape):
		others = list(itertools.product(*([None] if q == p else s for q, s in enumerate(region))))
		u = [[value(payoffs[p], p, a, o) for o in others] for a in range(actions)]
		for a in range(actions):
			if min(v[a] for v in region[p]) > 0 and any(
					all(x < y - 1e-6 for x, y in zip(u[a], u[b])) for b in range(actions)):
				return True
	return False


def plain(shape, payoffs, equilibria, supports=()):
	"""How many regions were looked at until each that is left is near an equilibrium, or in an open support."""
	boxes = [([x - 0.02 for x in p], [x + 0.02 for x in p]) for p in map(flat, points(equilibria))]
	boxes += [([x - 0.02 for x in s["lower"]], [x + 0.02 for x in s["upper"]]) for s in supports]
	regions = [[[[float(a == b) for b in range(n)] for a in range(n)] for n in shape]]
	seen = 0
	while regions:
		region = regions.pop()
		seen += 1
		edges = [(max(abs(x - y) for x, y in zip(s[i], s[j])), p, i, j) for p, s in enumerate(region)
			for i, j in itertools.combinations(range(len(s)), 2)]
		length, p, i, j = max(edges)
		ends = [(min(x), max(x)) for s in region for x in zip(*s)]
		near = any(all(l < lo and hi < u for l, u, (lo, hi) in zip(lower, upper, ends)) for lower, upper in boxes)
		if near or excluded(shape, payoffs, region):
			continue
		assert length > 1e-5, "an equilibrium near %r is missing" % ([s[0] for s in region],)
		middle = [(x + y) / 2 for x, y in zip(region[p][i], region[p][j])]
		for k in i, j:
			regions.append([[middle if l == k else v for l, v in enumerate(s)] if q == p else s for q, s in enumerate(region)])
	return seen


# ---- degenerate games

def points(equilibria):
	return [[[float(sum(interval(number)) / 2) for number in of] for of in e["strategies"]] for e in equilibria]


def flat(point):
	return [x for of in point for x in of]


def same(a, b):
	"""Whether two lists of points are of the same ones."""
	return len(a) == len(b) and all(any(all(abs(x - y) < 1e-9 for x, y in zip(flat(p), flat(q))) for q in b) for p in a)


def profiles(shape):
	return itertools.product(*map(range, shape))


def larger(shape, payoffs, rng):
	def one(p, of):
		unit = rng.choice([10**300, Fraction(1, 10**300), Fraction(1, 3), Fraction(123456789, 1000)])
		others = {}
		return {q: unit * (v + others.setdefault(q[:p] + q[p + 1:], Fraction(rng.randint(-9, 9), 7))) for q, v in of.items()}
	return shape, [one(p, of) for p, of in enumerate(payoffs)], lambda point: point


def turned(shape, payoffs, rng):
	order = rng.sample(range(len(shape)), len(shape))
	actions = [rng.sample(range(n), n) for n in shape]
	there = {q: tuple(actions[p].index(q[p]) for p in order) for q in profiles(shape)}
	back = lambda point: [[point[order.index(p)][actions[p].index(a)] for a in range(n)] for p, n in enumerate(shape)]
	return tuple(shape[p] for p in order), [{there[q]: payoffs[p][q] for q in there} for p in order], back


def joined(shape, payoffs, rng):
	at = rng.randint(0, len(shape))
	more = [{q[:at] + (0,) + q[at:]: v for q, v in of.items()} for of in payoffs]
	more.insert(at, {q: rng.randint(-9, 9) for q in more[0]})
	return shape[:at] + (1,) + shape[at:], more, lambda point: point[:at] + point[at + 1:]


def doubled(shape, payoffs, rng):
	p = rng.randrange(len(shape))
	a = rng.randrange(shape[p])
	larger = shape[:p] + (shape[p] + 1,) + shape[p + 1:]
	more = [{q: of[q[:p] + (a if q[p] == shape[p] else q[p],) + q[p + 1:]] for q in profiles(larger)} for of in payoffs]
	return larger, more, p, a


def check_degenerate(gpube, rng, path):
	"""Whether the list is complete, and how many regions a plain division took."""
	n = rng.randint(3, 4)
	shape = tuple(rng.choice([1, 2, 2, 3] if n == 3 else [1, 2, 2]) for _ in range(n))
	payoffs = draw(shape, rng, rng.choice([1, 2, 3]))
	write(path, shape, payoffs)
	r, _ = nash(gpube, path)
	for e in r["equilibria"]:
		check_equilibrium(shape, payoffs, e, Fraction(1, 10**12))
	assert r["all"] == (not r["open"]) and (r["equilibria"] or r["open"]), r
	seen = plain(shape, payoffs, r["equilibria"], r["open"])
	pure = [q for q in profiles(shape) if all(payoffs[p][q] >= payoffs[p][q[:p] + (a,) + q[p + 1:]]
		for p, n in enumerate(shape) for a in range(n))]
	assert sorted(pure) == sorted(tuple(e["profile"]) for e in nash(gpube, path, "--pure")[0]["equilibria"]), pure
	for change in larger, turned, joined:
		other, more, back = change(shape, payoffs, rng)
		write(path, other, more)
		s, _ = nash(gpube, path)
		assert not (r["all"] and s["all"]) or same(points(r["equilibria"]), [back(p) for p in points(s["equilibria"])]), path
	other, more, p, a = doubled(shape, payoffs, rng)
	write(path, other, more)
	s, _ = nash(gpube, path)
	assert not s["all"] or all(x[p][a] == x[p][-1] == 0 for x in points(s["equilibria"])), path
	return r["all"], seen


# ---- certificates

def check_certificates(gpube, rng, path, wanted):
	sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests/games"))
	import check_nash

	n, forged = 0, 0
	while forged < wanted:
		shape = rng.choice([(2, 2, 2), (2, 2, 2), (2, 3, 2), (3, 2, 2), (2, 2, 2, 2)])
		units = [Fraction(rng.choice([1, 3, 1000]), rng.choice([1, 7, 10**5])) for _ in shape]
		payoffs = [{q: unit * v for q, v in of.items()} for unit, of in zip(units, draw(shape, rng, rng.choice([2, 9, 1000])))]
		write(path, shape, payoffs)
		r, _ = nash(gpube, path, "--certify", path + ".proof")
		with open(path + ".proof") as f:
			lines = [line.split() for line in f]
		listed, n_open = check_nash.check(path, lines)
		assert (listed, n_open == 0) == (len(r["equilibria"]), r["all"]), (listed, n_open)
		n += 1
		least = min(wanted, forged + 100)
		while forged < least:
			false = check_nash.forge(lines, rng)
			if false:
				try:
					check_nash.check(path, false)
				except check_nash.REFUSED:
					forged += 1
				else:
					sys.exit("a forged certificate is taken: line %s" % next(a for a, b in zip(lines, false) if a != b))
	return n


# ---- the command

def main():
	parser = argparse.ArgumentParser()
	parser.add_argument("gpube")
	parser.add_argument("--games", type=int, default=0)
	parser.add_argument("--plain", type=int, default=0)
	parser.add_argument("--degenerate", type=int, default=0)
	parser.add_argument("--certify", type=int, default=0)
	parser.add_argument("--seed", type=int, default=1)
	parser.add_argument("--time", nargs="*", default=[])
	parser.add_argument("--one", type=int, default=0)
	o = parser.parse_args()
	rng = random.Random(o.seed)
	with tempfile.TemporaryDirectory() as directory:
		path = os.path.join(directory, "game.nfg")
		n_equilibria = irrational = 0
		for _ in range(o.games):
			n = rng.randint(3, 5)
			shape = tuple(rng.randint(2, {3: 4, 4: 3, 5: 2}[n]) for _ in range(n))
			r = check(o.gpube, shape, draw(shape, rng), path)
			n_equilibria += len(r["equilibria"])
			irrational += sum(any(isinstance(x, list) for of in e["strategies"] for x in of) for e in r["equilibria"])
		if o.games:
			print("%d games: complete, %d equilibria, %d of them no fractions, all verified" % (o.games, n_equilibria, irrational))
		seen = 0
		for k in range(o.plain):
			shape = ((2, 2, 2), (2, 2, 3), (3, 2, 2))[k % 3]
			payoffs = draw(shape, rng)
			seen += plain(shape, payoffs, check(o.gpube, shape, payoffs, path)["equilibria"])
		if o.plain:
			print("%d games: none is missing in %d regions of a plain division" % (o.plain, seen))
		found = [check_degenerate(o.gpube, rng, path) for _ in range(o.degenerate)]
		if found:
			print("%d degenerate games: %d complete, none is missing in %d regions of a plain division" % (
				len(found), sum(all_ for all_, _ in found), sum(n for _, n in found)))
		if o.certify:
			print("%d certificates verified, %d forged ones refused" % (
				check_certificates(o.gpube, rng, path, o.certify), o.certify))
		for shape in o.time:
			players, actions = map(int, shape.split("x"))
			shape = (actions,) * players
			write(path, shape, draw(shape, rng))
			r, seconds = nash(o.gpube, path)
			print("%d players x %d actions: %d equilibria, %s, %.2f s of processor time" % (players, actions,
				len(r["equilibria"]), "complete" if r["all"] else r["reason"], seconds))
		for _ in range(o.one):
			shape = (10, 10, 10)
			payoffs = draw(shape, rng)
			write(path, shape, payoffs)
			r, seconds = nash(o.gpube, path, "--one")
			check_equilibrium(shape, payoffs, r["equilibria"][0], Fraction(1, 10**12))
			print("3 players x 10 actions, one: %d actions played, %.2f s of processor time" % (
				sum(x not in ("0",) for of in r["equilibria"][0]["strategies"] for x in of), seconds))
	return 0


if __name__ == "__main__":
	sys.exit(main())
