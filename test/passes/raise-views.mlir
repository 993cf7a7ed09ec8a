// RUN: tesela-opt %s --raise-views --canonicalize --cse --split-input-file | FileCheck %s

// A mask that compares the offsets with a size is a bound, and coordinates are
// those of the whole array.

// CHECK-LABEL: func.func @masked_vector(
// CHECK-SAME:    %[[X:.*]]: !tile.ptr<f32>, %[[N:.*]]: i32)
// CHECK-DAG:     %[[ONE:.*]] = arith.constant 1 : i64
// CHECK-DAG:     %[[EIGHT:.*]] = arith.constant 8 : i64
// CHECK-DAG:     %[[PID:.*]] = tile.program_id axis 0
// CHECK-DAG:     %[[WIDE:.*]] = arith.extsi %[[PID]] : i32 to i64
// CHECK-DAG:     %[[START:.*]] = arith.muli %[[WIDE]], %[[EIGHT]] : i64
// CHECK-DAG:     %[[BOUND:.*]] = arith.extsi %[[N]] : i32 to i64
// CHECK:         %[[V:.*]] = tile.view_load %[[X]][%[[START]]] strides[%[[ONE]]] bounds[%[[BOUND]]] axes [0] : !tile.ptr<f32>[i64] -> tensor<8xf32>
// CHECK:         tile.view_store %[[V]], %[[X]][%[[START]]] strides[%[[ONE]]] bounds[%[[BOUND]]] axes [0]
// CHECK-LABEL: func.func @masked_vector.precondition(
// CHECK-SAME:    %{{.*}}: !tile.ptr<f32>, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i32) -> i1
// CHECK-NOT:     tile.
// CHECK:         return %{{.*}} : i1
func.func @masked_vector(%x: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %pid = tile.program_id axis 0
  %c8 = arith.constant 8 : i32
  %start = arith.muli %pid, %c8 : i32
  %i = tile.iota 0 : tensor<8xi32>
  %s = tile.splat %start : tensor<8xi32>
  %offs = arith.addi %s, %i : tensor<8xi32>
  %ns = tile.splat %n : tensor<8xi32>
  %mask = arith.cmpi slt, %offs, %ns : tensor<8xi32>
  %xs = tile.splat %x : tensor<8x!tile.ptr<f32>>
  %p = tile.addptr %xs, %offs : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %v = tile.load %p mask %mask : tensor<8xi1> : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  tile.store %p, %v mask %mask : tensor<8xi1> : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  return
}

// -----

// Other spellings of bounds: `n >= offs` counts n in; two bounds become their
// minimum; a bound as long as the tile is none.

// CHECK-LABEL: func.func @spellings(
// CHECK-SAME:    %[[X:.*]]: !tile.ptr<f32>, %[[N:.*]]: i32, %[[M:.*]]: i32)
// CHECK-DAG:     %[[WN:.*]] = arith.extsi %[[N]] : i32 to i64
// CHECK-DAG:     %[[N1:.*]] = arith.addi %[[WN]], %{{.*}} : i64
// CHECK:         %[[V:.*]] = tile.view_load %[[X]][%{{.*}}] strides[%{{.*}}] bounds[%[[N1]]] axes [0]
// CHECK-DAG:     %[[WM:.*]] = arith.extsi %[[M]] : i32 to i64
// CHECK-DAG:     %[[BOTH:.*]] = arith.minsi %[[WN]], %[[WM]] : i64
// CHECK:         tile.view_store %[[V]], %[[X]][%{{.*}}] strides[%{{.*}}] bounds[%[[BOTH]]] axes [0]
// CHECK:         tile.view_store %[[V]], %[[X]][%{{.*}}] strides[%{{.*}}] bounds[] axes []
func.func @spellings(%x: !tile.ptr<f32>, %n: i32, %m: i32) attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<8xi32>
  %ns = tile.splat %n : tensor<8xi32>
  %ms = tile.splat %m : tensor<8xi32>
  %eight = arith.constant dense<8> : tensor<8xi32>
  %xs = tile.splat %x : tensor<8x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %counted = arith.cmpi sge, %ns, %i : tensor<8xi32>
  %v = tile.load %p mask %counted : tensor<8xi1> : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  %below = arith.cmpi sgt, %ns, %i : tensor<8xi32>
  %below_too = arith.cmpi slt, %i, %ms : tensor<8xi32>
  %both = arith.andi %below, %below_too : tensor<8xi1>
  tile.store %p, %v mask %both : tensor<8xi1> : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  %always = arith.cmpi ult, %i, %eight : tensor<8xi32>
  tile.store %p, %v mask %always : tensor<8xi1> : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  return
}

