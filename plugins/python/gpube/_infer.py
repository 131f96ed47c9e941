"""Questions to a model of potentials: joint distributions, most probable values, samples, rows of evidence."""
import ctypes
import math
import sys
from array import array
from dataclasses import dataclass
from itertools import product
from typing import Any, Dict, Iterable, List, Optional, Tuple, Union

from . import _c
from ._c import lib
from ._engine import Owner, int32s, int64, names_nearest, opened, takes
from ._names import Assignment, Names, Value, names_of
from ._results import Assigned, Inference, Plan
from ._show import Shown, html_table, pandas, short
from ._solve import plan_of
from ._tables import flat
from ._types import Key, Seconds


@dataclass(repr=False)
class Joint(Shown):
	"""What query() knows: a probability for each combination of the variables' values.

	variables       by name, or index where there is none
	states          of each variable its values, by name or index
	probabilities   row by row, the last variable fastest; they add up to 1
	log10_z         log10 of the sum of all: of the evidence's probability
	relative_error  of that, and of every probability, at most

	joint["yes", "on"] is one of them, and joint[{"rain": "yes", "sprinkler": "on"}]; values are names or
	indices, and of one variable the value alone.

	>>> m = gpube.Model.read("examples/sprinkler.bif")
	>>> p = m.query(["rain", "sprinkler"], evidence={"lawn": "wet"}); round(p["yes", "on"], 4)
	0.1377
	"""

	variables: List[Value]
	states: List[List[Value]]
	probabilities: List[float]
	log10_z: float
	relative_error: float

	@property
	def shape(self) -> Tuple[int, ...]:
		"""How many values each variable has."""
		return tuple(len(s) for s in self.states)

	def __getitem__(self, values: Any) -> float:
		if hasattr(values, "items"):
			if set(values) != set(self.variables):
				raise KeyError("a value of each of %s" % short(self.variables))
			values = tuple(values[v] for v in self.variables)
		if not isinstance(values, tuple):
			values = (values,)
		if len(values) != len(self.states):
			raise KeyError("%d value%s, expected %d" % (len(values), "s" * (len(values) != 1), len(self.states)))
		at = 0
		for v, states, x in zip(self.variables, self.states, values):
			if isinstance(x, str) and x not in states:
				raise KeyError("%s has no value %r" % (v, x))
			x = states.index(x) if isinstance(x, str) else x
			if not 0 <= x < len(states):
				raise IndexError("%s has no value %r" % (v, x))
			at = at * len(states) + x
		return self.probabilities[at]

	def __array__(self, dtype=None, copy=None):
		import numpy
		return numpy.array(self.probabilities, dtype).reshape(self.shape)

	def _rows(self):
		return zip(product(*self.states), self.probabilities)

	def named(self) -> Dict[Any, float]:
		"""{(value, …): probability}, of one variable {value: probability}."""
		return {key if len(key) > 1 else key[0]: p for key, p in self._rows()}

	def _lines(self):
		return ["joint of %s" % short(self.variables, 80), short(
			"%s: %.3g" % ("/".join(map(str, key)), p) for key, p in self._rows())]

	def _html(self):
		return html_table("", self.variables + ["probability"], (key + (p,) for key, p in self._rows()))

	def to_pandas(self) -> Any:
		"""A pandas.Series over the values. Errors: ImportError"""
		p = pandas()
		index = p.MultiIndex.from_product(self.states, names=self.variables)
		return p.Series(self.probabilities, index=index, name="probability")


@dataclass(repr=False)
class MostProbable(Assigned):
	"""What map_query() knows.

	answer          "optimal", "infeasible" (the evidence has probability zero) or "incomplete"
	assignment      of the variables that were asked for; None where none is known
	log10_value     of the sum over all other variables with these values; -inf without any
	log10_lower, log10_upper  the best one's is between them
	relative_error  optimal: no values are better by more than a factor of 1 + relative_error
	"""

	answer: str
	assignment: Optional[Assignment]
	log10_value: float
	log10_lower: float
	log10_upper: float
	relative_error: float
	plan: Plan

	def _about(self):
		return "%s, log10 %.9g" % (self.answer, self.log10_value)


