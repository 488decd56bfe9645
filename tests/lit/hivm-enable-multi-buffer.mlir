// RUN: tlcourse opt %s -p 'hivm-enable-multi-buffer' | filecheck %s
// RUN: bishengir-opt %s --hivm-enable-multi-buffer | filecheck %s

// The two copies of a buffer are used in turns.

// CHECK-LABEL: func.func @turns
// CHECK: %[[A:.*]] = hivm.hir.pointer_cast(%{{[a-z0-9_]+}}) : memref<64xf32, #hivm.address_space<ub>>
// CHECK: %[[B:.*]] = hivm.hir.pointer_cast(%{{[a-z0-9_]+}}) : memref<64xf32, #hivm.address_space<ub>>
// CHECK: scf.for
// CHECK: %[[ODD:.*]] = arith.cmpi eq
// CHECK: %[[T:.*]] = arith.select %[[ODD]], %[[B]], %[[A]] : memref<64xf32
// CHECK: hivm.hir.load {{.*}} outs(%[[T]] :
func.func @turns(%in: memref<64xf32, #hivm.address_space<gm>>, %out: memref<64xf32, #hivm.address_space<gm>>)
    attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIV>} {
  %first = arith.constant 0 : i64
  %second = arith.constant 256 : i64
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  scf.for %i = %zero to %eight step %one {
    %a = hivm.hir.pointer_cast(%first, %second) : memref<64xf32, #hivm.address_space<ub>>
    annotation.mark %a {hivm.multi_buffer = 2 : i32} : memref<64xf32, #hivm.address_space<ub>>
    hivm.hir.load ins(%in : memref<64xf32, #hivm.address_space<gm>>) outs(%a : memref<64xf32, #hivm.address_space<ub>>)
    hivm.hir.store ins(%a : memref<64xf32, #hivm.address_space<ub>>) outs(%out : memref<64xf32, #hivm.address_space<gm>>)
  }
  return
}
