* SCIP STATISTICS
*   Problem name     : special.lp
*   Variables        : 8 (1 binary, 5 integer, 0 implicit integer, 2 continuous)
*   Constraints      : 7
NAME          special.lp
OBJSENSE
  MAX
ROWS
 N  Obj 
 L  c 
 L  indlin_i 
 L  indlin_j 
COLUMNS
    INTSTART    'MARKER'                              'INTORG'                             
    x           Obj                                3  c                                  1 
    x           indlin_i                           1 
    y           Obj                                2  c                                  1 
    y           indlin_i                           1 
    z           c                                  1  indlin_j                          -1 
    z           Obj                                4 
    b           Obj                               -2 
    u           indlin_j                           1  c                                  1 
    u           Obj                                2 
    v           Obj                                1  c                                  1 
    INTEND      'MARKER'                              'INTEND'                             
RHS
    RHS         c                                  9  indlin_i                           2 
    RHS         indlin_j                           1 
BOUNDS
 BV Bound       b                                    
 UP Bound       x                                  4 
 UP Bound       y                                  4 
 UP Bound       z                                  2 
 UP Bound       u                                  3 
 UP Bound       v                                  3 
SOS
 S1 s 
    x                                  1
    z                                  2
 S2 t 
    y                                  1
    z                                  2
    u                                  3
    v                                  4
INDICATORS
 IF indlin_i    b                                  0 
 IF indlin_j    b                                  1 
ENDATA