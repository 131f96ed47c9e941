"""pytoulbar2: what gpube finds of a problem before toulbar2's search."""
import os
import tempfile
from dataclasses import dataclass, replace
from typing import Any, List, Optional

from ._model import Bounds, Model


@dataclass
class Prepared:
	"""What for_pytoulbar2() knows of a problem.

	problem      a pytoulbar2.CFN to go on with: the shifted model, or the given one as it was. Only what is
	             better than the best known assignment is searched, so that Solve() gives None where nothing is
	bounds       Bounds, with the best known assignment; proved: nothing is left to be searched
	shifted      whether 'problem' is the shifted model
	share        of toulbar2's own gap, from its bound after preprocessing to the upper bound, what the shifts
	             close: 1 is all of it; None where no assignment is known, or nothing was left to ask
	first_bound  toulbar2's own, after preprocessing; None where it was not asked
	order        the variables, the one to be eliminated first in front; None: not asked for
	model        the given problem as a gpube.Model
	"""

	problem: Any
	bounds: Bounds
	shifted: bool
	share: Optional[float]
	first_bound: Optional[float]
	order: Optional[List[int]]
	model: Model

	def solve(self, **options):
		"""toulbar2's search for something better than what is known: (values, cost, who), the optimum and
		who proved it, "gpube" or "toulbar2"; values and cost are None where nothing is allowed. After a limit
		on time 'who' may be None: the values are the best that both know, and not proved.

		options  those of pytoulbar2.CFN.Solve()

		>>> gpube.for_pytoulbar2("examples/exams.cfn").solve()  # doctest: +SKIP
		([0, 1, 2, 1, 0, 2], Decimal('4.30'), 'gpube')
		"""
		values, cost = self.bounds.assignment, _known(self.bounds, self.model)
		if self.bounds.proved:
			return values, cost, "gpube"
		found = self.problem.Solve(**options)
		if found is not None:
			shown = list(found[0])
			priced = self.model.cost(shown)
			if cost is None or (priced > cost if self.model.maximise else priced < cost):
				values, cost = shown, priced
		return values, cost, "toulbar2" if self._searched(cost) else None

	def _searched(self, cost):
		"""Whether toulbar2's bound leaves no room for a better total: one is better by a unit at least."""
		bound = self.problem.GetDDualBound()
		if cost is None:
			return abs(bound - self.problem.GetUB()) < 1e-9
		gap = bound - float(cost) if self.model.maximise else float(cost) - bound
		return gap < 10.0**-self.model.decimals * (1 - 1e-4)


