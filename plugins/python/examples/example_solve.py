"""gpube solve: a map of five countries in three colours, and what changes when one is given."""
import gpube

borders = ["AT-CH", "AT-DE", "AT-IT", "CH-DE", "CH-FR", "CH-IT", "DE-FR", "FR-IT"]
countries = sorted({c for b in borders for c in b.split("-")})

m = gpube.Model()
of = {c: m.add_variable(3, c) for c in countries}
for border in borders:  # equal colours are forbidden
	a, b = border.split("-")
	m.add_function([of[a], of[b]], lambda x, y: gpube.INF if x == y else 0)
m.add_function([of["DE"]], [0, 2, 2])  # and colours cost
m.add_function([of["IT"]], [1, 0, 3])

s = m.solve(count=True)
print("cost", s.optimum, "by", s.count, "colourings:", m.named(s.assignment))

m.observe(of["CH"], 0)  # Switzerland is red
print("red Switzerland:", m.solve().optimum)
m.observe(of["CH"], None)
print("as before:", m.solve().optimum)
