"""Games: Nash equilibria of two players, coalition structures, and auctions."""
import ctypes
import operator
import os
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, List, Optional, Tuple, Union

from . import _c
from ._c import lib
from ._engine import (INF, Context, Error, Interrupted, Options, Owner, exact, flat, int64, is_infinite, number, opened,
	path_bytes, seconds, units, word)
from ._model import Model


def _text(raw):
	return None if raw is None else raw.decode("utf-8", "replace")


# ---- nash

def _model(context, make, *arguments):
	m = Model.__new__(Model)
	Owner.__init__(m, context, opened(context, make, lib.gpube_model_free, *arguments),
		lib.gpube_model_free)
	return m


class Game(Owner):
	"""A game of two players in normal form. One that was read may have more: of that there are its pure equilibria,
	payoffs and labels, and its model.

	payoffs1, payoffs2  nested lists or arrays of rows x columns numbers: ints, Fractions, Decimals or
	                    texts such as "2/3" are what they say, a float is the decimal that Python
	                    prints of it; payoffs2 None: of a game of sum zero
	Errors: ValueError (shapes), Error ERANGE (a payoff's numerator or denominator passes 64 bits)

	>>> gpube.Game([[3, 0], [5, 1]], [[3, 5], [0, 1]]).nash().equilibria[0].payoffs
	(Fraction(1, 1), Fraction(1, 1))
	"""

	def __init__(self, payoffs1, payoffs2=None, context=None):
		rows = [[exact(x) for x in row] for row in payoffs1]
		if not rows or not rows[0] or any(len(row) != len(rows[0]) for row in rows):
			raise ValueError("payoffs are not a table of rows and columns")
		shape = (len(rows), len(rows[0]))
		first = [x for row in rows for x in row]
		second = [-x for x in first] if payoffs2 is None else [exact(x) for x in flat(payoffs2, shape)]
		context = context or Context()
		out = ctypes.c_void_p()
		context._do(lib.gpube_model_new, ctypes.byref(out), context._address, word("GPUBE_", "game"))
		super().__init__(context, out.value, lib.gpube_model_free)
		for actions in shape:
			context._do(lib.gpube_model_add_var, self._address, None, actions, None)
		numbers = ctypes.c_int64 * len(first)
		for table in first, second:
			context._do(lib.gpube_model_add_payoffs, self._address, numbers(*(int64(x.numerator) for x in table)),
				numbers(*(int64(x.denominator) for x in table)))

	def _words(self):
		return "%s actions" % " x ".join(map(str, self.shape))

	@classmethod
	def read(cls, path, format="auto", context=None):
		"""Reads a .nfg or .efg (as its reduced normal form) of Gambit, any output of GAMUT but SpecialOutput, or an input of lrsnash.
		A .nfg, SimpleOutput and GTOutput may have up to 62 players.

		format  "nfg", "gam", "lrs", "two-player", "simple", "efg"; "auto" tells it from the content
		Errors: Error EIO, EPARSE (file, line, what was expected), ERANGE, ENOMEM, EINVAL (no game: see from_model())

		>>> gpube.Game.read("examples/effort.nfg").shape
		(4, 3)
		"""
		context = context or Context()
		opts = Options("read", "gpube_read", **{"from": format}, kind="game")
		address = opened(context, lib.gpube_read, lib.gpube_model_free, context._address,
			path_bytes(path), opts.address)
		g = cls.__new__(cls)
		Owner.__init__(g, context, address, lib.gpube_model_free)
		if lib.gpube_model_kind(address) != word("GPUBE_", "game"):
			raise Error("EINVAL", "'%s' is a model, which 'gpube solve' reads" % (path,))
		return g

	@classmethod
	def from_model(cls, model):
		"""The game that a Model of as many functions as variables, each over all of them, is: costs that are
		minimised are what players lose, costs that are maximised and potentials what they get.

		Errors: Error EINVAL (another form), ELIMIT, ENOMEM

		>>> regrets = gpube.Game([[3, 0], [5, 1]], [[3, 5], [0, 1]]).model(regret=True)
		>>> gpube.Game.from_model(regrets).nash().equilibria[0].x
		[Fraction(0, 1), Fraction(1, 1)]
		"""
		g = cls.__new__(cls)
		Owner.__init__(g, model.context, opened(model.context, lib.gpube_game_of_costs, lib.gpube_model_free,
			model._address), lib.gpube_model_free)
		return g

	@classmethod
	def from_nashpy(cls, game, context=None):
		"""One of nashpy's games (nashpy.Game).

		>>> gpube.Game.from_nashpy(game).nash()  # doctest: +SKIP
		"""
		a, b = game.payoff_matrices
		return cls(a.tolist(), b.tolist(), context=context)

	def to_nashpy(self):
		"""The game as one of nashpy's; its payoffs are floats, so that thirds are rounded.

		Errors: ImportError (no nashpy: pip install nashpy), those of payoffs()

		>>> list(game.to_nashpy().vertex_enumeration())  # doctest: +SKIP
		"""
		import nashpy
		return nashpy.Game(*([[float(x) for x in row] for row in self.payoffs(player)] for player in (1, 2)))

	@classmethod
	def from_pygambit(cls, game, context=None):
		"""One of pygambit's games of two players, or of more (see pure()), by way of a .nfg file.

		>>> gpube.Game.from_pygambit(game).nash()  # doctest: +SKIP
		"""
		import os
		import tempfile
		with tempfile.TemporaryDirectory() as directory:
			path = os.path.join(directory, "game.nfg")
			with open(path, "w") as f:
				f.write(game.to_nfg())
			return cls.read(path, context=context)

	def to_pygambit(self):
		"""The game as one of pygambit's, with exact payoffs and the names of actions.

		Errors: ImportError (no pygambit: pip install pygambit)

		>>> game.to_pygambit().min_payoff  # doctest: +SKIP
		"""
		import os
		import tempfile

		import pygambit
		with tempfile.TemporaryDirectory() as directory:
			path = os.path.join(directory, "game.nfg")
			self.write(path)
			return pygambit.read_nfg(path)

	def write(self, path, format="auto"):
		"""Writes .nfg, .gam (GTOutput) or an input of lrsnash, by the name, or "simple" and "two-player" of GAMUT.
		Those of lrsnash and "two-player" are of two players.

		Errors: Error EIO, EINVAL (more players), ENOMEM
		"""
		opts = Options("write", "gpube_write", to=format)
		opened(self.context, lambda out, *rest: lib.gpube_write(*rest, None), lambda none: None,
			self._address, path_bytes(path), opts.address)

	def model(self, regret=False):
		"""The game as a Model: its allowed assignments are the pure equilibria. With 'regret' none is
		forbidden, and a profile costs what both players together could gain by other actions.

		Errors: Error ERANGE (a payoff past 64 bits, a regret of 2^61 units), ENOMEM

		>>> gpube.Game.read("examples/effort.nfg").model().solve(count=True).count
		3
		"""
		return _model(self.context, lib.gpube_costs_of_game, self._address, int(bool(regret)))

	@property
	def shape(self):
		"""How many actions each player has: (rows, columns) of two players"""
		address = self._address
		return tuple(lib.gpube_model_domain(address, p) for p in range(lib.gpube_model_n_vars(address)))

	def _player(self, player):
		"""The game's shape, for one of its players."""
		shape, player = self.shape, operator.index(player)
		if player not in range(1, len(shape) + 1):
			raise ValueError("players are 1 %s %d" % ("and" if len(shape) == 2 else "to", len(shape)))
		return shape

	def payoffs(self, player):
		"""The payoffs of a player, 1, 2 ..., as nested lists of Fractions: rows of columns of two players.
		Errors: Error ERANGE (one passes 64 bits)

		>>> gpube.Game([["1/2", 0], [5, 1]]).payoffs(2)
		[[Fraction(-1, 2), Fraction(0, 1)], [Fraction(-5, 1), Fraction(-1, 1)]]
		"""
		shape = self._player(player)
		num, den = ctypes.c_int64(), ctypes.c_int64()
		profile = (ctypes.c_int32 * len(shape))()

		def below(p):
			if p == len(shape):
				self.context._do(lib.gpube_model_payoff, ctypes.byref(num), ctypes.byref(den), self._address,
					player - 1, profile)
				return Fraction(num.value, den.value)
			table = []
			for profile[p] in range(shape[p]):
				table.append(below(p + 1))
			return table

		return below(0)

	def labels(self, player):
		"""The names of the actions of a player, 1, 2 ...; None where the file has none."""
		return [_text(lib.gpube_model_value_name(self._address, player - 1, k))
			for k in range(self._player(player)[player - 1])]

	def pure(self):
		"""All pure equilibria, of any number of players: a list of Pure.

		Errors: Error ERANGE (a payoff passes 64 bits), ENOMEM; Interrupted

		>>> [p.actions for p in gpube.Game([[3, 0], [5, 1]], [[3, 5], [0, 1]]).pure()]
		[(1, 1)]
		"""
		def convert(address):
			r = _c.at(address, "gpube_nash_pure")
			flat_actions = _c.array(r.actions, ctypes.c_int32, r.n * r.n_players) or []
			return [tuple(flat_actions[k * r.n_players:(k + 1) * r.n_players]) for k in range(r.n)]

		profiles = self.context._run(lib.gpube_nash_pure, lib.gpube_nash_pure_free, convert, self._address)
		num, den = ctypes.c_int64(), ctypes.c_int64()

		def payoff(player, actions):
			self.context._do(lib.gpube_model_payoff, ctypes.byref(num), ctypes.byref(den), self._address, player,
				(ctypes.c_int32 * len(actions))(*actions))
			return Fraction(num.value, den.value)

		return [Pure(actions, tuple(payoff(p, actions) for p in range(len(actions)))) for actions in profiles]

	def nash(self, method="auto", one=False, all_labels=False, pure=False, max=0, support_size=0,
			timeout=None, keep_dominated=False, inexact=False, components=False, backend="auto"):
		"""The extreme equilibria: every equilibrium is a mixture of some of them. Equilibria.

		method        "auto", "eee" (branch and bound), "ve" (vertices) or "se" (supports)
		one           one equilibrium, by Lemke and Howson; with all_labels from every label
		pure          pure equilibria alone
		max           stop after so many; 0: all
		support_size  of method "se": supports of this size alone
		timeout       seconds; then the answer is "incomplete"
		inexact       decide in floats: fast, and sometimes wrong
		components    of a complete answer: its maximal Nash subsets and components, too
		Errors: Error EINVAL (options; a library without FLINT decides 'inexact' alone), ENODEV,
		ERANGE, ENOMEM; Interrupted, with what was found. Of more than two players Error EINVAL: pure() is for those

		>>> len(gpube.Game.read("examples/effort.nfg").nash().equilibria)
		7
		"""
		opts = Options("nash", "gpube_nash", method=method, one=bool(one), all_labels=bool(all_labels), pure=bool(pure),
			max=max, support_size=support_size, timeout=seconds(timeout), keep_dominated=bool(keep_dominated),
			inexact=bool(inexact), backend=backend)

		def convert(address):
			return _equilibria(self, address, components, timeout)

		return self.context._run(lib.gpube_nash, lib.gpube_nash_result_free, convert, self._address,
			opts.address)


