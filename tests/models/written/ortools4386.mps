NAME          SupportedMaximizationProblem
OBJSENSE MAX
ROWS
 N  COST
COLUMNS
    M  'MARKER'  'INTORG'
    X_ONE   COST         1
    M  'MARKER'  'INTEND'
BOUNDS
 UP BOUND   X_ONE        4
ENDATA
