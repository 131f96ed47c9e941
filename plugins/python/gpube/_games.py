"""Games and their Nash equilibria."""
from __future__ import annotations

import ctypes
import operator
import os
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple, Union

from . import _c, _tables
from ._c import lib
from ._engine import Context, Error, Interrupted, Options, Owner, expect, info, names_nearest, opened, path_bytes, seconds, word
from ._model import Model, made
from ._names import Assignment, Distribution, Names, Value, decoded, encoded, names_of
from ._show import Shown, html_table, pandas, short
from ._types import Path, Seconds


class Game(Owner):
	"""A game of two players in normal form. One that was read, or that from_arrays() makes, may have more.

	payoffs1, payoffs2  nested lists or arrays of rows x columns numbers: ints, Fractions, Decimals or
	                    texts such as "2/3" are what they say, a float is the decimal that Python
	                    prints of it; payoffs2 None: of a game of sum zero
	actions             names of the actions: a list for each of the two players
	players             the names of the two players
	Errors: ValueError (shapes), Error ERANGE (a payoff's numerator or denominator passes 64 bits)

	>>> gpube.Game([[3, 0], [5, 1]], [[3, 5], [0, 1]]).nash().equilibria[0].payoffs
	(Fraction(1, 1), Fraction(1, 1))
	>>> g = gpube.Game([[3, 0], [5, 1]], [[3, 5], [0, 1]], actions=[["quiet", "tell"], ["quiet", "tell"]])
	>>> g.nash().equilibria[0].x["tell"]
	Fraction(1, 1)
	"""

	def __init__(self, payoffs1: Any, payoffs2: Any = None, context: Optional[Context] = None,
			actions: Optional[Iterable[Iterable[Any]]] = None, players: Optional[Iterable[Any]] = None):
		for attribute, way in ("to_nfg", "from_pygambit"), ("payoff_matrices", "from_nashpy"):
			if hasattr(payoffs1, attribute):
				raise TypeError("a game of another package: Game.%s() takes it" % way)
		for given in payoffs1, payoffs2:
			if getattr(given, "ndim", 2) != 2:
				raise ValueError("payoffs are rows x columns numbers, found an array of %d dimensions; Game.from_arrays() "
					"takes the payoffs of more players" % given.ndim)
		first = _tables.fractions(payoffs1)
		shape = first[0].shape
		second = _tables.negated(first) if payoffs2 is None else _tables.fractions(payoffs2, shape)
		self._fill([first, second], shape, context, actions, players)

	@classmethod
	def from_arrays(cls, *payoffs: Any, actions: Optional[Iterable[Iterable[Any]]] = None,
			players: Optional[Iterable[Any]] = None, context: Optional[Context] = None) -> 'Game':
		"""A game of two or more players: of each its payoffs, nested lists or an array of as many dimensions as there
		are players. The number at [i, j, …] is what it gets where the first player plays action i, the second j, …

		actions, players  as of Game, for each of the players
		Errors: ValueError (shapes), Error ERANGE (a payoff's numerator or denominator passes 64 bits), EINVAL, ENOMEM

		>>> side = [[[3, 0], [1, 1]], [[1, 1], [0, 3]]]
		>>> len(gpube.Game.from_arrays(side, side, side, players=["Ann", "Bob", "Cem"]).pure())
		2
		"""
		tables = [_tables.plain(table) for table in payoffs]
		shape = _tables.shape_of(tables[0]) if tables else ()
		if len(tables) < 2 or len(shape) != len(tables):
			raise ValueError("tables of payoffs: %d, of %d dimensions; expected two or more, of a dimension for each" % (
				len(tables), len(shape)))
		g = cls.__new__(cls)
		g._fill([_tables.fractions(table, shape) for table in tables], shape, context, actions, players)
		return g

	def _fill(self, tables, shape, context, actions, players):
		n_players, context = len(shape), Context._given(context)
		out = ctypes.c_void_p()
		context._do(lib.gpube_model_new, ctypes.byref(out), context._address, word("GPUBE_", "game"))
		super().__init__(context, out.value, lib.gpube_model_free)
		named = [None] * n_players if actions is None else [[encoded(str(a)) for a in of] for of in actions]
		called = [None] * n_players if players is None else [encoded(str(p)) for p in players]
		if len(called) != n_players or len(named) != n_players or [
				len(of or range(n)) for of, n in zip(named, shape)] != list(shape):
			raise ValueError("actions and players are of %d players, a name for each of %s actions" % (
				n_players, " x ".join(map(str, shape))))
		for p, n in enumerate(shape):
			context._do(lib.gpube_model_add_var, self._address, None, n, called[p])
			if named[p] is not None:
				context._do(lib.gpube_model_name_values, self._address, p, (ctypes.c_char_p * n)(*named[p]))
		for num, den in tables:
			context._do(lib.gpube_model_add_payoffs, self._address, num.address, den and den.address)

	def _words(self):
		return "%s actions" % " x ".join(map(str, self.shape))

	def _repr_html_(self):
		names = names_of(self)
		return html_table(self._words(), ["player", "actions"], [
			(name or p + 1, short(names.keys(p), 80)) for p, name in enumerate(names.variables)])

	@classmethod
	def read(cls, path: Path, format: str = "auto", context: Optional[Context] = None) -> 'Game':
		"""Reads a .nfg, .efg (with its tree), .agg or .bagg of Gambit, any output of GAMUT but SpecialOutput, or an input of lrsnash.
		A .nfg, SimpleOutput and GTOutput may have up to 62 players.

		format  "nfg", "gam", "lrs", "two-player", "simple", "efg", "agg" (.bagg, too); "auto" tells it from the content
		Errors: Error EIO, EPARSE (file, line, what was expected), ERANGE, ENOMEM, EINVAL (no game: see from_model())

		>>> gpube.Game.read("examples/effort.nfg").shape
		(4, 3)
		"""
		context = Context._given(context)
		opts = Options("read", "gpube_read", **{"from": format}, kind="game")
		address = opened(context, lib.gpube_read, lib.gpube_model_free, context._address,
			path_bytes(path), opts.address)
		g = cls.__new__(cls)
		Owner.__init__(g, context, address, lib.gpube_model_free)
		if info(address).kind != word("GPUBE_", "game"):
			raise Error("EINVAL", "'%s' is a model, which 'gpube solve' reads" % (path,))
		return g

	@classmethod
	def from_model(cls, model: Any) -> 'Game':
		"""The game that a Model of as many functions as variables, each over all of them, is: costs that are
		minimised are what players lose, costs that are maximised and potentials what they get.

		Errors: Error EINVAL (another form), ELIMIT, ENOMEM

		>>> regrets = gpube.Game([[3, 0], [5, 1]], [[3, 5], [0, 1]]).model(regret=True)
		>>> gpube.Game.from_model(regrets).nash().equilibria[0].x
		[Fraction(0, 1), Fraction(1, 1)]
		"""
		expect(model, "n_functions", "a Model")
		g = cls.__new__(cls)
		Owner.__init__(g, model.context, opened(model.context, lib.gpube_model_as, lib.gpube_model_free,
			model._address, word("GPUBE_FORM_", "game"), None), lib.gpube_model_free)
		return g

	@classmethod
	def from_nashpy(cls, game: Any, context: Optional[Context] = None) -> 'Game':
		"""One of nashpy's games (nashpy.Game).

		>>> gpube.Game.from_nashpy(game).nash()  # doctest: +SKIP
		"""
		expect(game, "payoff_matrices", "a game of nashpy")
		a, b = game.payoff_matrices
		return cls(a.tolist(), b.tolist(), context=context)

	def to_nashpy(self) -> Any:
		"""The game as one of nashpy's; its payoffs are floats, so that thirds are rounded.

		Errors: ImportError (no nashpy: pip install nashpy), those of payoffs()

		>>> list(game.to_nashpy().vertex_enumeration())  # doctest: +SKIP
		"""
		import nashpy
		return nashpy.Game(*([[float(x) for x in row] for row in self.payoffs(player)] for player in (1, 2)))

	@classmethod
	def from_pygambit(cls, game: Any, context: Optional[Context] = None) -> 'Game':
		"""One of pygambit's games of two players, or of more (see pure()), by way of a .nfg file.

		>>> gpube.Game.from_pygambit(game).nash()  # doctest: +SKIP
		"""
		import os
		import tempfile
		expect(game, "to_nfg", "a game of pygambit")
		with tempfile.TemporaryDirectory() as directory:
			path = os.path.join(directory, "game.nfg")
			with open(path, "w") as f:
				f.write(game.to_nfg())
			return cls.read(path, context=context)

	def to_pygambit(self) -> Any:
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

	def write(self, path: Path, format: str = "auto") -> None:
		"""Writes .nfg, .gam (GTOutput) or an input of lrsnash, by the name, or "simple" and "two-player" of GAMUT.
		Those of lrsnash and "two-player" are of two players.

		Errors: Error EIO, EINVAL (more players), ENOMEM
		"""
		opts = Options("write", "gpube_write", to=format)
		opened(self.context, lambda out, *rest: lib.gpube_write(*rest, None), lambda none: None,
			self._address, path_bytes(path), opts.address)

	def model(self, regret: bool = False) -> Model:
		"""The game as a Model: its allowed assignments are the pure equilibria. With 'regret' none is
		forbidden, and a profile costs what both players together could gain by other actions.

		Errors: Error ERANGE (a payoff past 64 bits, a regret of 2^61 units), ENOMEM

		>>> gpube.Game.read("examples/effort.nfg").model().solve(count=True).count
		3
		"""
		opts = Options("model", "gpube_model_as", regret=bool(regret))
		return made(self.context, lib.gpube_model_as, self._address, word("GPUBE_FORM_", "costs"), opts.address)

	@property
	def shape(self) -> Tuple[int, ...]:
		"""How many actions each player has: (rows, columns) of two players"""
		address = self._address
		return tuple(lib.gpube_model_domain(address, p) for p in range(lib.gpube_model_n_vars(address)))

	def _player(self, player):
		"""The game's shape, for one of its players."""
		shape, player = self.shape, operator.index(player)
		if player not in range(1, len(shape) + 1):
			raise ValueError("players are 1 %s %d" % ("and" if len(shape) == 2 else "to", len(shape)))
		return shape

	def payoffs(self, player: int) -> List[Any]:
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

	def labels(self, player: int) -> List[Optional[str]]:
		"""The names of the actions of a player, 1, 2 ...; None where the file has none."""
		n = self._player(player)[player - 1]
		return list(names_of(self).values[player - 1] or [None] * n)

	@property
	def players(self) -> List[Optional[str]]:
		"""The names of the players; None where one has none."""
		return list(names_of(self).variables)

	def pure(self) -> 'List[Pure]':
		"""All pure equilibria, of any number of players: a list of Pure.

		Errors: Error ERANGE (a payoff passes 64 bits), ENOMEM; Interrupted

		>>> [p.actions for p in gpube.Game([[3, 0], [5, 1]], [[3, 5], [0, 1]]).pure()]
		[(1, 1)]
		"""
		def convert(address):
			r = _c.at(address, "gpube_nash_pure")
			flat_actions = _c.array(r.actions, ctypes.c_int32, r.n * r.n_players) or []
			return [tuple(flat_actions[k * r.n_players:(k + 1) * r.n_players]) for k in range(r.n)]

		profiles = self.context._run(lib.gpube_nash_pure, convert, self._address)
		num, den = ctypes.c_int64(), ctypes.c_int64()

		def payoff(player, actions):
			self.context._do(lib.gpube_model_payoff, ctypes.byref(num), ctypes.byref(den), self._address, player,
				(ctypes.c_int32 * len(actions))(*actions))
			return Fraction(num.value, den.value)

		names = names_of(self)
		return [Pure(actions, tuple(payoff(p, actions) for p in range(len(actions))), names) for actions in profiles]

	@names_nearest()
	def nash(self, method: str = "auto", one: bool = False, all_labels: bool = False, pure: bool = False, max: int = 0,
			support_size: int = 0, timeout: Seconds = None, keep_dominated: bool = False,
			components: bool = False, backend: str = "auto", digits: int = 12, normal_form: bool = False,
			certify: Optional[Path] = None) -> 'Equilibria':
		"""The extreme equilibria: every equilibrium is a mixture of some of them. Equilibria.

		Of more than two players: all isolated equilibria, each a Profile that is proved to be the only one in a
		box around it; the answer is "all" where nothing else is open (Equilibria.open).

		method        "auto", "eee" (branch and bound), "ve" (vertices) or "se" (supports)
		one           one equilibrium, by Lemke and Howson; with all_labels from every label. Of more than two players a
		              pure one, or the end of the path of logit equilibria; of an .efg by backward induction, a linear
		              program or Lemke's algorithm
		normal_form   of an .efg the strategies of its reduced normal form, which 'pure', 'components', 'method' and
		              its like are about, too; otherwise a BehaviourProfile each, where players recall what they did
		pure          pure equilibria alone
		max           stop after so many; 0: all
		support_size  of method "se": supports of this size alone
		timeout       seconds; then the answer is "incomplete"
		components    of a complete answer: its maximal Nash subsets and components, too
		digits        more than two players: decimals of what is no fraction
		certify       more than two players: the path of a file to which a proof is written that another program can check
		Errors: Error EINVAL (options; a library without FLINT), ENODEV,
		ERANGE, ENOMEM; Interrupted, with what was found

		>>> len(gpube.Game.read("examples/effort.nfg").nash().equilibria)
		7
		"""
		opts = Options("nash", "gpube_nash", method=method, one=bool(one), all_labels=bool(all_labels), pure=bool(pure),
			max=max, support_size=support_size, timeout=seconds(timeout), keep_dominated=bool(keep_dominated),
			backend=backend, digits=digits, normal_form=bool(normal_form or components),
			certify=None if certify is None else os.fspath(certify))

		def convert(address):
			return _equilibria(self, address, components, timeout)

		return self.context._run(lib.gpube_nash, convert, self._address,
			opts.address)


