/* contract_table.h - the entries of struct gpube__kernels; included by contract_<set>.c. */
	.tile = {
		[GPUBE__KERNEL_MIN] = {tile_min_i32, tile_min_i64, tile_min_f32, tile_min_f64},
		[GPUBE__KERNEL_MAX] = {tile_max_i32, tile_max_i64, tile_max_f32, tile_max_f64},
		[GPUBE__KERNEL_MIN_ARG] = {tile_arg_min_i32, tile_arg_min_i64, tile_arg_min_f32,
			tile_arg_min_f64},
		[GPUBE__KERNEL_MAX_ARG] = {tile_arg_max_i32, tile_arg_max_i64, tile_arg_max_f32,
			tile_arg_max_f64},
		[GPUBE__KERNEL_LSE] = {NULL, NULL, tile_lse_f32, tile_lse_f64},
	},
	.fold = {
		[GPUBE__KERNEL_MIN] = {tile_fold_min_i32, tile_fold_min_i64, tile_fold_min_f32,
			tile_fold_min_f64},
		[GPUBE__KERNEL_MAX] = {tile_fold_max_i32, tile_fold_max_i64, tile_fold_max_f32,
			tile_fold_max_f64},
	},
	.pack = {pack_i32, pack_i64, pack_f32, pack_f64},
