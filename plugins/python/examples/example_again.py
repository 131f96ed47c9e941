"""A model that is solved again and again: variables, all different, a linear constraint, a solution forbidden."""
import gpube

m = gpube.Model()
day = [m.add_variable(5, task) for task in ("dig", "wall", "roof", "paint")]
for variable, late in zip(day, ([0, 2, 4, 6, 8], [1, 0, 3, 5, 7], [2, 0, 1, 6, 9], [5, 4, 1, 2, 3])):
	m.add_function([variable], late)
m.add_all_different(day)
m.add_linear({"dig": 1, "wall": 1, "roof": 2}, ">=", 6)

with m.solver() as s:
	first = s.solve()
	print("first", first.assignment[:4], first.optimum)
	s.add_tuples(day, {tuple(first.assignment[:4]): gpube.INF})  # not that one
	second = s.solve()
	print("another", second.assignment[:4], second.optimum)
	print("dig on day 4:", s.solve(assume={"dig": 4}).optimum, "at least")
	s.observe("roof", 0)  # until it is taken back
	print("roof first:", s.solve().optimum)
	s.observe("roof", None)
	s.change(3, [0, 0, 0, 0, 0])  # painting is never late
	print("paint at any time:", s.solve().optimum)
