NAME t
ROWS
 N o
 L o
