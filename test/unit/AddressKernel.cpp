//===- AddressKernel.cpp - random kernels that compute addresses ----------===//

#include "AddressKernel.h"

#include <random>
#include <vector>

namespace tesela::test {
namespace {

constexpr int rows = 4, columns = 8;

class Writer {
public:
  Writer(uint64_t seed, unsigned width)
      : random(seed), element("i" + std::to_string(width)) {}

  std::string kernel();

private:
  using Name = std::string;

  unsigned below(unsigned count) { return random() % count; }
  bool chance(unsigned percent) { return below(100) < percent; }

  std::string tile(const std::string &shape, const std::string &type) {
    return "tensor<" + shape + "x" + type + ">";
  }
  /// The shape of a tile that varies along `axis`: a column or a row.
  std::string shape(int axis) {
    return axis ? "1x" + std::to_string(columns) : std::to_string(rows) + "x1";
  }
  std::string full() {
    return std::to_string(rows) + "x" + std::to_string(columns);
  }
  Name op(const std::string &text) {
    Name name = "%v" + std::to_string(count++);
    body += "    " + name + " = " + text + "\n";
    return name;
  }
  Name wholeNumber(int64_t value, const std::string &type) {
    bool isTile = type.find('<') != std::string::npos;
    std::string number = std::to_string(value);
    return op("arith.constant " + (isTile ? "dense<" + number + ">" : number) +
              " : " + type);
  }
  Name splat(Name scalar, const std::string &type) {
    return op("tile.splat " + scalar + " : " + type);
  }
  Name spread(Name value, const std::string &from, const std::string &type) {
    return op("tile.broadcast " + value + " : " + tile(from, type) + " -> " +
              tile(full(), type));
  }

  Name arithmetic(Name a, Name b, const std::string &type);
  Name scalar(int depth);
  Name alongAxis(int axis, int depth);
  /// A column or row that an address and a mask may share.
  Name line(int axis) {
    if (!lines[axis].empty() && chance(60))
      return lines[axis][below(lines[axis].size())];
    return lines[axis].emplace_back(alongAxis(axis, 2));
  }
  Name offset();
  Name pointer(const std::string &base);
  Name mask();
  Name condition();
  Name load(Name ptr);

