// RUN: tlcourse opt %s -p 'hivm-plan-memory' | filecheck %s
// RUN: bishengir-opt %s --hivm-plan-memory | filecheck %s

// Buffers get addresses; the sum is written over one of its inputs.

// CHECK-LABEL: func.func @add
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[C256:.*]] = arith.constant 256 : i64
// CHECK: hivm.hir.pointer_cast(%[[C0]]) : memref<64xf32, #hivm.address_space<ub>>
// CHECK: hivm.hir.pointer_cast(%[[C256]]) : memref<64xf32, #hivm.address_space<ub>>
// CHECK: hivm.hir.pointer_cast(%{{.*}}) : memref<64xf32, #hivm.address_space<ub>>
// CHECK-NOT: memref.alloc
func.func @add(%in: memref<64xf32, #hivm.address_space<gm>>, %out: memref<64xf32, #hivm.address_space<gm>>)
    attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIV>} {
  %a = memref.alloc() : memref<64xf32, #hivm.address_space<ub>>
  %b = memref.alloc() : memref<64xf32, #hivm.address_space<ub>>
  %c = memref.alloc() : memref<64xf32, #hivm.address_space<ub>>
  hivm.hir.load ins(%in : memref<64xf32, #hivm.address_space<gm>>) outs(%a : memref<64xf32, #hivm.address_space<ub>>)
  hivm.hir.load ins(%in : memref<64xf32, #hivm.address_space<gm>>) outs(%b : memref<64xf32, #hivm.address_space<ub>>)
  hivm.hir.vadd ins(%a, %b : memref<64xf32, #hivm.address_space<ub>>,
      memref<64xf32, #hivm.address_space<ub>>) outs(%c : memref<64xf32, #hivm.address_space<ub>>)
  hivm.hir.store ins(%c : memref<64xf32, #hivm.address_space<ub>>) outs(%out : memref<64xf32, #hivm.address_space<gm>>)
  return
}
