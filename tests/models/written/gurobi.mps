NAME 
OBJSENSE MAX
ROWS
 N  OBJ
 L  c[0]    
 G  d       
 G  ind     
COLUMNS
    MARKER    'MARKER'                 'INTORG'
    x[0,0]    OBJ       1
    x[0,0]    c[0]      1
    x[0,0]    ind       1
    x[0,1]    OBJ       1
    x[0,1]    c[0]      1
    x[0,1]    ind       1
    x[1,0]    OBJ       1
    x[1,0]    c[0]      1
    x[1,0]    ind       1
    x[1,1]    OBJ       1
    x[1,1]    c[0]      1
    x[1,1]    d         1
    x[1,1]    ind       1
    b         OBJ       1
    s         OBJ       -3
    s         d         1
    s         ind       1
    MARKER    'MARKER'                 'INTEND'
RHS
    RHS1      c[0]      7
    RHS1      d         3
    RHS1      ind       9
BOUNDS
 UP BND1      x[0,0]    3
 UP BND1      x[0,1]    3
 UP BND1      x[1,0]    3
 UP BND1      x[1,1]    3
 BV BND1      b       
 LO BND1      s         2
 SC BND1      s         4
SOS
 S1 s0
    x[0,0]       1
    x[0,1]       2
 S2 s1
    x[0,0]       1
    x[1,0]       2
    x[1,1]       3
INDICATORS
 IF ind       b         1
ENDATA