def for_pytoulbar2(problem, timeout=10, worth=0.5, order=None, max_arity=3, decimals=6, seed=0, make=None,
		context=None):
	"""gpube's bound, its best assignment, an order, and an equivalent model whose constant is a bound, of a
	problem that pytoulbar2 is to search: Prepared. One call; the program goes on with what it returns.

	problem    a pytoulbar2.CFN before its Solve(), a Model of costs, or a path. A CFN must not be used
	           afterwards: pytoulbar2 keeps the numbers of one problem at a time
	timeout    seconds: half of it for whatever proves the optimum first, the rest for shifts; None: no limit
	worth      the shifted model has more tables, so it is handed on only where its bound closes this share of
	           the gap that toulbar2's own preprocessing leaves; otherwise the problem as it was, with the upper
	           bound. 0: always, more than 1: never. A maximisation is not asked, since pytoulbar2 1.4 takes the
	           second one of a process with the wrong sign: it is shifted at 0 alone, and a CFN never
	order      a path: an elimination order of 'problem' is written there, as .cov a tree decomposition, as .order a
	           list, for the program 'toulbar2 -B=1 -O=PATH' (setVarOrder() of pytoulbar2 1.4 keeps no copy of a path)
	max_arity  most variables of a table that shifts add; decimals: most that costs get beside their own
	make       makes an empty pytoulbar2.CFN; default: pytoulbar2.CFN()
	Errors:    ImportError (no pytoulbar2: pip install pytoulbar2), ValueError (potentials), Error of Model.read()
	           and Model.reparam(); the CFN can be used on after them

	>>> p = gpube.for_pytoulbar2(cfn, timeout=5); p.bounds.lower, p.share, p.shifted  # doctest: +SKIP
	(Decimal('1.10'), 0.62, True)
	>>> p.problem.Solve()  # doctest: +SKIP
	"""
	import pytoulbar2
	with tempfile.TemporaryDirectory() as directory:
		path, shifted_path = (os.path.join(directory, name) for name in ("problem.cfn", "shifted.cfn"))
		if isinstance(problem, Model):
			model = problem
		elif isinstance(problem, pytoulbar2.CFN):
			problem.Dump(path)
			model = Model.read(path, context=context)
		else:
			model = Model.read(problem, context=context)
		if model.kind != "costs":
			raise ValueError("a model of potentials: write it as a .cfn first")
		if not isinstance(problem, pytoulbar2.CFN):
			model.write(path)
		half = None if timeout is None else timeout / 2
		bounds, shifted, share, first = model.bound(timeout=half, seed=seed), None, None, None
		if not bounds.proved:
			again, shifted = model.reparam(timeout=half, prune=True, max_arity=max_arity, decimals=decimals,
				assignment=bounds.assignment, seed=seed)
			bounds = _better(bounds, again, model)
		if bounds.proved or model.hidden or worth > 1:  # a hidden variable has no place in toulbar2's answers
			shifted = None
		elif model.maximise:
			# pytoulbar2 1.4 turns the sign of all costs with every maximisation that it reads: no second one
			shifted = shifted if worth <= 0 and not isinstance(problem, pytoulbar2.CFN) else None
		else:
			first, share = _share(pytoulbar2, path, bounds, shifted)
			if share is not None and share < worth:
				shifted = None
		found = None if order is None else (model if shifted is None else shifted).elimination_order(
			order, seed=seed)
		if model.maximise and isinstance(problem, pytoulbar2.CFN):
			cfn = problem
		else:
			cfn = make() if make else pytoulbar2.CFN()
			if shifted is not None:
				path = shifted_path
				shifted.write(path)
		known = _known(bounds, model)
		try:
			if cfn is not problem:
				cfn.Read(path)
			if shifted is None and known is not None and not bounds.proved:
				cfn.UpdateUB(float(known))
		except cfn.Contradiction:  # nothing is better
			cfn.ClearPropagationQueues()
			bounds = replace(bounds, answer="infeasible" if known is None else "optimal", lower=known, upper=known)
	return Prepared(cfn, bounds, shifted is not None, share, first, found, model)


def _known(bounds, model):
	"""What the best known assignment costs; None: there is none."""
	return bounds.lower if model.maximise and bounds.assignment else bounds.upper if bounds.assignment else None


def _better(a, b, model):
	"""The later bounds, whose assignment is not worse, with the better of both bounds that are proved."""
	if b.proved:
		return b
	if model.maximise:
		return b if a.upper is None else replace(b, upper=a.upper if b.upper is None else min(a.upper, b.upper))
	return b if a.lower is None else replace(b, lower=a.lower if b.lower is None else max(a.lower, b.lower))


def _share(pytoulbar2, path, bounds, shifted):
	"""(toulbar2's bound after preprocessing, the share of its gap that the shifted model's constant closes)"""
	copy, upper, first = pytoulbar2.CFN(), bounds.upper, 0.0
	try:
		copy.Read(path)
		first = copy.GetLB()
		if upper is not None:
			copy.UpdateUB(float(upper))
		if copy.SolveFirst() is None:
			first = float(upper if upper is not None else first)
		else:
			first = copy.GetLB()
	except copy.Contradiction:
		copy.ClearPropagationQueues()
		first = float(upper if upper is not None else first)
	if upper is None:
		return first, None
	gap = float(upper) - first
	return first, max(0.0, float(shifted.constant) - first) / gap if gap > 0 else 0.0
