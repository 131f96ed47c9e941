/* contract_table.h - the entries of struct gpube__kernels; included by contract_<set>.c. */
.tile =
	{
		[GPUBE__KERNEL_MIN] = {tile_min_i32, tile_min_i64},
		[GPUBE__KERNEL_MIN_ARG] = {tile_arg_min_i32, tile_arg_min_i64},
},
	.pack = {pack_i32, pack_i64}, .store = {store_row_min_i32, store_row_min_i64},