class Samples(Shown):
	"""What sample() draws: len() of it, each in turn an Assignment."""

	def __init__(self, cells, names: Names):
		self._cells, self._names = cells, names  # bytes of int32s, row after row

	@property
	def _numbers(self):
		return memoryview(self._cells).cast("i")

	def __len__(self) -> int:
		return len(self._numbers) // max(len(self._names.variables), 1)

	def __getitem__(self, k: int) -> Assignment:
		n = len(self._names.variables)
		k = range(len(self))[k]
		return Assignment.of(self._numbers[k * n:(k + 1) * n].tolist(), self._names)

	def _columns(self):
		return [self._names.key(v) for v in range(len(self._names.variables))]

	def _lines(self):
		return ["%d assignments of %d variables" % (len(self), len(self._names.variables))]

	def _html(self):
		return html_table(self._lines()[0], self._columns(),
			(list(self[k].named().values()) for k in range(min(len(self), 50))))

	def to_numpy(self) -> Any:
		"""Value indices, a row a sample, a column a variable. Errors: ImportError"""
		import numpy
		return numpy.frombuffer(self._numbers, numpy.int32).reshape(len(self), len(self._names.variables))

	def to_pandas(self) -> Any:
		"""A pandas.DataFrame of names, a column a variable, which log_likelihood() takes. Errors: ImportError"""
		n, columns = len(self._names.variables), {}
		for v, key in enumerate(self._columns()):
			keys = [self._names.called(v, x) for x in range(self._names.domains[v])]
			columns[key] = [keys[x] for x in self._numbers[v::n].tolist()]
		return pandas().DataFrame(columns)


def _is_missing(x):
	"""None, NaN, -1, and what pandas has for them."""
	return x is None or x is getattr(sys.modules.get("pandas"), "NA", None) or x != x or x == -1


def _codes(names, v, column, asked):
	"""Value indices of a column of values, -1 where there is none; 'asked' is what the variable was asked by."""
	known, codes = {}, array("i")
	for x in column:
		try:
			code = known.get(x)
		except TypeError:
			raise TypeError("%r is no value of %s" % (x, names.key(v))) from None
		if code is None:
			if _is_missing(x):
				codes.append(-1)
				continue
			code = names.value(v, x, asked)
			if not isinstance(code, (int, float)) and not hasattr(code, "__index__"):
				raise TypeError("%r is no value of %s" % (x, names.key(v)))
			if not 0 <= code < names.domains[v] or code != int(code):
				raise ValueError("variable %s has no value %r" % (names.key(v), x))
			known[x] = code = int(code)
		codes.append(code)
	return codes


def rows_of(names, rows):
	"""(n, int32s of n * n_vars) of a DataFrame, a list of dicts or of lists, or an array; -1: not observed."""
	n_vars = len(names.variables)
	if hasattr(rows, "columns"):
		if len(set(rows.columns)) < len(rows.columns):
			raise ValueError("two columns have the same name")
		columns = {c: rows[c].tolist() for c in rows.columns}
		n = len(rows)
	else:
		if not hasattr(rows, "items"):
			rows = rows.tolist() if hasattr(rows, "tolist") else list(rows)
		if hasattr(rows, "items") or any(isinstance(row, str) or not hasattr(row, "__len__") for row in rows):
			raise TypeError("rows: expected a DataFrame, a list of dicts or lists, or an array of two dimensions; one row "
				"alone is [row]")
		n = len(rows)
		if n and hasattr(rows[0], "items"):
			keys = {key for row in rows for key in row}
			columns = {key: [row.get(key) for row in rows] for key in keys}
		else:
			if any(len(row) != n_vars for row in rows):
				raise ValueError("rows are of a value for each of the %d variables, None where it is not observed" % n_vars)
			columns = dict(enumerate(zip(*rows)))
	out = array("i", [-1]) * (n * n_vars)
	for key, column in columns.items():
		v = names.index(key)
		out[v::n_vars] = _codes(names, v, column, key)
	return n, (ctypes.c_int32 * len(out)).from_buffer(out) if out else (ctypes.c_int32 * 1)()


