"""Models: functions of variables, and what is optimised and summed over them."""
import ctypes
import difflib
import math
import operator
import time
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from typing import Dict, List, Optional, Union

from . import _c
from ._c import INF as NO_COST, lib
from ._engine import (INF, Context, Error, Options, Owner, _raise_interrupted, exact, flat, int32s, int64, is_infinite, number, opened,
	packed, path_bytes, seconds, takes, units, whole, word)

Exact = Union[int, Decimal]


@dataclass
class Plan:
	"""Sizes of an elimination: width (most variables of a table), cells and bytes, predicted seconds."""

	n_vars: int
	n_functions: int
	n_components: int
	width: int
	joined_cells: float
	largest_joined: float
	largest_message: float
	peak_bytes: float
	n_slices: float
	predicted_seconds: float


@dataclass
class Solution:
	"""What solve() knows.

	answer      "optimal", "infeasible" (proved: every assignment is forbidden) or "incomplete"
	cost        of the assignment; exact: an int, or a Decimal of a model with decimals; None
	            without an assignment. Of potentials: -ln of the product, rounded to so many decimals
	bound       no assignment is better than this; None if it is not known
	log_value   of potentials: ln of the product, a float; otherwise None
	assignment  a value index for each variable, or None
	count       how many assignments are optimal; None unless asked for and known
	order       the variables as they were eliminated, or None
	seconds     by phase
	"""

	answer: str
	cost: Optional[Exact]
	bound: Optional[Exact]
	log_value: Optional[float]
	assignment: Optional[List[int]]
	count: Optional[int]
	order: Optional[List[int]]
	plan: Plan
	backend: str
	seconds: Dict[str, float]

	@property
	def proved(self):
		"""Whether the answer is proved: an optimum, or that there is no assignment."""
		return self.answer != "incomplete"

	@property
	def optimum(self):
		"""The cost, if it is the proved optimum; otherwise None."""
		return self.cost if self.answer == "optimal" else None


@dataclass
class Bounds:
	"""What bound() knows.

	answer        "optimal", "infeasible" or "incomplete"
	lower, upper  the optimum is between them, exactly: int or Decimal, None where nothing is known.
	              One is proved, the other is what the assignment costs
	assignment    the best one met, or None
	closed        nothing is better than the cutoff
	log_value     of potentials: ln of the product of the assignment; costs are -ln
	seconds       {"bound": …, "assignment": …}: when each was found
	"""

	answer: str
	lower: Optional[Exact]
	upper: Optional[Exact]
	assignment: Optional[List[int]]
	closed: bool
	log_value: Optional[float]
	backend: str
	seconds: Dict[str, float]

	@property
	def proved(self):
		"""Whether the answer is proved: an optimum, or that there is no assignment."""
		return self.answer != "incomplete"


@dataclass
class Progress:
	"""What a call knows so far, as on_progress gets it.

	seconds       since the call
	lower, upper  as in Bounds
	assignment    the best one met, or None
	by            who found what is new, or whose turn has ended, as in the log
	"""

	seconds: float
	lower: Optional[Exact]
	upper: Optional[Exact]
	assignment: Optional[List[int]]
	by: str


@dataclass
class Listed:
	"""What list() found.

	assignments  lists of value indices, the best in front
	costs        what each costs: int or Decimal; of potentials -ln of the product
	more         whether others are within the limit, past 'most'
	complete     False: the time was over, and better ones may be missing
	"""

	assignments: List[List[int]]
	costs: List[Exact]
	more: bool
	complete: bool


@dataclass
class Inference:
	"""What infer() knows.

	log10_z         log10 of the sum over all assignments of the product of the potentials; -inf: it
	                is 0; None: stopped before it was known
	relative_error  of that sum, and of every marginal, at most
	marginals       for each variable the probabilities of its values, or None
	"""

	log10_z: Optional[float]
	relative_error: Optional[float]
	marginals: Optional[List[List[float]]]
	plan: Plan

	@property
	def z(self):
		"""The sum itself, as a float; it may be 0.0 or inf where a float ends."""
		try:
			return None if self.log10_z is None else 10.0**self.log10_z
		except OverflowError:
			return INF


class _Raised(list):
	"""What a function that C calls has raised; 'keep' is that function, which lives as long."""


def _plan(p):
	return Plan(**{name: getattr(p, name) for name, _ in p._fields_})


