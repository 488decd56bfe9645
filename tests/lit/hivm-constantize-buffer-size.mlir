// RUN: tlcourse opt %s -p 'hivm-constantize-buffer-size' | filecheck %s
// RUN: bishengir-opt %s --convert-arith-to-affine --hivm-constantize-buffer-size | filecheck %s

// Room for the largest tile, of which the tile is a view.

// CHECK-LABEL: func.func @tail
// CHECK: %[[ROOM:.*]] = memref.alloc() : memref<64xi8, #hivm.address_space<ub>>
// CHECK: memref.view %[[ROOM]]
// CHECK-SAME: memref<64xi8, #hivm.address_space<ub>> to memref<?xf32, #hivm.address_space<ub>>
func.func @tail(%rest: index) attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIV>} {
  %most = arith.constant 16 : index
  %n = arith.minsi %rest, %most : index
  %a = memref.alloc(%n) : memref<?xf32, #hivm.address_space<ub>>
  annotation.mark %a {keep} : memref<?xf32, #hivm.address_space<ub>>
  return
}
