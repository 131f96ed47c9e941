*SENSE:Maximize
NAME          bag_of_things
ROWS
 N  OBJ
 L  _C1
 G  named
 E  _C2
COLUMNS
    MARK      'MARKER'                 'INTORG'
    b         _C2        1.000000000000e+00
    b         OBJ       -1.000000000000e+00
    MARK      'MARKER'                 'INTEND'
    MARK      'MARKER'                 'INTORG'
    take_(0,_1)  _C1        2.000000000000e+00
    take_(0,_1)  named      1.000000000000e+00
    take_(0,_1)  OBJ        3.000000000000e+00
    MARK      'MARKER'                 'INTEND'
    MARK      'MARKER'                 'INTORG'
    take_(1,_2)  _C1        1.000000000000e+00
    take_(1,_2)  named     -1.000000000000e+00
    take_(1,_2)  OBJ        2.000000000000e+00
    MARK      'MARKER'                 'INTEND'
    MARK      'MARKER'                 'INTORG'
    take_(2,_3)  _C1        3.000000000000e+00
    take_(2,_3)  _C2        1.000000000000e+00
    take_(2,_3)  OBJ        1.000000000000e+00
    MARK      'MARKER'                 'INTEND'
    MARK      'MARKER'                 'INTORG'
    w         _C1        1.000000000000e+00
    w         OBJ        2.000000000000e+00
    MARK      'MARKER'                 'INTEND'
RHS
    RHS       _C1        9.000000000000e+00
    RHS       named     -1.000000000000e+00
    RHS       _C2        2.000000000000e+00
BOUNDS
 BV BND       b       
 LO BND       take_(0,_1)   0.000000000000e+00
 LO BND       take_(1,_2)   0.000000000000e+00
 LO BND       take_(2,_3)   0.000000000000e+00
 LO BND       w         -2.000000000000e+00
 UP BND       w          3.000000000000e+00
ENDATA