@dataclass
class Pure:
	"""actions: an action of each player, from 0; payoffs: what each of them gets, Fractions."""

	actions: Tuple[int, ...]
	payoffs: Tuple[Fraction, ...]


@dataclass
class Equilibrium:
	"""x, y: the probabilities of each player's actions; payoffs: what each of them gets. Fractions;
	floats of an inexact answer."""

	x: List[Union[Fraction, float]]
	y: List[Union[Fraction, float]]
	payoffs: Tuple[Union[Fraction, float], Union[Fraction, float]]


@dataclass
class Subset:
	"""Every mixture of the strategies 'xs' with every one of 'ys' is an equilibrium; those of one
	component are connected."""

	xs: List[List[Union[Fraction, float]]]
	ys: List[List[Union[Fraction, float]]]
	component: int


@dataclass
class Equilibria:
	"""What Game.nash() knows.

	answer      "all" (these are all extreme equilibria), "some" (what was asked for) or "incomplete"
	reason      why it is incomplete, or None
	degenerate  True, False, or None where it is not known
	removed     strictly dominated actions of each player
	n_unchecked found, but not checked in time: not among the equilibria
	subsets     maximal Nash subsets, if they were asked for and the answer is "all"
	"""

	answer: str
	equilibria: List[Equilibrium]
	reason: Optional[str]
	method: str
	backend: str
	inexact: bool
	degenerate: Optional[bool]
	index_sum: int
	removed: Tuple[int, int]
	n_unchecked: int
	subsets: Optional[List[Subset]]
	seconds: float

	@property
	def proved(self):
		"""Whether these are proved to be all extreme equilibria."""
		return self.answer == "all" and not self.inexact