// -----

// A lower bound moves the coordinates: they are natural where it holds.

// CHECK-LABEL: func.func @lower_bound(
// CHECK-SAME:    %[[X:.*]]: !tile.ptr<f32>, %[[LO:.*]]: i32, %[[HI:.*]]: i32)
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK-DAG:     %[[L:.*]] = arith.extsi %[[LO]] : i32 to i64
// CHECK-DAG:     %[[H:.*]] = arith.extsi %[[HI]] : i32 to i64
// CHECK-DAG:     %[[BASE:.*]] = tile.addptr %[[X]], %[[L]] : !tile.ptr<f32>, i64
// CHECK-DAG:     %[[OFFSET:.*]] = arith.muli %[[L]], %{{.*}} : i64
// CHECK:         %[[V:.*]] = tile.view_load %[[BASE]][%[[OFFSET]]] strides[%{{.*}}] bounds[%{{.*}}] axes [0]
func.func @lower_bound(%x: !tile.ptr<f32>, %lo: i32, %hi: i32) attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<8xi32>
  %los = tile.splat %lo : tensor<8xi32>
  %his = tile.splat %hi : tensor<8xi32>
  %xs = tile.splat %x : tensor<8x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %above = arith.cmpi sge, %i, %los : tensor<8xi32>
  %below = arith.cmpi slt, %i, %his : tensor<8xi32>
  %mask = arith.andi %above, %below : tensor<8xi1>
  %v = tile.load %p mask %mask : tensor<8xi1> : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  tile.store %p, %v : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  return
}

// -----

// Where a coordinate may be negative, the axis counts from the tile's corner.
// (A loaded start has no bounds that a launch could check, and is 64 bits wide
// here so that no sum of it wraps.)

// CHECK-LABEL: func.func @unknown_start(
// CHECK-SAME:    %[[X:.*]]: !tile.ptr<f32>, %[[S:.*]]: !tile.ptr<i32>, %[[N:.*]]: i32)
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK-DAG:     %[[START:.*]] = tile.load %[[S]] : !tile.ptr<i32> -> i32
// CHECK-DAG:     %[[WIDE:.*]] = arith.extsi %[[START]] : i32 to i64
// CHECK-DAG:     %[[BASE:.*]] = tile.addptr %[[X]], %[[WIDE]]
// CHECK-DAG:     %[[BOUND:.*]] = arith.subi %{{.*}}, %[[WIDE]] : i64
// CHECK:         tile.view_load %[[BASE]][%[[ZERO]]] strides[%{{.*}}] bounds[%[[BOUND]]] axes [0]
// CHECK-NOT:     precondition
func.func @unknown_start(%x: !tile.ptr<f32>, %from: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %start = tile.load %from : !tile.ptr<i32> -> i32
  %wide = arith.extsi %start : i32 to i64
  %i = tile.iota 0 : tensor<8xi32>
  %iw = arith.extsi %i : tensor<8xi32> to tensor<8xi64>
  %s = tile.splat %wide : tensor<8xi64>
  %offs = arith.addi %s, %iw : tensor<8xi64>
  %nw = arith.extsi %n : i32 to i64
  %ns = tile.splat %nw : tensor<8xi64>
  %mask = arith.cmpi slt, %offs, %ns : tensor<8xi64>
  %xs = tile.splat %x : tensor<8x!tile.ptr<f32>>
  %p = tile.addptr %xs, %offs : tensor<8x!tile.ptr<f32>>, tensor<8xi64>
  %v = tile.load %p mask %mask : tensor<8xi1> : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  tile.store %p, %v : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  return
}

// -----

// Two axes; the part of the mask that is no bound stays, and so does an `other`
// that is not zero, as a scalar.

