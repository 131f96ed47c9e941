* Problem:
* Class:      MIP
* Rows:       3
* Columns:    2 (2 integer, 0 binary)
* Non-zeros:  5
* Format:     Free MPS
*
NAME
ROWS
 N R0000000
 L r.4
 L r.5
 L r.6
COLUMNS
 M0000001 'MARKER' 'INTORG'
 x R0000000 3 r.4 1
 x r.5 1 r.6 1
 y R0000000 2 r.4 1
 y r.5 3
 M0000002 'MARKER' 'INTEND'
RHS
 RHS1 r.4 4 r.5 6
 RHS1 r.6 3
BOUNDS
 PL BND1 x
 PL BND1 y
ENDATA
