"""Coalition structures and auctions."""
from __future__ import annotations

import ctypes
import operator
import os
from dataclasses import dataclass
from typing import Any, Iterator, List, Optional, Tuple

from . import _c, _tables
from ._c import lib
from ._engine import INF, Context, Error, Options, exact, int32s, int64, is_infinite, names_nearest, number, path_bytes, seconds, units, word
from ._model import Model, made
from ._names import Value, decoded, names_of
from ._show import Shown, html_table, pandas, short
from ._types import Path, Seconds

# ---- coalition structures

MOST_AGENTS = 40  # GPUBE_MAX_AGENTS


@dataclass(repr=False)
class Structure(Shown):
	"""What csg() knows.

	answer       "optimal", "infeasible", "bounds" (stopped: the best known) or "incomplete"
	coalitions   disjoint sorted tuples of agents, from 0, or of their names; None without a structure
	value        of the structure: exact (an int or a Decimal) unless values were floats; or None
	upper_bound  no structure is worth more; None where nothing is known
	error        of floats: the optimum exceeds 'value' by no more than this; otherwise 0
	"""

	answer: str
	coalitions: Optional[List[Tuple[Value, ...]]]
	value: Any
	upper_bound: Any
	error: float
	method: str
	backend: str
	seconds: float

	@property
	def proved(self) -> bool:
		"""Whether the answer is proved: an optimum, or that there is no structure."""
		return self.answer in ("optimal", "infeasible")

	def __len__(self) -> int:
		"""How many coalitions there are."""
		return len(self.coalitions or ())

	def __iter__(self) -> Iterator[Tuple[Value, ...]]:
		"""Over the coalitions."""
		return iter(self.coalitions or ())

	def __bool__(self) -> bool:
		return True

	def __getitem__(self, agent: Value) -> Tuple[Value, ...]:
		"""The coalition that an agent is in. Errors: KeyError"""
		for coalition in self.coalitions or ():
			if agent in coalition:
				return coalition
		raise KeyError("agent %r is in no coalition" % (agent,))

	def _lines(self):
		there = self.coalitions is not None
		return ["%s%s%s" % (self.answer, ", value %s" % self.value if there else "",
			", at most %s" % self.upper_bound if self.answer == "bounds" else ""),
			short("{%s}" % " ".join(map(str, c)) for c in self.coalitions or ())]

	def _html(self):
		return html_table(self._lines()[0], ["coalition"], [[", ".join(map(str, c))] for c in self.coalitions or ()])

	def to_pandas(self) -> Any:
		"""A pandas.Series: for each agent the number of its coalition, from 0. Errors: ImportError"""
		told = sorted(((agent, k) for k, c in enumerate(self.coalitions or ()) for agent in c),
			key=lambda of: (isinstance(of[0], str), of[0]))
		return pandas().Series([k for _, k in told], index=[agent for agent, _ in told], name="coalition", dtype=int)


