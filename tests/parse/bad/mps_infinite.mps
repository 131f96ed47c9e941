NAME t
ROWS
 N o
 L c
COLUMNS
 m 'MARKER' 'INTORG'
 x o 1
RHS
 r c 1e30
