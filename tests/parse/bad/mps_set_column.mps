NAME t
ROWS
 N o
 L c
COLUMNS
 x o 1 c 1
SOS
 S2 s
 y 1
