* Source:     Pyomo MPS Writer
* Format:     Free MPS
*
NAME unknown
OBJSENSE
 MAX
ROWS
 N  o
 L  c_u_c_
 G  r_l_d_
 L  r_u_d_
 E  c_e_e_
 E  c_e_ONE_VAR_CONSTANT
COLUMNS
     x(1) o 2
     x(1) c_u_c_ 1
     x(1) r_l_d_ -1
     x(1) r_u_d_ -1
     x(2) o -1
     x(2) c_u_c_ 1
     x(2) c_e_e_ 1
     b o 3
     b c_e_e_ 1
     y o -1
     y r_l_d_ 1
     y r_u_d_ 1
     ONE_VAR_CONSTANT o 4
     ONE_VAR_CONSTANT c_e_ONE_VAR_CONSTANT 1
RHS
     RHS c_u_c_ 7
     RHS r_l_d_ -3
     RHS r_u_d_ 2
     RHS c_e_e_ 3
     RHS c_e_ONE_VAR_CONSTANT 1
BOUNDS
 LI BOUND x(1) 0
 UI BOUND x(1) 6
 LI BOUND x(2) 0
 UI BOUND x(2) 6
 BV BOUND b
 LI BOUND y -10E20
 UI BOUND y 10E20
ENDATA
