NAME rvb
ROWS
 N cost
 G s0        $t5                  0 and more words than fields
 L $x
COLUMNS
 M 'MARKER' 'INTORG'
 x cost 1 s0 1
 $y cost 2 s0 1
 $y $x 1
 M 'MARKER' 'INTEND'
RHS
 rhs s0 2 $x 1
ENDATA
