"""A model that is solved again and again while it changes."""
from __future__ import annotations

import ctypes
from typing import Any, Mapping, Optional

from . import _c
from ._c import lib
from ._engine import Owner, int32s
from ._model import Model
from ._results import Solution
from ._types import Key, Number, Path, Seconds


class Solver(Model):
	"""A copy of a model with what solving it has shown: bounds, assignments, an elimination's messages.

	It is a Model: what observes, takes back and adds works on it as on any other, and the next
	solve() begins with all that is still valid. Model.solver() makes one; close() or 'with' frees it.

	options  for all runs, as Model.solve() has them
	Errors: ValueError (an option), Error EINVAL, ENOMEM

	>>> m = gpube.Model(); a, b = m.add_variable(3, "a"), m.add_variable(3, "b")
	>>> m.add_function([a, b], lambda x, y: x + 2 * y)
	>>> s = m.solver(); s.solve().assignment
	[0, 0]
	>>> s.add_all_different([a, b]); s.solve().assignment
	[1, 0]
	>>> s.change(0, lambda x, y: 4 * x + y); s.solve().assignment
	[0, 1]
	>>> s.solve(assume={"b": 0}).optimum
	4
	"""

	def __init__(self, model: Model, **options: Any):
		if not isinstance(model, Model):
			raise TypeError("a Solver is made of a Model")
		opts = model._options("solver", "gpube_solve", **options)
		out = ctypes.c_void_p()
		model.context._do(lib.gpube_solver_new, ctypes.byref(out), model.context._address, model._address,
			opts.address)
		Owner.__init__(self, model.context, out.value, lib.gpube_solver_free)
		self._model = lib.gpube_solver_model(out.value)

	@classmethod
	def read(cls, path: Path, **options: Any) -> 'Solver':
		"""A Solver of what Model.read() reads."""
		return cls(Model.read(path, **options))

	@property
	def _address(self):  # of the model that Model's methods work on
		self._solver  # ValueError where it is closed
		return self._model

	@property
	def _solver(self):
		return Owner._address.fget(self)

	def change(self, function: int, table: Any) -> None:
		"""A function has other costs (or potentials) from now on.

		function  its number, in the order in which functions were added; those of the model that the
		          solver was made of come first
		table     all of them, as add_function() takes them; of costs also {tuple of value indices: cost}: those
		          cells alone change
		Errors: as of add_function(); the function is then as it was
		"""
		function, = int32s([function])
		if hasattr(table, "items"):
			decimals = self.decimals
			for values, cost in [(int32s(v), self._cost(c, decimals)) for v, c in table.items()]:
				self.context._do(lib.gpube_solver_change_cost, self._solver, function, values, cost)
			return
		scope = ctypes.c_void_p()
		arity = lib.gpube_model_scope(ctypes.byref(scope), self._address, function)
		variables = _c.array(scope.value, ctypes.c_int32, arity) if arity > 0 else []
		numbers = self._numbers(table, [lib.gpube_model_domain(self._address, v) for v in variables])
		change = lib.gpube_solver_change_potentials if self.kind == "potentials" else lib.gpube_solver_change_costs
		self.context._do(change, self._solver, function, numbers.address)

	def solve(self, assume: Optional[Mapping[Key, Key]] = None, cutoff: Optional[Number] = None,
			timeout: Seconds = None) -> Solution:
		"""The proved optimum of the model as it is now, as Model.solve() has it.

		assume   {variable: value}, each an index or a name: of this run alone
		cutoff   only totals better than this are of interest in this run
		timeout  seconds; when it ends the answer is "incomplete", with the best that is known
		Errors: those of Model.solve()
		"""
		opts = self._options("solve", "gpube_solver_run", timeout, cutoff=cutoff)
		pairs = [self._pair(v, x) for v, x in dict({} if assume is None else assume).items()]
		if pairs:
			self.context._do(lib.gpube_solver_assume, self._solver, len(pairs), int32s(v for v, _ in pairs),
				int32s(x for _, x in pairs))
		return self.context._run(lib.gpube_solver_run, self._solution, self._solver, opts.address)