def _strategies(address, n, n_actions, read):
	size = ctypes.sizeof(_c.structs["gpube_nash_strategy"])
	strategies = []
	for k in range(n):
		s = _c.at(address + k * size, "gpube_nash_strategy")
		p = (ctypes.c_char_p * n_actions).from_address(s.p)
		strategies.append(([read(x.decode()) for x in p], read(s.value.decode())))
	return strategies


def _equilibria(game, address, components, timeout):
	r = _c.at(address, "gpube_nash_result")
	read = float if r.inexact else Fraction
	rows, columns = game.shape
	xs = _strategies(r.xs, r.n_xs, rows, read)
	ys = _strategies(r.ys, r.n_ys, columns, read)
	pairs = (_c.structs["gpube_nash_pair"] * r.n_pairs).from_address(r.pairs) if r.n_pairs else []
	result = Equilibria(answer=_c.WORDS["GPUBE_NASH_ANSWER_"][r.answer],
		equilibria=[Equilibrium(list(xs[p.x][0]), list(ys[p.y][0]), (ys[p.y][1], xs[p.x][1]))
			for p in pairs],
		reason=_text(r.reason), method=_text(r.method), backend=_text(r.backend),
		inexact=bool(r.inexact), degenerate=None if r.degenerate < 0 else bool(r.degenerate),
		index_sum=r.index_sum, removed=tuple(r.removed), n_unchecked=r.n_unchecked,
		subsets=None, seconds=r.seconds)
	if not components or result.answer != "all":
		return result
	opts = Options("nash", "gpube_nash_components", timeout=seconds(timeout))
	try:
		result.subsets = game.context._run(lib.gpube_nash_components, lib.gpube_nash_components_free,
			lambda c: _subsets(c, xs, ys), game.context._address, address, opts.address)
	except Interrupted as e:
		e.result = result
		raise
	except Error as e:
		if e.status != "ESTOP":  # out of time: the equilibria are known
			raise
	return result


