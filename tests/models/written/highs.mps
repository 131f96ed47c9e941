NAME        base
OBJSENSE
  MAX
ROWS
 N  obj     
 L  cap     
 G  dif     
 E  bal     
 L  rng     
COLUMNS
    MARK0000  'MARKER'                 'INTORG'
    x         obj       3
    x         cap       2
    x         dif       1
    x         bal       1
    y         obj       2
    y         cap       3
    y         dif       -1
    y         rng       1
    z         obj       -4
    z         cap       1
    z         bal       1
    z         rng       -1
    b         obj       1.5
    b         bal       -2
    MARK0001  'MARKER'                 'INTEND'
RHS
    RHS_V     obj       -7
    RHS_V     cap       12
    RHS_V     dif       -2
    RHS_V     bal       3
    RHS_V     rng       2
RANGES
    RANGE     rng       3
BOUNDS
 UI BOUND     x         5
 UI BOUND     y         10
 LI BOUND     z         -2
 UI BOUND     z         4
 BV BOUND     b       
ENDATA
