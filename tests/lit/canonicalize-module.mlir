// RUN: tlcourse opt %s -p 'canonicalize-module' | filecheck %s
// RUN: bishengir-opt %s --canonicalize-module | filecheck %s

// Constants fold, neutral operands and unused values go.

// CHECK-LABEL: func.func @fold
// CHECK-SAME: (%[[X:.*]]: i32
// CHECK-NEXT: %[[C:.*]] = arith.constant 16 : i32
// CHECK-NEXT: %[[R:.*]] = arith.muli %[[X]], %[[C]] : i32
// CHECK-NEXT: return %[[R]] : i32
func.func @fold(%x: i32) -> i32 {
  %four = arith.constant 4 : i32
  %sixteen = arith.muli %four, %four : i32
  %zero = arith.constant 0 : i32
  %same = arith.addi %x, %zero : i32
  %unused = arith.muli %x, %x : i32
  %result = arith.muli %same, %sixteen : i32
  return %result : i32
}