@dataclass
class Pure:
	"""actions: an action of each player, from 0; payoffs: what each of them gets, Fractions. pure["Ann"] is the
	name of a player's action, pure[0] its number.

	>>> gpube.Game.read("examples/effort.nfg").pure()[0]["Ann"]
	'low'
	"""

	actions: Tuple[int, ...]
	payoffs: Tuple[Fraction, ...]
	names: Names = field(default_factory=Names, repr=False, compare=False)

	def __getitem__(self, player) -> Value:
		return Assignment.of(self.actions, self.names)[player]

	def named(self) -> Dict[Value, Value]:
		"""{player: action} by names; numbers from 0 where there are none."""
		return Assignment.of(self.actions, self.names).named()


class Mixed:
	"""Strategies of players: equilibrium["Ann"] or equilibrium[0] is a Distribution over the player's actions."""

	names: Names

	def __getitem__(self, player) -> Distribution:
		if isinstance(player, str):
			name, player = player, self.names.get(player)
			if player is None:
				raise KeyError("there is no player %r" % name)
		return self.strategies[player]

	def named(self) -> Dict[Value, Dict[Value, Any]]:
		"""{player: {action: probability}} by names; numbers from 0 where there are none."""
		known = len(self.names.variables)
		return {self.names.key(p) if p < known else p: of.named() for p, of in enumerate(self.strategies)}


