// RUN: tlcourse opt %s -p 'canonicalize-ext' | filecheck %s
// RUN: bishengir-opt %s --canonicalize-ext | filecheck %s

// The same later on; a loop that runs once is opened.

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

// CHECK-LABEL: func.func @once
// CHECK-NOT: scf.for
// CHECK: arith.addi
func.func @once(%x: i32) -> i32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.for %i = %zero to %one step %one iter_args(%s = %x) -> (i32) {
    %t = arith.addi %s, %x : i32
    scf.yield %t : i32
  }
  return %r : i32
}
