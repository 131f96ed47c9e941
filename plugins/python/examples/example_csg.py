"""gpube csg: who should work together?"""
import itertools

import gpube

skills = {0: {"code"}, 1: {"code", "talk"}, 2: {"draw"}, 3: {"talk"}}


def worth(team):
	"""Skills together are worth their square, and every meeting costs."""
	return len(set.union(*(skills[a] for a in team))) ** 2 - 2 * (len(team) - 1)


values = {team: worth(team) for k in range(1, 5) for team in itertools.combinations(skills, k)}
best = gpube.csg(values)
print("value", best.value, "of teams", best.coalitions)
print("all together:", values[(0, 1, 2, 3)], "everybody alone:", sum(values[(a,)] for a in skills))
