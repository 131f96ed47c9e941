"""Models by what they say: who works which of seven shifts. Solved, and again without the answer that was found."""
import gpube

PEOPLE, WAGES = ["Ada", "Ben", "Cem", "Dora"], [5, 4, 6, 3]
m = gpube.Model()
shifts = [m.add_variable(PEOPLE, "shift %d" % k) for k in range(7)]
for s in shifts:
	m.add_function([s], WAGES)
m.add_gcc(shifts, {p: (1, 2) for p in range(4)}, cost=10)  # one or two each: 10 for each more or less
for k in range(5):
	m.add_all_different(shifts[k:k + 3])  # nobody two of three in a row
m.add_linear([(shifts[k], 3, 1) for k in (0, 2, 4)], "<=", 1)  # Dora at most one of these

first = m.solve()
print("cost", first.optimum, list(m.named(first.assignment).values()))
m.add_tuples(shifts, {tuple(first.assignment): gpube.INF})  # another one
second = m.solve()
print("cost", second.optimum, list(m.named(second.assignment).values()))