@dataclass
class Equilibrium(Mixed):
	"""x, y: the probabilities of each player's actions, by number from 0 or by name; payoffs: what each of
	them gets, as fractions. equilibrium["Ann"] is the strategy of the player of that name.

	>>> gpube.Game.read("examples/battle.nfg").nash()[1]["Ann"]["opera"]
	Fraction(3, 5)
	"""

	x: Distribution
	y: Distribution
	payoffs: Tuple[Fraction, Fraction]
	names: Names = field(default_factory=Names, repr=False, compare=False)

	@property
	def strategies(self) -> Tuple[Distribution, Distribution]:
		"""(x, y)"""
		return self.x, self.y


@dataclass(frozen=True)
class Interval:
	"""A number between two Fractions, lo and hi; mid is in the middle, and so is float() of it.

	>>> gpube.Interval(Fraction(1, 4), Fraction(1, 2)).mid
	Fraction(3, 8)
	"""

	lo: Fraction
	hi: Fraction

	@property
	def mid(self) -> Fraction:
		"""In the middle."""
		return (self.lo + self.hi) / 2

	def __float__(self) -> float:
		return float(self.mid)

	def __str__(self):
		return "%.12g" % float(self)


@dataclass
class Profile(Mixed):
	"""An equilibrium of a game of more than two players. profile["Ann"] is the strategy of the player of that name.

	strategies  of each player the probabilities of its actions, by number from 0 or by name: Fractions where they
	            are known to be, otherwise Intervals
	payoffs     what each of them gets, likewise
	tie         whether an action that is not played is as good as those that are
	index       1 or -1, 0 where there is a tie, or by one=True others may be beside it: of a game without ties their sum is 1
	"""

	strategies: Tuple[Distribution, ...]
	payoffs: Tuple[Union[Fraction, Interval], ...]
	tie: bool
	index: int
	names: Names = field(default_factory=Names, repr=False, compare=False)


