NAME
ROWS
 N c
 L a
 G b
COLUMNS
 M 'MARKER' 'INTORG'
 x c -2 b 1
 y c 1 a 1
 z c 1
 M 'MARKER' 'INTEND'
RHS
 rhs a 8 b -5
BOUNDS
 UP bnd x -3
 LO bnd y 3
 UP bnd y 1e20
 BV bnd z
ENDATA
