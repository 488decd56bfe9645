// RUN: tlcourse opt %s -p 'hivm-infer-data-layout' | filecheck %s
// RUN: bishengir-opt %s --hivm-infer-data-layout --canonicalize-ext | filecheck %s

// Tiles of the cube core lie in blocks of 16 x 16.

// CHECK-LABEL: func.func @product
// CHECK-DAG: memref.alloc() : memref<3x2x16x16xf16, #hivm.address_space<cbuf>>
// CHECK-DAG: memref.alloc() : memref<4x3x16x16xf16, #hivm.address_space<cbuf>>
// CHECK-DAG: memref.alloc() : memref<4x2x16x16xf32, #hivm.address_space<cc>>
// CHECK: hivm.hir.nd2nz {dst_continuous}
// CHECK: hivm.hir.nd2nz {dst_continuous}
// CHECK: hivm.hir.mmadL1 ins({{.*}} : memref<?x?x?x?xf16
// CHECK: hivm.hir.fixpipe
func.func @product(%ga: memref<32x48xf16, #hivm.address_space<gm>>, %gb: memref<48x64xf16, #hivm.address_space<gm>>,
    %gc: memref<32x64xf32, #hivm.address_space<gm>>)
    attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIC>} {
  %true = arith.constant true
  %m = arith.constant 32 : index
  %k = arith.constant 48 : index
  %n = arith.constant 64 : index
  %a = memref.alloc() : memref<32x48xf16, #hivm.address_space<cbuf>>
  %b = memref.alloc() : memref<48x64xf16, #hivm.address_space<cbuf>>
  %c = memref.alloc() : memref<32x64xf32, #hivm.address_space<cc>>
  hivm.hir.load ins(%ga : memref<32x48xf16, #hivm.address_space<gm>>) outs(%a : memref<32x48xf16, #hivm.address_space<cbuf>>)
  hivm.hir.load ins(%gb : memref<48x64xf16, #hivm.address_space<gm>>) outs(%b : memref<48x64xf16, #hivm.address_space<cbuf>>)
  hivm.hir.mmadL1 ins(%a, %b, %true, %m, %k, %n : memref<32x48xf16, #hivm.address_space<cbuf>>,
      memref<48x64xf16, #hivm.address_space<cbuf>>, i1, index, index, index)
      outs(%c : memref<32x64xf32, #hivm.address_space<cc>>)
  hivm.hir.fixpipe {dma_mode = #hivm.dma_mode<nz2nd>}
      ins(%c : memref<32x64xf32, #hivm.address_space<cc>>) outs(%gc : memref<32x64xf32, #hivm.address_space<gm>>)
  return
}