// CHECK-LABEL: func.func @matrix(
// CHECK-SAME:    %[[X:.*]]: !tile.ptr<f32>, %[[M:.*]]: i32, %[[N:.*]]: i32, %[[SM:.*]]: i32,
// CHECK-DAG:     %[[SEVEN:.*]] = arith.constant 7.000000e+00 : f32
// CHECK-DAG:     %[[ONE:.*]] = arith.constant 1 : i64
// CHECK-DAG:     %[[STRIDE:.*]] = arith.extsi %[[SM]] : i32 to i64
// CHECK-DAG:     %[[WM:.*]] = arith.extsi %[[M]] : i32 to i64
// CHECK-DAG:     %[[WN:.*]] = arith.extsi %[[N]] : i32 to i64
// CHECK-DAG:     %[[ROW:.*]] = arith.muli %{{.*}}, %{{.*}} : i64
// CHECK-DAG:     %[[ODD:.*]] = arith.cmpi eq
// CHECK:         tile.view_load %[[X]][%[[ROW]], %{{.*}}] strides[%[[STRIDE]], %[[ONE]]] bounds[%[[WM]], %[[WN]]] axes [0, 1] mask %[[ODD]] : tensor<4x8xi1> other %[[SEVEN]] : f32
func.func @matrix(%x: !tile.ptr<f32>, %m: i32, %n: i32, %sm: i32, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %c4 = arith.constant 4 : i32
  %pid = tile.program_id axis 1
  %row = arith.muli %pid, %c4 : i32
  %rows = tile.splat %row : tensor<4xi32>
  %i = tile.iota 0 : tensor<4xi32>
  %rm = arith.addi %rows, %i : tensor<4xi32>
  %rm1 = tile.expand_dims %rm axis 1 : tensor<4xi32> -> tensor<4x1xi32>
  %rn = tile.iota 0 : tensor<8xi32>
  %rn1 = tile.expand_dims %rn axis 0 : tensor<8xi32> -> tensor<1x8xi32>
  %sms = tile.splat %sm : tensor<4x1xi32>
  %ro = arith.muli %rm1, %sms : tensor<4x1xi32>
  %ro2 = tile.broadcast %ro : tensor<4x1xi32> -> tensor<4x8xi32>
  %rn2 = tile.broadcast %rn1 : tensor<1x8xi32> -> tensor<4x8xi32>
  %offs = arith.addi %ro2, %rn2 : tensor<4x8xi32>
  %xs = tile.splat %x : tensor<4x8x!tile.ptr<f32>>
  %p = tile.addptr %xs, %offs : tensor<4x8x!tile.ptr<f32>>, tensor<4x8xi32>
  %ms = tile.splat %m : tensor<4x1xi32>
  %mm = arith.cmpi slt, %rm1, %ms : tensor<4x1xi32>
  %ns = tile.splat %n : tensor<1x8xi32>
  %mn = arith.cmpi slt, %rn1, %ns : tensor<1x8xi32>
  %mm2 = tile.broadcast %mm : tensor<4x1xi1> -> tensor<4x8xi1>
  %mn2 = tile.broadcast %mn : tensor<1x8xi1> -> tensor<4x8xi1>
  %box = arith.andi %mm2, %mn2 : tensor<4x8xi1>
  %one = arith.constant dense<1> : tensor<4x8xi32>
  %low = arith.andi %offs, %one : tensor<4x8xi32>
  %odd = arith.cmpi eq, %low, %one : tensor<4x8xi32>
  %mask = arith.andi %box, %odd : tensor<4x8xi1>
  %seven = arith.constant dense<7.0> : tensor<4x8xf32>
  %v = tile.load %p mask %mask : tensor<4x8xi1> other %seven : tensor<4x8xf32> : tensor<4x8x!tile.ptr<f32>> -> tensor<4x8xf32>
  %os = tile.splat %out : tensor<4x8x!tile.ptr<f32>>
  %q = tile.addptr %os, %offs : tensor<4x8x!tile.ptr<f32>>, tensor<4x8xi32>
  tile.store %q, %v : tensor<4x8x!tile.ptr<f32>>, tensor<4x8xf32>
  return
}

// -----

// Rows through loaded indices: an indexed axis, its columns affine. A wrapped
// axis is indexed as well. Products of loaded 32-bit numbers may wrap, and are
// computed as the kernel computes them.

