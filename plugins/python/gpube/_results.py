"""What the calls on models return."""
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Dict, Iterator, List, Optional, Union

from ._engine import INF
from ._names import Assignment, Marginals, Value
from ._show import Shown, html_table, pairs, pandas, short

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


class Assigned(Shown):
	"""A result with an assignment: result["rain"] is the name of a value, result[3] an index."""

	assignment: Optional[Assignment]

	def __getitem__(self, variable) -> Value:
		if self.assignment is None:
			raise KeyError("there is no assignment")
		return self.assignment[variable]

	def named(self) -> Dict[Value, Value]:
		"""{variable: value} by names, indices where there are none; empty without an assignment."""
		return {} if self.assignment is None else self.assignment.named()

	@property
	def proved(self) -> bool:
		"""Whether the answer is proved: an optimum, or that there is no assignment."""
		return self.answer != "incomplete"

	def _about(self):
		return self.answer

	def _lines(self):
		return [self._about(), pairs(self.named())]

	def _html(self):
		return html_table(self._about(), ["variable", "value"], self.named().items())

	def to_pandas(self) -> Any:
		"""A pandas.Series of named(). Errors: ImportError, KeyError (no assignment)"""
		if self.assignment is None:
			raise KeyError("there is no assignment")
		return self.assignment.to_pandas()


@dataclass(repr=False)
class Solution(Assigned):
	"""What solve() knows.

	answer      "optimal", "infeasible" (proved: every assignment is forbidden) or "incomplete"
	cost        of the assignment; exact: an int, or a Decimal of a model with decimals; None
	            without an assignment. Of potentials: -ln of the product, rounded to so many decimals
	bound       no assignment is better than this; None if it is not known
	log_value   of potentials: ln of the product, a float; otherwise None
	assignment  a value index for each variable, or None; by the name of a variable a value's name
	count       how many assignments are optimal; None unless asked for and known
	order       the variables as they were eliminated, or None
	seconds     by phase

	>>> gpube.Model.read("examples/exams.cfn").solve()["drama"]
	'tuesday'
	"""

	answer: str
	cost: Optional[Exact]
	bound: Optional[Exact]
	log_value: Optional[float]
	assignment: Optional[Assignment]
	count: Optional[int]
	order: Optional[List[int]]
	plan: Plan
	backend: str
	seconds: Dict[str, float]

	@property
	def optimum(self) -> Optional[Exact]:
		"""The cost, if it is the proved optimum; otherwise None."""
		return self.cost if self.answer == "optimal" else None

	def _about(self):
		parts = [self.answer]
		for name in "cost", "bound" if self.answer == "incomplete" else "", "count":
			if name and getattr(self, name) is not None:
				parts.append("%s %s" % (name, getattr(self, name)))
		return ", ".join(parts)


@dataclass(repr=False)
class Bounds(Assigned):
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
	assignment: Optional[Assignment]
	closed: bool
	log_value: Optional[float]
	backend: str
	seconds: Dict[str, float]

	def _about(self):
		return "%s, from %s to %s" % (self.answer, self.lower, self.upper)


@dataclass(repr=False)
class Progress(Assigned):
	"""What a call knows so far, as on_progress gets it.

	seconds       since the call
	lower, upper  as in Bounds
	assignment    the best one met, or None
	by            who found what is new, or whose turn has ended, as in the log
	"""

	seconds: float
	lower: Optional[Exact]
	upper: Optional[Exact]
	assignment: Optional[Assignment]
	by: str

	@property
	def proved(self) -> bool:
		"""Whether both ends have met."""
		return self.lower is not None and self.lower == self.upper

	def _about(self):
		return "after %.3f s from %s to %s, by %s" % (self.seconds, self.lower, self.upper, self.by)


@dataclass(repr=False)
class Listed(Shown):
	"""What list() and diverse() found: len() of it, and each in turn, are those of 'assignments'.

	assignments  lists of value indices, the best in front
	costs        what each costs: int or Decimal; of potentials -ln of the product
	more         whether others are within the limit, past 'most'; None: that is not known
	complete     False: the time was over, and better ones may be missing
	"""

	assignments: List[Assignment]
	costs: List[Exact]
	more: Optional[bool]
	complete: bool

	def __len__(self) -> int:
		return len(self.assignments)

	def __iter__(self) -> Iterator[Assignment]:
		return iter(self.assignments)

	def __getitem__(self, k) -> Assignment:
		return self.assignments[k]

	def _lines(self):
		return ["%d assignment%s%s%s" % (len(self), "s" * (len(self) != 1), ", and more" if self.more else "",
			"" if self.complete else ", incomplete"), "costs " + short(self.costs, 80) if self.costs else ""]

	def _rows(self):
		rows = [a.named() for a in self.assignments]
		cost = "cost" if "cost" not in (rows[0] if rows else ()) else "cost of the assignment"
		return [dict(row, **{cost: c}) for row, c in zip(rows, self.costs)]

	def _html(self):
		rows = self._rows()
		return html_table(self._lines()[0], rows[0] if rows else [], (row.values() for row in rows))

	def to_pandas(self) -> Any:
		"""A pandas.DataFrame: a row an assignment, its values by names, and the column "cost" (if a variable has
		that name, "cost of the assignment"). Errors: ImportError"""
		return pandas().DataFrame(self._rows())


@dataclass(repr=False)
class Inference(Shown):
	"""What infer() knows.

	log10_z         log10 of the sum over all assignments of the product of the potentials; -inf: it
	                is 0; None: stopped before it was known
	relative_error  of that sum, and of every marginal, at most
	marginals       for each variable the probabilities of its values, or None: marginals["rain"]["yes"],
	                or by indices marginals[1][0]
	"""

	log10_z: Optional[float]
	relative_error: Optional[float]
	marginals: Optional[Marginals]
	plan: Plan

	@property
	def z(self) -> Optional[float]:
		"""The sum itself, as a float; it may be 0.0 or inf where a float ends."""
		try:
			return None if self.log10_z is None else 10.0**self.log10_z
		except OverflowError:
			return INF

	def _lines(self):
		lines = ["log10 of the sum %s" % ("unknown" if self.log10_z is None else "%.9g" % self.log10_z)]
		if self.marginals:
			lines.append(short(("%s: %s" % (v, "/".join("%.3g" % p for p in row.values()))
				for v, row in self.marginals.named().items())))
		return lines

	def _html(self):
		return html_table(self._lines()[0], ["variable", "value", "probability"],
			self.marginals._rows() if self.marginals else [])

	def to_pandas(self) -> Any:
		"""The marginals as a pandas.Series over (variable, value). Errors: ImportError, KeyError (none)"""
		if self.marginals is None:
			raise KeyError("there are no marginals: infer(marginals=True)")
		return self.marginals.to_pandas()