@names_nearest()
def csg(values: Any, n: Optional[int] = None, method: str = "auto", timeout: Seconds = None, free_disposal: bool = False,
		certificate: Optional[Path] = None, backend: str = "auto", context: Optional[Context] = None) -> Structure:
	"""An optimal partition of n agents into coalitions: a Structure.

	values         one of
	               - {coalition: value}, where a coalition is an iterable of agents, by number from 0 or
	                 by name, or a mask; a coalition that is left out is forbidden
	               - 2^n numbers in the order of masks: agent i is bit i of the index, and the first
	                 number, of the empty coalition, is 0. A numpy array of integers or floats is used
	                 where it lies; the least number of an integer type is forbidden
	               - a function of a tuple of agents, called for each coalition of n agents, at most
	                 10,000,000 times
	               - a path
	               - a Model that was read from a .csg, or that has one function over all its variables
	                 of two values: a coalition is worth what it costs less than the empty one
	               -inf is forbidden. Ints, Fractions and Decimals are exact, and so is the result; with
	               a float (but -inf) among them all are floats
	n              how many agents: of a function; of a dict, default: up to the last one that is in it
	method         "auto", "lp", "conv", "dp" or "idp"
	free_disposal  agents may stay out, at no value
	certificate    path to write a proof of method lp to
	Errors: ValueError, Error EINVAL, ERANGE (a value or the sum passes 64 bits), ELIMIT, ENOMEM, and
	those of reading a file; Interrupted, with the best so far

	>>> gpube.csg({(0,): 1, (1,): 2, (0, 1): 4}).coalitions
	[(0, 1)]
	>>> gpube.csg({("ann",): 1, ("bob",): 2, ("ann", "bob"): 2})["ann"]
	('ann',)
	>>> gpube.csg(lambda agents: len(agents) ** 2, n=6).value
	36
	"""
	context = _context_of(values, context)
	game, decimals, keys = _game_of(context, values, n)
	opts = Options("csg", "gpube_csg", method=method.replace("_", "-"), timeout=seconds(timeout), free_disposal=bool(free_disposal),
		backend=backend, certify=None if certificate is None else path_bytes(certificate))
	try:
		return context._run(lib.gpube_csg, lambda r: _structure(r, decimals, keys), game._address, opts.address)
	finally:
		_give_back(game, values)


@names_nearest()
def csg_model(values: Any, n: Optional[int] = None, context: Optional[Context] = None) -> Model:
	"""The coalition game as a Model, to be maximised: an assignment is a partition. 'values' and
	'n' as of csg().

	Errors: those of csg(), and Error EINVAL (floats), ELIMIT (more than 14 agents and many coalitions)

	>>> gpube.csg_model({(0,): 1, (1,): 2, (0, 1): 4}).solve().optimum
	4
	"""
	context = _context_of(values, context)
	game, decimals, _ = _game_of(context, values, n)
	try:
		m = made(context, lib.gpube_model_as, game._address, word("GPUBE_FORM_", "costs"), None)
	finally:
		_give_back(game, values)
	context._do(lib.gpube_model_set_scale, m._address, decimals)
	return m


def _context_of(what, context):
	"""A model's own, otherwise the one that was given."""
	return what.context if isinstance(what, Model) else Context._given(context)


def _game_of(context, values, n):
	"""A Model of coalitions, for _give_back(), its decimals (None: floats), and what its agents are called."""
	if isinstance(values, (str, os.PathLike)):
		values = Model.read(values, context=context)
	if not isinstance(values, Model):
		return _coalitions(context, values, n)
	if values.kind != "coalitions":
		values = made(context, lib.gpube_model_as, values._address, word("GPUBE_FORM_", "coalitions"), None)
	names = names_of(values)
	return values, values.decimals, [names.key(v) for v in range(len(values))]


def _give_back(game, values):
	"""Closes what was made of 'values'."""
	if game is not values:
		game.close()


class _Numbers:
	"""The numbers of agents or goods that are given as such, or by names, which are numbered as they come."""

	def __init__(self):
		self.names = {}
		self.by_number = False

	def __call__(self, one):
		if isinstance(one, str):
			number = self.names.setdefault(one, len(self.names))
		else:
			self.by_number, number = True, operator.index(one)
		return number

	def check(self):
		"""ValueError where some are given by name, others by number."""
		if self.names and self.by_number:
			raise ValueError("some are given by name, as %r, others by number" % next(iter(self.names)))

	def mask(self, coalition):
		"""Of a mask, an agent's name, or an iterable of agents."""
		if hasattr(coalition, "__index__"):
			self.by_number = True
			return coalition.__index__()
		mask = 0
		for agent in [coalition] if isinstance(coalition, str) else coalition:
			number = self(agent)
			if not 0 <= number < MOST_AGENTS:
				raise ValueError("agent %s, expected 0 to %d" % (agent, MOST_AGENTS - 1))
			mask |= 1 << number
		return mask