// CHECK-LABEL: func.func @gathered_rows(
// CHECK-SAME:    %[[X:.*]]: !tile.ptr<f32>, %[[ROWS:.*]]: !tile.ptr<i64>, %[[IDS:.*]]: !tile.ptr<i32>, %[[S:.*]]: i64, %[[T:.*]]: i32
// CHECK:         %[[R:.*]] = tile.view_load %[[ROWS]]
// CHECK:         %[[A:.*]] = tile.view_load %[[X]][%[[R]], %{{.*}}] strides[%[[S]], %{{.*}}] bounds[] axes [] : !tile.ptr<f32>[tensor<4xi64>, i64]
// CHECK:         %[[I:.*]] = tile.view_load %[[IDS]]
// CHECK:         %[[P:.*]] = arith.muli %{{.*}}, %{{.*}} : tensor<4x1xi32>
// CHECK:         %[[LINE:.*]] = tile.reshape %[[P]] : tensor<4x1xi32> -> tensor<4xi32>
// CHECK:         %[[Q:.*]] = arith.extsi %[[LINE]] : tensor<4xi32> to tensor<4xi64>
// CHECK:         tile.view_store %[[A]], %[[X]][%[[Q]], %{{.*}}]
func.func @gathered_rows(%x: !tile.ptr<f32>, %rows: !tile.ptr<i64>, %ids: !tile.ptr<i32>, %s: i64, %t: i32) attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<4xi32>
  %j = tile.iota 0 : tensor<8xi32>
  %j1 = tile.expand_dims %j axis 0 : tensor<8xi32> -> tensor<1x8xi32>
  %j2 = tile.broadcast %j1 : tensor<1x8xi32> -> tensor<4x8xi32>
  %rs = tile.splat %rows : tensor<4x!tile.ptr<i64>>
  %rp = tile.addptr %rs, %i : tensor<4x!tile.ptr<i64>>, tensor<4xi32>
  %r = tile.load %rp : tensor<4x!tile.ptr<i64>> -> tensor<4xi64>
  %r1 = tile.expand_dims %r axis 1 : tensor<4xi64> -> tensor<4x1xi64>
  %ss = tile.splat %s : tensor<4x1xi64>
  %ro = arith.muli %r1, %ss : tensor<4x1xi64>
  %xs = tile.splat %x : tensor<4x1x!tile.ptr<f32>>
  %xr = tile.addptr %xs, %ro : tensor<4x1x!tile.ptr<f32>>, tensor<4x1xi64>
  %xb = tile.broadcast %xr : tensor<4x1x!tile.ptr<f32>> -> tensor<4x8x!tile.ptr<f32>>
  %xp = tile.addptr %xb, %j2 : tensor<4x8x!tile.ptr<f32>>, tensor<4x8xi32>
  %a = tile.load %xp : tensor<4x8x!tile.ptr<f32>> -> tensor<4x8xf32>
  %is = tile.splat %ids : tensor<4x!tile.ptr<i32>>
  %ip = tile.addptr %is, %i : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  %id = tile.load %ip : tensor<4x!tile.ptr<i32>> -> tensor<4xi32>
  %id1 = tile.expand_dims %id axis 1 : tensor<4xi32> -> tensor<4x1xi32>
  %ts = tile.splat %t : tensor<4x1xi32>
  %to = arith.muli %id1, %ts : tensor<4x1xi32>
  %xt = tile.addptr %xs, %to : tensor<4x1x!tile.ptr<f32>>, tensor<4x1xi32>
  %xu = tile.broadcast %xt : tensor<4x1x!tile.ptr<f32>> -> tensor<4x8x!tile.ptr<f32>>
  %xq = tile.addptr %xu, %j2 : tensor<4x8x!tile.ptr<f32>>, tensor<4x8xi32>
  tile.store %xq, %a : tensor<4x8x!tile.ptr<f32>>, tensor<4x8xf32>
  return
}

// -----

// A tile that is there as a whole or not at all has a bound of its length or 0.

// CHECK-LABEL: func.func @uniform_mask(
// CHECK-SAME:    %[[X:.*]]: !tile.ptr<f32>, %[[C:.*]]: i1)
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK-DAG:     %[[SIZE:.*]] = arith.constant 8 : i64
// CHECK:         %[[BOUND:.*]] = arith.select %[[C]], %[[SIZE]], %[[ZERO]] : i64
// CHECK:         tile.view_load %[[X]][%[[ZERO]]] strides[%{{.*}}] bounds[%[[BOUND]]] axes [0]
func.func @uniform_mask(%x: !tile.ptr<f32>, %c: i1) attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<8xi32>
  %mask = tile.splat %c : tensor<8xi1>
  %xs = tile.splat %x : tensor<8x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %v = tile.load %p mask %mask : tensor<8xi1> : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  tile.store %p, %v : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  return
}

