//===- Outline.cpp - what the text of a kernel suggests -------------------===//
//
//   def kernel(x_ptr, out, n, eps, BLOCK: tl.constexpr):
//       offs = tl.arange(0, BLOCK)
//       tl.store(out + offs, tl.load(x_ptr + offs, mask=offs < n))
//
//   x_ptr=*fp32, out=*fp32, n=i32, eps=fp32, BLOCK=64
//
// A parameter is a pointer where an address is made of it (through the names
// that the address was assigned to), where its element type is asked for, or
// where its name says so. Of all else names decide.
//
//===----------------------------------------------------------------------===//

#include "emit/Outline.h"

#include "emit/ParsedFunction.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Casting.h"

using namespace tesela::syntax;
using llvm::StringRef;

namespace tesela::emit {

namespace {

class OutlineReader {
public:
  explicit OutlineReader(const FunctionDef &definition)
      : definition(definition) {}

  Outline read();

private:
  void visit(const Stmts &body);
  void visit(const Stmt *stmt);
  void visit(const Expr *expr);
  void visitCall(const Call &call);
  void assign(const Expr *target, const Expr *value);
  void addressed(const Expr *expr, std::vector<StringRef> &found,
                 llvm::StringSet<> &seen) const;

  const FunctionDef &definition;
  Outline outline;
  llvm::StringSet<> parameters;
  llvm::StringSet<> pointers;
  llvm::StringMap<std::vector<const Expr *>> values;
  std::vector<const Expr *> addresses;
};

} // namespace

/// Whether a name has a word, in any case: `IS_CAUSAL` has `causal`.
static bool hasWord(StringRef name, std::initializer_list<StringRef> words) {
  std::string lower = name.lower();
  llvm::SmallVector<StringRef> parts;
  StringRef(lower).split(parts, '_');
  return llvm::any_of(parts, [&](StringRef part) {
    return llvm::is_contained(words, part.rtrim("0123456789"));
  });
}

static bool isNamedAsPointer(StringRef name) {
  std::string lower = name.lower();
  return StringRef(lower).ends_with("ptr") ||
         StringRef(lower).ends_with("ptrs");
}

static std::string likelyType(StringRef name, bool isPointer) {
  if (isPointer)
    return hasWord(name, {"idx", "index", "indices", "ids", "lengths", "lens",
                          "offsets", "lock", "locks", "count"})
               ? "*i32"
               : "*fp32";
  return hasWord(name, {"eps", "epsilon", "scale", "alpha", "beta", "gamma",
                        "slope", "momentum", "lr", "p", "dropout", "rate"})
             ? "fp32"
             : "i32";
}

static std::string likelyConstant(StringRef name) {
  if (hasWord(name, {"dtype", "type"}))
    return "fp32";
  if (hasWord(name, {"stages", "warps"}))
    return "4";
  if (hasWord(name, {"is", "has", "use", "with", "even", "causal", "masked"}))
    return "True";
  return "64";
}

static StringRef calleeName(const Expr *callee) {
  if (auto *attribute = llvm::dyn_cast<Attribute>(callee))
    return attribute->attr;
  if (auto *name = llvm::dyn_cast<Name>(callee))
    return name->id;
  return "";
}

/// The parameters that an address is a sum of.
void OutlineReader::addressed(const Expr *expr, std::vector<StringRef> &found,
                              llvm::StringSet<> &seen) const {
  if (auto *name = llvm::dyn_cast<Name>(expr)) {
    if (!seen.insert(name->id).second)
      return;
    auto it = values.find(name->id);
    if (it != values.end())
      for (const Expr *value : it->second)
        addressed(value, found, seen);
    if (parameters.contains(name->id))
      found.push_back(name->id);
  } else if (auto *binary = llvm::dyn_cast<BinOp>(expr)) {
    if (binary->op != BinOpKind::Add && binary->op != BinOpKind::Sub)
      return;
    addressed(binary->left, found, seen);
    addressed(binary->right, found, seen);
  } else if (auto *call = llvm::dyn_cast<Call>(expr)) {
    // `ptr.to(…)`, `tl.multiple_of(ptr, 16)`.
    StringRef callee = calleeName(call->func);
    if (callee == "to" && llvm::isa<Attribute>(call->func))
      addressed(llvm::cast<Attribute>(call->func)->value, found, seen);
    else if (!call->args.empty() &&
             (callee.starts_with("max_con") || callee == "multiple_of" ||
              callee == "make_block_ptr" || callee == "broadcast_to" ||
              callee == "make_tensor_descriptor" || callee == "advance"))
      addressed(call->args[0], found, seen);
  } else if (auto *subscript = llvm::dyn_cast<Subscript>(expr)) {
    addressed(subscript->value, found, seen);
  } else if (auto *choice = llvm::dyn_cast<IfExp>(expr)) {
    addressed(choice->body, found, seen);
    addressed(choice->orelse, found, seen);
  }
}

void OutlineReader::assign(const Expr *target, const Expr *value) {
  if (auto *name = llvm::dyn_cast<Name>(target)) {
    values[name->id].push_back(value);
    return;
  }
  auto *names = llvm::dyn_cast<Tuple>(target);
  auto *items = llvm::dyn_cast<Tuple>(value);
  if (names && items && names->elts.size() == items->elts.size())
    for (auto [one, item] : llvm::zip(names->elts, items->elts))
      assign(one, item);
}

void OutlineReader::visitCall(const Call &call) {
  StringRef callee = calleeName(call.func);
  if (llvm::isa<Name>(call.func))
    outline.calls.push_back(callee.str());
  bool isAccess =
      callee == "load" || callee == "store" || callee.starts_with("atomic_");
  if (isAccess && !call.args.empty())
    addresses.push_back(call.args[0]);
  visit(call.func);
  for (const Expr *argument : call.args)
    visit(argument);
  for (const Keyword *keyword : call.keywords) {
    if (isAccess && keyword->arg == "pointer")
      addresses.push_back(keyword->value);
    visit(keyword->value);
  }
}

void OutlineReader::visit(const Expr *expr) {
  if (!expr)
    return;
  if (auto *call = llvm::dyn_cast<Call>(expr)) {
    visitCall(*call);
  } else if (auto *attribute = llvm::dyn_cast<Attribute>(expr)) {
    // `x.dtype.element_ty`
    auto *inner = llvm::dyn_cast<Attribute>(attribute->value);
    if (attribute->attr == "element_ty" && inner)
      if (auto *name = llvm::dyn_cast<Name>(inner->value))
        if (parameters.contains(name->id))
          pointers.insert(name->id);
    visit(attribute->value);
  } else if (auto *binary = llvm::dyn_cast<BinOp>(expr)) {
    visit(binary->left);
    visit(binary->right);
  } else if (auto *unary = llvm::dyn_cast<UnaryOp>(expr)) {
    visit(unary->operand);
  } else if (auto *either = llvm::dyn_cast<BoolOp>(expr)) {
    for (const Expr *value : either->values)
      visit(value);
  } else if (auto *compare = llvm::dyn_cast<Compare>(expr)) {
    visit(compare->left);
    for (const Expr *value : compare->comparators)
      visit(value);
  } else if (auto *choice = llvm::dyn_cast<IfExp>(expr)) {
    visit(choice->test);
    visit(choice->body);
    visit(choice->orelse);
  } else if (auto *subscript = llvm::dyn_cast<Subscript>(expr)) {
    visit(subscript->value);
    visit(subscript->slice);
  } else if (auto *named = llvm::dyn_cast<NamedExpr>(expr)) {
    assign(named->target, named->value);
    visit(named->value);
  } else if (auto *tuple = llvm::dyn_cast<Tuple>(expr)) {
    for (const Expr *item : tuple->elts)
      visit(item);
  } else if (auto *list = llvm::dyn_cast<syntax::List>(expr)) {
    for (const Expr *item : list->elts)
      visit(item);
  }
}

void OutlineReader::visit(const Stmts &body) {
  for (const Stmt *stmt : body)
    visit(stmt);
}

void OutlineReader::visit(const Stmt *stmt) {
  if (auto *assignment = llvm::dyn_cast<Assign>(stmt)) {
    for (const Expr *target : assignment->targets)
      assign(target, assignment->value);
    visit(assignment->value);
  } else if (auto *augmented = llvm::dyn_cast<AugAssign>(stmt)) {
    visit(augmented->value);
  } else if (auto *annotated = llvm::dyn_cast<AnnAssign>(stmt)) {
    if (annotated->value)
      assign(annotated->target, annotated->value);
    visit(annotated->value);
  } else if (auto *expression = llvm::dyn_cast<ExprStmt>(stmt)) {
    visit(expression->value);
  } else if (auto *result = llvm::dyn_cast<Return>(stmt)) {
    auto *constant = llvm::dyn_cast_or_null<Constant>(result->value);
    if (result->value &&
        !(constant && constant->constant == ConstantKind::None))
      outline.returnsValue = true;
    visit(result->value);
  } else if (auto *branch = llvm::dyn_cast<If>(stmt)) {
    visit(branch->test);
    visit(branch->body);
    visit(branch->orelse);
  } else if (auto *loop = llvm::dyn_cast<For>(stmt)) {
    visit(loop->iter);
    visit(loop->body);
    visit(loop->orelse);
  } else if (auto *loop = llvm::dyn_cast<While>(stmt)) {
    visit(loop->test);
    visit(loop->body);
    visit(loop->orelse);
  } else if (auto *with = llvm::dyn_cast<With>(stmt)) {
    visit(with->body);
  }
}

Outline OutlineReader::read() {
  auto list = parametersOf(definition);
  for (auto &[argument, value] : list) {
    parameters.insert(argument->arg);
    if (isNamedAsPointer(argument->arg))
      pointers.insert(argument->arg);
  }
  visit(definition.body);
  for (const Expr *address : addresses) {
    std::vector<StringRef> found;
    llvm::StringSet<> seen;
    addressed(address, found, seen);
    // An address has one base, and what is called a pointer is it.
    if (!found.empty() && llvm::none_of(found, [&](StringRef name) {
          return pointers.contains(name);
        }))
      pointers.insert(found.front());
  }
  for (auto &[argument, value] : list) {
    const std::string &name = argument->arg;
    outline.likelyArguments.emplace_back(
        name, isConstexprAnnotation(argument->annotation)
                  ? likelyConstant(name)
                  : likelyType(name, pointers.contains(name)));
  }
  return std::move(outline);
}

std::optional<Outline> readOutline(std::shared_ptr<const Function> function,
                                   Diagnostics &diags) {
  std::unique_ptr<ParsedFunction> parsed =
      parseFunction(std::move(function), diags);
  if (!parsed)
    return std::nullopt;
  return OutlineReader(*parsed->definition).read();
}

} // namespace tesela::emit
