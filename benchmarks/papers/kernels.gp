# GPU-CSG's figures 3 and 4 and GpuBE's figure 9, from bench_papers' tables (kernels.md):
# gnuplot -e "data='kernels.md'" benchmarks/papers/kernels.gp > kernels.svg
set terminal svg size 1100,860 font "sans,12" background "white"
set grid y
set logscale y
set format y "10^{%L}"
set style data histograms
set style histogram clustered gap 1
set style fill solid 0.9
# a row: | 1: coalitions made | cycles | share | cycles | share |
sections = sprintf("< awk -F ' *[|] *' '$2 ~ /^[1-7]: / {sub(/, /, \"\\\\n\", $2); print \"\\\"\" $2 \"\\\"\\t\" $3 \"\\t\" $5}' %s", data)
# a row: | bucket | joined cells | us (times) | us (times) | both | **ours** | both over fused | core over fused | …
apart = sprintf("< awk -F ' *[|] *' '/^[|] [a-z-]+, d = .*[(]/ {b = $2; sub(/, /, \"\\\\n\", b); split($4, a, /[ ()]+/); split($5, e, /[ ()]+/); print \"\\\"\" b \"\\\"\\t\" a[2] \"\\t\" e[2] \"\\t\" $9 \"\\t\" $8}' %s", data)
set datafile separator "\t"
set bmargin 4
set multiplot layout 2,1
set title "GPU-CSG, 22 agents: cycles by section of its kernel (its figures 3 and 4)"
set ylabel "cycles of one thread of each block"
set yrange [1e6:1e12]
set key right top
plot sections using 2:xtic(1) lc rgb "#0050b0" title "splittings not shared (figure 3)", '' using 3 lc rgb "#80b0e0" title "shared (figure 4)"
set title "GpuBE, one bucket of each network: kernels over one core (its figure 9)"
set ylabel "times as fast"
set yrange [1:1e6]
set key left top
plot apart using 2:xtic(1) lc rgb "#0050b0" title "aggregation apart, over a core", '' using 3 lc rgb "#80b0e0" title "elimination apart, over a core", \
     '' using 4 lc rgb "#309030" title "both fused, over a core", '' using 5 lc rgb "#c04000" title "fused, over both apart"
unset multiplot
