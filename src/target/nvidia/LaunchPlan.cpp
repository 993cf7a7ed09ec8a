//===- LaunchPlan.cpp - what launching a compiled kernel takes ------------===//
//
//   func.func @k.launch(%p: !tile.ptr<f16>, %n: i32, %x: i32, ..) -> (i1, i64)
//   {
//     %0 = arith.extsi %n : i32 to i64
//     %1 = arith.cmpi sge, %0, %c16 : i64
//     ==>
//   0: argument 1    1: constant 16    2: 1 <= 0
//
// Numbers narrower than 64 bits are kept as their type reads them signed, an i1
// as 0 or 1, a float argument as its bits; what may leave that range is brought
// back into it.
//
//===----------------------------------------------------------------------===//

#include "target/nvidia/LaunchPlan.h"

#include "dialect/gpu/Gpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tesela::nvidia {

using Op = HostInstruction::Op;

namespace {

class Planner {
public:
  Planner(func::FuncOp launch, HostProgram &program)
      : launch(launch), program(program) {}

  /// The values that the function returns.
  std::optional<SmallVector<uint32_t>> run() {
    unsigned count = launch.getNumArguments();
    for (auto [number, argument] : llvm::enumerate(launch.getArguments())) {
      if (argument.use_empty())
        continue;
      if (number + 3 < count)
        values[argument] = emit(Op::Argument, uint32_t(number));
      else
        values[argument] = emit(Op::Grid, uint32_t(number + 3 - count));
    }
    for (Operation &op : launch.getBody().front().without_terminator())
      if (!visit(&op))
        return std::nullopt;
    SmallVector<uint32_t> results;
    for (Value result : launch.getBody().front().getTerminator()->getOperands())
      results.push_back(values.at(result));
    return results;
  }

private:
  uint32_t emit(Op op, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0,
                int64_t immediate = 0) {
    program.instructions.push_back({op, a, b, c, immediate});
    return uint32_t(program.instructions.size() - 1);
  }
  uint32_t constant(int64_t value) {
    return emit(Op::Constant, 0, 0, 0, value);
  }

  static unsigned widthOf(Value value) {
    auto type = dyn_cast<IntegerType>(value.getType());
    return type ? type.getWidth() : 64;
  }
  /// `number` as a value of this width is kept.
  uint32_t kept(uint32_t number, unsigned width) {
    if (width == 64)
      return number;
    return emit(width == 1 ? Op::ExtendZero : Op::ExtendSign, number, 0, 0,
                width);
  }
  /// A value read as unsigned.
  uint32_t isUnsigned(Value value) {
    unsigned width = widthOf(value);
    uint32_t number = values.at(value);
    return width >= 64 || width == 1
               ? number
               : emit(Op::ExtendZero, number, 0, 0, width);
  }

  bool binary(Operation *op, Op code, bool mayLeave) {
    uint32_t number =
        emit(code, values.at(op->getOperand(0)), values.at(op->getOperand(1)));
    values[op->getResult(0)] =
        mayLeave ? kept(number, widthOf(op->getResult(0))) : number;
    return true;
  }

  bool compare(arith::CmpIOp op) {
    using arith::CmpIPredicate;
    Value lhs = op.getLhs(), rhs = op.getRhs();
    CmpIPredicate predicate = op.getPredicate();
    bool unsignedOrder = predicate >= CmpIPredicate::ult;
    uint32_t a = unsignedOrder ? isUnsigned(lhs) : values.at(lhs);
    uint32_t b = unsignedOrder ? isUnsigned(rhs) : values.at(rhs);
    uint32_t result = 0;
    switch (predicate) {
    case CmpIPredicate::eq:
      result = emit(Op::Equal, a, b);
      break;
    case CmpIPredicate::ne:
      result = emit(Op::NotEqual, a, b);
      break;
    case CmpIPredicate::slt:
      result = emit(Op::LessSigned, a, b);
      break;
    case CmpIPredicate::sle:
      result = emit(Op::LessEqualSigned, a, b);
      break;
    case CmpIPredicate::sgt:
      result = emit(Op::LessSigned, b, a);
      break;
    case CmpIPredicate::sge:
      result = emit(Op::LessEqualSigned, b, a);
      break;
    case CmpIPredicate::ult:
      result = emit(Op::LessUnsigned, a, b);
      break;
    case CmpIPredicate::ule:
      result = emit(Op::LessEqualUnsigned, a, b);
      break;
    case CmpIPredicate::ugt:
      result = emit(Op::LessUnsigned, b, a);
      break;
    case CmpIPredicate::uge:
      result = emit(Op::LessEqualUnsigned, b, a);
      break;
    }
    values[op] = result;
    return true;
  }

