#!/usr/bin/env python3
"""Checks what gpube nash --certify wrote of a game of several players, in fractions, from the game's .nfg file alone.

usage: check_nash.py GAME.nfg CERTIFICATE [FORGED SEED]

Shares nothing with gpube: nash/players/certificate.md has the format. Ends with the number of equilibria and of open regions, or
with what does not hold, and exit status 1. FORGED: so many times the certificate is changed into a false one, which must be refused.
"""
import itertools
import random
import re
import sys
from fractions import Fraction

UNDECIDED, IN, OUT = range(3)


class Wrong(Exception):
	pass


def need(condition, what):
	if not condition:
		raise Wrong(what)


def read_game(path):
	"""Actions of each player, and payoffs by profile for each player; of a .nfg."""
	with open(path) as f:
		tokens = re.findall(r'"(?:[^"\\]|\\.)*"|[{}]|[^\s{}",]+', f.read())
	depth, groups, at = 0, [], 4
	while len(groups) < 2:
		begin = at
		while True:
			depth += {"{": 1, "}": -1}.get(tokens[at], 0)
			at += 1
			if not depth:
				break
		groups.append(tokens[begin + 1:at - 1])
	players, shape = groups
	if "{" in shape:
		shape = [len(g.split("\0")) - 2 for g in re.findall(r"{[^}]*}", "\0".join(shape))]
	at += tokens[at][0] == '"'
	shape = [int(n) for n in shape]
	if tokens[at] == "{":  # outcomes, each with a name and payoffs, and their numbers by profile; 0: none
		end = len(tokens) - 1 - tokens[::-1].index("}")
		inside = [t for t in tokens[at + 1:end] if t not in "{}" and t[0] != '"']
		outcomes = [[0] * len(shape)] + [inside[k:k + len(shape)] for k in range(0, len(inside), len(shape))]
		tokens[at:] = [x for t in tokens[end + 1:] for x in outcomes[int(t)]]
	numbers = [Fraction(t) for t in tokens[at:]]
	need(len(players) == len(shape), "players")
	payoffs = [{} for _ in shape]
	for k, back in enumerate(itertools.product(*(range(n) for n in reversed(shape)))):
		for p in range(len(shape)):
			payoffs[p][back[::-1]] = numbers[k * len(shape) + p]
	return shape, payoffs


def with_action(profile, p, a):
	return profile[:p] + (a,) + profile[p + 1:]


def remove_dominated(shape, payoffs, lines):
	"""The game without what the lines say is dominated, one after the other."""
	left = [list(range(n)) for n in shape]
	for line in lines:
		p, a, by = map(int, line)
		need(a in left[p] and by in left[p] and a != by, "a dominated action is not there")
		for profile in itertools.product(*left):
			if profile[p] == a:
				need(payoffs[p][profile] < payoffs[p][with_action(profile, p, by)], "an action is not dominated")
		left[p].remove(a)
	small = [{profile: of[tuple(left[p][a] for p, a in enumerate(profile))]
		for profile in itertools.product(*(range(len(l)) for l in left))} for of in payoffs]
	return [len(l) for l in left], small


class Game:
	def __init__(self, shape, payoffs):
		self.shape, self.n = shape, len(shape)
		self.first = [sum(shape[:p]) for p in range(self.n)]
		self.tables = [self.nested(of, ()) for of in payoffs]
		self.payoffs = payoffs

	def nested(self, of, profile):
		if len(profile) == self.n:
			return of[profile]
		return [self.nested(of, profile + (a,)) for a in range(self.shape[len(profile)])]

	def on_vertices(self, i, vertices):
		"""Of player i and each own action, payoffs by the others' vertices; None stands for i."""
		def go(table, p):
			if p == self.n:
				return {(): table}
			below = [go(t, p + 1) for t in table]
			if p == i:
				return {(a,) + key: x for a, t in enumerate(below) for key, x in t.items()}
			return {(k,) + key: sum(v[a] * below[a][key] for a in range(self.shape[p]) if v[a])
				for k, v in enumerate(vertices[p]) for key in below[0]}
		found = [{} for _ in range(self.shape[i])]
		for key, x in go(self.tables[i], 0).items():
			found[key[i]][with_action(key, i, None)] = x
		return found

	def owner(self, action):
		p = max(p for p in range(self.n) if self.first[p] <= action)
		return p, action - self.first[p]


