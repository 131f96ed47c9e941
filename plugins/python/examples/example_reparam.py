"""gpube reparam: the same problem, with as much as possible of every cost in the constant."""
import gpube

m = gpube.Model(decimals=1)
a, b, c = (m.add_variable(2, name) for name in "abc")
for scope in [a, b], [b, c], [a, c]:
	m.add_function(scope, [[5, 2.5], [2.5, 5]])

bounds, reparametrised = m.reparam(timeout=5)
print("bound", reparametrised.constant, "of", bounds.upper)
for values in [0, 0, 1], [0, 1, 0], [1, 1, 1]:
	print(values, m.cost(values), reparametrised.cost(values))
reparametrised.write("reparam.cfn")  # for toulbar2, whose search begins at the bound
