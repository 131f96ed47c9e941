# Times of csg_growth.py, of bench_csg_gpu and of the literature, against the number of agents:
# gnuplot -e "cpu='raw.csv'; gpu='gpu.tsv'; papers='csg_papers.csv'" benchmarks/csg_growth.gp > growth.svg
# The points of the literature are those that Pawlowski et al. (AAMAS 2014, table 2) and Svensson et al.
# (GPU-CSG: "1.5 hours" for 29 agents) print.
set terminal svg size 860,600 font "sans,13" background "white"
set logscale y
set format y "10^{%L}"
set xlabel "agents"
set ylabel "seconds of solving"
set xrange [13.5:34.5]
set key outside right top
set grid
of(file, separator, what) = sprintf("< awk -F'%s' '$1 == \"%s\" {print $2, $3}' %s", separator, what, file)
device(method, type) = sprintf("< awk -F'\t' '$1 == \"%s\" && $2 == \"%s\" {print $3, $5}' %s", method, type, gpu)
plot of(papers, ",", "IDP on one core (2014)") with points pt 4 lc rgb "#808080" title "IDP, one core (published)", \
     of(papers, ",", "IDP^G on a GTX 660 (2014)") with points pt 6 lc rgb "#808080" title "IDP\\^G, GTX 660 (published)", \
     of(papers, ",", "GPU-CSG (2013)") with points pt 8 lc rgb "#808080" title "GPU-CSG (published)", \
     of(cpu, ",", "dp") with linespoints pt 7 ps 0.5 lc rgb "#e0a080" title "dp, two cores", \
     of(cpu, ",", "idp") with linespoints pt 7 ps 0.5 lc rgb "#d07040" title "idp, two cores", \
     of(cpu, ",", "conv") with linespoints pt 7 ps 0.5 lc rgb "#a03000" title "conv, two cores", \
     of(cpu, ",", "lp") with linespoints pt 7 ps 0.5 lc rgb "#208020" title "lp, two cores", \
     device("gpu-csg", "int32") with linespoints pt 5 ps 0.5 lc rgb "#90b0e0" title "gpu-csg, H200", \
     device("idp-g", "int32") with linespoints pt 5 ps 0.5 lc rgb "#5080d0" title "idp-g, H200", \
     device("conv", "int32") with linespoints pt 5 ps 0.5 lc rgb "#0030a0" title "conv, H200", \
     device("conv, two cards", "int32") with linespoints pt 5 ps 0.5 lc rgb "#600080" title "conv, two H200s"
