NAME t
 N o
