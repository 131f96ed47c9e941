#!/bin/sh
# SPOT5's open instances, whose variables that exclude each other are joined: ten minutes each on a card.
#
#     spot5_h200.sh GPUBE FOLDER > spot5_h200.txt
#
# FOLDER has them as .wcsp.xz. -v tells the stages, and what each gave.
gpube=$1 folder=$2
for n in 507 42 28 412 414 509 1401 1405 1506; do
	echo "== $n"
	"$gpube" solve "$folder/$n.wcsp.xz" --timeout 600 -v 2>&1 | grep -vE '\((shifts|splitting|clusters)\)$' | tail -n 40
done
