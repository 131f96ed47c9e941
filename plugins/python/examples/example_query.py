"""gpube infer's other questions: joint distributions, most probable values, samples, rows of evidence."""
import os

import gpube

here = os.path.dirname(os.path.abspath(__file__))
m = gpube.Model.read(os.path.join(here, "..", "..", "..", "examples", "sprinkler.bif"))

# a wet lawn, under a sky that was dark: four times as likely if it is cloudy
seen = {"lawn": "wet", "cloudy": [0.2, 0.8]}
joint = m.query(["rain", "sprinkler"], seen)
for values, p in joint.named().items():
	print("rain=%s sprinkler=%s: %.4f" % (values + (p,)))
print("most probable:", m.map_query(["rain"], seen)["rain"])

# a thousand mornings, and how probable each of them is
mornings = m.sample(1000, {"lawn": "wet"}, seed=7)
ln = m.log_likelihood([a.named() for a in mornings])
print("%d of %d mornings with rain, ln of all %.1f" % (sum(a["rain"] == "yes" for a in mornings), len(mornings), sum(ln)))

# evidence that changes: what has been worked out for the rest of the model is kept
with m.compile(["rain"]) as c:
	for lawn in "dry", "wet":
		c.observe("lawn", lawn)
		print("rain if the lawn is %s: %.4f" % (lawn, c.query()["yes"]))