@dataclass
class OpenSupport:
	"""Supports of which it is not decided whether they have other equilibria than are listed.

	states        of each player a text with a character an action: "1" played, "0" not played, "?" either
	reason        why
	lower, upper  of each player's actions: between them are their probabilities in those equilibria
	"""

	states: Tuple[str, ...]
	reason: str
	lower: Tuple[List[float], ...]
	upper: Tuple[List[float], ...]


@dataclass
class Behaviour:
	"""What a player does at an information set of an .efg.

	player, number  whose it is, from 1, and its number in the file
	name, actions   of the set and of its actions
	p               their probabilities, Fractions
	"""

	player: int
	number: int
	name: str
	actions: List[str]
	p: List[Fraction]


@dataclass
class BehaviourProfile:
	"""An equilibrium in behaviour strategies: of every information set what is done there; what each player gets.
	profile["Ann"] is {information set: Distribution over its actions}, by the set's name, or its number where it has
	none of its own; so is profile[0] of the first player."""

	behaviour: List[Behaviour]
	payoffs: Tuple[Fraction, ...]
	names: Names = field(default_factory=Names, repr=False, compare=False)

	def __getitem__(self, player: Value) -> Dict[Value, Distribution]:
		k = self.names.get(player) if isinstance(player, str) else operator.index(player)
		if k is None or not 0 <= k < len(self.payoffs):
			raise KeyError("there is no player %r" % (player,))
		sets, told = [b for b in self.behaviour if b.player == k + 1], {}
		for b in sets:
			own = b.name if [s.name for s in sets].count(b.name) == 1 else ""
			told[own or b.number] = Distribution.of(b.p, [a or x for x, a in enumerate(b.actions)])
		return told

	def named(self) -> Dict[Value, Dict[Value, Dict[Value, Any]]]:
		"""{player: {information set: {action: probability}}} by names; numbers where there are none."""
		return {self.names.key(p) if p < len(self.names.variables) else p: {s: of.named() for s, of in self[p].items()}
			for p in range(len(self.payoffs))}

	def of(self, player: Union[int, str]) -> str:
		"""What a player does, from 1 or by name, as a text. Errors: KeyError (no such player)"""
		if isinstance(player, str):
			name, player = player, self.names.get(player)
			if player is None:
				raise KeyError("there is no player %r" % name)
			player += 1
		return "; ".join("%s: %s" % (b.name or b.number, " ".join("%s %s" % (a or k + 1, p) for k, (a, p) in
			enumerate(zip(b.actions, b.p)) if p)) for b in self.behaviour if b.player == player) or "nothing"