def weights_of(names, v, given):
	"""A ctypes array of weights if evidence is soft: a list of one for each value, or {value: weight}; or None."""
	if hasattr(given, "items"):
		weights = [0.0] * names.domains[v]
		for x, w in given.items():
			x = names.value(v, x)
			if not 0 <= x < len(weights):
				raise ValueError("variable %s has no value %r" % (names.key(v), x))
			weights[x] = float(w)
	elif isinstance(given, str) or not hasattr(given, "__len__"):
		return None
	else:
		weights = [float(w) for w in flat(given, (names.domains[v],))]
	return (ctypes.c_double * len(weights))(*weights)


def evidence_of(names, evidence):
	"""({variable: value, -1: not observed}, {variable: weights}) of evidence, by index. Errors: TypeError, ValueError"""
	hard, soft = {}, {}
	try:
		evidence = {} if evidence is None else dict(evidence)
	except (TypeError, ValueError):
		raise TypeError("evidence: expected {variable: value}, found %r" % (evidence,)) from None
	for variable, given in evidence.items():
		v = names.index(variable)
		weights = weights_of(names, v, given)
		if weights is not None:
			soft[v] = weights
		else:
			x = -1 if _is_missing(given) else names.value(v, given, variable)
			hard[v], = int32s([int(x) if isinstance(x, float) and x == int(x) else x])
	return hard, soft


def _joint(names, variables, s):
	if not s.joint:
		raise ValueError("the evidence has probability zero")
	return Joint([names.key(v) for v in variables], [names.keys(v) for v in variables],
		_c.array(s.joint, ctypes.c_double, s.n_joint), s.log10_z, s.relative_error)


def _log10(x):
	return x * math.log(10) if x != -math.inf else x


