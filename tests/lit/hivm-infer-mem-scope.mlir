// RUN: tlcourse opt %s -p 'hivm-infer-mem-scope' | filecheck %s
// RUN: bishengir-opt %s --hivm-infer-mem-scope | filecheck %s

// Every buffer gets its memory: arguments are in GM, tiles of vector ops in UB.

// CHECK-LABEL: func.func @kernel
// CHECK-SAME: memref<64xf32, #hivm.address_space<gm>>
// CHECK: memref.alloc() : memref<64xf32, #hivm.address_space<ub>>
// CHECK: hivm.hir.load ins({{.*}}gm>>) outs({{.*}}ub>>)
func.func @kernel(%in: memref<64xf32>, %out: memref<64xf32>)
    attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIV>} {
  %a = memref.alloc() : memref<64xf32>
  hivm.hir.load ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  hivm.hir.store ins(%a : memref<64xf32>) outs(%out : memref<64xf32>)
  return
}
