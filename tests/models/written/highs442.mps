NAME
ROWS
 N c
 L a
 E b
COLUMNS
 M 'MARKER' 'INTORG'
 x c -1 a 1
 x b 1
 y c -2 a 1
 z c -3 b -1
 M 'MARKER' 'INTEND'
RHS
 rhs a 5
 b 1
 rhs2 a 1
RANGES
 b 2
BOUNDS
 UP x 4
 UP y 3
 UP z 2
ENDATA