def _subsets(address, xs, ys):
	c = _c.at(address, "gpube_nash_components")
	subsets = []
	for s in (_c.structs["gpube_nash_subset"] * c.n_subsets).from_address(c.subsets) if c.n_subsets else []:
		subsets.append(Subset(
			[list(xs[k][0]) for k in _c.array(s.xs, ctypes.c_int64, s.n_xs)],
			[list(ys[k][0]) for k in _c.array(s.ys, ctypes.c_int64, s.n_ys)], s.component))
	return subsets


def nash(game, payoffs2=None, context=None, **options):
	"""Equilibria of a game: a Game, a path, a Model of that form, one of nashpy's games, or the payoffs of player 1 (and of
	player 2; without them the sum is zero). Options and errors are those of Game.nash().

	>>> gpube.nash([[1, -1], [-1, 1]]).equilibria[0].x
	[Fraction(1, 2), Fraction(1, 2)]
	"""
	tables = not isinstance(game, (str, os.PathLike, Model, Game)) and not hasattr(game, "payoff_matrices")
	if payoffs2 is not None and not tables:
		raise ValueError("payoffs of player 2 beside a game that has them")
	if isinstance(game, (str, os.PathLike)):
		game = Game.read(game, context=context)
	elif isinstance(game, Model):
		game = Game.from_model(game)
	elif hasattr(game, "payoff_matrices"):
		game = Game.from_nashpy(game, context=context)
	elif tables:
		game = Game(game, payoffs2, context=context)
	return game.nash(**options)


