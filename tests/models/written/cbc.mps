NAME          BLANK   
ROWS
 N  OBJROW
 L  R0000000
 G  R0000001
 E  R0000002
 L  R0000003
COLUMNS
    C0000000  OBJROW    3.             R0000000  2.          
    C0000000  R0000001  1.             R0000002  1.          
    C0000001  OBJROW    2.             R0000000  3.          
    C0000001  R0000001   -1.           R0000003  1.          
    C0000002  OBJROW     -4.           R0000000  1.          
    C0000002  R0000002  1.             R0000003   -1.        
    C0000003  OBJROW    1.5            R0000002   -2.        
RHS
    RHS       OBJROW     -7.           R0000000  12.         
    RHS       R0000001   -2.           R0000002  3.          
    RHS       R0000003  2.          
BOUNDS
 UI BOUND     C0000000  5.          
 UI BOUND     C0000001  10.         
 LO BOUND     C0000002   -2.        
 UI BOUND     C0000002  4.          
 BV BOUND     C0000003  1.          
ENDATA
