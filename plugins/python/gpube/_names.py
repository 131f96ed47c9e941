"""What a model calls its variables and their values, and results that are asked by these names."""
import difflib
import operator
import threading
from typing import Any, Dict, List, Optional, Union

from ._c import lib
from ._show import Shown, html_table, pandas, short

Value = Union[str, int]


def encoded(text):
	"""A name as the library takes it. Errors: TypeError, ValueError"""
	if not isinstance(text, str):
		raise TypeError("a name is a text, found %r" % (text,))
	if "\0" in text:
		raise ValueError("a name with a zero byte")
	return text.encode()


def decoded(raw):
	"""A text of the library; None of NULL."""
	return None if raw is None else raw.decode("utf-8", "replace")


def find(indices, name, why):
	"""indices[name]; ValueError 'why' with the nearest names."""
	if name in indices:
		return indices[name]
	near = difflib.get_close_matches(name, [n for n in indices if n is not None])
	raise ValueError(why + (": the nearest: " + ", ".join(near) if near else ""))


class Names:
	"""What a model calls its variables and their values. Variables are only ever added, so all results
	of a model share one of these, and it outlives the model.

	variables  the names; None where one has none
	values     for each variable the list of its values' names; None where they have none
	domains    how many values each variable has
	"""

	def __init__(self):
		self.variables: List[Optional[str]] = []
		self.values: List[Optional[List[str]]] = []
		self.domains: List[int] = []
		self.n = 0  # of variables that are whole: another thread may be adding one
		self._index: Dict[str, int] = {}
		self._places: Dict[int, Dict[str, int]] = {}

	def extend(self, address):
		"""Takes over what the library's model has beyond these."""
		for v in range(self.n, lib.gpube_model_n_vars(address)):
			self.variables.append(decoded(lib.gpube_model_var_name(address, v)))
			self.domains.append(lib.gpube_model_domain(address, v))
			named = lib.gpube_model_value_name(address, v, 0) is not None
			self.values.append([decoded(lib.gpube_model_value_name(address, v, x))
				for x in range(self.domains[v])] if named else None)
			if self.variables[v] is not None:  # of several of one name it means the first
				self._index.setdefault(self.variables[v], v)
			self.n = v + 1
		return self

	def get(self, name):
		"""The index of a variable by its name, or None."""
		return self._index.get(name)

	def index(self, variable):
		"""The index of a variable that is given by name or index.

		Errors: ValueError (no such name), IndexError, TypeError
		"""
		if isinstance(variable, str):
			return find(self._index, variable, "there is no variable %r" % variable)
		variable = operator.index(variable)
		if not 0 <= variable < len(self.variables):
			raise IndexError("there is no variable %d" % variable)
		return variable

	def value(self, variable, value, asked=None):
		"""The index of a value of a variable (an index) that is given by name or index. True and False are names
		where values are called so; no other number is looked at, unless the variable was 'asked' by its name.

		Errors: ValueError (no such name; the variable was asked by name, the value by a number that is the name
		of another one)
		"""
		if type(value).__name__ in ("bool", "bool_") and str(value) in self._places_of(variable):
			value = str(value)
		if not isinstance(value, str):
			if isinstance(asked, str):
				self._check(variable, value)
			return value
		return find(self._places_of(variable), value, "variable %s has no value %r" % (self.key(variable), value))

	def _check(self, variable, number):
		"""ValueError where a number is the name of another value than the one of this index."""
		whole = isinstance(number, float) and number == number // 1
		called = str(int(number)) if whole or hasattr(number, "__index__") else None
		if called and called != "-1" and self._places_of(variable).get(called, number) != number:
			raise ValueError("variable %s: is %s the value of this name, or of this index? Give the name as a text, or "
				"the variable by its index, too" % (self.key(variable), called))

	def _places_of(self, variable):
		"""{name: index} of a variable's values."""
		if variable not in self._places:
			names = self.values[variable] or []
			self._places[variable] = {n: x for x, n in reversed(list(enumerate(names)))}
		return self._places[variable]

	def common(self, variables, value):
		"""The index of a value that is given by name or index, which is the same in all of some variables (indices)
		that have a value of that index. Errors: ValueError (a name that is not)"""
		if not isinstance(value, str):
			return value
		x = next((places[value] for places in map(self._places_of, variables) if value in places), None)
		for v in variables:
			if x is None or x < self.domains[v] and self._places_of(v).get(value) != x:
				self.value(v, value)
				raise ValueError("value %r has not the same index in all of the variables" % value)
		return x

	def key(self, variable) -> Value:
		"""The name of a variable, if no one before has it; its index otherwise."""
		name = self.variables[variable]
		return name if name and self._index[name] == variable else variable

	def called(self, variable, value) -> Value:
		"""The name of a value, or its index."""
		names = self.values[variable]
		return (names[value] if names and value is not None else None) or value

	def keys(self, variable) -> List[Value]:
		"""For each value its name, if no one before has it; its index otherwise."""
		names, seen = self.values[variable] or [], set()
		keys = [n if n and not (n in seen or seen.add(n)) else x for x, n in enumerate(names)]
		return keys or list(range(self.domains[variable]))


_extending = threading.Lock()


def names_of(owner) -> Names:
	"""The Names of a Model or Game, which threads may share."""
	address = owner._address
	n, names = lib.gpube_model_n_vars(address), owner.__dict__.get("_own_names")
	if names is None or names.n < n:
		with _extending:
			names = owner.__dict__.setdefault("_own_names", Names()).extend(address)
	return names


