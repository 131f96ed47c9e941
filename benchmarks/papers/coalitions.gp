# GPU-CSG's figure 5 and IDP^G's figures 2 and 3: games.py's coalitions.tsv, IDP on all cores (idp.tsv: agents, seconds …), and what the papers print.
# gnuplot -e "data='coalitions.tsv'; cores='idp.tsv'; papers='benchmarks/csg_papers.csv'" benchmarks/papers/coalitions.gp > coalitions.svg
set terminal svg size 1100,860 font "sans,12" background "white"
set grid
set logscale y
set format y "10^{%L}"
set xrange [20.5:29.5]
set xtics 21,1,29
set xlabel "agents"
set key left top
ours(method) = sprintf("< awk -F'\\t' '/^csg --backend cuda --method %s / {split($1, w, \"-n \"); s = $4; sub(/.*\"splits\": /, \"\", s); print w[2] + 0 \"\\t\" s + 0}' %s | sort -n | awk '$1 != n {if (n) print n \"\\t\" s[int((k + 1) / 2)]; n = $1; k = 0} {s[++k] = $2} END {print n \"\\t\" s[int((k + 1) / 2)]}'", method, data)
theirs(what) = sprintf("< awk -F, 'index($1, \"%s\") == 1 {print $2 \"\\t\" $3}' %s", what, papers)
on_cores = sprintf("< awk -F'\\t' '$2 + 0 > 0 {print $1 \"\\t\" $2}' %s | sort -n", cores)
set multiplot layout 2,2
set title "DP on a card by agents (GPU-CSG's figure 5)"
set ylabel "seconds"
set yrange [1e-3:1e7]
plot ours("dp") using 1:2 with linespoints pt 7 ps 0.6 lc rgb "#0050b0" title "dp, this card", \
     ours("conv") using 1:2 with linespoints pt 9 ps 0.6 lc rgb "#309030" title "conv, this card", \
     theirs("GPU-CSG") using 1:2 with points pt 7 ps 0.8 lc rgb "#a0a0a0" title "GPU-CSG, printed", \
     "< echo 29 298800" using 1:2 with points pt 5 ps 0.8 lc rgb "#606060" title "DP on a core, printed as extrapolated"
set title "IDP on a card and on cores (IDP^G's figure 3)"
plot ours("idp") using 1:2 with linespoints pt 7 ps 0.6 lc rgb "#0050b0" title "idp, this card", \
     on_cores using 1:2 with linespoints pt 5 ps 0.6 lc rgb "#c04000" title "idp, 16 cores of its host", \
     theirs("IDP^G") using 1:2 with linespoints pt 7 ps 0.5 lc rgb "#a0a0a0" title "IDP^G, GTX 660, printed", \
     theirs("IDP on") using 1:2 with linespoints pt 5 ps 0.5 lc rgb "#606060" title "IDP, one core, printed"
set yrange [1:1e4]
set title "IDP: the card over the cores (IDP^G's figure 2)"
set ylabel "times as fast as"
pair(a, b) = sprintf("< { %s; echo; %s; } | awk 'NF == 0 {second = 1; next} !second {s[$1] = $2} second && $1 in s {print $1 \"\\t\" $2 / s[$1]}' | sort -n", a[3:], b[3:])
plot pair(ours("idp"), on_cores) using 1:2 with linespoints pt 7 ps 0.6 lc rgb "#0050b0" title "this card over 16 cores", \
     pair(theirs("IDP^G"), theirs("IDP on")) using 1:2 with linespoints pt 7 ps 0.5 lc rgb "#a0a0a0" title "GTX 660 over one core, printed"
set title "the paper's seconds over ours, on a card"
set ylabel "times as fast as the GTX 660"
plot pair(ours("idp"), theirs("IDP^G")) using 1:2 with linespoints pt 7 ps 0.6 lc rgb "#0050b0" title "idp", \
     pair(ours("conv"), theirs("IDP^G")) using 1:2 with linespoints pt 9 ps 0.6 lc rgb "#309030" title "conv"
unset multiplot
