"""gpube bound: what is known of a large problem after a second, and better after two."""
import random

import gpube

r = random.Random(7)
m = gpube.Model()
variables = [m.add_variable(6) for _ in range(50)]
for i in variables:
	for j in variables[:i]:
		if r.random() < 0.3:
			m.add_function([i, j], [r.randint(0, 99) for _ in range(36)])

first = m.bound(timeout=1)
then = m.bound(timeout=1, assignment=first.assignment)  # goes on from what is known
print("the optimum lies in %s to %s" % (max(first.lower, then.lower), then.upper))
print("the bounds hold:", then.lower <= then.upper <= first.upper)
print("the assignment is worth it:", m.cost(then.assignment) == then.upper)