# ---- coalition structures

MOST_AGENTS = 40  # GPUBE_MAX_AGENTS


@dataclass
class Structure:
	"""What csg() knows.

	answer       "optimal", "infeasible", "bounds" (stopped: the best known) or "incomplete"
	coalitions   disjoint sorted tuples of agents, from 0; None without a structure
	value        of the structure: exact (an int or a Decimal) unless values were floats; or None
	upper_bound  no structure is worth more; None where nothing is known
	error        of floats: the optimum exceeds 'value' by no more than this; otherwise 0
	"""

	answer: str
	coalitions: Optional[List[Tuple[int, ...]]]
	value: Any
	upper_bound: Any
	error: float
	method: str
	backend: str
	seconds: float

	@property
	def proved(self):
		"""Whether the answer is proved: an optimum, or that there is no structure."""
		return self.answer in ("optimal", "infeasible")


def csg(values, n_agents=None, method="auto", timeout=None, free_disposal=False, certificate=None,
		backend="auto", context=None):
	"""An optimal partition of n agents into coalitions: a Structure.

	values         a path; or a Model that was read from a .csg, or one of one function over all its
	               variables, which have two values: a coalition is worth by how much it costs less than none does; or 2^n numbers in the order of masks (agent i is bit i; the first one, of
	               the empty coalition, is 0); or {coalition: value}, where a coalition is a mask or an
	               iterable of agents and what is left out is forbidden. -inf is forbidden. Ints,
	               Fractions and Decimals are exact, and so is the result; with a float (but -inf)
	               among them all are floats
	n_agents       of a dict; default: up to the last agent that is in it
	method         "auto", "lp", "conv", "dp", "idp", "ip" or "idp_ip"
	free_disposal  agents may stay out, at no value
	certificate    path to write a proof of method lp to
	Errors: ValueError, Error EINVAL, ERANGE (a value or the sum passes 64 bits), ELIMIT, ENOMEM, and
	those of reading a file; Interrupted, with the best so far

	>>> gpube.csg({(0,): 1, (1,): 2, (0, 1): 4}).coalitions
	[(0, 1)]
	"""
	context = _context_of(values, context)
	game, decimals = _game_of(context, values, n_agents)
	opts = Options("csg", "gpube_csg", method=method.replace("_", "-"), timeout=seconds(timeout), free_disposal=bool(free_disposal),
		backend=backend, certify=None if certificate is None else path_bytes(certificate))
	try:
		return context._run(lib.gpube_csg, lib.gpube_csg_result_free,
			lambda r: _structure(r, decimals), game._address, opts.address)
	finally:
		_give_back(game, values)


def csg_model(values, n_agents=None, context=None):
	"""The coalition game as a Model, to be maximised: an assignment is a partition. 'values' and
	'n_agents' as of csg().

	Errors: those of csg(), and Error EINVAL (floats), ELIMIT (more than 14 agents and many coalitions)

	>>> gpube.csg_model({(0,): 1, (1,): 2, (0, 1): 4}).solve().optimum
	4
	"""
	context = _context_of(values, context)
	game, decimals = _game_of(context, values, n_agents)
	try:
		m = _model(context, lib.gpube_costs_of_coalitions, game._address)
	finally:
		_give_back(game, values)
	context._do(lib.gpube_model_set_scale, m._address, decimals)
	return m


def _context_of(what, context):
	"""A model's own, otherwise the one that was given."""
	return what.context if isinstance(what, Model) else context or Context()


def _game_of(context, values, n_agents):
	"""A Model of coalitions, for _give_back(), and its decimals (None: floats)."""
	if isinstance(values, (str, os.PathLike)):
		values = Model.read(values, context=context)
	if not isinstance(values, Model):
		return _coalitions(context, values, n_agents)
	if values.kind != "coalitions":
		values = _model(context, lib.gpube_coalitions_of_costs, values._address)
	return values, lib.gpube_model_scale(values._address)


