"""pytoulbar2: models from and to it, and what gpube finds of a problem before toulbar2's search."""
import json
import os
import random
import re
import tempfile
import warnings
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from decimal import Decimal
from io import StringIO
from itertools import product
from typing import Any, List, Optional, Tuple

from . import _c
from ._engine import INF, Context, Error, expect, number, units
from ._model import Model
from ._names import Assignment
from ._results import Bounds, Exact
from ._types import Path

FEW = 300  # assignments that are all priced; otherwise so many at random, or beside a good one


# ---- the same costs in both

def _price(problem, values):
	"""What toulbar2 says that value indices cost, in units of its own, or inf: by assigning and restoring."""
	wcsp, depth = problem.CFN.wcsp, problem.Depth()
	problem.Store()
	try:
		wcsp.assignLS(list(range(len(values))), [wcsp.toValue(v, x) for v, x in enumerate(values)], False)
		wcsp.propagate()
		return INF if wcsp.getLb() >= wcsp.getUb() else wcsp.getLb() - wcsp.getNegativeLb()
	except problem.Contradiction:
		problem.ClearPropagationQueues()
		return INF
	finally:
		problem.Restore(depth)


def _prices(problem, sample):
	"""_price() of each, None for inf. In a child process: toulbar2's propagation leaves traces that Restore() does
	not take away, with which later searches have ended with false optima."""
	if not hasattr(os, "fork"):
		return [None if p is INF else p for p in (_price(problem, values) for values in sample)]
	out, into = os.pipe()
	with warnings.catch_warnings():
		warnings.simplefilter("ignore", DeprecationWarning)  # the child calls nothing that waits for a thread
		child = os.fork()
	if not child:
		try:
			os.close(out)
			prices = [_price(problem, values) for values in sample]
			with os.fdopen(into, "w") as f:
				json.dump([None if p is INF else p for p in prices], f)
		finally:
			os._exit(0)
	os.close(into)
	with os.fdopen(out) as f:
		text = f.read()
	os.waitpid(child, 0)
	if not text:
		raise Error("EINVAL", "toulbar2 fails to price assignments of the problem")
	return json.loads(text)


def _turns(problem):
	"""Whether toulbar2 has the costs of a process with the other sign."""
	wcsp = problem.CFN.wcsp
	return wcsp.Cost2ADCost(wcsp.getNegativeLb() + 1) < wcsp.Cost2ADCost(wcsp.getNegativeLb())


def _differs(model, problem):
	"""An assignment that costs something else in the two, with both costs; None: none of those tried."""
	sign, decimals = -1 if _turns(problem) else 1, problem.Option.decimalPoint
	sample = list(_sample(model))
	for values, theirs in zip(sample, _prices(problem, sample)):
		ours = model.cost(values)
		theirs = INF if theirs is None else number(sign * theirs, decimals)
		if ours != theirs:
			return values, ours, theirs
	return None


