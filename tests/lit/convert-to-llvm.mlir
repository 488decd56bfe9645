// RUN: tlcourse opt %s -p 'convert-to-llvm' | filecheck %s
// RUN: bishengir-opt %s --convert-to-llvm | filecheck %s

// Branches, arithmetic and memory in LLVM's words; a row of 8 floats is 8 steps of an address.

// CHECK: llvm.func @malloc(i64) -> !llvm.ptr
// CHECK-LABEL: llvm.func @column
// CHECK-SAME: (%[[ROW:[a-z0-9]+]]: i64, %[[X:[a-z0-9]+]]: f32) -> f32
// CHECK: llvm.call @malloc
// CHECK: llvm.br ^bb1(%{{.*}} : i64)
// CHECK: ^bb1(%[[I:.*]]: i64):
// CHECK: llvm.icmp "slt" %[[I]], %[[ROW]] : i64
// CHECK: llvm.cond_br %{{.*}}, ^bb2, ^bb3
// CHECK: %[[AT:.*]] = llvm.mul %[[I]], %{{.*}} : i64
// CHECK: %[[PLACE:.*]] = llvm.add %[[AT]], %[[I]] : i64
// CHECK: %[[P:.*]] = llvm.getelementptr %{{.*}}[%[[PLACE]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK: llvm.store %[[X]], %[[P]] : f32, !llvm.ptr
// CHECK: llvm.add %[[I]], %{{.*}} : i64
// CHECK: %[[V:.*]] = llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK: %[[M:.*]] = llvm.intr.maximum(%[[V]], %[[X]])
// CHECK: llvm.return %[[M]] : f32
func.func @column(%rows: index, %x: f32) -> f32 {
  %m = memref.alloc() : memref<8x8xf32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  cf.br ^bb1(%zero : index)
^bb1(%i: index):
  %more = arith.cmpi slt, %i, %rows : index
  cf.cond_br %more, ^bb2, ^bb3
^bb2:
  memref.store %x, %m[%i, %i] : memref<8x8xf32>
  %next = arith.addi %i, %one : index
  cf.br ^bb1(%next : index)
^bb3:
  %v = memref.load %m[%zero, %zero] : memref<8x8xf32>
  %r = arith.maximumf %v, %x : f32
  return %r : f32
}