def _give_back(game, values):
	"""Closes what was made of 'values'."""
	if game is not values:
		game.close()


def _mask(coalition):
	if hasattr(coalition, "__index__"):
		return coalition.__index__()
	mask = 0
	for agent in map(operator.index, coalition):
		if not 0 <= agent < MOST_AGENTS:
			raise ValueError("agent %d, expected 0 to %d" % (agent, MOST_AGENTS - 1))
		mask |= 1 << agent
	return mask


def _coalitions(context, values, n):
	"""A game of values in memory, which takes what is listed, and its decimals (None: floats)."""
	n = None if n is None else operator.index(n)
	if hasattr(values, "items"):
		values = {_mask(c): v for c, v in values.items()}
		if any(c < 1 for c in values if c) or not values:
			raise ValueError("no coalitions, or one below 0")
		least = max(values).bit_length()
		n = least if n is None else n
		if n < least:
			raise ValueError("a coalition of agent %d, of %d agents" % (least - 1, n))
	else:
		values = values.tolist() if hasattr(values, "tolist") else list(values)
		if len(values) < 2 or len(values) & (len(values) - 1) or (n or 0) not in (
				0, len(values).bit_length() - 1):
			raise ValueError("%d values, expected 2^n" % len(values))
		n = len(values).bit_length() - 1
		values = dict(enumerate(values))
	empty = values.pop(0, 0)
	if empty != 0 and not is_infinite(empty):
		raise ValueError("the empty coalition's value is not 0")
	floats = any(isinstance(v, float) and not is_infinite(v) for v in values.values())
	decimals = None if floats else _decimals(values.values())
	if n > MOST_AGENTS:
		raise ValueError("%d agents, at most %d" % (n, MOST_AGENTS))
	masks = (ctypes.c_uint64 * len(values))(*values)
	numbers = ((ctypes.c_double if floats else ctypes.c_int64) * len(values))()
	for k, v in enumerate(values.values()):
		if type(v) is not int and is_infinite(v):
			if v > 0:
				raise ValueError("a value of inf; what is forbidden is -inf")
			numbers[k] = -INF if floats else -2**63
		else:
			numbers[k] = float(v) if floats else int64(units(v, decimals))
	return _model(context, lib.gpube_coalitions_new_listed, context._address, n,
		_c.GPUBE_FLOAT64 if floats else _c.GPUBE_INT64, len(values), masks, numbers), decimals


def _decimals(values):
	"""How many decimals these numbers have; ValueError if one never ends."""
	most = 0
	for v in values:
		if type(v) is int or is_infinite(v):
			continue
		d = exact(v).denominator
		k = 0
		while 10**k % d:
			k += 1
			if k > 18:
				raise ValueError("%s has more than 18 decimals" % (v,))
		most = max(most, k)
	return most


def _structure(address, decimals):
	r = _c.at(address, "gpube_csg_result")
	answer = _c.CSG_ANSWERS[r.answer]
	there = answer in ("optimal", "bounds")
	value = upper = None
	if r.is_int:
		value = number(r.value_int, decimals or 0)
		upper = None if r.upper_int == 2**63 - 1 else number(r.upper_int, decimals or 0)
	else:
		value, upper = r.value, None if r.upper_bound == INF else r.upper_bound
	masks = _c.array(r.parts, ctypes.c_uint64, r.n_parts) or []
	return Structure(answer=answer,
		coalitions=[tuple(i for i in range(m.bit_length()) if m >> i & 1) for m in masks]
			if there else None,
		value=value if there else None, upper_bound=upper if answer != "infeasible" else None,
		error=r.error, method=_c.WORDS["GPUBE_CSG_"][r.method], backend=_text(r.backend),
		seconds=r.seconds_total)


# ---- auctions

