"""From and to other packages, each if it is there: pytoulbar2, nashpy, pygambit, pgmpy, pyAgrum."""
import os

import gpube

here = os.path.dirname(os.path.abspath(__file__))
examples = os.path.join(here, "..", "..", "..", "examples")

try:
	import pytoulbar2  # noqa: F401
	p = gpube.for_pytoulbar2(os.path.join(examples, "exams.cfn"), timeout=2)
	print("pytoulbar2: bounds", p.bounds.lower, p.bounds.upper, "and the answer", p.solve()[1])
except ImportError:
	print("pytoulbar2: pip install pytoulbar2")
game = gpube.Game([[3, 0], [5, 1]], [[3, 5], [0, 1]])
for name, there in ("nashpy", game.to_nashpy), ("pygambit", game.to_pygambit):
	try:
		print("%s: %s" % (name, type(there()).__name__))
	except ImportError:
		print("%s: pip install %s" % (name, name))