def _by_key(find_it):
	"""find_it(), as [] reports what is not there."""
	try:
		return find_it()
	except ValueError as e:
		raise KeyError(str(e)) from None


class Variable(int):
	"""A variable of a model, as model["rain"] gives it: its index, which also has a name.

	name    None: it has none
	values  the names of its values, or their indices

	>>> v = gpube.Model.read("examples/exams.cfn")["drama"]; v.name, v.values, v + 0
	('drama', ['monday', 'tuesday', 'wednesday'], 3)
	"""

	name: Optional[str]
	values: List[Value]

	def __new__(cls, index, name=None, values=()):
		self = super().__new__(cls, index)
		self.name, self.values = name, list(values)
		return self

	@classmethod
	def of(cls, names: Names, variable: Any) -> 'Variable':
		"""By name or index. Errors: KeyError (a name), IndexError, TypeError"""
		v = _by_key(lambda: names.index(variable))
		return cls(v, names.variables[v], names.values[v] or range(names.domains[v]))

	def __getnewargs__(self):
		return int(self), self.name, self.values

	def __repr__(self):
		return "<gpube.Variable %d%s: %s>" % (self, "" if self.name is None else " " + self.name, short(
			self.values, 80))


class Assignment(Shown, list):
	"""A value index for each variable. By the name of a variable it gives the name of the value (its index
	where there are none): assignment[3] is 1 and assignment["drama"] is "tuesday".

	>>> a = gpube.Model.read("examples/exams.cfn").solve().assignment; a[3], a["drama"]
	(1, 'tuesday')
	"""

	names: Names

	@classmethod
	def of(cls, values: Any, names: Names) -> 'Assignment':
		"""Of value indices, None of a hidden variable."""
		self = cls(values)
		self.names = names
		return self

	def __getitem__(self, variable: Any) -> Any:
		if isinstance(variable, str):
			v = _by_key(lambda: self.names.index(variable))
			return self.names.called(v, list.__getitem__(self, v))
		try:
			return list.__getitem__(self, variable)
		except IndexError:
			raise IndexError("there is no variable %d" % variable) from None

	def named(self) -> Dict[Value, Value]:
		"""{variable: value} by names; indices where there are none."""
		return {self.names.key(v): self.names.called(v, x) for v, x in enumerate(self) if x is not None}

	__repr__ = list.__repr__

	def _html(self):
		return html_table("", ["variable", "value"], self.named().items())

	def to_pandas(self) -> Any:
		"""A pandas.Series of named(). Errors: ImportError"""
		told = self.named()
		return pandas().Series(list(told.values()), index=list(told), name="value", dtype=object)


class Distribution(Shown, list):
	"""A probability for each value of a variable (or action of a player), by index or by name.

	>>> d = gpube.nash([[3, 0], [5, 1]], [[3, 5], [0, 1]]).equilibria[0].x; d, d[1]
	([Fraction(0, 1), Fraction(1, 1)], Fraction(1, 1))
	"""

	keys: List[Value]

	@classmethod
	def of(cls, numbers: Any, keys: List[Value]) -> 'Distribution':
		"""Of the numbers and what each is asked by."""
		self = cls(numbers)
		self.keys = keys
		return self

	def __getitem__(self, value: Any) -> Any:
		if isinstance(value, str):
			return list.__getitem__(self, _by_key(lambda: find(
				{k: x for x, k in enumerate(self.keys)}, value, "there is no value %r" % value)))
		return list.__getitem__(self, value)

	def named(self) -> Dict[Value, float]:
		"""{value: probability} by names; indices where there are none."""
		return dict(zip(self.keys, self))

	__repr__ = list.__repr__

	def _html(self):
		return html_table("", ["value", "probability"], self.named().items())

	def to_pandas(self) -> Any:
		"""A pandas.Series of named(). Errors: ImportError"""
		return pandas().Series(list(self), index=list(self.keys), name="probability")


class Marginals(Shown, list):
	"""A Distribution for each variable, by index or by name.

	>>> m = gpube.Model.read("examples/sprinkler.bif"); m.observe("lawn", "wet")
	>>> p = m.infer(marginals=True).marginals; p["lawn"]["wet"], round(p["rain"]["yes"], 4)
	(1.0, 0.7079)
	"""

	names: Names

	@classmethod
	def of(cls, rows: Any, names: Names) -> 'Marginals':
		"""Of lists of probabilities."""
		self = cls(Distribution.of(row, names.keys(v)) for v, row in enumerate(rows))
		self.names = names
		return self

	def __getitem__(self, variable: Any) -> Any:
		if isinstance(variable, str):
			return list.__getitem__(self, _by_key(lambda: self.names.index(variable)))
		return list.__getitem__(self, variable)

	def named(self) -> Dict[Value, Dict[Value, float]]:
		"""{variable: {value: probability}} by names; indices where there are none."""
		return {self.names.key(v): row.named() for v, row in enumerate(self)}

	__repr__ = list.__repr__

	def _rows(self):
		return [(k, x, p) for k, row in self.named().items() for x, p in row.items()]

	def _html(self):
		return html_table("", ["variable", "value", "probability"], self._rows())

	def to_pandas(self) -> Any:
		"""A pandas.Series over (variable, value). Errors: ImportError"""
		rows, p = self._rows(), pandas()
		index = p.MultiIndex.from_tuples([row[:2] for row in rows], names=["variable", "value"])
		return p.Series([row[2] for row in rows], index=index, name="probability")