def _coalitions(context, values, n):
	"""_game_of() values in memory."""
	n = None if n is None else operator.index(n)
	if hasattr(values, "items"):
		return _listed(context, values, n)
	if callable(values):
		values = _called(values, n)
	values = _tables.plain(values)
	cells, decimals = _tables.buffer(values, least=2), 0
	if cells is None or (cells.n and cells.numbers()[0] == -INF):  # the empty one's value may be that
		cells, decimals = _values(values.tolist() if hasattr(values, "tolist") else list(values))
	elif cells.type > _tables.INT64:
		decimals = None
	if len(cells.shape) != 1 or cells.n < 2 or cells.n & (cells.n - 1) or (n or 0) not in (0, cells.n.bit_length() - 1):
		raise ValueError("%s values, expected 2^n%s: one for each set of agents, the empty one first" % (
			" x ".join(map(str, cells.shape)), " for n=%d" % n if n else ""))
	n = cells.n.bit_length() - 1
	if n > MOST_AGENTS:
		raise ValueError("%d agents, at most %d" % (n, MOST_AGENTS))
	game = Model("coalitions", context=context)
	for _ in range(n):
		context._do(lib.gpube_model_add_var, game._address, None, 2, None)
	try:
		context._do(lib.gpube_model_lend, game._address, n, int32s(range(n - 1, -1, -1)), cells.type, cells.address)
	except Error as e:
		game.close()
		raise ValueError(e.text) if e.status == "EINVAL" else e
	game._lent.append(cells)
	return game, decimals, list(range(n))


def _called(f, n):
	"""What a function says that each coalition is worth, a tuple of agents."""
	if n is None:
		raise ValueError("of a function say how many agents there are: n=…")
	_tables.check_calls(2**n - 1 if n < 64 else _tables.MOST_CALLS + 1)
	agents = range(n)
	return [0] + [f(tuple(i for i in agents if mask >> i & 1)) for mask in range(1, 2**n)]


def _values(values):
	"""(Cells, decimals) of what coalitions are worth: int64 in units of 10^-decimals; double and None if a float
	(but -inf) is among them. The first one is of the empty coalition."""
	kinds = set(map(type, values))
	if kinds <= {int}:
		floats, decimals = False, 0
	else:
		floats = any(isinstance(v, float) and not is_infinite(v) for v in values)
		decimals = None if floats else _decimals(values)
	if values and is_infinite(values[0]):
		values = [0] + values[1:]
	numbers = []
	for v in values:
		if type(v) is not int and is_infinite(v):
			if v > 0:
				raise ValueError("a value of inf; what is forbidden is -inf")
			numbers.append(-INF if floats else -2**63)
		else:
			numbers.append(float(v) if floats else int64(units(v, decimals)))
	return _tables.Cells.own(numbers, _tables.FLOAT64 if floats else _tables.INT64), decimals


def _listed(context, values, n):
	"""_game_of() a dict, which takes memory by what is listed."""
	numbers_of = _Numbers()
	given, values = values, {numbers_of.mask(c): v for c, v in values.items()}
	numbers_of.check()
	if any(c < 1 for c in values if c) or not values:
		raise ValueError("no coalitions, or one below 0")
	if len(values) < len(given):
		raise ValueError("two of the coalitions have the same agents")
	least = max(values).bit_length()
	if n is None and not any(c & 1 for c in values) and not any(hasattr(c, "__index__") for c in given):
		raise ValueError("agent 0 is in no coalition: agents are numbered from 0; where that is meant, n=%d" % least)
	n = least if n is None else n
	if n < least:
		raise ValueError("a coalition of agent %d, of %d agents" % (least - 1, n))
	empty = values.pop(0, 0)
	if empty != 0 and not is_infinite(empty):
		raise ValueError("the empty coalition's value is not 0")
	if n > MOST_AGENTS:
		raise ValueError("%d agents, at most %d" % (n, MOST_AGENTS))
	masks = (ctypes.c_uint64 * len(values))(*values)
	cells, decimals = _values([0] + list(values.values()))
	at = cells.address + 8
	return made(context, lib.gpube_coalitions_new_listed, context._address, n, cells.type, len(values), masks, at), \
		decimals, list(numbers_of.names) + list(range(len(numbers_of.names), n))


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


