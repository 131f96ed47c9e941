"""Models: functions of variables, and what is optimised and summed over them."""
from __future__ import annotations

import ctypes
import operator
import os
import warnings
from typing import Any, Dict, List, Optional, Tuple

from . import _c
from ._build import Building
from ._c import INF as NO_COST, lib
from ._engine import INF, Context, Error, Options, Owner, info, int32s, int64, number, opened, path_bytes, takes, units, word
from ._infer import Querying
from ._names import Assignment, Marginals, Value, Variable, names_of
from ._results import Exact, Inference
from ._show import html_table, short
from ._solve import Solving, plan_of
from ._types import Key, Number, Path, Seconds


class Model(Building, Solving, Querying, Owner):
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

	def __init__(self, kind: str = "costs", maximise: bool = False, decimals: int = 0, context: Optional[Context] = None):
		context = Context._given(context)
		if kind not in _c.WORDS["GPUBE_"]:
			raise ValueError("kind: expected %s, found %r; a file is read by Model.read()" % (
				"|".join(_c.WORDS["GPUBE_"]), kind))
		out = ctypes.c_void_p()
		context._do(lib.gpube_model_new, ctypes.byref(out), context._address, word("GPUBE_", kind))
		super().__init__(context, out.value, lib.gpube_model_free)
		if kind == "costs":
			self._set(lib.gpube_model_set_direction, int(bool(maximise)))
			self._set(lib.gpube_model_set_scale, *int32s([decimals]))

	@classmethod
	@takes("gpube_read", **{"from": None})
	def read(cls, path: Path, format: str = "auto", evidence: Optional[Path] = None, context: Optional[Context] = None,
			**options: Any) -> 'Model':
		"""Reads a model from a file, plain or compressed.

		format    a name as 'gpube convert --help' lists them, "wcsp" or "uai"; "auto" tells it from the content
		evidence  file of observations; None: PATH.evid beside a .uai, if it is there; "": none
		Errors: Error EIO, EPARSE (file, line, what was expected), ERANGE, ELIMIT, ENOMEM, EINVAL

		>>> gpube.Model.read("examples/exams.cfn").solve().optimum
		Decimal('4.30')
		"""
		context = Context._given(context)
		if evidence is not None:
			options["evidence"] = path_bytes(evidence)
		opts = Options("read", "gpube_read", **{"from": format}, **options)
		address = opened(context, lib.gpube_read, lib.gpube_model_free, context._address,
			path_bytes(path), opts.address)
		m = cls.__new__(cls)
		Owner.__init__(m, context, address, lib.gpube_model_free)
		if m.kind == "game":
			raise Error("EINVAL", "'%s' is a game: gpube.Game.read() reads it" % (path,))
		return m

	def _set(self, function, *arguments):
		self.context._do(function, self._address, *arguments)

	# ---- what it holds

	@property
	def _info(self):
		return info(self._address)

	@property
	def kind(self) -> str:
		"""'costs', 'potentials', 'game' or 'coalitions'"""
		return _c.WORDS["GPUBE_"][self._info.kind]

	@property
	def maximise(self) -> bool:
		"""Whether the greatest total is wanted; of potentials the greatest product always is."""
		return bool(self._info.direction)

	@property
	def decimals(self) -> int:
		"""Costs are multiples of 10^-decimals."""
		return self._info.scale

	@property
	def constant(self) -> Exact:
		"""What is added to every total of costs."""
		return number(self._info.constant, self.decimals)

	@property
	def top(self) -> Optional[Exact]:
		"""Totals from here on (of a maximum: to here) are forbidden; None: no limit. May be set."""
		top = self._info.top
		return None if abs(top) == NO_COST else number(top, self.decimals)

	@top.setter
	def top(self, top: Optional[Number]) -> None:
		none = -NO_COST if self.maximise else NO_COST
		self._set(lib.gpube_model_set_top, none if top is None else int64(units(top, self.decimals)))

	@property
	def domains(self) -> List[int]:
		"""How many values each variable has."""
		return list(names_of(self).domains)

	@property
	def hidden(self) -> List[int]:
		"""The variables that were added to write wide functions as small ones. Assignments have None for
		them, and leave out those behind the last other variable; orders have all variables."""
		if not self._info.n_hidden:
			return []
		return [v for v in range(len(self)) if lib.gpube_model_is_hidden(self._address, v)]

	@property
	def names(self) -> List[Optional[str]]:
		"""The names of the variables; None where one has no name."""
		return list(names_of(self).variables)

	@property
	def value_names(self) -> List[Optional[List[str]]]:
		"""For each variable the list of its values' names; None where they have none."""
		return [names and list(names) for names in names_of(self).values]

	def __getitem__(self, variable: Key) -> Variable:
		"""A Variable, by name or index. Errors: KeyError, IndexError, TypeError

		>>> gpube.Model.read("examples/exams.cfn")["drama"].values
		['monday', 'tuesday', 'wednesday']
		"""
		return Variable.of(names_of(self), variable)

	def __contains__(self, variable: Any) -> bool:
		names = names_of(self)
		return names.get(variable) is not None if isinstance(variable, str) else variable in range(len(self))

	@property
	def evidence(self) -> Dict[int, int]:
		"""{variable: observed value}"""
		seen = ((v, lib.gpube_model_observed(self._address, v)) for v in range(len(self)))
		return {v: value for v, value in seen if value >= 0}

	def _words(self):
		aim = self.kind if self.kind != "costs" else "costs to %s" % ("maximise" if self.maximise else "minimise")
		counts = (("variable", len(self)), ("function", self.n_functions))
		return ", ".join(["%d %s%s" % (n, what, "s" * (n != 1)) for what, n in counts] + [aim])

	def _repr_html_(self):
		seen, hidden = self.evidence, set(self.hidden)
		rows = [[v, v.name or "", short(v.values, 60), v.values[seen[v]] if v in seen else ""]
			for v in map(self.__getitem__, range(len(self))) if v not in hidden]
		return html_table(self._words(), ["", "variable", "values", "observed"], [[int(row[0])] + row[1:] for row in rows])

	def __len__(self) -> int:
		"""How many variables there are."""
		return lib.gpube_model_n_vars(self._address)

	@property
	def n_functions(self) -> int:
		"""How many functions there are."""
		return self._info.n_functions

	def function(self, k: int) -> Tuple[List[int], List[Any]]:
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

	def named(self, assignment: Any) -> Dict[Value, Value]:
		"""{variable: value} with the file's names; indices where there are none.

		Errors: ValueError (their number, a value that the variable does not have)

		>>> m = gpube.Model.read("examples/exams.cfn"); m.named(m.solve().assignment)["drama"]
		'tuesday'
		"""
		values, hidden = self._of_shown(assignment)[:], set(self.hidden)
		for v, x in enumerate(values):
			if v not in hidden and not 0 <= x < names_of(self).domains[v]:
				raise ValueError("variable %d has no value %d" % (v, x))
		return Assignment.of([None if v in hidden else x for v, x in enumerate(values)], names_of(self)).named()

	def posteriors(self, marginals: Any) -> Dict[Value, Dict[Value, float]]:
		"""{variable: {value: probability}} of the marginals of infer(), with the file's names; indices
		where there are none. Marginals.named() is the same.

		Errors: ValueError (their number)

		>>> m = gpube.Model.read("examples/sprinkler.bif"); m.observe("lawn", "wet")
		>>> m.posteriors(m.infer(marginals=True).marginals)["lawn"]["wet"]
		1.0
		"""
		if [len(row) for row in marginals] != self.domains:
			raise ValueError("marginals of another model")
		return Marginals.of(marginals, names_of(self)).named()

	# ---- sums

	@takes("gpube_infer", task=None, bounds=None, query=None, draw=None)
	def infer(self, marginals: Any = False, timeout: Seconds = None, **options: Any) -> Inference:
		"""The sum over all assignments of the product of all potentials (of a Bayesian network: the
		probability of the evidence), and with 'marginals' each variable's distribution: Inference.

		Errors: TypeError (evidence, which infer() does not take), Error EINVAL (a model of costs), ELIMIT
		(.result has the plan), ERANGE, ENOMEM; Interrupted

		>>> gpube.Model.read("examples/sprinkler.uai").infer(marginals=True).marginals[3]
		[0.0, 1.0]
		"""
		no_evidence = "infer() takes no evidence: observe() or weigh() set it, or query(variables, evidence)"
		if "evidence" in options:
			raise TypeError("infer() has no option 'evidence': " + no_evidence)
		if type(marginals).__name__ not in ("bool", "bool_"):
			raise TypeError("%s; marginals: expected True or False, found %r" % (no_evidence, marginals))
		opts = self._options("infer", "gpube_infer", timeout, task="mar" if marginals else "pr", **options)
		return self.context._run(lib.gpube_infer, self._inference,
			self._address, opts.address)

	def _inference(self, address):
		s = _c.at(address, "gpube_inference")
		rows = None
		if s.marginals:
			domains = self.domains
			cells = iter(_c.array(s.marginals, ctypes.c_double, sum(domains)))
			rows = [[next(cells) for _ in range(d)] for d in domains]
		return Inference(log10_z=s.log10_z if s.known else None,
			relative_error=s.relative_error if s.known else None, marginals=rows and Marginals.of(rows, names_of(self)),
			plan=plan_of(s.plan))

	@takes("gpube_write", to=None, wide=None)
	def write(self, path: Path, format: str = "auto", **options: Any) -> None:
		"""Writes the model as .wcsp, .cfn, .uai, .LG, .wcnf or .cnf, as its name says.

		Formats other than .cfn cannot hide variables: hidden ones become ordinary there, which is a UserWarning.
		Errors: Error EIO, EINVAL, ERANGE (not without 'lossy'), ENOMEM, EBUG; no file is left then

		>>> gpube.Model.read("examples/exams.cfn").write("exams.wcsp", check=True)
		"""
		self._write(path, format, **{"wide": True, **options})
		n, end = self._info.n_hidden, os.path.splitext(os.fsdecode(path).lower())
		if end[1] in (".gz", ".xz", ".bz2", ".zst", ".lzma"):
			end = os.path.splitext(end[0])
		if n and (end[1][1:] if format == "auto" else format) != "cfn":
			warnings.warn("%s: the format cannot hide variables: %d hidden one%s are written like others" % (
				os.fsdecode(path), n, "s" * (n != 1)), stacklevel=2)

	def _write(self, path, format="auto", written=None, **options):
		"""written  a gpube_written, which is set."""
		opts = Options("write", "gpube_write", to=format, **options)
		address, at = self._address, path_bytes(path)
		told = None if written is None else ctypes.addressof(written)
		opened(self.context, lambda out, *rest: lib.gpube_write(*rest), lambda none: None,
			address, at, opts.address, told)

	# ---- from other packages

	@classmethod
	def from_pgmpy(cls, network: Any, context: Optional[Context] = None) -> 'Model':
		"""A model of potentials of one of pgmpy's networks: a function for each of its CPDs or factors.

		Variables are in the order of network.nodes(); names are texts of the nodes and of their states. States that
		are not 0, 1, 2, … are asked by their texts, also where they are other numbers; True and False are taken, too.
		Errors: TypeError (no discrete network of pgmpy's), ValueError (a node without a CPD)

		>>> gpube.Model.from_pgmpy(network).infer(marginals=True)  # doctest: +SKIP
		"""
		cpds = network.get_cpds() if hasattr(network, "get_cpds") else None
		if not hasattr(network, "get_cardinality") or any(not hasattr(c, "to_factor") for c in cpds or ()):
			raise TypeError("expected a discrete network of pgmpy, found %s" % type(network).__name__)
		factors = network.get_factors() if cpds is None else [c.to_factor() for c in cpds]
		bare = set() if cpds is None else set(network.nodes()).difference(*(f.variables for f in factors))
		if bare:
			raise ValueError("the network has no CPD of %s" % short(sorted(map(str, bare)), 60))
		m = cls("potentials", context=context)
		index, states, cards = {}, {}, network.get_cardinality()
		for f in factors:
			states.update(getattr(f, "state_names", {}))
		for node in network.nodes():
			if node in cards:  # not a factor graph's factors
				size = int(cards[node])
				told = list(states.get(node, range(size)))
				index[node] = m.add_variable(size if told == list(range(size)) else told, str(node))
		for f in factors:
			m.add_function([index[v] for v in f.variables], f.values)
		return m

	@classmethod
	def from_pyagrum(cls, network: Any, context: Optional[Context] = None) -> 'Model':
		"""A model of potentials of one of pyAgrum's Bayesian networks or Markov random fields: a function
		for each of its CPTs or factors, variables in the order of network.nodes().

		>>> gpube.Model.from_pyagrum(network).infer(marginals=True)  # doctest: +SKIP
		"""
		if not hasattr(network, "variable") or hasattr(network, "utility"):
			raise TypeError("expected a Bayesian network or Markov random field of pyAgrum, found %s" % type(network).__name__)
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
	def from_pytoulbar2(cls, problem: Any, context: Optional[Context] = None) -> 'Model':
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

	def to_pytoulbar2(self) -> Any:
		"""The model as a pytoulbar2.CFN, whose variables have the same indices, by way of a .cfn file.

		Errors: ImportError (no pytoulbar2: pip install pytoulbar2), Error ERANGE (toulbar2 would misread it:
		costs past 2^53, a bound between -1 and 0 that excludes some assignments), EINVAL (some assignments
		cost something else there), pytoulbar2's Contradiction (nothing is allowed)

		>>> m.to_pytoulbar2().Solve()  # doctest: +SKIP
		"""
		from . import _toulbar2
		return _toulbar2.give(self)


def made(context, make, *arguments):
	"""The Model that a long call of the library makes."""
	m = Model.__new__(Model)
	Owner.__init__(m, context, opened(context, make, lib.gpube_model_free, *arguments), lib.gpube_model_free)
	return m


def convert(source: Path, target: Path, format: str = "auto", to: str = "auto", evidence: Optional[Path] = None,
		context: Optional[Context] = None, **options: Any) -> None:
	"""Reads one file and writes another: the options are those of Model.write().

	>>> gpube.convert("examples/zebra.wcsp", "zebra.cfn", check=True)
	"""
	with Model.read(source, format, evidence, context=context) as m:
		m.write(target, to, **options)
