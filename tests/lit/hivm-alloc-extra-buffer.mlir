// RUN: tlcourse opt %s -p 'hivm-alloc-extra-buffer' | filecheck %s
// RUN: bishengir-opt %s --hivm-alloc-extra-buffer | filecheck %s

// A broadcast along the last dimension needs room to work in.

// CHECK-LABEL: func.func @broadcast
// CHECK: %[[ROOM:.*]] = memref.alloc() : memref<128xf32
// CHECK: hivm.hir.vbrc {{.*}} temp_buffer(%[[ROOM]] : memref<128xf32{{.*}}) broadcast_dims = [1]
func.func @broadcast(%a: memref<16x1xf32, #hivm.address_space<ub>>, %b: memref<16x64xf32, #hivm.address_space<ub>>)
    attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIV>} {
  hivm.hir.vbrc ins(%a : memref<16x1xf32, #hivm.address_space<ub>>)
      outs(%b : memref<16x64xf32, #hivm.address_space<ub>>) broadcast_dims = [1]
  return
}
