# GPU-SE's figures 4 to 7 from games.py's se.tsv (actions, what counts, threads or ranks, seconds; card: opened within its seconds):
# gnuplot -e "data='se.tsv'" benchmarks/papers/supports.gp > se.svg
set terminal svg size 1100,860 font "sans,12" background "white"
set datafile separator "\t"
set logscale y
set format y "10^{%L}"
set grid
set key left top
set xrange [4.5:16.5]
set xtics 5,1,16
widths = "1 2 4 8 16"
colours = "#402000 #904000 #c07020 #e0a060 #e8c8a0"
seconds(kind, width) = sprintf("< awk -F'\\t' '$2 == \"%s\" && $3 == %s {print $1 \"\\t\" $4}' %s", kind, width, data)
times(kind, width) = sprintf("< awk -F'\\t' '$2 == \"card\" {c[$1] = $4} $2 == \"%s\" && $3 == %s {s[$1] = $4} END {for (n = 5; n <= 16; n++) if (n in s) print n \"\\t\" s[n] / c[n]}' %s", kind, width, data)
set multiplot layout 2,2
do for [kind in "OMP MPI"] {
	what = kind eq "OMP" ? "threads" : "ranks"
	set xlabel "actions of each player"
	set ylabel "seconds"
	set title sprintf("GPU-SE and %s-SE: seconds (figure %s)", kind, kind eq "OMP" ? "4" : "6")
	plot for [k=1:5] seconds(kind, word(widths, k)) using 1:2 with linespoints pt 7 ps 0.5 lc rgb word(colours, k) title word(widths, k)." ".what[1:strlen(what) - (k == 1)], \
	     seconds("card", "0") using 1:2 with linespoints pt 5 ps 0.6 lc rgb "#0050b0" title "card, opening it included"
}
do for [kind in "OMP MPI"] {
	what = kind eq "OMP" ? "threads" : "ranks"
	set ylabel "times as fast as"
	set title sprintf("the card beside %s-SE: speed-up (figure %s)", kind, kind eq "OMP" ? "5" : "7")
	plot for [k=1:5] times(kind, word(widths, k)) using 1:2 with linespoints pt 7 ps 0.5 lc rgb word(colours, k) title word(widths, k)." ".what[1:strlen(what) - (k == 1)], \
	     1 with lines dashtype 2 lc rgb "#888888" notitle
}
unset multiplot