class Model(Owner):
	"""Variables with finite domains, and functions, each a table over some of them.

	kind      "costs": exact numbers that are added up; "potentials": floats >= 0 that are
	          multiplied, as in .uai
	maximise  the greatest total of costs is wanted, not the least
	decimals  0 to 18: costs are whole multiples of 10^-decimals; one that is not is a ValueError,
	          and none is ever rounded. Ints, Decimals, Fractions and texts are what they say; a float
	          is the decimal that Python prints of it (0.1 is one tenth); inf is forbidden
	context   threads and memory; default: one of its own

	>>> m = gpube.Model()
	>>> a, b = m.add_variable(2, "a"), m.add_variable(2, "b")
	>>> m.add_function([a, b], [[3, 1], [2, gpube.INF]])
	>>> m.solve().assignment
	[0, 1]
	"""

	def __init__(self, kind="costs", maximise=False, decimals=0, context=None):
		context = context or Context()
		out = ctypes.c_void_p()
		context._do(lib.gpube_model_new, ctypes.byref(out), context._address, word("GPUBE_", kind))
		super().__init__(context, out.value, lib.gpube_model_free)
		if kind == "costs":
			self._set(lib.gpube_model_set_direction, int(bool(maximise)))
			self._set(lib.gpube_model_set_scale, *int32s([decimals]))

	@classmethod
	@takes("gpube_read", **{"from": None})
	def read(cls, path, format="auto", evidence=None, context=None, **options):
		"""Reads a model from a file, plain or compressed.

		format    a name as 'gpube convert --help' lists them, "wcsp" or "uai"; "auto" tells it from the content
		evidence  file of observations; None: PATH.evid beside a .uai, if it is there; "": none
		Errors: Error EIO, EPARSE (file, line, what was expected), ERANGE, ELIMIT, ENOMEM, EINVAL

		>>> gpube.Model.read("examples/exams.cfn").solve().optimum
		Decimal('4.30')
		"""
		context = context or Context()
		if evidence is not None:
			options["evidence"] = path_bytes(evidence)
		opts = Options("read", "gpube_read", **{"from": format}, **options)
		address = opened(context, lib.gpube_read, lib.gpube_model_free, context._address,
			path_bytes(path), opts.address)
		m = cls.__new__(cls)
		Owner.__init__(m, context, address, lib.gpube_model_free)
		if m.kind == "game":
			raise Error("EINVAL", "'%s' is a game, which 'gpube nash' reads" % (path,))
		return m

	def _set(self, function, *arguments):
		self.context._do(function, self._address, *arguments)

	# ---- what it holds

	@property
	def kind(self):
		"""'costs', 'potentials', 'game' or 'coalitions'"""
		return _c.WORDS["GPUBE_"][lib.gpube_model_kind(self._address)]

	@property
	def maximise(self):
		"""Whether the greatest total is wanted; of potentials the greatest product always is."""
		return bool(lib.gpube_model_direction(self._address))

	@property
	def decimals(self):
		"""Costs are multiples of 10^-decimals."""
		return lib.gpube_model_scale(self._address)

	@property
	def constant(self):
		"""What is added to every total of costs."""
		return number(lib.gpube_model_constant(self._address), self.decimals)

	@property
	def top(self):
		"""Totals from here on (of a maximum: to here) are forbidden; None: no limit. May be set."""
		top = lib.gpube_model_top(self._address)
		return None if abs(top) == NO_COST else number(top, self.decimals)

	@top.setter
	def top(self, top):
		none = -NO_COST if self.maximise else NO_COST
		self._set(lib.gpube_model_set_top, none if top is None else int64(units(top, self.decimals)))

	@property
	def domains(self):
		"""How many values each variable has."""
		return [lib.gpube_model_domain(self._address, v) for v in range(len(self))]

	@property
	def hidden(self):
		"""The variables that were added to write wide functions as small ones. Assignments have None for
		them, and leave out those behind the last other variable; orders have all variables."""
		if not lib.gpube_model_n_hidden(self._address):
			return []
		return [v for v in range(len(self)) if lib.gpube_model_is_hidden(self._address, v)]

	@property
	def names(self):
		"""The names of the variables; None where one has no name."""
		return [_text(lib.gpube_model_var_name(self._address, v)) for v in range(len(self))]

	@property
	def value_names(self):
		"""For each variable the list of its values' names; None where they have none."""
		return [None if lib.gpube_model_value_name(self._address, v, 0) is None else
			[_text(lib.gpube_model_value_name(self._address, v, x)) for x in range(domain)]
			for v, domain in enumerate(self.domains)]

	@property
	def evidence(self):
		"""{variable: observed value}"""
		seen = ((v, lib.gpube_model_observed(self._address, v)) for v in range(len(self)))
		return {v: value for v, value in seen if value >= 0}

	def _words(self):
		aim = "potentials" if self.kind == "potentials" else (
			"costs to %s" % ("maximise" if self.maximise else "minimise"))
		counts = (("variable", len(self)), ("function", self.n_functions))
		return ", ".join(["%d %s%s" % (n, what, "s" * (n != 1)) for what, n in counts] + [aim])

	def __len__(self):
		"""How many variables there are."""
		return lib.gpube_model_n_vars(self._address)

	@property
	def n_functions(self):
		"""How many functions there are."""
		return lib.gpube_model_n_functions(self._address)

	def function(self, k):
		"""(scope, table) of function k: the variables, and the numbers as a flat list, the last
		variable of the scope fastest; what is forbidden is inf.

		Errors: IndexError, TypeError (k is no integer)
		"""
		scope, k = ctypes.c_void_p(), operator.index(k)
		if not 0 <= k < self.n_functions:
			raise IndexError("no function %d" % k)
		arity = lib.gpube_model_scope(ctypes.byref(scope), self._address, k)
		n = lib.gpube_model_cells(self._address, k)
		variables = _c.array(scope.value, ctypes.c_int32, arity) if arity else []
		if self.kind == "potentials":
			out = (ctypes.c_double * n)()
			self.context._do(lib.gpube_model_potentials, out, self._address, k)
			return variables, out[:]
		out = (ctypes.c_int64 * n)()
		self.context._do(lib.gpube_model_costs, out, self._address, k)
		decimals = self.decimals
		return variables, [INF if c == NO_COST else number(c, decimals) for c in out]

	def named(self, assignment):
		"""{variable: value} with the file's names; indices where there are none.

		Errors: ValueError (their number, a value that the variable does not have)

		>>> m = gpube.Model.read("examples/exams.cfn"); m.named(m.solve().assignment)["drama"]
		'tuesday'
		"""
		hidden, values = set(self.hidden), self._of_shown(assignment)
		shown = [v for v in range(len(values)) if v not in hidden]
		values = [values[v] for v in shown]
		for v, x in zip(shown, values):
			if not 0 <= x < lib.gpube_model_domain(self._address, v):
				raise ValueError("variable %d has no value %d" % (v, x))
		return {self._key(v): (_text(lib.gpube_model_value_name(self._address, v, x)) or x)
			for v, x in zip(shown, values)}

	def _key(self, variable):
		"""The name of a variable, if no one before has it; its index otherwise."""
		name = _text(lib.gpube_model_var_name(self._address, variable))
		return name if name and self._by_name().get(name) == variable else variable

	def posteriors(self, marginals):
		"""{variable: {value: probability}} of the marginals of infer(), with the file's names; indices
		where there are none.

		Errors: ValueError (their number)

		>>> m = gpube.Model.read("examples/sprinkler.bif"); m.observe("lawn", "wet")
		>>> m.posteriors(m.infer(marginals=True).marginals)["lawn"]["wet"]
		1.0
		"""
		if [len(row) for row in marginals] != self.domains:
			raise ValueError("marginals of another model")
		told = {}
		for v, (names, row) in enumerate(zip(self.value_names, marginals)):
			told[self._key(v)] = of = {}
			for x, p in enumerate(row):
				of[x if not names or names[x] in of else names[x]] = p
		return told

	# ---- building

	def add_variable(self, domain, name=None):
		"""Adds a variable and returns its index.

		domain  how many values it has, or their names: values are 0 to domain - 1 everywhere, the names
		        are for named(), observe() and the files that have a place for them
		name    no other variable has it
		Errors: ValueError (a name with a zero byte), Error EINVAL (no values, a name that another has),
		        ENOMEM

		>>> m = gpube.Model(); day = m.add_variable(["monday", "tuesday"], "day")
		>>> m.named([1])
		{'day': 'tuesday'}
		"""
		out, values = ctypes.c_int32(), []
		try:
			size, = int32s([domain])
		except TypeError:
			if isinstance(domain, str) or not hasattr(domain, "__iter__"):
				raise
			values = [_bytes(str(x)) for x in domain]
			size = len(values)
		other = None if name is None else self._by_name().get(name)
		if other is not None:
			raise Error("EINVAL", "variables %d and %d would both be called %r" % (other, len(self), name))
		self.context._do(lib.gpube_model_add_var, self._address, ctypes.byref(out),
			size, None if name is None else _bytes(name))
		self._name_values(out.value, values)
		return out.value

	def _by_name(self):
		"""{name: index}, of a file's variables that share one the first; it is kept, for variables are
		only ever added."""
		known = self.__dict__.setdefault("_names", {})
		for v in range(self.__dict__.get("_n_named", 0), len(self)):
			name = _text(lib.gpube_model_var_name(self._address, v))
			if name is not None:
				known.setdefault(name, v)
		self._n_named = len(self)
		return known

	def _name_values(self, variable, names):
		if names:
			self._set(lib.gpube_model_name_values, variable, (ctypes.c_char_p * len(names))(*names))

	def add_function(self, scope, table):
		"""Adds a function, of costs or of potentials as the model's kind is.

		scope  distinct variable indices; [] adds to the constant
		table  nested lists or an array of the shape of the domains; or all numbers in one list, the
		       last variable of the scope fastest; or a function of one value index a variable
		Errors: ValueError (shape, decimals), Error EINVAL (scope), ERANGE (past 64 bits), ENOMEM

		>>> m = gpube.Model(); a, b = m.add_variable(2), m.add_variable(2)
		>>> m.add_function([a, b], lambda x, y: 5 if x == y else 0)
		"""
		variables = int32s(scope)
		scope = variables[:]
		domains = [lib.gpube_model_domain(self._address, v) for v in scope]
		if min(domains, default=1) < 1:
			raise Error("EINVAL", "no variable %d" % scope[[d < 1 for d in domains].index(True)])
		if len(set(scope)) < len(scope):
			twice = next(v for k, v in enumerate(scope) if v in scope[:k])
			raise Error("EINVAL", "variable %d is twice in a scope" % twice)
		add = lib.gpube_model_add_potentials if self.kind == "potentials" else lib.gpube_model_add_costs
		self._set(add, len(scope), variables, self._numbers(table, domains))

	def _numbers(self, table, domains):
		"""The cells of a table as the library takes them."""
		if callable(table):
			table = [table(*values) for values in product(*map(range, domains))]
		decimals, kind = self.decimals, ctypes.c_double if self.kind == "potentials" else ctypes.c_int64
		numbers = None if decimals else packed(table, domains, kind)
		if numbers is None:
			cells = flat(table, domains)
			if kind is ctypes.c_int64 and (decimals or not whole(cells)):
				cells = [self._cost(c, decimals) for c in cells]
			numbers = (kind * len(cells))(*cells)
		return numbers

	def _cost(self, cost, decimals):
		if is_infinite(cost):
			if cost < 0:
				raise ValueError("-inf is no cost; what is forbidden is inf in either direction")
			return NO_COST
		cost = units(cost, decimals)
		if not -NO_COST < cost < NO_COST:
			raise Error("ERANGE", "a cost of %d units does not fit 64 bits" % cost)
		return cost

	# ---- functions by what they say

	def _scope(self, variables):
		"""Indices of variables that are given by index or name."""
		return int32s([self._index(v) for v in variables])

	def _penalty(self, cost):
		return int64(self._cost(cost, self.decimals))

	def _structs(self, name, rows):
		return (_c.structs[name] * max(1, len(rows)))(*rows)

	def add_tuples(self, scope, costs, others=0):
		"""Adds a function by the tuples that cost something else than the others.

		scope   distinct variables: indices or names
		costs   {tuple of value indices: cost}; inf is forbidden
		others  the cost of all other tuples
		Errors: Error EINVAL (a variable, a value), ERANGE, ENOMEM

		>>> m = gpube.Model(); v = [m.add_variable(10) for _ in range(3)]
		>>> m.add_tuples(v, {(1, 2, 3): 0, (3, 2, 1): 5}, others=gpube.INF)
		>>> m.solve().assignment
		[1, 2, 3]
		"""
		scope, decimals = self._scope(scope), self.decimals
		tuples = [tuple(t) for t in costs]
		for t in tuples:
			if len(t) != len(scope):
				raise ValueError("a tuple of %d values for %d variables" % (len(t), len(scope)))
		prices = [self._cost(c, decimals) for c in costs.values()]
		self._set(lib.gpube_model_add_tuples, len(scope), scope, self._penalty(others), len(tuples),
			int32s([x for t in tuples for x in t]), (ctypes.c_int64 * max(1, len(prices)))(*prices))

	def add_linear(self, terms, relation, right, cost=INF, per_unit=False):
		"""Adds a linear constraint: terms "<=", ">=" or "==" right.

		terms     {variable: coefficient of its value's index}, or a list of such pairs and of triples
		          (variable, value, coefficient), which count where the variable has that value
		cost      where it does not hold; with per_unit for each unit that is missing or too much
		Errors: ValueError (relation), Error EINVAL, ERANGE (too wide for tables and chains), ENOMEM

		>>> m = gpube.Model(maximise=True); take = [m.add_variable(2) for _ in range(3)]
		>>> for v, worth in zip(take, (5, 4, 3)): m.add_function([v], [0, worth])
		>>> m.add_linear(dict(zip(take, (4, 3, 2))), "<=", 5)
		>>> m.solve().assignment
		[0, 1, 1]
		"""
		relations = [">=", "<=", "=="]
		if relation not in relations:
			raise ValueError("relation %r: expected one of %s" % (relation, " ".join(relations)))
		terms = terms.items() if hasattr(terms, "items") else terms
		rows = [(self._index(t[0]), -1 if len(t) == 2 else int32s([t[1]])[0], int64(t[-1])) for t in terms]
		rows = self._structs("gpube_term", [(int32s([v])[0], x, c) for v, x, c in rows])
		n = len(rows) if terms else 0
		self._set(lib.gpube_model_add_linear, n, rows, relations.index(relation), int64(right),
			self._penalty(cost), int(bool(per_unit)))

	def add_all_different(self, variables, excepted=(), cost=INF):
		"""Adds that no two of the variables have the same value, but those of excepted value indices.

		cost  of each pair that does
		Errors: Error EINVAL, ENOMEM

		>>> m = gpube.Model(); v = [m.add_variable(3) for _ in range(3)]
		>>> m.add_all_different(v); m.solve(count=True).count
		6
		"""
		scope, excepted = self._scope(variables), int32s(excepted)
		self._set(lib.gpube_model_add_all_different, len(scope), scope, len(excepted), excepted, self._penalty(cost))

	def add_gcc(self, variables, counts, cost=INF):
		"""Adds how often values occur (global cardinality).

		counts  {value index: (least, most)}
		cost    for each variable that a value has too many or too few
		Errors: Error EINVAL, ERANGE (too wide for tables and chains), ENOMEM

		>>> m = gpube.Model(); v = [m.add_variable(2) for _ in range(4)]
		>>> m.add_gcc(v, {1: (1, 1)}); m.solve(count=True).count
		4
		"""
		scope = self._scope(variables)
		rows = self._structs("gpube_occurrences", [tuple(int32s([x, *bounds])) for x, bounds in counts.items()])
		self._set(lib.gpube_model_add_gcc, len(scope), scope, len(counts), rows, self._penalty(cost))

	def add_among(self, variables, values, least, most, cost=INF):
		"""Adds that from 'least' to 'most' of the variables have one of these value indices.

		cost  for each variable too many or too few
		Errors: Error EINVAL, ERANGE (too wide for tables and chains), ENOMEM

		>>> m = gpube.Model(); v = [m.add_variable(3) for _ in range(3)]
		>>> m.add_among(v, [1, 2], 3, 3); m.solve(count=True).count
		8
		"""
		scope, values = self._scope(variables), int32s(values)
		self._set(lib.gpube_model_add_among, len(scope), scope, len(values), values, *int32s([least, most]),
			self._penalty(cost))

	def add_regular(self, variables, transitions, starts, ends):
		"""Adds the least cost at which an automaton reads the variables' values; forbidden where it cannot.

		transitions   (state, value index, next state), or with a cost as a fourth; states are 0, 1, …
		starts, ends  states, or {state: cost}
		Errors: Error EINVAL, ERANGE (too wide for tables and chains), ENOMEM

		>>> m = gpube.Model(); v = [m.add_variable(2) for _ in range(4)]
		>>> m.add_regular(v, [(0, 0, 0), (0, 1, 1), (1, 0, 0)], [0], [0, 1])  # no two ones in a row
		>>> m.solve(count=True).count
		8
		"""
		decimals = self.decimals
		scope, transitions = self._scope(variables), [tuple(t) for t in transitions]
		steps = [tuple(int32s(t[:3])) + (self._cost(t[3], decimals) if len(t) > 3 else 0,) for t in transitions]

		def states(of):
			pairs = of.items() if hasattr(of, "items") else [(s, 0) for s in of]
			return [(int32s([s])[0], self._cost(c, decimals)) for s, c in pairs]

		first, last = states(starts), states(ends)
		n = 1 + max([s for s, _ in first + last] + [s for t in steps for s in (t[0], t[2])], default=0)
		self._set(lib.gpube_model_add_regular, len(scope), scope, n,
			len(first), self._structs("gpube_state", first), len(last), self._structs("gpube_state", last),
			len(steps), self._structs("gpube_transition", steps))

	def add_global(self, keyword, variables, *parameters):
		"""Adds a function that a .wcsp names by a keyword: "salldiff", "wsum", "max", …

		parameters  what follows the keyword there: words and numbers; costs in units of the model
		Errors: Error EINVAL (keyword, parameters), ERANGE (too wide for tables and chains), ENOMEM

		>>> m = gpube.Model(); v = [m.add_variable(2) for _ in range(3)]
		>>> m.add_global("wsum", v, "lin", 2, "==", 5); m.solve().cost
		4
		"""
		scope = self._scope(variables)
		self._set(lib.gpube_model_add_global, _bytes(keyword), len(scope), scope,
			_bytes(" ".join(map(str, parameters))))

	def add_bounded(self, variables, problem, low, high):
		"""Forbids what costs less than low, or high or more, in a problem of these variables.

		problem  a Model of as many variables, with as many values
		Errors: Error EINVAL (the problem), ERANGE (more than 2^24 assignments), ENOMEM

		>>> m, cost = gpube.Model(), gpube.Model()
		>>> for v in [m.add_variable(2) for _ in range(2)]: cost.add_function([cost.add_variable(2)], [0, 3])
		>>> m.add_bounded([0, 1], cost, 1, 6); m.solve(count=True).count
		2
		"""
		scope = self._scope(variables)
		ends = [int64(units(end, problem.decimals)) for end in (low, high)]
		self._set(lib.gpube_model_add_bounded, len(scope), scope, problem._address, *ends)

	def _index(self, variable):
		"""Of a variable by name or index; ValueError, Error EINVAL."""
		if isinstance(variable, str):
			variable = _named(self._by_name(), variable, "there is no variable %r" % variable)
		variable, = int32s([variable])
		if not 0 <= variable < len(self):
			raise Error("EINVAL", "there is no variable %d" % variable)
		return variable

	def observe(self, variable, value):
		"""Fixes a variable to a value, each an index or a name; the value None takes it back.

		Errors: Error EINVAL, ValueError (no variable or value of that name)

		>>> m = gpube.Model.read("examples/exams.cfn"); m.observe("drama", "wednesday")
		>>> m.solve().optimum
		Decimal('4.80')
		"""
		self._set(lib.gpube_model_observe, *int32s(self._pair(variable, -1 if value is None else value)))

	def _pair(self, variable, value):
		"""The indices of a variable and of a value of it, each an index or a name."""
		variable = self._index(variable)
		if isinstance(value, str):
			names = [_text(lib.gpube_model_value_name(self._address, variable, x))
				for x in range(lib.gpube_model_domain(self._address, variable))]
			value = _named({n: x for x, n in reversed(list(enumerate(names)))}, value,
				"variable %s has no value %r" % (self._key(variable), value))
		return variable, value

	# ---- questions

	def _of_all(self, numbers):
		values = int32s(numbers)
		if len(values) != len(self):
			raise ValueError("%d values, expected %d" % (len(values), len(self)))
		return values

	def _n_shown(self, hidden):
		"""The length of an assignment: up to the last variable that is not hidden."""
		n = len(self)
		while n and n - 1 in hidden:
			n -= 1
		return n

	def _of_shown(self, assignment):
		hidden = set(self.hidden)
		if not hidden:
			return self._of_all(assignment)
		given = list(assignment)
		if len(given) != self._n_shown(hidden):
			raise ValueError("%d values, expected %d" % (len(given), self._n_shown(hidden)))
		return int32s([0 if v in hidden else x for v, x in enumerate(given)])

	def _values(self, assignment):
		given = self._of_shown(assignment)
		if len(given) == len(self) and not self.hidden:
			return given
		values = int32s(list(given) + [0] * (len(self) - len(given)))
		self.context._do(lib.gpube_model_complete, values, self._address)
		return values

	def _without_hidden(self, values, hidden):
		return [None if v in hidden else x for v, x in enumerate(values[:self._n_shown(hidden)])]

	def _shown(self, address):
		values = _c.array(address, ctypes.c_int32, len(self))
		return values if values is None or not self.hidden else self._without_hidden(values, set(self.hidden))

	def cost(self, assignment):
		"""What an assignment costs, from the tables as they were read: an int or a Decimal, or inf if
		it is forbidden. Of potentials: ln of the product, a float.

		Errors: ValueError (length), Error EINVAL (a value), ERANGE (the sum)
		"""
		values = self._values(assignment)
		if self.kind == "potentials":
			out = ctypes.c_double()
			self.context._do(lib.gpube_model_log_value, ctypes.byref(out), self._address, values)
			return out.value
		out = ctypes.c_int64()
		self.context._do(lib.gpube_model_cost, ctypes.byref(out), self._address, values)
		return INF if out.value == NO_COST else number(out.value, self.decimals)

	def _options(self, function, call, timeout=None, order=None, assignment=None, cutoff=None, **options):
		"""The options of a call: an order is a word or all variables, a cutoff a total."""
		if order is not None and not isinstance(order, str):
			order = self._of_all(order)
		if assignment is not None:
			options["values"] = self._values(assignment)
		if cutoff is not None:
			options["cutoff"] = int64(units(cutoff, self.decimals))
		if timeout is not None and not isinstance(timeout, str):
			timeout = seconds(timeout)
		return Options(function, call, timeout=timeout, order=order, **options)

	def _watched(self, on_progress):
		"""The function that is told what a call knows, or None, and a list that gets what it raises."""
		raised = _Raised()
		if on_progress is None:
			return None, raised

		def told(_, address):
			try:
				p = _c.at(address, "gpube_progress")
				ends = [None if abs(x) == NO_COST else number(x, p.scale) for x in (p.bound, p.cost)]
				if self.kind == "costs" and self.maximise:
					ends.reverse()
				return bool(on_progress(Progress(p.seconds, ends[0], ends[1], self._shown(p.values), _text(p.by))))
			except BaseException as e:  # raised again when the call has ended, which it does soon
				raised.append(e)
				return True

		told = _c.PROGRESS(told)
		raised.keep = told
		return ctypes.cast(told, ctypes.c_void_p), raised

	def _run_watched(self, function, convert, opts, on_progress):
		told, raised = self._watched(on_progress)
		lib.gpube_opts_set_progress(opts.address, told, None)
		try:
			return self.context._run(function, lib.gpube_solution_free, convert, self._address, opts.address)
		finally:
			if raised:
				raise raised[0]

	@takes("gpube_solve", values=None, order="a word, or all variables as they are to be eliminated: how the order is found")
	def solve(self, timeout=None, assignment=None, cutoff=None, on_progress=None, **options):
		"""The proved optimum and one optimal assignment, by whatever proves it first: a Solution.

		timeout    seconds, or "5m"; when it ends the answer is "incomplete", with the best that is known
		assignment a known one
		cutoff     only totals better than this are of interest
		on_progress  called with a Progress when something is new, from another thread; if it returns something
		             true the call ends like after a timeout
		Errors: Error ELIMIT (nothing that fits proves it; .result is what is known), ENODEV, ERANGE, EINVAL, ENOMEM;
		Interrupted, with the best so far; what on_progress raises

		>>> gpube.Model.read("examples/zebra.wcsp").solve(count=True).count
		1
		"""
		opts = self._options("solve", "gpube_solve", timeout, assignment=assignment, cutoff=cutoff, **options)
		return self._run_watched(lib.gpube_solve, self._solution, opts, on_progress)

	def solver(self, **options):
		"""A Solver of a copy of this model: what changes there is solved again from what it keeps.

		options  for all of its runs, as solve() has them, but for assignment, cutoff, timeout and on_progress

		>>> with gpube.Model.read("examples/exams.cfn").solver() as s:
		...     first = s.solve().optimum
		...     s.observe("drama", "wednesday")
		...     first, s.solve().optimum
		(Decimal('4.30'), Decimal('4.80'))
		"""
		from ._solver import Solver
		return Solver(self, **options)

	@takes("gpube_count")
	def count(self, timeout=None, **options):
		"""How many assignments are allowed, whatever they cost (of potentials: whose product is above 0); None:
		not known when the time was over. Errors are those of solve(), and Error EINVAL (totals of
		costs that are each allowed can reach the top).

		>>> gpube.Model.read("examples/zebra.wcsp").count()
		1
		"""
		opts = self._options("count", "gpube_count", timeout, **options)
		s = self.context._run(lib.gpube_count, lib.gpube_solution_free, self._solution, self._address, opts.address)
		return s.count

	@takes("gpube_list", limit=None, precision=None)
	def list(self, most=1000, within=0, timeout=None, **options):
		"""The optimal assignments, or the best ones; solve() comes first.

		most    so many at most, from 1
		within  what costs at most so much more than the optimum (of a maximum: less); None: whatever it costs
		Errors: those of solve(); Error ELIMIT (they do not fit the memory), ESTOP (no optimum before the timeout)

		>>> gpube.Model.read("examples/exams.cfn").list(most=2, within=None).costs
		[Decimal('4.30'), Decimal('4.80')]
		"""
		if most < 1 or (within is not None and exact(within) < 0):
			raise ValueError("most is at least 1, and within at least 0")
		begin = time.monotonic()
		s = Model.solve(self, timeout, **{k: v for k, v in options.items() if k != "ibound"})
		if s.answer == "incomplete":
			raise Error("ESTOP", "no optimum was proved before the end", s)
		if s.answer == "infeasible":
			return Listed([], [], False, True)
		decimals = self.decimals
		if self.kind == "potentials":
			decimals = max(-s.cost.as_tuple().exponent, 0) if isinstance(s.cost, Decimal) else 0
		worse = -1 if self.maximise and self.kind == "costs" else 1  # potentials cost -ln
		limit = None if within is None else int64(units(s.cost, decimals) + worse * units(within, decimals))
		if timeout is not None and not isinstance(timeout, str):  # what the optimum has left of it
			timeout = max(timeout - (time.monotonic() - begin), 1e-6)
		opts = self._options("list", "gpube_list", timeout, most=most, limit=limit,
			precision=decimals if self.kind == "potentials" else 0, **options)
		out, error, interrupted = self.context._call(lib.gpube_list, self._address, opts.address)
		try:
			result = self._listed(out, error is None) if out else None
		finally:
			if out:
				self.context._free(lambda listed: lib.gpube_list_free(listed, self.context._address), out)
		if interrupted is None and error and not (error.status == "ESTOP" and out):
			raise error
		_raise_interrupted(interrupted, result)
		return result

	def _listed(self, address, complete):
		x = _c.at(address, "gpube_list")
		n, hidden = x.n_vars, set(self.hidden)
		values = _c.array(x.values, ctypes.c_int32, x.n * n) if x.n * n else []
		rows = (self._without_hidden(values[k * n:(k + 1) * n], hidden) for k in range(x.n))
		costs = _c.array(x.costs, ctypes.c_int64, x.n) if x.n else []
		return Listed(list(rows), [number(c, x.scale) for c in costs], bool(x.more), complete)

	@takes("gpube_plan", cutoff=None)
	def plan(self, timeout=None, **options):
		"""What elimination would do, also where it does not fit the memory: a Plan. Errors are those of solve().

		>>> gpube.Model.read("examples/exams.cfn").plan().width
		4
		"""
		return self._planned(self._options("plan", "gpube_plan", timeout, **options)).plan

	def elimination_order(self, path=None, timeout=None, seed=0):
		"""All variables in the order in which elimination would take them, the first one first. With a path
		it is written, too: as .order a list of indices, as .cov or .dec the tree decomposition, all as toulbar2
		reads them. None, and no file: every assignment is forbidden, so that there is nothing to eliminate.

		Errors: Error EIO, ENOMEM; Interrupted

		>>> sorted(gpube.Model.read("examples/exams.cfn").elimination_order())
		[0, 1, 2, 3, 4, 5]
		"""
		opts = self._options("elimination_order", "gpube_plan", timeout, seed=seed, no_simplify=True)
		order = self._planned(opts).order
		if path is not None and order is not None:
			address, at, numbers = self._address, path_bytes(path), int32s(order)
			opened(self.context, lambda out, *rest: lib.gpube_write_order(*rest), lambda none: None,
				address, at, numbers)
		return order

	def _planned(self, opts):
		try:
			return self.context._run(lib.gpube_plan, lib.gpube_solution_free, self._solution, self._address,
				opts.address)
		except Error as e:
			if e.status == "ELIMIT" and e.result:
				return e.result
			raise

	def _solution(self, address):
		s = _c.at(address, "gpube_solution")
		n = len(self)
		values = self._shown(s.values)
		return Solution(
			answer=_c.WORDS["GPUBE_ANSWER_"][s.answer],
			cost=None if values is None else number(s.cost, s.scale),
			bound=None if abs(s.bound) >= NO_COST - 1 or s.answer == 1 else number(s.bound, s.scale),
			log_value=s.log_value if values is not None and self.kind == "potentials" else None,
			assignment=values, count=None if s.count is None else int(s.count),
			order=_c.array(s.order, ctypes.c_int32, n), plan=_plan(s.plan),
			backend=_text(s.backend), seconds={name[len("seconds_"):]: getattr(s, name)
				for name, _ in s._fields_ if name.startswith("seconds_")})

	@takes("gpube_bound", values=None)
	def bound(self, timeout=None, assignment=None, cutoff=None, on_progress=None, **options):
		"""A proved bound and a good assignment, that get better until they meet or the time is over:
		Bounds. It is solve() with more options and without errors where nothing is proved.

		timeout     seconds, or "5m"; without one it ends with the optimum, or when nothing more is gained
		assignment  a known one
		cutoff      only totals better than this are of interest
		Errors: Error ENODEV, ERANGE, EINVAL, ENOMEM; Interrupted, with the best so far

		>>> b = gpube.Model.read("examples/exams.cfn").bound(timeout=10); b.lower, b.upper
		(Decimal('4.30'), Decimal('4.30'))
		"""
		opts = self._options("bound", "gpube_bound", timeout, assignment=assignment, cutoff=cutoff, **options)
		return self._run_watched(lib.gpube_bound, self._bounds, opts, on_progress)

	@takes("gpube_certify", values=None)
	def certify(self, path, timeout=None, assignment=None, cutoff=None, **options):
		"""bound(), and a certificate of it in a file: (Bounds, what is certified), which may be less than the
		bound; of potentials, of -ln of the product, less what rounding may hide. Half of the timeout is for the
		bound, the rest for its proof.

		Errors: those of bound(); Error EIO, ELIMIT (a proof is too large, or takes longer; .result are the bounds)

		>>> import tempfile; path = tempfile.mkstemp()[1]; m = gpube.Model.read("examples/exams.cfn")
		>>> m.certify(path)[1], m.verify(path)
		(Decimal('4.30'), Decimal('4.30'))
		"""
		c = _c.structs["gpube_certified"]()
		opts = self._options("certify", "gpube_certify", timeout, assignment=assignment, cutoff=cutoff, **options)
		bounds = self.context._run(lambda out, *rest: lib.gpube_certify(ctypes.byref(c), out, *rest),
			lib.gpube_solution_free, self._bounds, self._address, path_bytes(path), opts.address)
		return bounds, number(c.bound, c.scale)

	def verify(self, path):
		"""What the certificate in a file proves of this model: no assignment is better.

		Errors: Error EINVAL (it is no proof of that), EIO, EPARSE, ELIMIT, ENOMEM
		"""
		c, at = _c.structs["gpube_certified"](), path_bytes(path)
		opened(self.context, lambda out, *rest: lib.gpube_verify(ctypes.byref(c), *rest), lambda none: None,
			self._address, at)
		return number(c.bound, c.scale)

	@takes("gpube_reparam", values=None)
	def reparam(self, timeout=None, assignment=None, cutoff=None, **options):
		"""bound(), and an equivalent model with the bound as its constant, where another program's search
		begins: (Bounds, Model). The same variables and values; every total that is better than the top and
		the cutoff is the same in both, and no function is below 0 (of a maximum: above). Methods "mbe" and
		"eliminate" leave no such model.

		Errors: Error EINVAL, ERANGE, ELIMIT, ENOMEM; Interrupted

		>>> b, reparametrised = gpube.Model.read("examples/zebra.wcsp").reparam(timeout=10)
		>>> reparametrised.cost(b.assignment) == b.upper
		True
		"""
		opts = self._options("reparam", "gpube_reparam", timeout, assignment=assignment, cutoff=cutoff, **options)
		reparametrised = ctypes.c_void_p()

		def both(address):
			m = Model.__new__(Model)
			Owner.__init__(m, self.context, reparametrised.value, lib.gpube_model_free)
			return self._bounds(address), m

		return self.context._run(lambda out, *rest: lib.gpube_reparam(out, ctypes.byref(reparametrised), *rest),
			lib.gpube_solution_free, both, self._address, opts.address)

	def _bounds(self, address):
		b = _c.at(address, "gpube_solution")
		values = self._shown(b.values)
		answer = _c.WORDS["GPUBE_ANSWER_"][b.answer]
		proved = cost = None
		if answer != "infeasible" and abs(b.bound) < NO_COST - 1:
			proved = number(b.bound, b.scale)
		if values is not None:
			cost = number(b.cost, b.scale)
		upside_down = self.kind == "costs" and self.maximise
		return Bounds(answer=answer, lower=cost if upside_down else proved,
			upper=proved if upside_down else cost, assignment=values, closed=bool(b.closed),
			log_value=b.log_value if values is not None and self.kind == "potentials" else None,
			backend=_text(b.backend),
			seconds={"bound": b.seconds_bound, "assignment": b.seconds_cost})

	@takes("gpube_infer", task=None, bounds=None)
	def infer(self, marginals=False, timeout=None, **options):
		"""The sum over all assignments of the product of all potentials (of a Bayesian network: the
		probability of the evidence), and with 'marginals' each variable's distribution: Inference.

		Errors: Error EINVAL (a model of costs), ELIMIT (.result has the plan), ERANGE, ENOMEM;
		Interrupted

		>>> gpube.Model.read("examples/sprinkler.uai").infer(marginals=True).marginals[3]
		[0.0, 1.0]
		"""
		opts = self._options("infer", "gpube_infer", timeout, task="mar" if marginals else "pr", **options)
		return self.context._run(lib.gpube_infer, lib.gpube_inference_free, self._inference,
			self._address, opts.address)

	def _inference(self, address):
		s = _c.at(address, "gpube_inference")
		rows = None
		if s.marginals:
			domains = self.domains
			cells = iter(_c.array(s.marginals, ctypes.c_double, sum(domains)))
			rows = [[next(cells) for _ in range(d)] for d in domains]
		return Inference(log10_z=s.log10_z if s.known else None,
			relative_error=s.relative_error if s.known else None, marginals=rows, plan=_plan(s.plan))

	@takes("gpube_write", to=None, wide=None)
	def write(self, path, format="auto", **options):
		"""Writes the model as .wcsp, .cfn, .uai, .LG, .wcnf or .cnf, as its name says.

		Errors: Error EIO, EINVAL, ERANGE (not without 'lossy'), ENOMEM, EBUG; no file is left then

		>>> gpube.Model.read("examples/exams.cfn").write("exams.wcsp", check=True)
		"""
		self._write(path, format, **{"wide": True, **options})

	def _write(self, path, format="auto", **options):
		opts = Options("write", "gpube_write", to=format, **options)
		address, at = self._address, path_bytes(path)
		opened(self.context, lambda out, *rest: lib.gpube_write(*rest, None), lambda none: None,
			address, at, opts.address)

	# ---- from other packages

	@classmethod
	def from_pgmpy(cls, network, context=None):
		"""A model of potentials of one of pgmpy's networks: a function for each of its CPDs or factors.

		Variables are in the order of network.nodes(); names are texts of the nodes and of their states.

		>>> gpube.Model.from_pgmpy(network).infer(marginals=True)  # doctest: +SKIP
		"""
		m = cls("potentials", context=context)
		index = {}
		cards = network.get_cardinality()
		for node in network.nodes():
			if node in cards:  # not a factor graph's factors
				index[node] = m.add_variable(int(cards[node]), str(node))
		factors = [c.to_factor() for c in network.get_cpds()] if hasattr(network, "get_cpds") \
			else network.get_factors()
		for f in factors:
			m.add_function([index[v] for v in f.variables], f.values)
			for v, states in getattr(f, "state_names", {}).items():
				if v in index and list(states) != list(range(int(cards[v]))):  # named by the caller
					m._name_values(index[v], [_bytes(str(x)) for x in states])
		return m

	@classmethod
	def from_pyagrum(cls, network, context=None):
		"""A model of potentials of one of pyAgrum's Bayesian networks or Markov random fields: a function
		for each of its CPTs or factors, variables in the order of network.nodes().

		>>> gpube.Model.from_pyagrum(network).infer(marginals=True)  # doctest: +SKIP
		"""
		m = cls("potentials", context=context)
		index = {}
		for node in network.nodes():
			variable = network.variable(node)
			index[variable.name()] = m.add_variable(list(variable.labels()), variable.name())
		tables = [network.cpt(node) for node in network.nodes()] if hasattr(network, "cpt") \
			else [network.factor(f) for f in network.factors()]
		for table in tables:
			names = list(table.names)
			m.add_function([index[n] for n in names],
				lambda *values, t=table, names=names: t[dict(zip(names, values))])
		return m

	@classmethod
	def from_pytoulbar2(cls, problem, context=None):
		"""A model of costs of a pytoulbar2.CFN that has not been solved, by way of the .cfn that it dumps.

		toulbar2 misreads some of what it dumps. What is known is put right (excepted values of an
		alldiff, values of a gcc), and some assignments are priced by both: where that differs, it is
		an Error.
		Errors: Error EINVAL (a global cost function that toulbar2 does not dump, by its name; one that
		the dump does not say rightly), and those of read()

		>>> gpube.Model.from_pytoulbar2(problem).solve().optimum  # doctest: +SKIP
		"""
		from . import _toulbar2
		return _toulbar2.take(cls, problem, context)

	def to_pytoulbar2(self):
		"""The model as a pytoulbar2.CFN, whose variables have the same indices, by way of a .cfn file.

		Errors: ImportError (no pytoulbar2: pip install pytoulbar2), Error ERANGE (toulbar2 would misread it:
		costs past 2^53, a bound between -1 and 0 that excludes some assignments), EINVAL (some assignments
		cost something else there), pytoulbar2's Contradiction (nothing is allowed)

		>>> m.to_pytoulbar2().Solve()  # doctest: +SKIP
		"""
		from . import _toulbar2
		return _toulbar2.give(self)


def _named(indices, name, why):
	"""indices[name]; ValueError 'why' with the nearest names."""
	if name in indices:
		return indices[name]
	near = difflib.get_close_matches(name, [n for n in indices if n is not None])
	raise ValueError(why + (": the nearest: " + ", ".join(near) if near else ""))


def _bytes(text):
	if "\0" in text:
		raise ValueError("a name with a zero byte")
	return text.encode()


def _text(raw):
	return None if raw is None else raw.decode("utf-8", "replace")


def convert(source, target, format="auto", to="auto", evidence=None, context=None, **options):
	"""Reads one file and writes another: the options are those of Model.write().

	>>> gpube.convert("examples/zebra.wcsp", "zebra.cfn", check=True)
	"""
	with Model.read(source, format, evidence, context=context) as m:
		m.write(target, to, **options)
