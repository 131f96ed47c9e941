"""Building a model: variables, tables, and functions by what they say."""
from __future__ import annotations

import ctypes
import math
from typing import Any, Iterable, Mapping, Optional, Union

from . import _c, _tables
from ._c import lib
from ._engine import INF, Error, expect, int32s, int64, units
from ._names import encoded, names_of
from ._types import Key, Number


class Building:
	"""The methods of Model that add to it and observe."""

	def add_variable(self, domain: Union[int, Iterable[Any]], name: Optional[str] = None) -> int:
		"""Adds a variable and returns its index.

		domain  how many values it has, or their names. A number always means the index of a value, 0 to
		        domain - 1; a text means the value of that name
		name    no other variable has it
		Errors: TypeError, ValueError (a name with a zero byte), Error EINVAL (no values, a name that another
		        has), ENOMEM

		>>> m = gpube.Model(); day = m.add_variable(["monday", "tuesday"], "day")
		>>> m.named([1])
		{'day': 'tuesday'}
		"""
		out, values = ctypes.c_int32(), []
		try:
			size, = int32s([domain])
		except TypeError:
			if isinstance(domain, str) or not hasattr(domain, "__iter__"):
				raise TypeError("domain: expected a number of values, or their names, found %r%s" % (
					domain, "; the variable's name comes second" * isinstance(domain, str))) from None
			values = [str(x) for x in domain]
			size = len(values)
		raw = [encoded(x) for x in values]
		if len(set(raw)) < len(raw):
			raise Error("EINVAL", "two values would both be called %r" % next(x for x in values if values.count(x) > 1))
		self.context._do(lib.gpube_model_add_var, self._address, ctypes.byref(out),
			size, None if name is None else encoded(name))
		if raw:
			self._set(lib.gpube_model_name_values, out.value, (ctypes.c_char_p * size)(*raw))
		return out.value

	def add_function(self, scope: Iterable[Key], table: Any, copy: bool = True) -> None:
		"""Adds a function, of costs or of potentials as the model's kind is.

		scope  distinct variables, by index or name; [] adds to the constant
		table  nested lists or an array of the shape of the domains (of numpy, or of pandas); or all numbers in
		       one list, the last variable of the scope fastest; or a function of one value index a variable,
		       which is called for each cell, at most 10,000,000 times
		copy   False: a numpy array, or another buffer of whole numbers, is used where it lies, if it can
		       be; it must not change as long as the model is there. (Of a model with decimals it is copied)
		Errors: TypeError, ValueError (shape, decimals, calls), Error EINVAL (scope), ERANGE (past 64 bits), ENOMEM

		>>> m = gpube.Model(); a, b = m.add_variable(2), m.add_variable(2)
		>>> m.add_function([a, b], lambda x, y: 5 if x == y else 0)
		"""
		variables = self._scope(scope)
		scope = variables[:]
		domains = [lib.gpube_model_domain(self._address, v) for v in scope]
		if min(domains, default=1) < 1:
			raise Error("EINVAL", "no variable %d" % scope[[d < 1 for d in domains].index(True)])
		if len(set(scope)) < len(scope):
			twice = next(v for k, v in enumerate(scope) if v in scope[:k])
			raise Error("EINVAL", "variable %d is twice in a scope" % twice)
		table = _tables.plain(table)
		cells = self._cells_to_lend(table, domains) if not copy else None
		if cells is not None:
			self._lent.append(cells)
			self._set(lib.gpube_model_lend, len(scope), variables, cells.type, cells.address)
			return
		add = lib.gpube_model_add_potentials if self.kind == "potentials" else lib.gpube_model_add_costs
		cells = self._numbers(table, domains)
		self._set(add, len(scope), variables, cells.address)

	def _cells_to_lend(self, table, domains):
		if self.kind == "potentials":
			cells = _tables.buffer(table)
			return cells if cells and cells.type > _tables.INT64 and cells.shape in (
				tuple(domains), (cells.n,)) and cells.n == math.prod(domains) else None
		return None if self.decimals else _tables.lent(table, domains)

	def _numbers(self, table, domains):
		"""The Cells of a table as the library takes them."""
		if callable(table):
			table = _tables.called(table, domains)
		if self.kind == "potentials":
			return _tables.potentials(table, domains)
		return _tables.costs(table, domains, self.decimals)

	def _cost(self, cost, decimals):
		return _tables.one_unit(cost, decimals)

	# ---- functions by what they say

	def _scope(self, variables):
		"""Indices of variables that are given by index or name."""
		if isinstance(variables, str) or hasattr(variables, "__index__"):
			variables = [variables]  # one alone
		return int32s([names_of(self).index(v) if isinstance(v, str) else v for v in variables])

	def _common(self, scope, values):
		"""A ctypes array of value indices; a name has the same index in all variables of a scope."""
		if isinstance(values, str) or hasattr(values, "__index__"):
			values = [values]
		return int32s([names_of(self).common(scope, x) for x in values])

	def _listed_values(self, scope, given):
		"""A list of values, by index or name. Errors: ValueError (no list, such as a cost in its place; a value that
		no variable of the scope has)"""
		names, listed = names_of(self), [given] if isinstance(given, str) else given
		listed = list(listed) if hasattr(listed, "__iter__") else None

		def known(x):
			if isinstance(x, str):
				return any(x in (names.values[v] or ()) for v in scope)
			return not hasattr(x, "__index__") or any(0 <= x < names.domains[v] for v in scope)
		inside = len(scope) and all(0 <= v < len(self) for v in scope)  # otherwise the library says so
		if listed is None or inside and not all(map(known, listed)):
			raise ValueError("excepted: expected a list of values that the variables have, found %r; a cost is cost=%s" % (
				given, given if hasattr(given, "__index__") else "…"))
		return listed

	def _penalty(self, cost):
		return int64(self._cost(cost, self.decimals))

	def _structs(self, name, rows):
		return (_c.structs[name] * max(1, len(rows)))(*rows)

	def add_tuples(self, scope: Iterable[Key], costs: Mapping[Any, Number], others: Number = 0) -> None:
		"""Adds a function by the tuples that cost something else than the others.

		scope   distinct variables: indices or names
		costs   {tuple of values: cost}, values by index or name; inf is forbidden
		others  the cost of all other tuples
		Errors: ValueError (length, no such name), Error EINVAL (a variable, a value), ERANGE, ENOMEM

		>>> m = gpube.Model(); v = [m.add_variable(10) for _ in range(3)]
		>>> m.add_tuples(v, {(1, 2, 3): 0, (3, 2, 1): 5}, others=gpube.INF)
		>>> m.solve().assignment
		[1, 2, 3]
		"""
		scope, decimals = self._scope(scope), self.decimals
		if not hasattr(costs, "items"):
			raise TypeError("costs: expected a dict {tuple of values: cost}, found %s" % type(costs).__name__)
		tuples = [(t,) if isinstance(t, str) or hasattr(t, "__index__") else tuple(t) for t in costs]
		for t in tuples:
			if len(t) != len(scope):
				raise ValueError("a tuple of %d values for %d variables: %r" % (len(t), len(scope), t))
		values = [x for t in tuples for x in t]
		if any(isinstance(x, str) for x in values):
			value_of = names_of(self).value
			values = [value_of(v, x) for t in tuples for v, x in zip(scope, t)]
		prices = [self._cost(c, decimals) for c in costs.values()]
		self._set(lib.gpube_model_add_tuples, len(scope), scope, self._penalty(others), len(tuples),
			int32s(values), (ctypes.c_int64 * max(1, len(prices)))(*prices))

	def add_linear(self, terms: Any, relation: str, right: int, cost: Number = INF, per_unit: bool = False) -> None:
		"""Adds a linear constraint: terms "<=", ">=" or "==" right.

		terms     {variable: coefficient of its value's index}, or a list of such pairs and of triples
		          (variable, value, coefficient), which count where the variable has that value, an index or a
		          name; coefficients are whole numbers
		cost      where it does not hold; with per_unit for each unit that is missing or too much
		Errors: TypeError, ValueError (relation, a term), Error EINVAL, ERANGE (too wide for tables and chains),
		ENOMEM

		>>> m = gpube.Model(maximise=True); take = [m.add_variable(2) for _ in range(3)]
		>>> for v, worth in zip(take, (5, 4, 3)): m.add_function([v], [0, worth])
		>>> m.add_linear(dict(zip(take, (4, 3, 2))), "<=", 5)
		>>> m.solve().assignment
		[0, 1, 1]
		"""
		relations = [">=", "<=", "=="]
		relation = "==" if relation == "=" else relation
		if relation not in relations:
			raise ValueError("relation %r: expected one of %s" % (relation, " ".join(relations)))
		terms, rows = list(terms.items() if hasattr(terms, "items") else terms), []
		for t in terms:
			if not isinstance(t, (tuple, list)) or len(t) not in (2, 3):
				raise ValueError("a term is (variable, coefficient) or (variable, value, coefficient), found %r" % (t,))
			v, x = self._pair(t[0], -1 if len(t) == 2 else t[1])
			rows.append((v, int32s([x])[0], int64(t[-1])))
		n, rows = len(rows), self._structs("gpube_term", rows)
		self._set(lib.gpube_model_add_linear, n, rows, relations.index(relation), int64(right),
			self._penalty(cost), int(bool(per_unit)))

	def add_all_different(self, variables: Iterable[Key], excepted: Iterable[int] = (), cost: Number = INF) -> None:
		"""Adds that no two of the variables have the same value.

		excepted  a list of values, by index or name, that several variables may have
		cost      of each pair that has the same value
		Errors: ValueError (no list, values that none of the variables has), Error EINVAL, ENOMEM

		>>> m = gpube.Model(); v = [m.add_variable(3) for _ in range(3)]
		>>> m.add_all_different(v); m.solve(count=True).count
		6
		"""
		scope = self._scope(variables)
		excepted = self._common(scope, self._listed_values(scope, excepted))
		self._set(lib.gpube_model_add_all_different, len(scope), scope, len(excepted), excepted, self._penalty(cost))

	def add_gcc(self, variables: Iterable[Key], counts: Mapping[int, Any], cost: Number = INF) -> None:
		"""Adds how often values occur (global cardinality).

		counts  {value: (least, most)}, a value by index, or by a name that all variables have at the same index
		cost    for each variable that a value has too many or too few
		Errors: ValueError (no such name, no pair), Error EINVAL, ERANGE (too wide for tables and chains), ENOMEM

		>>> m = gpube.Model(); v = [m.add_variable(2) for _ in range(4)]
		>>> m.add_gcc(v, {1: (1, 1)}); m.solve(count=True).count
		4
		"""
		scope = self._scope(variables)
		if not hasattr(counts, "items") or any(not hasattr(b, "__len__") or len(b) != 2 for b in counts.values()):
			raise ValueError("counts: expected {value: (least, most)}, found %r" % (counts,))
		values = self._common(scope, counts)
		rows = self._structs("gpube_occurrences", [tuple(int32s([x, *b])) for x, b in zip(values, counts.values())])
		self._set(lib.gpube_model_add_gcc, len(scope), scope, len(counts), rows, self._penalty(cost))

	def add_among(self, variables: Iterable[Key], values: Any, least: int, most: int, cost: Number = INF) -> None:
		"""Adds that from 'least' to 'most' of the variables have one of these values.

		values  by index, or by names that all variables have at the same index
		cost    for each variable too many or too few
		Errors: ValueError (no such name), Error EINVAL, ERANGE (too wide for tables and chains), ENOMEM

		>>> m = gpube.Model(); v = [m.add_variable(3) for _ in range(3)]
		>>> m.add_among(v, [1, 2], 3, 3); m.solve(count=True).count
		8
		"""
		scope = self._scope(variables)
		values = self._common(scope, values)
		self._set(lib.gpube_model_add_among, len(scope), scope, len(values), values, *int32s([least, most]),
			self._penalty(cost))

	def add_regular(self, variables: Iterable[Key], transitions: Iterable[Any], starts: Any, ends: Any) -> None:
		"""Adds the least cost at which an automaton reads the variables' values; forbidden where it cannot.

		transitions   (state, value, next state), or with a cost as a fourth; states are 0, 1, …, and a value is
		              given by index, or by a name that all variables have at the same index
		starts, ends  states, or {state: cost}
		Errors: ValueError (no such name), Error EINVAL, ERANGE (too wide for tables and chains), ENOMEM

		>>> m = gpube.Model(); v = [m.add_variable(2) for _ in range(4)]
		>>> m.add_regular(v, [(0, 0, 0), (0, 1, 1), (1, 0, 0)], [0], [0, 1])  # no two ones in a row
		>>> m.solve(count=True).count
		8
		"""
		decimals = self.decimals
		scope, transitions = self._scope(variables), [tuple(t) for t in transitions]
		if any(len(t) not in (3, 4) for t in transitions):
			raise ValueError("a transition is (state, value, next state), or with a cost as a fourth")
		values = self._common(scope, [t[1] for t in transitions])
		steps = [tuple(int32s([t[0], x, t[2]])) + (self._cost(t[3], decimals) if len(t) > 3 else 0,) for t, x in zip(transitions, values)]

		def states(of):
			pairs = of.items() if hasattr(of, "items") else [(s, 0) for s in of]
			return [(int32s([s])[0], self._cost(c, decimals)) for s, c in pairs]

		first, last = states(starts), states(ends)
		n = 1 + max([s for s, _ in first + last] + [s for t in steps for s in (t[0], t[2])], default=0)
		self._set(lib.gpube_model_add_regular, len(scope), scope, n,
			len(first), self._structs("gpube_state", first), len(last), self._structs("gpube_state", last),
			len(steps), self._structs("gpube_transition", steps))

	def add_global(self, keyword: str, variables: Iterable[Key], *parameters: Any) -> None:
		"""Adds a function that a .wcsp names by a keyword: "salldiff", "wsum", "max", …

		parameters  what follows the keyword there: words and numbers; costs in units of the model
		Errors: Error EINVAL (keyword, parameters), ERANGE (too wide for tables and chains), ENOMEM

		>>> m = gpube.Model(); v = [m.add_variable(2) for _ in range(3)]
		>>> m.add_global("wsum", v, "lin", 2, "==", 5); m.solve().cost
		4
		"""
		scope = self._scope(variables)
		self._set(lib.gpube_model_add_global, encoded(keyword), len(scope), scope,
			encoded(" ".join(map(str, parameters))))

	def add_bounded(self, variables: Iterable[Key], problem: Any, low: Number, high: Number) -> None:
		"""Forbids what costs less than low, or high or more, in a problem of these variables.

		problem  a Model of as many variables, with as many values
		Errors: Error EINVAL (the problem), ERANGE (more than 2^24 assignments), ENOMEM

		>>> m, cost = gpube.Model(), gpube.Model()
		>>> for v in [m.add_variable(2) for _ in range(2)]: cost.add_function([cost.add_variable(2)], [0, 3])
		>>> m.add_bounded([0, 1], cost, 1, 6); m.solve(count=True).count
		2
		"""
		expect(problem, "n_functions", "a Model")
		scope = self._scope(variables)
		ends = [int64(units(end, problem.decimals)) for end in (low, high)]
		self._set(lib.gpube_model_add_bounded, len(scope), scope, problem._address, *ends)

	def _index(self, variable):
		"""Of a variable by name or index; ValueError, Error EINVAL."""
		if isinstance(variable, str):
			return names_of(self).index(variable)
		variable, = int32s([variable])
		if not 0 <= variable < len(self):
			raise Error("EINVAL", "there is no variable %d" % variable)
		return variable

	def observe(self, variable: Key, value: Optional[Key]) -> None:
		"""Fixes a variable to a value, each an index or a name; the value None takes it back.

		Errors: Error EINVAL, ValueError (no variable or value of that name)

		>>> m = gpube.Model.read("examples/exams.cfn"); m.observe("drama", "wednesday")
		>>> m.solve().optimum
		Decimal('4.80')
		"""
		self._set(lib.gpube_model_observe, *int32s(self._pair(variable, -1 if value is None else value)))

	def _pair(self, variable, value):
		"""The indices of a variable and of a value of it, each an index or a name."""
		index = self._index(variable)
		return index, names_of(self).value(index, value, variable)