class Querying:
	"""The methods of Model that ask a network. Evidence is a dict {variable: value}, besides what the model
	has observed and in place of it; None instead of a value means that the variable is not observed. A list of
	weights instead of a value, or a dict {value: weight}, is soft evidence: how probable what was seen is with
	each value, or a multiple of that."""

	def weigh(self, variable: Key, weights: Any) -> None:
		"""Soft evidence, a function of the variable from now on: a weight for each of its values, or {value:
		weight}, the others 0. None takes it back.

		Errors: ValueError (no such variable, another number of weights), Error EINVAL

		>>> m = gpube.Model.read("examples/sprinkler.bif"); m.weigh("rain", [0.2, 0.8])
		>>> round(m.infer(marginals=True).marginals["rain"]["yes"], 4)
		0.8
		"""
		names = names_of(self)
		v = names.index(variable)
		given = None if weights is None else weights_of(names, v, weights)
		if given is None and weights is not None:
			raise TypeError("a list of weights, or a dict {value: weight}, not %r" % (weights,))
		self._set(lib.gpube_model_weigh, v, given)
		self.__dict__.setdefault("_soft", {})[v] = given

	def _seeing(self, evidence, function):
		"""function(out, model, options) of the library with evidence. No other call comes between, and the
		model is as before when it returns."""
		hard, soft = evidence_of(names_of(self), evidence)
		own = self.__dict__.get("_soft", {})

		def call(out, address, opts):
			before, status = {v: lib.gpube_model_observed(address, v) for v in hard}, 0
			try:
				for v, x in hard.items():
					status = status or lib.gpube_model_observe(address, v, x)
				for v, weights in soft.items():
					status = status or lib.gpube_model_weigh(address, v, weights)
				return status or function(out, address, opts)
			finally:
				for v, x in before.items():
					lib.gpube_model_observe(address, v, x)
				for v in soft:
					lib.gpube_model_weigh(address, v, own.get(v))
		return call

	def _asked(self, variables):
		if isinstance(variables, (str, int)):
			variables = [variables]
		variables = [names_of(self).index(v) for v in variables]
		if not variables:
			raise ValueError("no variable is asked for")
		return variables, int32s(variables)

	@takes("gpube_infer", task=None, bounds=None, query=None, draw=None)
	def query(self, variables: Union[Key, Iterable[Key]], evidence: Any = None, timeout: Seconds = None, **options: Any) -> Joint:
		"""The joint distribution of some variables, exact: a Joint.

		variables  names or indices, in the order of the table
		Errors: ValueError (the evidence has probability zero), Error ELIMIT (the table, or tables on the way,
		pass the memory; the text has the size), EINVAL, ERANGE, ENOMEM; Interrupted

		>>> m = gpube.Model.read("examples/sprinkler.bif")
		>>> round(m.query("rain", evidence={"lawn": "wet", "cloudy": [0.2, 0.9]})["yes"], 4)
		0.887
		"""
		variables, numbers = self._asked(variables)
		opts = self._options("query", "gpube_infer", timeout, query=numbers, **options)
		names = names_of(self)

		def told(address):
			s = _c.at(address, "gpube_inference")
			return _joint(names, variables, s) if s.known else plan_of(s.plan)

		return self.context._run(self._seeing(evidence, lib.gpube_infer), told,
			self._address, opts.address)

	@takes("gpube_mmap", query=None)
	def map_query(self, variables: Union[None, Key, Iterable[Key]] = None, evidence: Any = None, timeout: Seconds = None,
			**options: Any) -> MostProbable:
		"""The most probable values of some variables, the others summed over (marginal MAP), or of all
		variables together (None): MostProbable, with a proof or bounds.

		Errors: Error EINVAL, ERANGE, ENOMEM; Interrupted, with the best so far

		>>> m = gpube.Model.read("examples/sprinkler.bif")
		>>> m.map_query(["rain"], evidence={"lawn": "wet"})["rain"]
		'yes'
		"""
		variables, numbers = self._asked(range(len(self)) if variables is None else variables)
		opts = self._options("map_query", "gpube_mmap", timeout, query=numbers, **options)
		names = names_of(self)

		def told(address):
			s = _c.at(address, "gpube_mmap")
			assignment = None
			if s.values:
				found = dict(zip(variables, _c.array(s.values, ctypes.c_int32, len(variables))))
				assignment = Assignment.of([found.get(v) for v in range(len(names.variables))], names)
			return MostProbable(_c.WORDS["GPUBE_ANSWER_"][s.answer], assignment, s.log10_value, s.log10_lower,
				s.log10_upper, s.relative_error, plan_of(s.plan))

		return self.context._run(self._seeing(evidence, lib.gpube_mmap), told,
			self._address, opts.address)

	@names_nearest()
	@takes("gpube_infer", task=None, bounds=None, query=None, draw=None)
	def sample(self, n: int, evidence: Any = None, seed: int = 0, timeout: Seconds = None, **options: Any) -> Samples:
		"""n independent assignments, each with its probability given the evidence, exactly: Samples. A seed
		gives the same ones on any machine and number of threads.

		Errors: ValueError (the evidence has probability zero), Error ELIMIT, EINVAL, ERANGE, ENOMEM; Interrupted

		>>> s = gpube.Model.read("examples/sprinkler.bif").sample(1000, evidence={"lawn": "wet"}, seed=7)
		>>> len(s), s[0]["lawn"], 600 < sum(a["rain"] == "yes" for a in s) < 800
		(1000, 'wet', True)
		"""
		if n < 1:
			raise ValueError("at least one sample")
		opts = self._options("sample", "gpube_infer", timeout, draw=int64(n), seed=seed, **options)
		names = names_of(self)

		def told(address):
			s = _c.at(address, "gpube_inference")
			if not s.known:
				return plan_of(s.plan)
			if s.log10_z == -math.inf:
				raise ValueError("the evidence has probability zero")
			size = 4 * s.n_drawn * len(names.variables)
			return Samples(ctypes.string_at(s.drawn, size), names)

		return self.context._run(self._seeing(evidence, lib.gpube_infer), told,
			self._address, opts.address)

	def log_likelihood(self, rows: Any, timeout: Seconds = None, **options: Any) -> List[float]:
		"""ln of the probability of each row of evidence (of the sum that agrees with it): a list of floats,
		-inf of what is impossible. The model is prepared once: see Compiled, and compile() for the options.

		rows   a pandas.DataFrame whose columns are variables, a list of dicts {variable: value}, or lists (an
		       array) of a value for each variable; what is None, NaN or -1 is not observed
		Errors: ValueError (no such variable or value), and those of compile()

		>>> m = gpube.Model.read("examples/sprinkler.bif")
		>>> [round(x, 4) for x in m.log_likelihood([{"lawn": "wet"}, {"lawn": "wet", "rain": "no"}])]
		[-0.4353, -1.666]
		"""
		with self.compile(timeout=timeout, **options) as c:
			return c.log_likelihood(rows)

	@takes("gpube_infer_compile", task=None, query=None, draw=None)
	def compile(self, variables: Union[None, Key, Iterable[Key]] = None, marginals: bool = False, timeout: Seconds = None,
			**options: Any) -> 'Compiled':
		"""The model prepared for evidence that changes: Compiled, whose query() gives the joint distribution
		of 'variables', and whose infer() all 'marginals'. What the model has observed is observed at first.
		The timeout is of each call.

		Errors: Error EINVAL, ELIMIT (messages are kept, and pass the memory), ERANGE, ENOMEM; Interrupted
		"""
		return Compiled(self, variables, marginals, timeout, options)


