"""gpube convert: one problem as .cfn, .wcsp and .uai, each compared with what it was."""
import os

import gpube

here = os.path.dirname(os.path.abspath(__file__))
exams = os.path.join(here, "..", "..", "..", "examples", "exams.cfn")
gpube.convert(exams, "exams.wcsp", check=True)  # integers: the unit is a hundredth
gpube.convert(exams, "exams.uai", check=True)   # exp(-cost)
print(gpube.Model.read(exams).solve().optimum, gpube.Model.read("exams.wcsp").solve().optimum)

game = gpube.Game([[3, 0], [5, 1]], [[3, 5], [0, 1]])
game.write("prisoners.nfg")                      # for Gambit
game.model().write("prisoners.wcsp")             # its pure equilibria are the solutions
print(gpube.Model.read("prisoners.wcsp").count(), "pure equilibrium")
