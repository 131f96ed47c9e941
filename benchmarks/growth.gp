# Times of bench_growth as a plot, and what the choice of --backend auto assumes:
# gnuplot -e "cpu='growth-cpu.csv'; cuda='growth-cuda.csv'; predicted='growth-predicted.csv'" benchmarks/growth.gp > growth.svg
set terminal svg size 800,560 font "sans,13" background "white"
set datafile separator ","
set datafile columnheaders
set logscale xy
set format x "10^{%L}"
set format y "10^{%L}"
set xlabel "joined cells of one bucket"
set ylabel "seconds"
set key right bottom
set grid
# the first size at which a device is predicted to be faster
crossover = NaN
stats predicted using ($3 < $2 && !(crossover == crossover) ? (crossover = $1) : $1) nooutput
set arrow from crossover, graph 0 to crossover, graph 1 nohead dashtype 2 lc rgb "#888888"
set label sprintf(" auto changes over at %.2g cells", crossover) at crossover, graph 0.95 textcolor rgb "#555555"
plot cpu using 2:3 with linespoints pt 7 lc rgb "#c04000" title "CPU, all cores", \
     predicted using 1:2 with lines dashtype 3 lc rgb "#c04000" title "CPU, predicted", \
     cuda using 2:3 with linespoints pt 7 lc rgb "#0050b0" title "GPU, until the result is there", \
     cuda using 2:4 with lines lc rgb "#70a0e0" title "GPU, kernels", \
     predicted using 1:3 with lines dashtype 3 lc rgb "#0050b0" title "GPU, predicted"