@dataclass
class Subset:
	"""Every mixture of the strategies 'xs' with every one of 'ys' is an equilibrium; those of one
	component are connected."""

	xs: List[List[Union[Fraction, float]]]
	ys: List[List[Union[Fraction, float]]]
	component: int


@dataclass(repr=False)
class Equilibria(Shown):
	"""What Game.nash() knows; len() of it, and each in turn, are those of 'equilibria'.

	answer      "all" (these are all extreme equilibria), "some" (what was asked for) or "incomplete"
	reason      why it is incomplete, or None
	degenerate  True, False, or None where it is not known
	removed     strictly dominated actions of each player; of more than two, of all together
	n_unchecked found, but not checked in time: not among the equilibria
	subsets     maximal Nash subsets, if they were asked for and the answer is "all"
	open        more than two players: OpenSupports
	supports    and how many there are, with those that are open
	"""

	answer: str
	equilibria: List[Union[Equilibrium, Profile]]
	reason: Optional[str]
	method: str
	backend: str
	degenerate: Optional[bool]
	index_sum: int
	removed: Tuple[int, int]
	n_unchecked: int
	subsets: Optional[List[Subset]]
	seconds: float
	open: List[OpenSupport] = field(default_factory=list)
	supports: float = 0

	@property
	def proved(self) -> bool:
		"""Whether these are proved to be all extreme equilibria."""
		return self.answer == "all"

	def __len__(self) -> int:
		return len(self.equilibria)

	def __iter__(self) -> Iterator[Any]:
		return iter(self.equilibria)

	def __getitem__(self, k) -> Union[Equilibrium, Profile]:
		return self.equilibria[k]

	def _lines(self):
		first = self.equilibria[:1]
		return ["%s, %d %sequilibri%s, method %s" % (self.answer, len(self), "" if self.supports else "extreme ",
			"um" if len(self) == 1 else "a", self.method)] + [
			short(["the first: " + _cells(e)[0]] + ["against " + of for of in _cells(e)[1:]]) for e in first]

	def _html(self):
		n = len(self.equilibria[0].payoffs) if self.equilibria else 2
		return html_table(self._lines()[0], ["player %d" % p for p in range(1, n + 1)] + ["payoffs"],
			[_cells(e) + [", ".join(map(str, e.payoffs))] for e in self.equilibria])

	def to_pandas(self) -> Any:
		"""A pandas.DataFrame: a row an equilibrium; columns (player from 1, action) and (player, "payoff"), where
		an action at an information set is "set: action". Errors: ImportError"""
		rows = [{(p, k): v for p, of in enumerate(_told(e), 1) for k, v in
			list(of.items()) + [("payoff", e.payoffs[p - 1])]} for e in self.equilibria]
		frame = pandas()
		return frame.DataFrame(rows, columns=frame.MultiIndex.from_tuples(rows[0] if rows else [(1, "payoff")]))


