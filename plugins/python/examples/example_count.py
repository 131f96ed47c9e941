"""gpube count: in how many ways can eight queens stand on a board?"""
import gpube

n = 8
m = gpube.Model()
rows = [m.add_variable(n) for _ in range(n)]
for i in rows:
	for j in rows[:i]:
		m.add_function([i, j], lambda x, y, d=i - j: gpube.INF if x == y or abs(x - y) == d else 0)
print(m.count(), "ways")
m.observe(rows[0], 0)
print(m.count(), "with a queen in the corner")
