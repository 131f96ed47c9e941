/* main.c - the command table. */
int main(void)
{
	return 2;
}