# ---- intervals and boxes

def add(a, b):
	return a[0] + b[0], a[1] + b[1]


def times(a, b):
	products = [x * y for x in a for y in b]
	return min(products), max(products)


def inverse(matrix):
	n = len(matrix)
	rows = [list(row) + [Fraction(int(r == k)) for k in range(n)] for r, row in enumerate(matrix)]
	for c in range(n):
		top = max(range(c, n), key=lambda r: abs(rows[r][c]))
		need(rows[top][c], "slopes are singular")
		rows[c], rows[top] = rows[top], rows[c]
		rows[c] = [x / rows[c][c] for x in rows[c]]
		for r in range(n):
			if r != c and rows[r][c]:
				rows[r] = [x - rows[r][c] * y for x, y in zip(rows[r], rows[c])]
	return [[Fraction(round(x * 2**60), 2**60) for x in row[n:]] for row in rows]


class Box:
	"""A box in which the system of a support is to have exactly one solution."""

	def __init__(self, game, states, ends):
		self.game, self.states = game, states
		self.support, self.unknowns = [], []
		box = []
		for p in range(game.n):
			own = [a for a in range(game.shape[p]) if states[game.first[p] + a] == "1"]
			last = [a for a in own if abs(ends[game.first[p] + a][0]) == float("inf")]
			need(len(last) == 1, "a box has not one action without bounds for each player")
			self.support.append(last + [a for a in own if a != last[0]])
			for a in self.support[p][1:]:
				self.unknowns.append((p, a))
				box.append(tuple(map(Fraction, ends[game.first[p] + a])))
				need(box[-1][0] < box[-1][1], "a box is empty")
		self.ends = {u: e for u, e in zip(self.unknowns, box)}
		self.solve(box)

	def evaluate(self, i, a, z, slope=None):
		"""u_i(a) - u_i(the action without an unknown) on z, or its slope by an unknown; nested sums."""
		game, base = self.game, self.support[i][0]

		def go(tables, p):
			"""tables: a list of (sign, table) whose sum it is"""
			if p == game.n:
				x = sum(s * t for s, t in tables)
				return x, x
			if p == i:
				return go([(s, t[a]) for s, t in tables] + ([(-s, t[base]) for s, t in tables] if a != base else []), p + 1)
			own = self.support[p]
			if slope and slope[0] == p:
				return go([(s, t[slope[1]]) for s, t in tables] + [(-s, t[own[0]]) for s, t in tables], p + 1)
			total = go([(s, t[own[0]]) for s, t in tables], p + 1)
			for b in own[1:]:
				change = go([(s, t[b]) for s, t in tables] + [(-s, t[own[0]]) for s, t in tables], p + 1)
				total = add(total, times(change, z[p, b]))
			return total

		return go([(1, game.tables[i])], 0)

	def krawczyk(self, box):
		"""What is left of a box by Krawczyk's operator, around a centre."""
		centre = [(lo + hi) / 2 for lo, hi in box]
		z, at = dict(zip(self.unknowns, box)), dict(zip(self.unknowns, ((c, c) for c in centre)))
		slopes = [[self.evaluate(i, a, z, u) if u[0] != i else (Fraction(0), Fraction(0)) for u in self.unknowns]
			for i, a in self.unknowns]
		c = inverse([[(lo + hi) / 2 for lo, hi in row] for row in slopes])
		f = [self.evaluate(i, a, at)[0] for i, a in self.unknowns]
		left, n = [], len(box)
		for k in range(n):
			radius = Fraction(0)
			for v in range(n):
				entry = (Fraction(int(k == v)),) * 2
				for r in range(n):
					entry = add(entry, times((-c[k][r],) * 2, slopes[r][v]))
				radius += max(map(abs, entry)) * (box[v][1] - box[v][0]) / 2
			middle = centre[k] - sum(c[k][r] * f[r] for r in range(n))
			left.append((middle - radius, middle + radius))
		return left

	def solve(self, box):
		left = self.krawczyk(box)
		need(all(b[0] < x[0] and x[1] < b[1] for b, x in zip(box, left)), "a box is not proved to have one solution")
		for _ in range(12):
			grid = 2**200
			box = [(Fraction(lo * grid // 1, grid), -Fraction(-hi * grid // 1, grid)) for lo, hi in left]
			if all(hi - lo < Fraction(1, 10**40) for lo, hi in box):
				break
			left = self.krawczyk(box)
		self.exact = [simplest(lo, hi) for lo, hi in box]
		if all(x.denominator < 10**12 for x in self.exact):
			z = {u: (x, x) for u, x in zip(self.unknowns, self.exact)}
			if all(self.evaluate(i, a, z)[0] == 0 for i, a in self.unknowns):
				box = [(x, x) for x in self.exact]
		self.z = dict(zip(self.unknowns, box))

	def probabilities(self):
		x = {}
		for p, own in enumerate(self.support):
			for a in range(self.game.shape[p]):
				x[p, a] = self.z.get((p, a), (Fraction(0),) * 2)
			rest = [self.z[p, a] for a in own[1:]]
			x[p, own[0]] = 1 - sum(hi for _, hi in rest), 1 - sum(lo for lo, _ in rest)
		return x

	def is_of(self, other):
		"""Whether its solution is that of another box, which has no other one."""
		x = self.probabilities() if self.states == other.states else {}
		return bool(x) and all(
			other.ends[u][0] < x[u][0] and x[u][1] < other.ends[u][1] for u in other.unknowns)

	def is_equilibrium(self):
		"""True, False, or None where it is not decided."""
		answer = True
		for (p, a), (lo, hi) in self.probabilities().items():
			if a in self.support[p]:
				sign = (lo > 0) - (hi <= 0)
			else:
				least, most = self.evaluate(p, a, self.z)
				sign = (most <= 0) - (least > 0)
			if sign < 0:
				return False
			answer = answer if sign else None
		return answer


def simplest(lo, hi):
	"""The fraction of the least denominator between two."""
	whole = -(-lo // 1)
	if whole <= hi:
		return Fraction(whole)
	rest = lo // 1
	return rest + 1 / simplest(1 / (hi - rest), 1 / (lo - rest))


# ---- the tree

class Region:
	def __init__(self, vertices, states):
		self.vertices, self.states = vertices, states

	def copy(self):
		return Region([list(of) for of in self.vertices], list(self.states))

	def decide(self, game):
		"""What the vertices say; False: nothing is left."""
		for p in range(game.n):
			own = range(game.first[p], game.first[p] + game.shape[p])
			for a, k in enumerate(own):
				positive = [v[a] > 0 for v in self.vertices[p]]
				if self.states[k] == IN and not any(positive):
					return False
				if self.states[k] == UNDECIDED and not any(positive):
					self.states[k] = OUT
				if self.states[k] == UNDECIDED and all(positive):
					self.states[k] = IN
			left = [k for k in own if self.states[k] != OUT]
			if len(left) == 1:
				self.states[left[0]] = IN
		return True

	def without(self, game, action):
		p, a = game.owner(action)
		self.vertices[p] = [v for v in self.vertices[p] if v[a] == 0]
		self.states[action] = OUT
		return bool(self.vertices[p])


def step(game, region, action, by):
	"""Takes a dominated action out; False: then nothing is left."""
	p, a = game.owner(action)
	need(game.owner(by)[0] == p, "dominated by another player's action")
	u = game.on_vertices(p, region.vertices)
	need(all(u[a][key] < u[game.owner(by)[1]][key] for key in u[a]), "an action is not dominated in a region")
	return region.states[action] != IN and region.without(game, action)


def combine(game, region, words, units):
	"""The combination is positive on every profile of vertices."""
	words = iter(words)
	total = {profile: Fraction(0) for profile in itertools.product(*(range(len(v)) for v in region.vertices))}
	for p in range(game.n):
		u = game.on_vertices(p, region.vertices)
		for k, v in enumerate(region.vertices[p]):
			reference = int(next(words))
			need(v[reference] > 0, "a reference that is not played")
			for a in range(game.shape[p]):
				factor = Fraction(float.fromhex(next(words))) * units[p]
				if a == reference or not factor:
					continue
				need(factor > 0 or v[a] > 0 or region.states[game.first[p] + a] == IN, "the sign of a multiplier")
				for profile in total:
					if profile[p] == k:
						key = with_action(profile, p, None)
						total[profile] += factor * (u[a][key] - u[reference][key])
	need(min(total.values()) > 0, "a combination is not positive")


def check_tree(game, boxes, lines, units):
	"""How many regions are open."""
	unit = [[tuple(Fraction(int(a == b)) for b in range(n)) for a in range(n)] for n in game.shape]
	stack, n_open = [Region(unit, [UNDECIDED] * sum(game.shape))], 0
	while stack:
		region = stack.pop()
		left = region.decide(game)
		for words in lines:
			if words[0] != "out":
				break
			left = left and step(game, region, int(words[1]), int(words[2])) and region.decide(game)
		word = words[0]
		if word == "empty":
			need(not left, "a region is not empty")
		elif not left:
			raise Wrong("a region is empty")
		elif word == "combine":
			combine(game, region, words[1:], units)
		elif word == "inside":
			box = boxes[int(words[1])]
			need(all((s == IN) == (b == "1") and s != UNDECIDED for s, b in zip(region.states, box.states)), "another box")
			need(all(box.ends[p, a][0] < v[a] < box.ends[p, a][1] for p, a in box.ends for v in region.vertices[p]),
				"a region is not in its box")
		elif word == "play":
			action, face = int(words[1]), region.copy()
			need(region.states[action] == UNDECIDED, "an action that is decided")
			region.states[action] = IN
			if face.without(game, action):
				stack.append(face)
			stack.append(region)
		elif word == "halve":
			p, k, l = map(int, words[1:])
			need(k != l, "an edge")
			middle = tuple((x + y) / 2 for x, y in zip(region.vertices[p][k], region.vertices[p][l]))
			for at in k, l:  # the last one is the first child
				half = region.copy()
				half.vertices[p][at] = middle
				stack.append(half)
		else:
			need(word == "open", "what is a '%s'?" % word)
			n_open += 1
	return n_open


def check(game_path, lines):
	need(lines[0] == ["gpube-nash", "1"] and lines[1][0] == "digits" and lines[-1] == ["end"], "no certificate")
	ten = 10**int(lines[1][1])
	head, tree = lines[2:lines.index(["tree"])], iter(lines[lines.index(["tree"]) + 1:])
	game = Game(*remove_dominated(*read_game(game_path), [w[1:] for w in head if w[0] == "dominated"]))
	units = [Fraction(1)] * game.n
	for w in head:
		if w[0] == "unit":
			units[int(w[1])] = Fraction(int(w[2]), int(w[3]))
	need(min(units) > 0, "a unit")
	boxes = {}
	for w in head:
		if w[0] == "box":
			ends = [float.fromhex(x) for x in w[3:]]
			boxes[int(w[1])] = Box(game, w[2], list(zip(ends[::2], ends[1::2])))
	listed = []
	for w in head:
		if w[0] == "equilibrium":
			box, ends = boxes[int(w[1])], [Fraction(int(x), ten) for x in w[2:]]
			need(box.is_equilibrium(), "a box has no equilibrium")
			for (p, a), (lo, hi) in box.probabilities().items():
				k = game.first[p] + a
				need(ends[2 * k] <= lo and hi <= ends[2 * k + 1], "an equilibrium is not where it is said to be")
				need((ends[2 * k + 1] - ends[2 * k]) * ten <= 2 + game.shape[p], "an equilibrium is not within its digits")
			need(not any(box.is_of(other) for other in listed), "an equilibrium is listed twice")
			listed.append(box)
	undecided = 0
	for k, box in boxes.items():
		found = box.is_equilibrium()
		undecided += found is None
		need(not found or any(box.is_of(other) for other in listed), "an equilibrium is not listed")
	n_open = check_tree(game, boxes, tree, units) + undecided
	need(next(tree) == ["end"], "more lines than regions")
	return len(listed), n_open


REFUSED = Wrong, LookupError, ValueError, ArithmeticError, StopIteration, RecursionError


# ---- forgeries: each says something false, or says nothing of a part

def subtree(lines, at):
	"""Where what a line of the tree and its children say ends, and whether a solution is in it."""
	left, found = 1, False
	while left:
		word = lines[at][0]
		found = found or word == "inside"
		left += {"out": 0, "halve": 1}.get(word, -1) or 0
		if word == "play":
			return None, False  # one child or two: the region says it
		at += 1
	return at, found


def hide(lines, at, rng):
	"""A part of the tree that has a solution becomes one that has none."""
	end, found = subtree(lines, at)
	if not found:
		return None
	closed = [w for w in lines if w[0] == "combine"] + [["empty", "0"], ["inside", "-1"]]
	return lines[:at] + [rng.choice(closed)] + lines[end:]


def forge_equilibrium(lines, at, rng):
	words, unit = lines[at], rng.choice([1, 7, 10**6])
	ends = [int(x) for x in words[2:]]
	others = [w for w in lines if w[0] == "equilibrium" and w[1] != words[1]]
	no_equilibria = [w for w in lines if w[0] == "box" and not any(
		e[0] == "equilibrium" and e[1] == w[1] for e in lines)]
	way = rng.randrange(8)
	if way == 0:  # not listed
		return lines[:at] + lines[at + 1:]
	if way == 1:  # twice
		return lines[:at] + [words] + lines[at:]
	if way == 2:  # twice, with other ends
		wider = [x + (1 if k % 2 else -1) for k, x in enumerate(ends)]
		return lines[:at] + [words[:2] + list(map(str, wider))] + lines[at:]
	if way == 3:  # elsewhere
		return lines[:at] + [words[:2] + [str(x + 7 * unit) for x in ends]] + lines[at + 1:]
	if way == 4:  # nowhere
		return lines[:at] + [words[:2] + [str(x) for lo, hi in zip(ends[::2], ends[1::2]) for x in (hi + unit, lo - unit)]] + lines[at + 1:]
	if way == 5 and others:  # the others are where this one is, which is anywhere
		ten = str(10**int(lines[1][1]))
		wide = words[:2] + ["0", ten] * (len(ends) // 2)
		return [w for w in lines[:at] if w[0] != "equilibrium"] + [wide] + [w for w in lines[at + 1:] if w[0] != "equilibrium"]
	if way == 6 and others:  # another one's place
		return lines[:at] + [words[:2] + rng.choice(others)[2:]] + lines[at + 1:]
	if way == 7 and no_equilibria:  # of a solution that is none
		return lines[:at] + [["equilibrium", rng.choice(no_equilibria)[1]] + words[2:]] + lines[at:]
	return None


def forge_box(lines, at, rng):
	words, way = lines[at], rng.randrange(4)
	ends = [float.fromhex(x) for x in words[3:]]
	finite = [k for k, x in enumerate(ends) if abs(x) != float("inf")]
	if way == 0:  # proofs go by it, and a list
		return lines[:at] + lines[at + 1:]
	if way == 1:
		return lines[:at] + [words[:2] + [words[2].translate({48: 49, 49: 48})] + words[3:]] + lines[at + 1:]
	if not finite:
		return None
	if way == 2:  # beside its solution
		moved = [x if k not in finite else x + 4 * (ends[k | 1] - ends[k & ~1]) for k, x in enumerate(ends)]
	else:  # turned around
		moved = [ends[k ^ 1] if k in finite else x for k, x in enumerate(ends)]
	return lines[:at] + [words[:3] + [x.hex() for x in moved]] + lines[at + 1:]


def forge_combine(lines, at, rng):
	words, way = lines[at], rng.randrange(5)
	if way == 0:
		words = [w if "x" not in w else "0x0p+0" for w in words]
	elif way == 1:
		words = ["empty", "0"]
	elif way == 2:
		words = words[:-1]
	elif way == 3:
		words = [w if "x" not in w else w[1:] if w[0] == "-" else "-" + w for w in words]
	else:
		words = [w if "x" not in w else "inf" for w in words]
	return lines[:at] + [words] + lines[at + 1:]


def forge(lines, rng):
	"""A certificate that is false, of one that is true; None: not by this way."""
	at = rng.choice(range(2, len(lines) - 1))
	words, way = lines[at], rng.randrange(4)
	if words[0] in ("equilibrium", "box", "combine"):
		return {"equilibrium": forge_equilibrium, "box": forge_box, "combine": forge_combine}[words[0]](lines, at, rng)
	if words[0] == "inside":
		other = [w[1] for w in lines if w[0] == "box" and w[1] != words[1]]
		new = ["inside", rng.choice(other)] if way == 0 and other else ["empty", "0"] if way else ["inside", "-1"]
		if new[1] in other and same_box(lines, new[1], words[1]):
			return None
	elif words[0] in ("play", "halve"):
		if way < 2:
			return hide(lines, at, rng)
		if way == 2:
			return lines[:at] + lines[at + 1:]
		new = ["play", str(10**6)] if rng.random() < 0.5 else ["halve", "0", "0", "0"]
	elif words[0] == "unit":
		new = words[:2] + [rng.choice(["0", "-" + words[2]]), words[3]]
	elif words[0] == "out":
		new = ["out", words[2], words[1]]
	elif words[0] == "dominated":
		new = [words[0], words[1], words[3], words[2]]
	else:
		return None
	return lines[:at] + [new] + lines[at + 1:]


def same_box(lines, a, b):
	"""Of one support: its regions may be in both."""
	state = {w[1]: w[2] for w in lines if w[0] == "box"}
	return state[a] == state[b]


def main():
	helped = {"-h", "--help"} & set(sys.argv)
	if helped or len(sys.argv) not in (3, 5):
		print(__doc__.rstrip(), file=sys.stdout if helped else sys.stderr)
		return 0 if helped else 2
	with open(sys.argv[2]) as f:
		lines = [line.split() for line in f]
	try:
		n, n_open = check(sys.argv[1], lines)
	except REFUSED as e:
		print("refused: %s" % (e or type(e).__name__))
		return 1
	print("verified: %d equilibria, %s" % (n, "%d open regions" % n_open if n_open else "complete"))
	forged, wanted = 0, int(sys.argv[3]) if len(sys.argv) > 3 else 0
	rng = random.Random(int(sys.argv[4]) if wanted else 0)
	while forged < wanted:
		false = forge(lines, rng)
		if not false:
			continue
		try:
			check(sys.argv[1], false)
		except REFUSED:
			forged += 1
			continue
		print("a forged certificate is taken: line %s" % next(a for a, b in zip(lines, false) if a != b))
		return 1
	if wanted:
		print("%d forged ones refused" % forged)
	return 0


if __name__ == "__main__":
	sys.exit(main())
