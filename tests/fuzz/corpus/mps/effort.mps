NAME gpube
ROWS
 N obj
 E r0
 E r1
 E r2
 E r3
 E r4
 E r5
 E r6
 E r7
 E r8
 L r9
 L r10
 L r11
 L r12
 L r13
 L r14
COLUMNS
 one obj 0
 mark1 'MARKER' 'INTORG'
 x0_0 r0 1
 x0_0 r2 -1
 x0_0 r9 1
 x0_0 r10 1
 x0_1 r0 1
 x0_1 r3 -1
 x0_1 r11 1
 x0_1 r12 1
 x0_2 r0 1
 x0_2 r4 -1
 x0_2 r13 1
 x0_2 r14 1
 x0_3 r0 1
 x0_3 r5 -1
 x1_0 r1 1
 x1_0 r6 -1
 x1_0 r11 1
 x1_0 r13 1
 x1_1 r1 1
 x1_1 r7 -1
 x1_1 r9 1
 x1_1 r14 1
 x1_2 r1 1
 x1_2 r8 -1
 x1_2 r10 1
 x1_2 r12 1
 mark8 'MARKER' 'INTEND'
 y8 r2 1
 y8 r6 1
 y9 r3 1
 y9 r7 1
 y10 r4 1
 y10 r8 1
RHS
 rhs r0 1
 rhs r1 1
 rhs r9 1
 rhs r10 1
 rhs r11 1
 rhs r12 1
 rhs r13 1
 rhs r14 1
BOUNDS
 FX bound one 1
 UP bound x0_0 1
 UP bound x0_1 1
 UP bound x0_2 1
 UP bound x0_3 1
 UP bound x1_0 1
 UP bound x1_1 1
 UP bound x1_2 1
ENDATA
