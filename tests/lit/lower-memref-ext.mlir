// RUN: tlcourse opt %s -p 'lower-memref-ext' | filecheck %s
// RUN: bishengir-opt %s --lower-memref-ext | filecheck %s

// A workspace buffer is a view at block times size plus offset.

// CHECK-LABEL: func.func @kernel(
// CHECK-SAME: %[[WS:[a-z0-9]+]]: memref<?xi8> {hacc.arg_type = #hacc.arg_type<workspace>}
// CHECK: hivm.hir.get_block_idx -> i64
// CHECK: memref.view %[[WS]][{{.*}}][] : memref<?xi8> to memref<32x64xf32>
func.func @kernel_infer_workspace_shape_function() -> index
    attributes {hacc.function_kind = #hacc.function_kind<HOST>,
    hacc.host_func_type = #hacc.host_func_type<infer_workspace_shape_function>} {
  %bytes = arith.constant 16384 : index
  return %bytes : index
}
func.func @kernel(%ffts: i64 {hacc.arg_type = #hacc.arg_type<ffts_base_address>},
    %lock: memref<?xi8> {hacc.arg_type = #hacc.arg_type<sync_block_lock>},
    %ws: memref<?xi8> {hacc.arg_type = #hacc.arg_type<workspace>})
    attributes {WorkspaceArgIdx = 1 : i64, hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIC>} {
  %offset = arith.constant 8192 : index
  %w = memref_ext.alloc_workspace() from %ws offset = [%offset] :
      from memref<?xi8> to memref<32x64xf32>
  annotation.mark %w {keep} : memref<32x64xf32>
  return
}
