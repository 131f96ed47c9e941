#!/bin/sh
# What made this folder's files, in a checkout with a card: tests, figures. Sanitizers are still to be run.
set -e
make CUDA_ARCHS=90 check-gpu bench
grep -v '^matmul4096' benchmarks/shapes_gpu.txt > some.txt
grep '^matmul4096' benchmarks/shapes_gpu.txt > product.txt
build/benchmarks/bench_contract_gpu benchmarks/shapes.txt -r 5 -k direct > raw_direct_shapes.csv
build/benchmarks/bench_contract_gpu some.txt -r 5 -k direct > raw_direct.csv
build/benchmarks/bench_contract_gpu product.txt -r 5 -k boxes > raw_matmul4096_boxes.csv