def _structure(address, decimals, keys):
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
		coalitions=[tuple(keys[i] for i in range(m.bit_length()) if m >> i & 1) for m in masks]
			if there else None,
		value=value if there else None, upper_bound=upper if answer != "infeasible" else None,
		error=r.error, method=_c.WORDS["GPUBE_CSG_"][r.method], backend=decoded(r.backend),
		seconds=r.seconds_total)


# ---- auctions

@dataclass(repr=False)
class AuctionResult(Shown):
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

	def _lines(self):
		return ["%s, revenue %s%s" % ("optimal" if self.proved else "incomplete", self.revenue,
			"" if self.proved else ", at most %s" % self.upper_bound),
			"winning bids " + short(self.winners, 80) if self.winners else "no bid wins"]

	def _html(self):
		"""The bids by their places; and by the numbers that a file gives them, where these differ."""
		if list(self.ids) == list(self.winners):
			return html_table(self._lines()[0], ["winning bid"], [[w] for w in self.winners])
		return html_table(self._lines()[0], ["winning bid", "its number"], zip(self.winners, self.ids))

	def to_pandas(self) -> Any:
		"""A pandas.DataFrame: a row a winning bid, by its place ("bid") and the file's number of it ("id").
		Errors: ImportError"""
		return pandas().DataFrame({"bid": self.winners, "id": self.ids})


@names_nearest()
def auction(bids: Any, n_goods: Optional[int] = None, timeout: Seconds = None,
		context: Optional[Context] = None) -> AuctionResult:
	"""Disjoint bids of the greatest total price: an AuctionResult.

	bids     a path of a CATS file; or a Model that was read from one, or as auction_model() makes them; or a list of (price, goods), where a price is an int, a Decimal, a
	         Fraction or a float (the decimal that Python prints of it), and goods are integers from 0, or names
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
		return context._run(lib.gpube_auction, convert, held._address,
			opts.address)
	finally:
		_give_back(held, bids)


@names_nearest()
def auction_model(bids: Any, n_goods: Optional[int] = None, context: Optional[Context] = None) -> Model:
	"""The auction as a Model, to be maximised: an assignment is a set of winners. 'bids' and 'n_goods'
	as of auction().

	Errors: those of auction(), and Error ELIMIT

	>>> gpube.auction_model([(3, [0, 1]), (2, [0]), (2, [1])]).solve().optimum
	4
	"""
	context = _context_of(bids, context)
	held = _auction_of(context, bids, n_goods)
	try:
		return made(context, lib.gpube_model_as, held._address, word("GPUBE_FORM_", "costs"), None)
	finally:
		_give_back(held, bids)


def _auction_of(context, bids, n_goods):
	"""A Model of bids, for _give_back()."""
	if isinstance(bids, (str, os.PathLike)):
		bids = Model.read(bids, context=context)
	if not isinstance(bids, Model):
		return _bids(context, list(bids), n_goods)
	if bids.kind == "coalitions":
		return bids
	return made(context, lib.gpube_model_as, bids._address, word("GPUBE_FORM_", "auction"), None)


def _bids(context, bids, n_goods):
	"""A list of prices and goods as a Model."""
	number_of = _Numbers()
	for bid in bids:
		if not isinstance(bid, (tuple, list)) or len(bid) != 2 or not hasattr(bid[1], "__iter__"):
			raise ValueError("a bid is (price, goods), found %r" % (bid,))
	bids = [(price, sorted(set(map(number_of, [goods] if isinstance(goods, str) else goods)))) for price, goods in bids]
	number_of.check()
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
	m = made(context, lib.gpube_auction_new, context._address, n_goods, 0, len(bids),
		(ctypes.c_int64 * len(at))(*at), (ctypes.c_int32 * max(len(flat_goods), 1))(*flat_goods),
		(ctypes.c_int64 * max(len(bids), 1))(*[int64(units(price, decimals)) for price, _ in bids]))
	context._do(lib.gpube_model_set_scale, m._address, decimals)
	return m
