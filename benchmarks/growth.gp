# Times of bench_growth as a plot: gnuplot -e "cpu='cpu.csv'; cuda='cuda.csv'; crossover=1e6" growth.gp > growth.svg
set terminal svg size 800,560 font "sans,13" background "white"
set datafile separator ","
set logscale xy
set format x "10^{%L}"
set format y "10^{%L}"
set xlabel "joined cells of one bucket"
set ylabel "seconds"
set key left top
set grid
set arrow from crossover, graph 0 to crossover, graph 1 nohead dashtype 2 lc rgb "#888888"
set label sprintf(" auto changes over at %.2g cells", crossover) at crossover, graph 0.04 textcolor rgb "#555555"
plot cpu using 2:3 every ::1 with linespoints pt 7 lc rgb "#c04000" title "CPU, all cores", \
     cpu using 2:6 every ::1 with lines dashtype 3 lc rgb "#c04000" title "CPU, predicted", \
     cuda using 2:3 every ::1 with linespoints pt 7 lc rgb "#0050b0" title "GPU, until the result is there", \
     cuda using 2:4 every ::1 with lines lc rgb "#70a0e0" title "GPU, kernels", \
     cuda using 2:6 every ::1 with lines dashtype 3 lc rgb "#0050b0" title "GPU, predicted"
