"""dpop(): simulated agents on a pseudo-tree."""
from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional

from . import _c
from ._c import lib
from ._engine import Context, Options, int32s, number, seconds, takes
from ._model import Model
from ._names import Assignment, decoded, names_of
from ._results import Assigned, Exact
from ._types import Key, Seconds


@dataclass
class Agent:
	"""One agent of dpop(): its place in the pseudo-tree, and what it did.

	parent          index of the agent above; None: a root
	pseudo_parents  of other agents above that it shares functions with
	variables       how many it owns
	separator       how many variables of agents above its UTIL message is over
	util_bytes      of that message
	clock           when it was done, seconds of simulated time
	"""

	name: str
	parent: Optional[int]
	depth: int
	variables: int
	separator: int
	util_bytes: int
	clock: float
	pseudo_parents: List[int] = field(default_factory=list)


@dataclass(repr=False)
class Dpop(Assigned):
	"""What dpop() knows.

	answer      "optimal", "infeasible" (proved), or "incomplete": stopped, or bounded with z
	cost        of the assignment, exact; of potentials -ln of the product, rounded; None without one
	bound       no assignment is better than this; None if it is not known
	assignment  a value index for each variable, or None
	seconds     simulated: until the last agent was done
	tree        the rule by which the depth-first search went on
	width       most variables of a message
	owner       the index of each variable's agent
	tree_…      of distributed_dfs: messages, bytes and simulated seconds by which agents built the tree
	"""

	answer: str
	cost: Optional[Exact]
	bound: Optional[Exact]
	assignment: Optional[Assignment]
	messages: int
	message_bytes: int
	largest_message_bytes: int
	seconds: float
	agents: List[Agent]
	tree: str = ""
	width: int = 0
	owner: List[int] = field(default_factory=list)
	tree_messages: int = 0
	tree_bytes: int = 0
	tree_seconds: float = 0

	@property
	def optimum(self) -> Optional[Exact]:
		"""The cost, if it is the proved optimum; otherwise None."""
		return self.cost if self.answer == "optimal" else None

	def _about(self):
		return "%s, cost %s, %d agents, %d messages of %d bytes, %.3g s simulated" % (
			self.answer, self.cost, len(self.agents), self.messages, self.message_bytes, self.seconds)


def _agent(a, k):
	return Agent(decoded(a.name) or "agent %d" % k, a.parent if a.parent >= 0 else None, a.depth, a.n_vars, a.separator,
		a.util_bytes, a.clock, _c.array(a.pseudo_parents, ctypes.c_int32, a.n_pseudo_parents) or [])


def _result(model, address):
	r = _c.at(address, "gpube_dpop_result")
	values = model._shown(r.values)
	answer = _c.WORDS["GPUBE_ANSWER_"][r.answer]
	known = r.bounded and answer != "infeasible"
	agents = (_c.structs["gpube_dpop_agent"] * r.n_agents).from_address(r.agents) if r.agents else ()
	return Dpop(answer, None if values is None else number(r.cost, r.scale), number(r.bound, r.scale) if known else None,
		values, r.util_messages + r.value_messages, r.total_bytes, r.largest_bytes, r.simulated_seconds,
		[_agent(a, k) for k, a in enumerate(agents)], _c.WORDS["GPUBE_PSEUDOTREE_"][r.tree], r.width,
		_c.array(r.owner, ctypes.c_int32, r.n_vars) or [], r.tree_messages,
		r.tree_bytes, r.tree_seconds)


def _given(model, agents):
	"""(owner of each variable, names) of {variable: agent}."""
	names, owner = {}, [None] * len(model)
	if not hasattr(agents, "items"):
		if len(agents) != len(model):
			raise ValueError("agents: %d owners of %d variables" % (len(agents), len(model)))
		agents = dict(enumerate(agents))
	elif any(isinstance(of, (list, tuple, set)) for of in agents.values()):
		agents = [(variable, agent) for agent, of in agents.items() for variable in ([of] if isinstance(of, str) else of)]
	for variable, agent in agents.items() if hasattr(agents, "items") else agents:
		variable = model._index(variable)
		if owner[variable] is not None:
			raise ValueError("variable %r is there twice" % (variable,))
		owner[variable] = names.setdefault(str(agent), len(names))
	names = list(names)
	if any("\n" in name for name in names):
		raise ValueError("the name of an agent is one line")
	for v, k in enumerate(owner):
		if k is None:
			owner[v] = len(names)
			names.append(names_of(model).variables[v] or "")
	return int32s(owner), names


@takes("gpube_dpop", owner=None, agent_names=None)
def dpop(model: Any, agents: Any = None, timeout: Seconds = None, root: Optional[Key] = None,
		observe: Optional[Dict] = None, context: Optional[Context] = None, **options: Any) -> Dpop:
	"""Agents on a pseudo-tree solve a model: a Model, or the name of a file. Returns a Dpop.

	agents     {variable: agent}, by names or indices, or {agent: [variables]}; a variable that is not in it is its own
	           agent; or a list of an owner for each variable. None: those of the file, or every variable is one; "none":
	           every variable is one; or the path of a file of such pairs
	timeout    in seconds, or "5m"; None: until the end
	root       the agent at the root, by name or index
	observe    {variable: value}, by names or indices: what is given
	context    of a file's model
	Errors: Error EINVAL, EIO, EPARSE, ELIMIT (tables do not fit), ENODEV, ERANGE, ENOMEM; ValueError;
	Interrupted, with what is known

	>>> d = gpube.dpop("examples/meetings.yaml")
	>>> d.optimum, [(a.name, a.depth) for a in d.agents]
	(3, [('north', 0), ('south', 1), ('west', 2)])
	"""
	m = model if isinstance(model, Model) else Model.read(model, context=context)
	if agents is not None and not isinstance(agents, (str, bytes, os.PathLike)):
		options["owner"], names = _given(m, agents)
		options["agent_names"] = "\n".join(names)
	elif agents is not None:
		options["agents"] = os.fsencode(agents)
	if isinstance(options.get("tree"), str):
		options["tree"] = options["tree"].replace("_", "-")
	opts = Options("dpop", "gpube_dpop", root=None if root is None else str(root),
		timeout=timeout if isinstance(timeout, str) else seconds(timeout), **options)
	before = []
	try:
		for variable, value in (observe or {}).items():
			v = m._index(variable)
			before.append((v, lib.gpube_model_observed(m._address, v)))
			m.observe(v, value)
		return m.context._run(lib.gpube_dpop, lambda r: _result(m, r), m._address,
			opts.address)
	finally:
		for v, value in reversed(before):
			m.observe(v, None if value < 0 else value)