def _sample(model):
	"""All assignments if they are few; otherwise a good one, those beside it, and some at random."""
	hidden = set(model.hidden)
	domains = [d for v, d in enumerate(model.domains) if v not in hidden]
	n = 1
	for d in domains:
		n = min(n * d, FEW + 1)
	if n <= FEW:
		yield from map(list, product(*map(range, domains)))
		return
	r, good = random.Random(1), model.bound(timeout=0.2).assignment
	for k in range(FEW // 8):
		if good and k % 2:
			values = good[:]
			for _ in range(r.choice([0, 1, 1, 2])):
				v = r.randrange(len(domains))
				values[v] = r.randrange(domains[v])
		else:
			values = [r.randrange(d) for d in domains]
		yield values


# ---- from it

def _said(text, problem):
	"""The dump with indices where gpube reads indices and toulbar2 writes values."""
	wcsp = problem.CFN.wcsp

	def indices(scope, value, name):
		found = {wcsp.toIndex(v, value) for v in scope if wcsp.canbe(v, value)}
		if len(found) > 1:
			raise Error("EINVAL", "%s: value %d is another index in each of its variables, for which "
				"toulbar2's dump has no place" % (name, value))
		return found.pop() if found else None

	def mended(match):
		scope = [problem.VariableIndices[v] for v in json.loads("[%s]" % match.group("scope"))]
		kind, text = match.group("kind"), match.group("list")
		name = "%s over %s" % (kind, match.group("scope").replace('"', ""))
		if kind == "alldiff":
			new = [indices(scope, v, name) for v in json.loads(text)]
			new = [v for v in new if v is not None]
		else:
			new = []
			for value, least, most in json.loads(text):
				index = indices(scope, value, name)
				if index is not None:
					new.append([index, least, most])
				elif least > 0:
					raise Error("EINVAL", "%s: no variable has value %d" % (name, value))
		return match.group("before") + json.dumps(new) + match.group("after").lower()

	return re.sub(r'(?P<before>"scope":\[(?P<scope>[^]]*)\],\s*"type":"(?P<kind>alldiff|gcc)",\s*"params":\{'
		r'"(?:exceptedvalues|bounds)":)(?P<list>\[\[[^\]]*(?:\],\[[^\]]*)*\]\]|\[[^\[\]]*\])(?P<after>,"deltacosts":)',
		mended, text, flags=re.IGNORECASE)


def _undumped(problem, directory):
	"""The names of the global cost functions: in a .wcsp they are dumped, too."""
	path = os.path.join(directory, "named.wcsp")
	with redirect_stdout(StringIO()):
		problem.Dump(path)
	with open(path) as f:
		lines = [line.split() for line in f]
	names = []
	for line in lines:
		if len(line) > 2 and line[0].isdigit() and "-1" in line[1:]:
			at = int(line[0]) + 1
			if line[at:at + 1] == ["-1"] and not line[at + 1].lstrip("-").isdigit():
				names.append("%s over %s" % (line[at + 1], ", ".join(
					problem.VariableNames.get(int(v), v) for v in line[1:at])))
	return names


def take(cls, problem, context):
	"""Model.from_pytoulbar2()"""
	expect(problem, "Dump", "a CFN of pytoulbar2")
	with tempfile.TemporaryDirectory() as directory:
		path = os.path.join(directory, "problem.cfn")
		problem.Dump(path)
		with open(path) as f:
			text = f.read()
		if "Unknown constraint" in text:
			names = _undumped(problem, directory)
			raise Error("EINVAL", "toulbar2 does not dump a global cost function of this problem: %s" %
				("; ".join(names) or "one without a name"))
		mended = _said(text, problem)
		if mended != text:
			with open(path, "w") as f:
				f.write(mended)
		model = cls.read(path, context=context)
	differs = _differs(model, problem)
	if differs:
		names = re.findall(r'"scope":\[([^]]*)\],\s*"type":"(\w+)"', text)
		raise Error("EINVAL", "toulbar2's dump is not its problem: %s costs %s there, and %s in the dump; %s" %
			(differs[0], differs[2], differs[1], "it is due to " + " or ".join("%s over %s" % (
				kind, scope.replace('"', "")) for scope, kind in names) if names else "it has no global function"))
	return model


# ---- to it

def _upright(pytoulbar2, directory):
	"""pytoulbar2 turns the sign of costs with every maximisation that a process reads: as it began."""
	if not _turns(pytoulbar2.CFN()):
		return
	path = os.path.join(directory, "turn.cfn")
	with open(path, "w") as f:
		f.write('{"problem": {"name": "turn", "mustbe": ">-1"}, "variables": [1], "functions": []}\n')
	pytoulbar2.CFN().Read(path)


def give(model):
	"""Model.to_pytoulbar2()"""
	import pytoulbar2
	with tempfile.TemporaryDirectory() as directory:
		path = os.path.join(directory, "problem.cfn")
		model._write(path)
		_upright(pytoulbar2, directory)
		problem = pytoulbar2.CFN()
		problem.Read(path)
	differs = None if model.kind != "costs" or model.hidden else _differs(model, problem)
	if differs:
		raise Error("EINVAL", "toulbar2 misreads the model: %s costs %s there, and %s here" %
			(differs[0], differs[2], differs[1]))
	return problem


@dataclass
class Units:
	"""What costs of an integer problem stand for: (cost + offset) / 10^decimals, negated if 'negated'."""

	decimals: int
	offset: int
	negated: bool

	def total(self, cost):
		"""The model's cost: an int or a Decimal."""
		t = int(cost) + self.offset
		return number(-t if self.negated else t, self.decimals)

	def integer(self, total):
		"""The problem's cost of a model's."""
		t = units(total, self.decimals)
		return (-t if self.negated else t) - self.offset


def _integers(model, path, directory):
	"""The model as a .cfn of integers that every toulbar2 reads exactly, without a sign or decimals: Units.

	Errors: Error ERANGE (it does not fit)
	"""
	between = os.path.join(directory, "integers.wcsp")
	written = _c.structs["gpube_written"]()
	model._write(between, shift=True, written=written)
	with Model.read(between, context=model.context) as m:
		m._write(path)
	return Units(written.decimals, written.offset, bool(written.negated))


@dataclass
class Prepared:
	"""What for_pytoulbar2() knows of a problem.

	problem      a pytoulbar2.CFN to go on with: the reparametrised model, or the given one, as integers that are
	             minimised; answer() says what they stand for. Only what is better than the best known assignment
	             is searched, so that Solve() gives None where nothing is. None: toulbar2 cannot hold it exactly, or
	             has met a contradiction, which is a proof
	bounds       Bounds, with the best known assignment; proved: nothing is left to be searched
	reparametrised  whether 'problem' is that model
	share        of toulbar2's own gap, from its bound after preprocessing to the upper bound, what moved costs
	             close: 1 is all of it; None where no assignment is known, or nothing was left to ask
	first_bound  toulbar2's own, after preprocessing; None where it was not asked
	order        the variables, the one to be eliminated first in front; None: not asked for, or every
	             assignment is forbidden
	model        the given problem as a gpube.Model
	units        what costs of 'problem' stand for
	"""

	problem: Any
	bounds: Bounds
	reparametrised: bool
	share: Optional[float]
	first_bound: Optional[float]
	order: Optional[List[int]]
	model: Model
	units: Optional[Units] = None

	def answer(self, found: Any) -> Tuple[Assignment, Exact]:
		"""(values, cost) of what problem.Solve() gives: the model's own values, priced by its tables.

		Errors: Error EBUG (the assignment does not cost what toulbar2 says)
		"""
		hidden = set(self.model.hidden)
		values = self.model._named_values(list(found[0]), hidden)
		cost = self.model.cost(values)
		if found[1] != int(found[1]) or cost is INF or self.units.total(found[1]) != cost:
			raise Error("EBUG", "toulbar2's assignment costs %s, not %s units as it says" % (cost, found[1]))
		return values, cost

	def solve(self, **options: Any) -> Tuple[Optional[Assignment], Optional[Exact], Optional[str]]:
		"""toulbar2's search for something better than what is known: (values, cost, who), the optimum and
		who proved it, "gpube" or "toulbar2"; values and cost are None where nothing is allowed. After a limit
		on time, or if toulbar2 does not hold the problem, 'who' may be None: the values are the best that both
		know, and not proved.

		options  those of pytoulbar2.CFN.Solve(); allSolutions and diversityBound leave its search no proof
		Errors:  that of answer()

		>>> gpube.for_pytoulbar2("examples/exams.cfn").solve()  # doctest: +SKIP
		([0, 1, 2, 1, 0, 2], Decimal('4.30'), 'gpube')
		"""
		values, cost = self.bounds.assignment, _known(self.bounds, self.model)
		if self.bounds.proved:
			return values, cost, "gpube"
		if self.problem is None:
			return values, cost, None
		found = self.problem.Solve(**options)
		if found is not None:
			shown, priced = self.answer(found)
			if cost is None or (priced > cost if self.model.maximise else priced < cost):
				values, cost = shown, priced
			elif priced != cost:
				return values, cost, None
		if options.get("allSolutions") or options.get("diversityBound"):
			return values, cost, None  # its bound is that of the next solution
		return values, cost, "toulbar2" if self._searched(cost) else None

	def _searched(self, cost):
		"""Whether toulbar2's bound, an integer below 2^53, leaves no room for a better total."""
		bound = self.problem.GetDDualBound()
		return bound >= (self.problem.GetUB() if cost is None else self.units.integer(cost))


def for_pytoulbar2(problem: Any, timeout: float = 10, worth: float = 0.5, order: Optional[Path] = None, max_arity: int = 3,
		decimals: int = 6, seed: int = 0, make: Any = None, context: Optional[Context] = None) -> Prepared:
	"""gpube's bound, its best assignment, an order, and an equivalent model whose constant is a bound, of a
	problem that pytoulbar2 is to search: Prepared. One call; the program goes on with what it returns.

	problem    a pytoulbar2.CFN before its Solve(), a Model of costs, or a path. A CFN must not be used
	           afterwards: pytoulbar2 keeps the numbers of one problem at a time
	timeout    seconds: half of it for whatever proves the optimum first, the rest to reparametrise; None: no limit
	worth      the reparametrised model has more tables, so it is handed on only where its bound closes this share of
	           the gap that toulbar2's own preprocessing leaves; otherwise the problem as it was, with the upper
	           bound. 0: always, more than 1: never
	order      a path: an elimination order of 'problem' is written there, as .cov a tree decomposition, as .order a
	           list, for the program 'toulbar2 -B=1 -O=PATH' (setVarOrder() of pytoulbar2 1.4 keeps no copy of a path)
	max_arity  most variables of a table that is added; decimals: most that costs get beside their own
	make       makes an empty pytoulbar2.CFN, without ubinit; default: pytoulbar2.CFN()
	Errors:    ImportError (no pytoulbar2: pip install pytoulbar2), ValueError (potentials), Error of Model.read(),
	           Model.from_pytoulbar2() and Model.reparam(); the CFN can be used on after them

	>>> p = gpube.for_pytoulbar2(cfn, timeout=5); p.bounds.lower, p.share, p.reparametrised  # doctest: +SKIP
	(Decimal('1.10'), 0.62, True)
	>>> p.solve()  # doctest: +SKIP
	"""
	import pytoulbar2
	with tempfile.TemporaryDirectory() as directory:
		if isinstance(problem, Model):
			model = problem
		elif isinstance(problem, pytoulbar2.CFN):
			model = Model.from_pytoulbar2(problem, context=context)
		else:
			model = Model.read(problem, context=context)
		if model.kind != "costs":
			raise ValueError("a model of potentials: write it as a .cfn first")
		half = None if timeout is None else timeout / 2
		bounds, reparametrised, share, first = model.bound(timeout=half, seed=seed), None, None, None
		if not bounds.proved:
			again, reparametrised = model.reparam(timeout=half, prune=True, max_arity=max_arity, decimals=decimals,
				assignment=bounds.assignment, seed=seed)
			bounds = _better(bounds, again, model)
		_upright(pytoulbar2, directory)
		given = _try_integers(model, os.path.join(directory, "problem.cfn"), directory)
		other = reparametrised and _try_integers(reparametrised, os.path.join(directory, "reparam.cfn"), directory)
		if bounds.proved or worth > 1 or not other:
			other = None
		elif given:
			first, share = _share(pytoulbar2, given, bounds, reparametrised, model)
			if share is not None and share < worth:
				other = None
		found = None if order is None else (reparametrised if other else model).elimination_order(order, seed=seed)
		cfn, bounds = _read(pytoulbar2, make, other or given, bounds, model)
	return Prepared(cfn, bounds, bool(other), share, first, found, model, other[1] if other else given and given[1])


def _try_integers(model, path, directory):
	"""(path, Units); None: it does not fit."""
	try:
		return path, _integers(model, path, directory)
	except Error as e:
		if e.status != "ERANGE":
			raise
		return None


def _read(pytoulbar2, make, which, bounds, model):
	"""The CFN of what was written, in which only what is better than the best known assignment counts."""
	if not which:
		return None, bounds
	(path, meaning), known = which, _known(bounds, model)
	cfn = make() if make else pytoulbar2.CFN()
	if getattr(cfn, "UbInit", None) is not None:  # it would hide solutions, in a unit that nobody knows yet
		raise ValueError("make: leave out ubinit, the upper bound is what the best known assignment costs")
	try:
		cfn.Read(path)
		with Model.read(path, context=model.context) as read:
			if not read.hidden and _differs(read, cfn):
				return None, bounds
		if known is not None and not bounds.proved:
			cfn.UpdateUB(float(meaning.integer(known)))
	except cfn.Contradiction:  # nothing is better; what is left of the CFN is not the problem any more
		cfn.ClearPropagationQueues()
		cfn = None
		bounds = replace(bounds, answer="infeasible" if known is None else "optimal", lower=known, upper=known)
	return cfn, bounds


def _known(bounds, model):
	"""What the best known assignment costs; None: there is none."""
	if bounds.assignment is None:
		return None
	return bounds.lower if model.maximise else bounds.upper


def _better(a, b, model):
	"""The later bounds, whose assignment is not worse, with the better of both bounds that are proved."""
	if b.proved:
		return b
	if model.maximise:
		return b if a.upper is None else replace(b, upper=a.upper if b.upper is None else min(a.upper, b.upper))
	return b if a.lower is None else replace(b, lower=a.lower if b.lower is None else max(a.lower, b.lower))


def _share(pytoulbar2, given, bounds, reparametrised, model):
	"""(toulbar2's bound after preprocessing, the share of its gap that the reparametrised model's constant closes)"""
	(path, meaning), copy, known = given, pytoulbar2.CFN(), _known(bounds, model)
	upper = None if known is None else meaning.integer(known)
	first = None
	try:
		copy.Read(path)
		first = copy.GetLB()
		if upper is not None:
			copy.UpdateUB(float(upper))
		if copy.SolveFirst() is None:
			first = first if upper is None else upper
		else:
			first = copy.GetLB()
	except copy.Contradiction:
		copy.ClearPropagationQueues()
		first = (first or 0) if upper is None else upper
	shown = float(meaning.total(first))
	if upper is None:
		return shown, None
	gap, closed = upper - first, reparametrised.constant - Decimal(str(meaning.total(first)))
	if model.maximise:
		closed = -closed
	return shown, max(0.0, float(closed) * 10**meaning.decimals) / gap if gap > 0 else 0.0