// -----

// Not views: an address that mixes two axes in one term, pointers that come
// from memory, a volatile load, and a scalar.

// CHECK-LABEL: func.func @not_separable(
// CHECK-NOT:     tile.view_
// CHECK:         return
func.func @not_separable(%x: !tile.ptr<f32>, %t: !tile.ptr<i64>) attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<4xi32>
  %i1 = tile.expand_dims %i axis 1 : tensor<4xi32> -> tensor<4x1xi32>
  %i2 = tile.broadcast %i1 : tensor<4x1xi32> -> tensor<4x4xi32>
  %j1 = tile.expand_dims %i axis 0 : tensor<4xi32> -> tensor<1x4xi32>
  %j2 = tile.broadcast %j1 : tensor<1x4xi32> -> tensor<4x4xi32>
  %ij = arith.muli %i2, %j2 : tensor<4x4xi32>
  %xs = tile.splat %x : tensor<4x4x!tile.ptr<f32>>
  %p = tile.addptr %xs, %ij : tensor<4x4x!tile.ptr<f32>>, tensor<4x4xi32>
  %v = tile.load %p : tensor<4x4x!tile.ptr<f32>> -> tensor<4x4xf32>
  tile.store %p, %v : tensor<4x4x!tile.ptr<f32>>, tensor<4x4xf32>

  %ts = tile.splat %t : tensor<4x!tile.ptr<i64>>
  %tp = tile.addptr %ts, %i : tensor<4x!tile.ptr<i64>>, tensor<4xi32>
  %a = tile.load %tp volatile : tensor<4x!tile.ptr<i64>> -> tensor<4xi64>
  %q = tile.int_to_ptr %a : tensor<4xi64> -> tensor<4x!tile.ptr<f32>>
  %w = tile.load %q : tensor<4x!tile.ptr<f32>> -> tensor<4xf32>
  tile.store %q, %w : tensor<4x!tile.ptr<f32>>, tensor<4xf32>
  %s = tile.load %x : !tile.ptr<f32> -> f32
  tile.store %x, %s : !tile.ptr<f32>, f32
  return
}

// -----

// Only kernels are raised.

// CHECK-LABEL: func.func @no_kernel(
// CHECK:         tile.load
func.func @no_kernel(%x: !tile.ptr<f32>) -> tensor<8xf32> {
  %i = tile.iota 0 : tensor<8xi32>
  %xs = tile.splat %x : tensor<8x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %v = tile.load %p : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  return %v : tensor<8xf32>
}

// -----

// An index tile may be computed from a single element that is no splat.

// CHECK-LABEL: func.func @single_element(
// CHECK:         tile.iota 3 : tensor<1xi32>
// CHECK:         %[[LINE:.*]] = tile.broadcast %{{.*}} : tensor<1xi32> -> tensor<8xi32>
// CHECK:         %[[R:.*]] = tile.remsi %{{.*}}, %[[LINE]] : tensor<8xi32>
// CHECK:         %[[INDEX:.*]] = arith.extsi %[[R]] : tensor<8xi32> to tensor<8xi64>
// CHECK:         tile.view_load %{{.*}}[%[[INDEX]], %{{.*}}]
func.func @single_element(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %one = tile.iota 3 : tensor<1xi32>
  %i = tile.iota 0 : tensor<8xi32>
  %col = tile.expand_dims %i axis 1 : tensor<8xi32> -> tensor<8x1xi32>
  %cols = tile.broadcast %col : tensor<8x1xi32> -> tensor<8x2xi32>
  %row = tile.expand_dims %one axis 1 : tensor<1xi32> -> tensor<1x1xi32>
  %rows = tile.broadcast %row : tensor<1x1xi32> -> tensor<8x2xi32>
  %r = tile.remsi %cols, %rows : tensor<8x2xi32>
  %xs = tile.splat %x : tensor<8x2x!tile.ptr<f32>>
  %p = tile.addptr %xs, %r : tensor<8x2x!tile.ptr<f32>>, tensor<8x2xi32>
  %v = tile.load %p : tensor<8x2x!tile.ptr<f32>> -> tensor<8x2xf32>
  tile.store %p, %v : tensor<8x2x!tile.ptr<f32>>, tensor<8x2xf32>
  return
}