def _told(e):
	"""For each player a dict of its actions and their probabilities."""
	if isinstance(e, BehaviourProfile):
		return [{"%s: %s" % (b.name or b.number, a or k): p for b in e.behaviour if b.player == player
			for k, (a, p) in enumerate(zip(b.actions, b.p))} for player in range(1, len(e.payoffs) + 1)]
	return [of.named() for of in e.strategies]


def _cells(e):
	if isinstance(e, BehaviourProfile):
		return [e.of(player) for player in range(1, max(len(e.payoffs), 2) + 1)]
	return [", ".join("%s: %s" % (k if isinstance(k, str) else "action %d" % k, p) for k, p in of.named().items() if p)
		for of in e.strategies]


def _strategies(address, n, n_actions):
	size = ctypes.sizeof(_c.structs["gpube_nash_strategy"])
	strategies = []
	for k in range(n):
		s = _c.at(address + k * size, "gpube_nash_strategy")
		p = (ctypes.c_char_p * n_actions).from_address(s.p)
		strategies.append(([Fraction(x.decode()) for x in p], Fraction(s.value.decode())))
	return strategies


def _by_player(flat, shape):
	"""The items of all players' actions, those of each player for themselves."""
	rest = iter(flat)
	return tuple([next(rest) for _ in range(n)] for n in shape)


def _profiles(r, game):
	shape, names = game.shape, names_of(game)
	total = sum(shape)
	size = ctypes.sizeof(_c.structs["gpube_nash_profile"])
	profiles = []
	for k in range(r.n_profiles):
		e = _c.at(r.profiles + k * size, "gpube_nash_profile")
		lo, hi = ((ctypes.c_char_p * (total + len(shape))).from_address(a) for a in (e.lo, e.hi))
		numbers = [Fraction(a.decode()) if a == b else Interval(Fraction(a.decode()), Fraction(b.decode()))
			for a, b in zip(lo, hi)]
		profiles.append(Profile(tuple(Distribution.of(of, names.keys(p))
			for p, of in enumerate(_by_player(numbers, shape))), tuple(numbers[total:]), bool(e.tie), e.index, names))
	return profiles


def _open(r, shape):
	size = ctypes.sizeof(_c.structs["gpube_nash_open"])
	entries = (_c.at(r.open + k * size, "gpube_nash_open") for k in range(r.n_open))
	return [OpenSupport(tuple("".join(of) for of in _by_player(decoded(o.states), shape)), decoded(o.reason),
		*(_by_player(_c.array(x, ctypes.c_double, sum(shape)), shape) for x in (o.lower, o.upper))) for o in entries]


