* every kind of row, set and bound
NAME small
ROWS
 N cost
 L c1
 G c2
 E c3
 N other
COLUMNS
 m 'MARKER' 'INTORG'
 x cost 2 c1 1
 x c2 1 other 7
 y cost -1.5 c1 2
 y c2 -1
 z c3 1 cost 0.25
 m 'MARKER' 'INTEND'
RHS
 rhs c1 4 c2 -1
 rhs cost -3 c3 1
RANGES
 rng c2 2
 rng c3 -1
BOUNDS
 BV b x
 LO b y -1
 UP b y 1
 UI z 2
ENDATA
