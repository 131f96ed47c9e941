"""gpube auction: which bids on bundles of goods win?"""
import gpube

goods = ["lamp", "table", "chair", "rug"]
bids = [
	(90, [1, 2]),     # the table and the chair
	("54.50", [1]),
	(40, [2, 3]),
	(20, [0]),
	(45, [0, 3]),
]
best = gpube.auction(bids, n_goods=len(goods))
print("revenue", best.revenue, "proved" if best.proved else "at least")
for bid in best.winners:
	price, wanted = bids[bid]
	print("bid %d pays %s for %s" % (bid, price, " and ".join(goods[g] for g in wanted)))
