"""dpop(): what the program `gpube dpop` finds, as an object. Simulated agents are no part of the library."""
import json
import os
import shutil
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from decimal import Decimal
from typing import Dict, List, Optional

from . import _c
from ._engine import Error, Interrupted
from ._model import Exact, Model


@dataclass
class Agent:
	"""One agent of dpop(): its place in the pseudo-tree, and what it did.

	parent      index of the agent above; None: a root
	variables   how many it owns
	separator   how many variables of agents above its UTIL message is over
	util_bytes  of that message
	clock       when it was done, seconds of simulated time
	"""

	name: str
	parent: Optional[int]
	depth: int
	variables: int
	separator: int
	util_bytes: int
	clock: float


@dataclass
class Dpop:
	"""What dpop() knows.

	answer      "optimal", "infeasible" (proved), or "incomplete": stopped, or bounded with z
	cost        of the assignment, exact; of potentials -ln of the product, rounded; None without one
	bound       no assignment is better than this; None if it is not known
	assignment  a value index for each variable, or None
	seconds     simulated: until the last agent was done
	"""

	answer: str
	cost: Optional[Exact]
	bound: Optional[Exact]
	assignment: Optional[List[int]]
	messages: int
	message_bytes: int
	largest_message_bytes: int
	seconds: float
	agents: List[Agent]

	@property
	def optimum(self):
		"""The cost, if it is the proved optimum; otherwise None."""
		return self.cost if self.answer == "optimal" else None


def _program():
	"""The program of the library that is loaded: beside it, in bin or ../bin, or in PATH."""
	if os.environ.get("GPUBE"):
		return os.environ["GPUBE"]
	where = os.path.dirname(os.path.abspath(_c.lib._name)) if os.sep in _c.lib._name else None
	for path in [os.path.join(where, *rest, "gpube") for rest in ((), ("bin",), ("..", "bin"))] if where else []:
		if os.access(path, os.X_OK):
			return path
	found = shutil.which("gpube")
	if not found:
		raise Error("EIO", "dpop runs the program gpube, which is not in PATH, nor does GPUBE name it")
	return found


def _run(command):
	"""Its output, and whether Ctrl-C ended it, which it is told once: it then writes what it has."""
	try:
		process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
			start_new_session=True)
	except OSError as e:
		raise Error("EIO", "cannot run '%s': %s" % (command[0], e.strerror)) from None
	with process:
		try:
			return process.communicate() + (False,)
		except KeyboardInterrupt:
			process.send_signal(signal.SIGINT)
			return process.communicate() + (True,)


def _result(d):
	cost, bound = d.get("upper_bound"), d.get("lower_bound")
	if d["direction"] == "maximise":
		cost, bound = bound, cost
	answer = {"bounds": "incomplete"}.get(d["status"], d["status"])
	agents = [Agent(a["name"] or "agent %d" % k, a["parent"] if a["parent"] >= 0 else None, a["depth"], a["variables"],
		a["separator"], a["util_bytes"], float(a["clock"])) for k, a in enumerate(d.get("agents", ()))]
	if answer == "infeasible":
		cost = bound = None
	return Dpop(answer, cost if d.get("assignment") is not None else None, bound, d.get("assignment"), d.get("messages", 0),
		d.get("message_bytes", 0), d.get("largest_message_bytes", 0), float(d.get("simulated_seconds", 0)), agents)


def dpop(model, agents: Optional[Dict] = None, timeout=None, z=0, tree=None, root=None, seed=None,
		observe: Optional[Dict] = None):
	"""Agents on a pseudo-tree solve a model: a Model, or the name of a file. Returns a Dpop.

	agents   {variable: agent}, by names or indices; a variable that is not in it is its own agent.
	         None: those of the file, or every variable is one
	timeout  in seconds; None: until the end
	z        ADPOP: most variables of a joined mini-bucket, which gives a bound; 0: DPOP
	tree     which neighbour the depth-first search visits next, as in `gpube help dpop`
	root     the agent at the root, by name or index
	observe  {variable: value}, by names or indices: what is given

	>>> d = gpube.dpop("examples/meetings.yaml")
	>>> d.optimum, [(a.name, a.depth) for a in d.agents]
	(3, [('north', 0), ('south', 1), ('west', 2)])
	"""
	with tempfile.TemporaryDirectory() as directory:
		path = model
		if isinstance(model, Model):
			path = os.path.join(directory, "model.uai" if model.kind == "potentials" else "model.cfn")
			model.write(path)
		command = [_program(), "dpop", "--json", "--quiet"]
		if agents is not None:
			with open(os.path.join(directory, "agents"), "w") as f:
				f.writelines("%s %s\n" % pair for pair in agents.items())
			command += ["--agents", f.name]
		for name, value in ("timeout", timeout), ("z", z), ("tree", tree), ("root", root), ("seed", seed):
			if value:
				command += ["--" + name, str(value)]
		for pair in (observe or {}).items():
			command += ["--observe", "%s=%s" % pair]
		out, said, stopped = _run(command + ["--", os.fspath(path)])
	try:
		d = json.loads(out, parse_float=Decimal)
	except ValueError:
		d = {"status": "error", "message": said.strip()}
	if d["status"] == "error":
		if stopped:
			raise Interrupted()
		raise Error("EINVAL", d["message"])
	if stopped:
		raise Interrupted(_result(d))
	return _result(d)