  bool visit(Operation *op) {
    auto set = [&](uint32_t number) {
      values[op->getResult(0)] = number;
      return true;
    };
    auto operand = [&](unsigned number) {
      return values.at(op->getOperand(number));
    };
    IntegerAttr number;
    if (matchPattern(op, m_Constant(&number)))
      return set(constant(widthOf(op->getResult(0)) == 1
                              ? int64_t(number.getValue().getZExtValue())
                              : number.getValue().getSExtValue()));
    return llvm::TypeSwitch<Operation *, bool>(op)
        .Case<arith::AddIOp>([&](auto) { return binary(op, Op::Add, true); })
        .Case<arith::SubIOp>([&](auto) { return binary(op, Op::Sub, true); })
        .Case<arith::MulIOp>([&](auto) { return binary(op, Op::Mul, true); })
        .Case<arith::DivSIOp, tile::DivSIOp>(
            [&](auto) { return binary(op, Op::DivSigned, true); })
        .Case<arith::RemSIOp, tile::RemSIOp>(
            [&](auto) { return binary(op, Op::RemSigned, false); })
        .Case<arith::MinSIOp>(
            [&](auto) { return binary(op, Op::MinSigned, false); })
        .Case<arith::MaxSIOp>(
            [&](auto) { return binary(op, Op::MaxSigned, false); })
        .Case<arith::AndIOp>([&](auto) { return binary(op, Op::And, false); })
        .Case<arith::OrIOp>([&](auto) { return binary(op, Op::Or, false); })
        .Case<arith::XOrIOp>([&](auto) { return binary(op, Op::Xor, false); })
        .Case<arith::ExtSIOp>([&](auto) {
          // An i1 is kept as 0 or 1 and read as 0 or -1.
          return set(widthOf(op->getOperand(0)) == 1
                         ? emit(Op::Sub, constant(0), operand(0))
                         : operand(0));
        })
        .Case<arith::ExtUIOp>(
            [&](auto) { return set(isUnsigned(op->getOperand(0))); })
        .Case<arith::TruncIOp>([&](auto) {
          return set(kept(operand(0), widthOf(op->getResult(0))));
        })
        .Case<arith::SelectOp>([&](auto) {
          return set(emit(Op::Select, operand(0), operand(1), operand(2)));
        })
        .Case<tile::PtrToIntOp, tile::PtrCastOp, tile::IntToPtrOp>(
            [&](auto) { return set(operand(0)); })
        .Case([&](arith::BitcastOp cast) {
          // A float argument is kept as its bits.
          Value from = cast.getIn();
          if (isa<BlockArgument>(from) && from.getType().isF32())
            return set(operand(0));
          return refuse(cast);
        })
        .Case([&](arith::CmpIOp compared) { return compare(compared); })
        .Default([](Operation *other) { return refuse(other); });
  }

  static bool refuse(Operation *op) {
    op->emitError("a launch cannot compute `") << op->getName() << "`";
    return false;
  }

  func::FuncOp launch;
  HostProgram &program;
  llvm::DenseMap<Value, uint32_t> values;
};

} // namespace

static DType dtypeOf(Type type, bool &known) {
  known = true;
  if (type.isF16())
    return DType::Float16;
  if (type.isBF16())
    return DType::BFloat16;
  if (type.isF32())
    return DType::Float32;
  if (type.isF64())
    return DType::Float64;
  if (isa<Float8E4M3FNType>(type))
    return DType::Float8E4M3;
  if (isa<Float8E5M2Type>(type))
    return DType::Float8E5M2;
  if (type.isInteger(8))
    return DType::Int8;
  if (type.isInteger(16))
    return DType::Int16;
  if (type.isInteger(32))
    return DType::Int32;
  known = type.isInteger(64);
  return DType::Int64;
}

static bool planMap(func::FuncOp kernel, DictionaryAttr map,
                    ArrayRef<uint32_t> results, GpuLaunch &plan) {
  TensorMapPlan result;
  auto box = cast<DenseI64ArrayAttr>(map.get("box")).asArrayRef();
  auto number = [&](StringRef name) {
    return uint32_t(cast<IntegerAttr>(map.get(name)).getInt());
  };
  bool known = false;
  result.dtype = dtypeOf(cast<TypeAttr>(map.get("dtype")).getValue(), known);
  if (!known) {
    kernel.emitError("a tensor map has no such elements");
    return false;
  }
  result.swizzleBytes = number("swizzle");
  uint32_t first = number("first");
  result.address = results[first];
  uint32_t rank = uint32_t(box.size());
  for (uint32_t i = 0; i < rank; ++i)
    result.dimensions.push_back({results[first + 1 + i],
                                 i ? results[first + rank + i] : 0,
                                 uint32_t(box[i])});
  plan.tensorMaps.push_back(std::move(result));
  return true;
}

bool planLaunch(func::FuncOp kernel, GpuLaunch &plan) {
  auto module = kernel->getParentOfType<ModuleOp>();
  auto find = [&](const char *suffix) {
    return module.lookupSymbol<func::FuncOp>((kernel.getName() + suffix).str());
  };
  func::FuncOp launch = find(".launch");
  if (!launch)
    launch = find(".precondition");
  if (!launch)
    return true;
  auto results = Planner(launch, plan.host).run();
  if (!results)
    return false;
  plan.precondition = (*results)[0];
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
    if (auto map =
            kernel.getArgAttrOfType<DictionaryAttr>(i, gpu::tensorMapAttr))
      if (!planMap(kernel, map, *results, plan))
        return false;
  return true;
}

} // namespace tesela::nvidia
