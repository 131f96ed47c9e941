"""gpube dpop: three towns colour themselves, and each knows only what it does and what its neighbours say."""
import gpube

m = gpube.Model()
towns = [m.add_variable(3, name) for name in ("north", "south", "west")]
for i, a in enumerate(towns):
	m.add_function([a], lambda x, i=i: (x + i) % 3)
	for b in towns[:i]:
		m.add_function([a, b], lambda x, y: 5 if x == y else 0)
d = gpube.dpop(m, agents={"north": "mayor", "south": "mayor", "west": "west"})
print("least cost", d.optimum, d.assignment)
print(d.messages, "messages of", d.message_bytes, "bytes in all")
for a in d.agents:
	print("  " * a.depth + a.name, "owns", a.variables)
print("with tables of one variable:", gpube.dpop(m, z=1).bound, "at least")
