# GpuBE's figure 10 from networks.py's networks.md: speed-up and bound by z, and the share of copies.
# gnuplot -e "data='networks.md'" benchmarks/papers/figure10.gp > figure10.svg
set terminal svg size 1100,860 font "sans,12" background "white"
set grid y
set key right bottom
set xrange [1.5:10.5]
set xtics 2,1,10
set xlabel "z, variables of a mini-bucket"
# a row: | network | z | card | one core | times | the paper's times | copies | kernels | share of copies | bound |
column_of(name, k) = sprintf("< awk -F ' *[|] *' '$2 == \"%s\" && $%d ~ /^[0-9.e+]+( %%)?$/ {print $3 \"\\t\" $%d + 0}' %s", name, k, k, data)
set multiplot layout 2,2
names = "random scale-free grid"
do for [i=1:3] {
	name = word(names, i)
	set title sprintf("(%s) mini-buckets, %s network, d = 25", word("a b c", i), name)
	set logscale y
	set format y "10^{%L}"
	set ylabel "times as fast as one core"
	set y2label "lower bound"
	set y2tics
	set ytics nomirror
	set y2range [0:*]
	plot column_of(name, 6) using 1:2 with linespoints pt 7 ps 0.7 lc rgb "#0050b0" title "this card", \
	     column_of(name, 7) using 1:2 with linespoints pt 7 ps 0.7 lc rgb "#a0a0a0" title "the paper's Titan", \
	     column_of(name, 11) using 1:2 axes x1y2 with linespoints pt 9 ps 0.8 dashtype 2 lc rgb "#c04000" title "bound (right)"
}
unset y2tics
unset y2label
unset logscale y
set format y "%g %%"
set yrange [0:100]
set ytics mirror
set ylabel "of copies and kernels, copies"
set title "(d) copies beside kernels"
plot for [i=1:3] column_of(word(names, i), 10) using 1:2 with linespoints pt 7 ps 0.7 lc rgb word("#0050b0 #c04000 #309030", i) title word(names, i)
unset multiplot
