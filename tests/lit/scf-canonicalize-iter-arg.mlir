// RUN: tlcourse opt %s -p 'scf-canonicalize-iter-arg' | filecheck %s
// RUN: bishengir-opt %s --scf-canonicalize-iter-arg | filecheck %s

// A carried value that nobody needs is not carried.

// CHECK-LABEL: func.func @sum
// CHECK: scf.for {{.*}} iter_args(%[[S:.*]] = %{{.*}}) -> (i32)
// CHECK-NOT: arith.muli
// CHECK: scf.yield %{{.*}} : i32
func.func @sum(%n: index, %x: i32) -> i32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r:2 = scf.for %i = %zero to %n step %one iter_args(%a = %x, %b = %x) -> (i32, i32) {
    %s = arith.addi %a, %x : i32
    %d = arith.muli %b, %x : i32
    scf.yield %s, %d : i32, i32
  }
  return %r#0 : i32
}
