NAME
ROWS
 N OBJROW
 L c_8
 L c_9
COLUMNS
    M 'MARKER' 'INTORG'
    x(1) OBJROW -8.5 c_8 3
    x(1) c_9 -1
    x(2) OBJROW 1 c_9 1
    M 'MARKER' 'INTEND'
RHS
    RHS c_8 6
BOUNDS
    LI BOUND x(1) 0
    LI BOUND x(2) 0
    UI BOUND x(2) 4
ENDATA