def _texts(address, n):
	return [decoded(x) or "" for x in (ctypes.c_char_p * n).from_address(address)] if n else []


def _behaviours(address, names):
	t = _c.at(address, "gpube_nash_tree")
	sets = [(s.player, s.number, decoded(s.name) or "", _texts(s.actions, s.n_actions))
		for s in ((_c.structs["gpube_nash_set"] * t.n_sets).from_address(t.sets) if t.n_sets else [])]
	profiles = []
	for e in (_c.structs["gpube_nash_behaviour"] * t.n_profiles).from_address(t.profiles) if t.n_profiles else []:
		p, behaviour = list(map(Fraction, _texts(e.p, sum(len(s[3]) for s in sets)))), []
		for s in sets:
			behaviour.append(Behaviour(*s, p[:len(s[3])]))
			p = p[len(s[3]):]
		profiles.append(BehaviourProfile(behaviour, tuple(map(Fraction, _texts(e.payoffs, t.n_players))), names))
	return profiles


def _equilibria(game, address, components, timeout):
	r = _c.at(address, "gpube_nash_result")
	if len(game.shape) != 2 and not r.tree:
		return Equilibria(answer=_c.WORDS["GPUBE_NASH_ANSWER_"][r.answer], equilibria=_profiles(r, game),
			reason=decoded(r.reason), method=decoded(r.method), backend=decoded(r.backend),
			degenerate=None if r.degenerate < 0 else bool(r.degenerate), index_sum=r.index_sum,
			removed=(r.n_removed,), n_unchecked=0, subsets=None, seconds=r.seconds,
			open=_open(r, game.shape), supports=r.n_supports)
	if r.tree:
		equilibria = _behaviours(r.tree, names_of(game))
	else:
		rows, columns = game.shape
		keys = [names_of(game).keys(p) for p in range(2)]
		xs = _strategies(r.xs, r.n_xs, rows)
		ys = _strategies(r.ys, r.n_ys, columns)
		pairs = (_c.structs["gpube_nash_pair"] * r.n_pairs).from_address(r.pairs) if r.n_pairs else []
		equilibria = [Equilibrium(Distribution.of(xs[p.x][0], keys[0]), Distribution.of(ys[p.y][0], keys[1]),
			(ys[p.y][1], xs[p.x][1]), names_of(game)) for p in pairs]
	result = Equilibria(answer=_c.WORDS["GPUBE_NASH_ANSWER_"][r.answer], equilibria=equilibria,
		reason=decoded(r.reason), method=decoded(r.method), backend=decoded(r.backend),
		degenerate=None if r.degenerate < 0 else bool(r.degenerate),
		index_sum=r.index_sum, removed=tuple(r.removed), n_unchecked=r.n_unchecked,
		subsets=None, seconds=r.seconds)
	if not components or result.answer != "all":
		return result
	opts = Options("nash", "gpube_nash_components", timeout=seconds(timeout))
	try:
		result.subsets = game.context._run(lib.gpube_nash_components, lambda c: _subsets(c, xs, ys),
			game.context._address, address, opts.address)
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


def nash(game: Any, payoffs2: Any = None, context: Optional[Context] = None, **options: Any) -> Equilibria:
	"""Equilibria of a game: a Game, a path, a Model of that form, a game of nashpy's or pygambit's, or the payoffs of player 1
	(and of player 2; without them the sum is zero). Options and errors are those of Game.nash().

	>>> gpube.nash([[1, -1], [-1, 1]]).equilibria[0].x
	[Fraction(1, 2), Fraction(1, 2)]
	"""
	tables = not isinstance(game, (str, os.PathLike, Model, Game)) and not any(
		hasattr(game, of) for of in ("payoff_matrices", "to_nfg"))
	if payoffs2 is not None and not tables:
		raise ValueError("payoffs of player 2 beside a game that has them")
	if isinstance(game, (str, os.PathLike)):
		game = Game.read(game, context=context)
	elif isinstance(game, Model):
		game = Game.from_model(game)
	elif hasattr(game, "payoff_matrices"):
		game = Game.from_nashpy(game, context=context)
	elif hasattr(game, "to_nfg"):
		game = Game.from_pygambit(game, context=context)
	elif tables:
		game = Game(game, payoffs2, context=context)
	return game.nash(**options)
