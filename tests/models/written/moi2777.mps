NAME          model
OBJSENSE
    MAX
ROWS
 N  OBJ
COLUMNS
    M  'MARKER'  'INTORG'
    x1        OBJ       3
    M  'MARKER'  'INTEND'
RHS
    rhs       OBJ       -2
RANGES
BOUNDS
 LO bounds    x1        -2
 UP bounds    x1        2
ENDATA
