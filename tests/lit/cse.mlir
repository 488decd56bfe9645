// RUN: tlcourse opt %s -p 'cse' | filecheck %s
// RUN: bishengir-opt %s --cse | filecheck %s

// Of two equal pure operations the first stays.

// CHECK-LABEL: func.func @twice
// CHECK: %[[A:.*]] = arith.muli
// CHECK-NOT: arith.muli
// CHECK: arith.addi %[[A]], %[[A]] : i32
func.func @twice(%x: i32, %y: i32) -> i32 {
  %a = arith.muli %x, %y : i32
  %b = arith.muli %x, %y : i32
  %c = arith.addi %a, %b : i32
  return %c : i32
}
