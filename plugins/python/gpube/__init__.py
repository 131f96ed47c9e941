"""gpube: exact optimisation by tables, from Python.

    Model      functions of variables, read from a file or built; its methods solve(), list(),
               bound(), infer(), plan(), write()
    Compiled   a model that is asked again and again while evidence changes: Model.compile(); query(),
               map_query(), sample() and log_likelihood() of a Model are one call each
    Solver     a model that is solved again and again while it changes: Model.solver()
    Game       two players' payoffs; its method nash()
    csg_model, auction_model, Game.model   the same as models
    nash, csg, auction, dpop, convert   one call each, for values or files
    for_pytoulbar2   what gpube finds of a problem before pytoulbar2 searches it
    Context    threads, memory, devices and a log, for whatever is given it
    Error      what the library refuses; Interrupted, a KeyboardInterrupt, has the best so far

Exact numbers are ints, Decimals and Fractions. Ctrl-C ends a running call within about a second and
raises Interrupted, whose 'result' is the best that was known; obj.stop() from another thread ends it,
too, and the call then returns that. Calls let other Python threads run; calls on one object take turns.

>>> import gpube
>>> gpube.Model.read("examples/exams.cfn").solve().optimum
Decimal('4.30')
"""
from ._c import VERSION as __version__
from ._coalitions import AuctionResult, Structure, auction, auction_model, csg, csg_model
from ._dpop import Agent, Dpop, dpop
from ._engine import INF, Context, Error, Interrupted
from ._games import Behaviour, BehaviourProfile, Equilibria, Equilibrium, Game, Interval, OpenSupport, Profile, Pure, Subset, nash
from ._infer import Compiled, Joint, MostProbable, Samples
from ._model import Model, convert
from ._names import Assignment, Distribution, Marginals, Variable
from ._results import Bounds, Inference, Listed, Plan, Progress, Solution
from ._solver import Solver
from ._toulbar2 import Prepared, for_pytoulbar2

__all__ = [
	"INF", "Agent", "Assignment", "AuctionResult", "Behaviour", "BehaviourProfile", "Bounds", "Compiled", "Context", "Distribution", "Dpop", "Equilibria",
	"Equilibrium", "Error", "Game", "Inference", "Interrupted", "Interval", "Joint", "Listed", "Marginals", "Model",
	"MostProbable", "OpenSupport", "Plan", "Prepared", "Profile", "Progress", "Pure", "Samples", "Solution", "Solver",
	"Structure", "Subset", "Variable", "auction", "auction_model", "convert", "csg", "csg_model",
	"dpop", "for_pytoulbar2", "nash",
]
