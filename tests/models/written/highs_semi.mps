NAME        lp_semi
ROWS
 N  obj     
 G  c1      
COLUMNS
    x         obj       1
    x         c1        1
    MARK0000  'MARKER'                 'INTORG'
    y         obj       1
    y         c1        1
    MARK0001  'MARKER'                 'INTEND'
RHS
    RHS_V     c1        1
BOUNDS
 LO BOUND     x         2
 SI BOUND     x         4
 UI BOUND     y         4
ENDATA