  std::mt19937_64 random;
  std::string element, body;
  unsigned count = 0;
  /// Scalars of `element`, and columns and rows, that may be used here.
  std::vector<Name> scalars;
  std::vector<Name> lines[2];
};

Writer::Name Writer::arithmetic(Name a, Name b, const std::string &type) {
  static const char *const ops[] = {
      "arith.addi", "arith.addi",  "arith.addi", "arith.subi",  "arith.muli",
      "arith.muli", "tile.divsi",  "tile.remsi", "arith.minsi", "arith.maxsi",
      "tile.remui", "tile.divui",  "arith.andi", "arith.ori",   "arith.xori",
      "tile.shrsi", "arith.maxui", "tile.shrui"};
  if (chance(8))
    return op("tile.shli " + a + ", " + wholeNumber(below(4), type) + " : " +
              type);
  return op(std::string(ops[below(std::size(ops))]) + " " + a + ", " + b +
            " : " + type);
}

Writer::Name Writer::scalar(int depth) {
  if (depth == 0 || chance(50)) {
    if (chance(25))
      return wholeNumber(int(below(9)) - 3, element);
    return scalars[below(scalars.size())];
  }
  Name a = scalar(depth - 1), b = scalar(depth - 1);
  return arithmetic(a, b, element);
}

Writer::Name Writer::alongAxis(int axis, int depth) {
  std::string type = tile(shape(axis), element);
  if (depth == 0 || chance(30)) {
    if (chance(20))
      return splat(scalar(1), type);
    std::string size = std::to_string(axis ? columns : rows);
    Name line = op("tile.iota " + std::to_string(chance(20) ? below(3) : 0) +
                   " : " + tile(size, "i32"));
    if (element != "i32")
      line = op("arith.trunci " + line + " : " + tile(size, "i32") + " to " +
                tile(size, element));
    if (chance(15)) {
      // Indices from memory.
      std::string ptrs = tile(size, "!tile.ptr<" + element + ">");
      Name base = splat("%rows", ptrs);
      Name from = op("tile.iota 0 : " + tile(size, "i32"));
      Name ptr = op("tile.addptr " + base + ", " + from + " : " + ptrs + ", " +
                    tile(size, "i32"));
      line =
          op("tile.load " + ptr + " : " + ptrs + " -> " + tile(size, element));
    }
    return op("tile.expand_dims " + line + " axis " + std::to_string(1 - axis) +
              " : " + tile(size, element) + " -> " + type);
  }
  Name a = alongAxis(axis, depth - 1);
  Name b = chance(60) ? splat(scalar(1), type) : alongAxis(axis, depth - 1);
  return chance(50) ? arithmetic(a, b, type) : arithmetic(b, a, type);
}

/// A full tile: mostly a sum of one term an axis.
Writer::Name Writer::offset() {
  Name row = spread(line(0), shape(0), element);
  Name column = spread(line(1), shape(1), element);
  std::string how = chance(85) ? "arith.addi" : "arith.muli";
  return op(how + " " + row + ", " + column + " : " + tile(full(), element));
}

Writer::Name Writer::pointer(const std::string &base) {
  std::string type = "!tile.ptr<i32>";
  Name scalarBase = base;
  if (chance(40))
    scalarBase = op("tile.addptr " + base + ", " + scalar(1) + " : " + type +
                    ", " + element);
  Name ptr = splat(scalarBase, tile(full(), type));
  unsigned moves = 1 + below(2);
  for (unsigned i = 0; i != moves; ++i) {
    if (chance(50)) {
      ptr = op("tile.addptr " + ptr + ", " + offset() + " : " +
               tile(full(), type) + ", " + tile(full(), element));
      continue;
    }
    int axis = below(2);
    Name term = spread(line(axis), shape(axis), element);
    ptr = op("tile.addptr " + ptr + ", " + term + " : " + tile(full(), type) +
             ", " + tile(full(), element));
  }
  return ptr;
}

Writer::Name Writer::condition() {
  static const char *const predicates[] = {"slt", "sle", "sgt", "sge", "slt",
                                           "sge", "ult", "ule", "ugt", "ne"};
  std::string predicate = predicates[below(std::size(predicates))];
  if (chance(12)) {
    Name whole = op("arith.cmpi " + predicate + ", " + scalar(1) + ", " +
                    scalar(1) + " : " + element);
    return splat(whole, tile(full(), "i1"));
  }
  if (chance(12)) {
    Name a = offset(), b = offset();
    return op("arith.cmpi " + predicate + ", " + a + ", " + b + " : " +
              tile(full(), element));
  }
  int axis = below(2);
  std::string type = tile(shape(axis), element);
  Name a = line(axis), b = splat(scalar(1), type);
  if (chance(40))
    std::swap(a, b);
  Name held =
      op("arith.cmpi " + predicate + ", " + a + ", " + b + " : " + type);
  return spread(held, shape(axis), "i1");
}

Writer::Name Writer::mask() {
  Name all = condition();
  while (chance(50))
    all = op("arith.andi " + all + ", " + condition() + " : " +
             tile(full(), "i1"));
  return all;
}

Writer::Name Writer::load(Name ptr) {
  std::string type = tile(full(), "i32"), masked;
  if (chance(75)) {
    masked = " mask " + mask() + " : " + tile(full(), "i1");
    if (chance(40))
      masked += " other " + wholeNumber(int(below(5)) - 1, type) + " : " + type;
  }
  return op("tile.load " + ptr + masked + " : " +
            tile(full(), "!tile.ptr<i32>") + " -> " + type);
}

std::string Writer::kernel() {
  std::string ptrs = tile(full(), "!tile.ptr<i32>");
  std::string type = tile(full(), "i32");
  scalars = {"%s0", "%s1", "%s2", "%s3"};
  Name pid = op("tile.program_id axis 0");
  scalars.push_back(element == "i32"
                        ? pid
                        : op("arith.trunci " + pid + " : i32 to " + element));

  Name acc = load(pointer("%x"));
  Name carried = pointer("%x");
  // What a loop adds to a pointer is often computed before it, and sometimes
  // in it.
  Name step = splat(scalar(1), tile(full(), element));
  Name lower = chance(60) ? wholeNumber(0, element)
                          : op("tile.remsi " + scalar(1) + ", " +
                               wholeNumber(3, element) + " : " + element);
  Name upper = op("arith.andi " + scalar(1) + ", " +
                  wholeNumber(chance(50) ? 7 : 3, element) + " : " + element);
  Name by = wholeNumber(1 + below(3), element);
  Name offsets = spread(alongAxis(1, 2), shape(1), element);
  std::string carriedTypes =
      type + ", " + ptrs + ", " + element + ", " + tile(full(), element);
  Name start = scalar(1);
  body += "    %r:4 = scf.for %iv = " + lower + " to " + upper + " step " + by +
          " iter_args(%acc = " + acc + ", %ptr = " + carried +
          ", %at = " + start + ", %offs = " + offsets + ") -> (" +
          carriedTypes + ") : " + element + " {\n";
  size_t outer = scalars.size();
  size_t outerLines[] = {lines[0].size(), lines[1].size()};
  scalars.push_back("%iv");
  scalars.push_back("%at");
  Name first = load("%ptr");
  Name moved = op("tile.addptr %ptr, " + step + " : " + ptrs + ", " +
                  tile(full(), element));
  if (chance(50))
    moved = op("tile.addptr " + moved + ", " +
               wholeNumber(below(9), tile(full(), element)) + " : " + ptrs +
               ", " + tile(full(), element));
  Name through = op("tile.addptr " + splat("%x", ptrs) + ", %offs : " + ptrs +
                    ", " + tile(full(), element));
  Name second = load(chance(50) ? through : pointer("%x"));
  Name sum = op("arith.addi %acc, " + first + " : " + type);
  sum = op("arith.addi " + sum + ", " + second + " : " + type);
  Name at = op("arith.addi %at, " + wholeNumber(1 + below(4), element) + " : " +
               element);
  Name offs =
      op("arith.addi %offs, " + wholeNumber(below(5), tile(full(), element)) +
         " : " + tile(full(), element));
  body += "    scf.yield " + sum + ", " + moved + ", " + at + ", " + offs +
          " : " + carriedTypes + "\n    }\n";
  scalars.resize(outer);
  lines[0].resize(outerLines[0]);
  lines[1].resize(outerLines[1]);
  scalars.push_back("%r#2");

  body += "    tile.store " + pointer("%x") + ", %r#0 mask " + mask() + " : " +
          tile(full(), "i1") + " : " + ptrs + ", " + type + "\n";
  std::string behind = chance(50) ? "%r#1" : pointer("%out");
  Name last = load(behind == "%r#1" ? behind : pointer("%x"));
  body += "    tile.store " + pointer("%out") + ", " + last + " : " + ptrs +
          ", " + type + "\n";

  return "func.func @k(%x: !tile.ptr<i32>, %out: !tile.ptr<i32>, "
         "%rows: !tile.ptr<" +
         element + ">, %s0: " + element + ", %s1: " + element +
         ", %s2: " + element + ", %s3: " + element +
         ") attributes {tile.kernel} {\n" + body + "    return\n}\n";
}

} // namespace

std::string addressKernel(uint64_t seed, unsigned width) {
  return Writer(seed, width).kernel();
}

} // namespace tesela::test
