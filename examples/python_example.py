# The library from Python; plugins/python/README.md says how to install it.
import os

import gpube

here = os.path.dirname(os.path.abspath(__file__))
exams = gpube.Model.read(os.path.join(here, "exams.cfn"))
solution = exams.solve(count=True)
print("optimum %s, %s" % (solution.optimum, "proved" if solution.proved else "not proved"))
print("assignments that cost as little: %d" % solution.count)
for exam, day in exams.named(solution.assignment).items():
	print(exam, day)
