// RUN: tlcourse opt %s -p 'hivm-bind-workspace-arg' | filecheck %s
// RUN: bishengir-opt %s --hivm-bind-workspace-arg | filecheck %s

// Workspace buffers lie in the memory that the launcher gives.

// CHECK-LABEL: func.func @kernel
// CHECK-SAME: %[[WS:[a-z0-9]+]]: memref<?xi8> {hacc.arg_type = #hacc.arg_type<workspace>}
// CHECK: alloc_workspace() from %[[WS]] : from memref<?xi8> to memref<16x16xf32>
func.func @kernel(%ffts: i64 {hacc.arg_type = #hacc.arg_type<ffts_base_address>},
    %lock: memref<?xi8> {hacc.arg_type = #hacc.arg_type<sync_block_lock>},
    %ws: memref<?xi8> {hacc.arg_type = #hacc.arg_type<workspace>})
    attributes {WorkspaceArgIdx = 1 : i64, hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>,
    hivm.func_core_type = #hivm.func_core_type<MIX>, mix_mode = "mix"} {
  %a = memref_ext.alloc_workspace() : memref<16x16xf32>
  annotation.mark %a {keep} : memref<16x16xf32>
  return
}
