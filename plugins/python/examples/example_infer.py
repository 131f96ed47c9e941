"""gpube infer: the probability of what was seen, and of everything else given that."""
import gpube

m = gpube.Model("potentials")
rain, sprinkler, wet = (m.add_variable(2, name) for name in ("rain", "sprinkler", "wet"))
m.add_function([rain], [0.8, 0.2])
m.add_function([rain, sprinkler], [[0.6, 0.4], [0.99, 0.01]])
m.add_function([sprinkler, rain, wet], [[[1, 0], [0.2, 0.8]], [[0.1, 0.9], [0.01, 0.99]]])

m.observe(wet, 1)
seen = m.infer(marginals=True)
print("the lawn is wet with probability %.5f" % seen.z)
print("then it has rained with %.4f" % seen.marginals[rain][1])
print("most probable:", m.named(m.solve().assignment))
