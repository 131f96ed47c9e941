"""gpube info: how hard would a file be?"""
import os

import gpube

here = os.path.dirname(os.path.abspath(__file__))
m = gpube.Model.read(os.path.join(here, "..", "..", "..", "examples", "zebra.wcsp"))
p = m.plan()
print(len(m), "variables,", m.n_functions, "functions,", len(set(m.domains)), "size of domains")
print("width %d, %.0f cells joined, %.0f bytes" % (p.width, p.joined_cells, p.peak_bytes))
order = m.elimination_order("zebra.cov")  # a tree decomposition, as toulbar2 reads it
print("first to go:", m.names[order[0]] or order[0])