@dataclass
class AuctionResult:
	"""What auction() knows.

	proved       the revenue is the optimum; otherwise the best known
	revenue      exact: an int or a Decimal
	upper_bound  no choice of bids is worth more
	winners      indices of bids, rising, in the order of the file or the list
	ids          the same as the file's numbers of them
	never        bids that some cheaper way always beats
	"""

	proved: bool
	revenue: Any
	upper_bound: Any
	winners: List[int]
	ids: List[int]
	never: List[int]
	seconds: float


def auction(bids, n_goods=None, timeout=None, context=None):
	"""Disjoint bids of the greatest total price: an AuctionResult.

	bids     a path of a CATS file; or a Model that was read from one, or as auction_model() makes them; or a list of (price, goods), where a price is an int, a Decimal, a
	         Fraction or a float (the decimal that Python prints of it), and goods are integers from 0
	n_goods  of a list; default: up to the last one that is bid for
	timeout  seconds; then the best that is known
	Errors: ValueError, Error EIO, EPARSE, ERANGE (prices past 64 bits), ELIMIT, ENOMEM; Interrupted,
	with the best so far

	>>> gpube.auction([(3, [0, 1]), (2, [0]), (2, [1])]).winners
	[1, 2]
	"""
	context = _context_of(bids, context)
	held = _auction_of(context, bids, n_goods)
	opts = Options("auction", "gpube_auction", timeout=seconds(timeout))

	def convert(result):
		r = _c.at(result, "gpube_auction_result")
		winners = _c.array(r.winners, ctypes.c_int, r.n_winners) or []
		return AuctionResult(proved=bool(r.optimal), revenue=number(r.revenue, r.scale),
			upper_bound=number(r.upper_bound, r.scale), winners=winners,
			ids=[lib.gpube_auction_bid_number(held._address, k) for k in winners],
			never=_c.array(r.never, ctypes.c_int, r.n_never) or [], seconds=r.seconds)

	try:
		return context._run(lib.gpube_auction, lib.gpube_auction_result_free, convert, held._address,
			opts.address)
	finally:
		_give_back(held, bids)


def auction_model(bids, n_goods=None, context=None):
	"""The auction as a Model, to be maximised: an assignment is a set of winners. 'bids' and 'n_goods'
	as of auction().

	Errors: those of auction(), and Error ELIMIT

	>>> gpube.auction_model([(3, [0, 1]), (2, [0]), (2, [1])]).solve().optimum
	4
	"""
	context = _context_of(bids, context)
	held = _auction_of(context, bids, n_goods)
	try:
		return _model(context, lib.gpube_costs_of_auction, held._address)
	finally:
		_give_back(held, bids)


def _auction_of(context, bids, n_goods):
	"""A Model of bids, for _give_back()."""
	if isinstance(bids, (str, os.PathLike)):
		bids = Model.read(bids, context=context)
	if not isinstance(bids, Model):
		return _bids(context, list(bids), n_goods)
	return bids if bids.kind == "coalitions" else _model(context, lib.gpube_auction_of_costs, bids._address)


def _bids(context, bids, n_goods):
	"""A list of prices and goods as a Model."""
	bids = [(price, sorted(set(map(operator.index, goods)))) for price, goods in bids]
	last = max((goods[-1] for _, goods in bids if goods), default=-1)
	if any(not goods or goods[0] < 0 for _, goods in bids):
		raise ValueError("a bid without goods, or on a good below 0")
	n_goods = last + 1 if n_goods is None else operator.index(n_goods)
	if last >= n_goods:
		raise ValueError("a bid on good %d, of %d goods" % (last, n_goods))
	decimals = _decimals([price for price, _ in bids])
	at, flat_goods = [0], []
	for _, goods in bids:
		flat_goods += goods
		at.append(len(flat_goods))
	m = _model(context, lib.gpube_auction_new, context._address, n_goods, 0, len(bids),
		(ctypes.c_int64 * len(at))(*at), (ctypes.c_int32 * max(len(flat_goods), 1))(*flat_goods),
		(ctypes.c_int64 * max(len(bids), 1))(*[int64(units(price, decimals)) for price, _ in bids]))
	context._do(lib.gpube_model_set_scale, m._address, decimals)
	return m
