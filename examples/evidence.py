# The model of evidence.c from Python: built, solved, and solved again as more is observed.
import math

import gpube

names = ["burglar", "quake", "alarm", "call"]
m = gpube.Model("potentials")
burglar, quake, alarm, call = (m.add_variable(2, name) for name in names)
m.add_function([burglar], [0.99, 0.01])
m.add_function([quake], [0.98, 0.02])
m.add_function([burglar, quake, alarm], [[[0.999, 0.001], [0.7, 0.3]], [[0.06, 0.94], [0.05, 0.95]]])
m.add_function([alarm, call], [[0.95, 0.05], [0.1, 0.9]])

for seen in [None, call, alarm, quake]:
	if seen is not None:
		m.observe(seen, 1)
	s = m.solve()
	said = " ".join("%s=%d" % pair for pair in zip(names, s.assignment))
	print("%-12s probability %.5f: %s" % ("nothing" if seen is None else names[seen], math.exp(s.log_value), said))