class Compiled(Owner):
	"""A model that is asked again and again as evidence changes: Model.compile(). It does again only what
	the evidence that is new touches.

	>>> with gpube.Model.read("examples/sprinkler.bif").compile(["rain"]) as c:
	...     c.observe("lawn", "wet"); wet = c.query()["yes"]
	...     c.observe("sprinkler", "on"); round(wet, 4), round(c.query()["yes"], 4)
	(0.7079, 0.3204)
	"""

	def __init__(self, model, variables, marginals, timeout, options):
		self._model, self._names, self._variables = model, names_of(model), None
		if variables is not None:
			self._variables, options["query"] = model._asked(variables)
		opts = model._options("compile", "gpube_infer_compile", timeout, task="mar" if marginals else "pr", **options)
		super().__init__(model.context, opened(model.context, lib.gpube_infer_compile,
			lambda c, *rest: lib.gpube_compiled_free(c), model._address, opts.address), lib.gpube_compiled_free)

	def _words(self):
		return "%d variables" % len(self._names.variables)

	def observe(self, variable: Key, value: Any) -> None:
		"""Fixes a variable to a value, each an index or a name, or weighs its values by soft evidence, as
		Querying has it; None takes both back.

		Errors: Error EINVAL, ValueError, IndexError (no such variable or value)
		"""
		v = self._names.index(variable)
		weights = None if value is None else weights_of(self._names, v, value)
		x = -1 if value is None or weights is not None else self._names.value(v, value, variable)
		self.context._do(lib.gpube_infer_observe, self._address, v, *int32s([x]))
		if value is None or weights is not None:
			self.context._do(lib.gpube_infer_weigh, self._address, v, weights)

	def _ask(self, told):
		return self.context._run(lib.gpube_infer_query, told, self._address)

	def infer(self) -> Inference:
		"""The sum with what is observed now, and the marginals if it was compiled for them: Inference."""
		return self._ask(self._model._inference)

	def query(self) -> Joint:
		"""The joint distribution of the variables that it was compiled for, with what is observed now: Joint.

		Errors: ValueError (compiled for none; the evidence has probability zero), and those of Model.query()
		"""
		if self._variables is None:
			raise ValueError("it was compiled for no variables: compile(variables)")
		return self._ask(lambda address: _joint(self._names, self._variables, _c.at(address, "gpube_inference")))

	def log_likelihood(self, rows: Any) -> List[float]:
		"""As Model.log_likelihood(), with what is observed now besides each row."""
		n, numbers = rows_of(self._names, rows)
		out = (ctypes.c_double * max(n, 1))()
		opened(self.context, lambda none, *rest: lib.gpube_infer_rows(*rest), lambda none: None,
			out, self._address, n, numbers)
		return [_log10(x) for x in out[:n]]
