"""Questions to a model of costs: optima, bounds, lists, certificates."""
from __future__ import annotations

import ctypes
import inspect
import time
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Callable, List, Optional, Tuple, Union

from . import _c
from ._c import INF as NO_COST, lib
from ._engine import (INF, Error, Options, Owner, _raise_interrupted, exact, int32s, int64, number, opened,
	names_nearest, path_bytes, seconds, takes, units)
from ._names import Assignment, decoded, names_of
from ._results import Bounds, Exact, Listed, Plan, Progress, Solution
from ._show import short
from ._types import Number, Path, Seconds

if TYPE_CHECKING:
	from ._model import Model
	from ._solver import Solver


class _Raised(list):
	"""What a function that C calls has raised; 'keep' is that function, which lives as long."""


def plan_of(p):
	"""A Plan of the library's."""
	return Plan(**{name: getattr(p, name) for name, _ in p._fields_})


class Solving:
	"""The methods of Model that price assignments and prove what is best."""

	def _of_all(self, variables):
		values = self._scope(variables)
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
		"""The value indices that an assignment says: a list of indices or names, a dict of variables."""
		names, hidden = names_of(self), set(self.hidden)
		n = self._n_shown(hidden)
		if hasattr(assignment, "items"):
			told = dict(self._pair(v, x) for v, x in assignment.items())
			missing = [names.key(v) for v in range(n) if v not in told and v not in hidden]
			if missing:
				raise ValueError("%d values, expected %d: no value of %s" % (len(told), n, short(missing, 60)))
			given = [told.get(v) for v in range(n)]
		else:
			given = list(assignment)
		if len(given) != n:
			raise ValueError("%d values, expected %d" % (len(given), n))
		return int32s([0 if v in hidden else names.value(v, x) for v, x in enumerate(given)])

	def _values(self, assignment):
		given = self._of_shown(assignment)
		if len(given) == len(self) and not self.hidden:
			return given
		values = int32s(list(given) + [0] * (len(self) - len(given)))
		self.context._do(lib.gpube_model_complete, values, self._address)
		return values

	def _named_values(self, values, hidden):
		"""An Assignment of the library's numbers, without those of hidden variables."""
		if hidden:
			values = [None if v in hidden else x for v, x in enumerate(values[:self._n_shown(hidden)])]
		return Assignment.of(values, names_of(self))

	def _shown(self, address):
		values = _c.array(address, ctypes.c_int32, len(self))
		return None if values is None else self._named_values(values, set(self.hidden))

	def cost(self, assignment: Any) -> Union[Exact, float]:
		"""What an assignment costs, from the tables as they were read: an int or a Decimal, or inf if
		it is forbidden. Of potentials: ln of the product, a float. It is a list of a value for each
		variable, or {variable: value}, each by index or name; so are the others that calls take.

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
		if order is not None:
			options["order"] = order if isinstance(order, str) else self._of_all(order)
		if assignment is not None:
			options["values"] = self._values(assignment)
		if cutoff is not None:
			options["cutoff"] = int64(units(cutoff, self.decimals))
		if timeout is not None and not isinstance(timeout, str):
			timeout = seconds(timeout)
		return Options(function, call, timeout=timeout, **options)

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
				return bool(on_progress(Progress(p.seconds, ends[0], ends[1], self._shown(p.values), decoded(p.by))))
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
			return self.context._run(function, convert, self._address, opts.address)
		finally:
			if raised:
				raise raised[0]

	@takes("gpube_solve", values=None, order="a word, or all variables as they are to be eliminated: how the order is found")
	def solve(self, timeout: Seconds = None, assignment: Any = None, cutoff: Optional[Number] = None,
			on_progress: Optional[Callable[[Progress], Any]] = None, **options: Any) -> Solution:
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

	def solver(self, **options: Any) -> 'Solver':
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
	def count(self, timeout: Seconds = None, **options: Any) -> Optional[int]:
		"""How many assignments are allowed, whatever they cost (of potentials: whose product is above 0); None:
		not known when the time was over. Errors are those of solve(), and Error EINVAL (totals of
		costs that are each allowed can reach the top).

		>>> gpube.Model.read("examples/zebra.wcsp").count()
		1
		"""
		opts = self._options("count", "gpube_count", timeout, **options)
		s = self.context._run(lib.gpube_count, self._solution, self._address, opts.address)
		return s.count

	@names_nearest()
	@takes("gpube_list", limit=None, precision=None)
	def list(self, most: int = 1000, within: Optional[Number] = 0, timeout: Seconds = None, **options: Any) -> Listed:
		"""The optimal assignments, or the best ones; solve() comes first.

		most      so many at most, from 1
		within    what costs at most so much more than the optimum (of a maximum: less); None: whatever it costs
		distance  each next one is the best of those that differ in so many variables from all before, as
		          diverse() has it
		Errors: those of solve(); Error ELIMIT (they do not fit the memory), ESTOP (no optimum before the timeout)

		>>> gpube.Model.read("examples/exams.cfn").list(most=2, within=None).costs
		[Decimal('4.30'), Decimal('4.80')]
		"""
		if most < 1 or (within is not None and exact(within) < 0):
			raise ValueError("at least one assignment is asked for, and 'within' is at least 0")
		begin, limit, decimals = time.monotonic(), None, 0
		if within is not None or options.get("distance", 1) == 1:
			s = Solving.solve(self, timeout, **{k: v for k, v in options.items() if k not in ("ibound", "distance")})
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
				self.context._free(lib.gpube_result_free, out)
		if interrupted is None and error and not (error.status == "ESTOP" and out):
			raise error
		_raise_interrupted(interrupted, result)
		return result

	@names_nearest(*inspect.signature(list).parameters)
	def diverse(self, k: int, distance: int, within: Optional[Number] = None, timeout: Seconds = None, **options: Any) -> Listed:
		"""k assignments that are far from each other: the first is optimal, and each next one is so among those
		that differ from all before in at least 'distance' variables. Fewer if there are no more.

		within   only what costs at most so much more than the optimum (of a maximum: less); None: whatever it costs
		options  as list() has them
		Errors: those of list(); Error ERANGE (too many variables for so large a distance)

		>>> m = gpube.Model.read("examples/exams.cfn"); far = m.diverse(3, 4)
		>>> [sum(x != y for x, y in zip(far[0], a)) >= 4 for a in far[1:]], far.costs[0]
		([True, True], Decimal('4.30'))
		"""
		return self.list(most=k, within=within, timeout=timeout, distance=distance, **options)

	def _listed(self, address, complete):
		x = _c.at(address, "gpube_list")
		n, hidden = x.n_vars, set(self.hidden)
		values = _c.array(x.values, ctypes.c_int32, x.n * n) if x.n * n else []
		rows = (self._named_values(values[k * n:(k + 1) * n], hidden) for k in range(x.n))
		costs = _c.array(x.costs, ctypes.c_int64, x.n) if x.n else []
		return Listed(list(rows), [number(c, x.scale) for c in costs],
			None if x.more < 0 else bool(x.more), complete)

	@takes("gpube_plan", cutoff=None)
	def plan(self, timeout: Seconds = None, **options: Any) -> Plan:
		"""What elimination would do, also where it does not fit the memory: a Plan. Errors are those of solve().

		>>> gpube.Model.read("examples/exams.cfn").plan().width
		4
		"""
		return self._planned(self._options("plan", "gpube_plan", timeout, **options)).plan

	def elimination_order(self, path: Optional[Path] = None, timeout: Seconds = None, seed: int = 0) -> Optional[List[int]]:
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
			return self.context._run(lib.gpube_plan, self._solution, self._address,
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
			bound=None if abs(s.bound) >= NO_COST or s.answer == 1 else number(s.bound, s.scale),
			log_value=s.log_value if values is not None and self.kind == "potentials" else None,
			assignment=values, count=None if s.count is None else int(s.count),
			order=_c.array(s.order, ctypes.c_int32, n), plan=plan_of(s.plan),
			backend=decoded(s.backend), seconds={name[len("seconds_"):]: getattr(s, name)
				for name, _ in s._fields_ if name.startswith("seconds_")})

	@takes("gpube_bound", values=None)
	def bound(self, timeout: Seconds = None, assignment: Any = None, cutoff: Optional[Number] = None,
			on_progress: Optional[Callable[[Progress], Any]] = None, **options: Any) -> Bounds:
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
	def certify(self, path: Path, timeout: Seconds = None, assignment: Any = None, cutoff: Optional[Number] = None,
			**options: Any) -> Tuple[Bounds, Exact]:
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
			self._bounds, self._address, path_bytes(path), opts.address)
		return bounds, number(c.bound, c.scale)

	def verify(self, path: Path) -> Exact:
		"""What the certificate in a file proves of this model: no assignment is better.

		Errors: Error EINVAL (it is no proof of that), EIO, EPARSE, ELIMIT, ENOMEM
		"""
		c, at = _c.structs["gpube_certified"](), path_bytes(path)
		opened(self.context, lambda out, *rest: lib.gpube_verify(ctypes.byref(c), *rest), lambda none: None,
			self._address, at)
		return number(c.bound, c.scale)

	@takes("gpube_reparam", values=None)
	def reparam(self, timeout: Seconds = None, assignment: Any = None, cutoff: Optional[Number] = None,
			**options: Any) -> 'Tuple[Bounds, Model]':
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
		from ._model import Model
		reparametrised = ctypes.c_void_p()

		def both(address):
			m = Model.__new__(Model)
			Owner.__init__(m, self.context, reparametrised.value, lib.gpube_model_free)
			return self._bounds(address), m

		return self.context._run(lambda out, *rest: lib.gpube_reparam(out, ctypes.byref(reparametrised), *rest),
			both, self._address, opts.address)

	def _bounds(self, address):
		b = _c.at(address, "gpube_solution")
		values = self._shown(b.values)
		answer = _c.WORDS["GPUBE_ANSWER_"][b.answer]
		proved = cost = None
		if answer != "infeasible" and abs(b.bound) < NO_COST:
			proved = number(b.bound, b.scale)
		if values is not None:
			cost = number(b.cost, b.scale)
		upside_down = self.kind == "costs" and self.maximise
		return Bounds(answer=answer, lower=cost if upside_down else proved,
			upper=proved if upside_down else cost, assignment=values, closed=bool(b.closed),
			log_value=b.log_value if values is not None and self.kind == "potentials" else None,
			backend=decoded(b.backend),
			seconds={"bound": b.seconds_bound, "assignment": b.seconds_cost})
