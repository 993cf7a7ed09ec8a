//===- DumpExpressions.cpp - expressions as text --------------------------===//
//
//   x = 1   ->   Module(body=[Assign(targets=[Name(id='x', ctx=Store(), …
//
// Empty lists and absent fields are left out.
//
//===----------------------------------------------------------------------===//

#include "syntax/Dumper.h"
#include "syntax/Literals.h"

#include "llvm/Support/Casting.h"

#include <algorithm>
#include <charconv>

namespace tesela::syntax {

using llvm::cast;
using llvm::dyn_cast;

static const char *const binOps[] = {
    "Add()",    "Sub()",    "Mult()",    "MatMult()", "Div()",
    "Mod()",    "Pow()",    "LShift()",  "RShift()",  "BitOr()",
    "BitXor()", "BitAnd()", "FloorDiv()"};
static const char *const unaryOps[] = {"Invert()", "Not()", "UAdd()", "USub()"};
static const char *const cmpOps[] = {"Eq()", "NotEq()", "Lt()", "LtE()",
                                     "Gt()", "GtE()",   "Is()", "IsNot()",
                                     "In()", "NotIn()"};
static const char *const contexts[] = {"Load()", "Store()", "Del()"};

std::string dump(const Module &module, const DumpOptions &options) {
  return Dumper(options).run(module);
}

std::string Dumper::run(const Module &module) {
  open("Module");
  field("body", module.body);
  close();
  return std::move(out);
}

void Dumper::number(const char *name, int32_t value) {
  label(name);
  char digits[16];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

void Dumper::string(const char *name, const std::string &value) {
  label(name);
  appendQuoted(out, value);
}

void Dumper::item(const Identifier &name) { appendQuoted(out, name); }

void Dumper::binaryOperator(BinOpKind op) { word("op", binOps[size_t(op)]); }

void Dumper::item(CmpOpKind op) { out += cmpOps[size_t(op)]; }

void Dumper::visitComprehension(const char *name,
                                const ComprehensionBase &expr) {
  open(name);
  field(expr.value ? "key" : "elt", expr.elt);
  field("value", expr.value);
  field("generators", expr.generators);
  close(expr.span);
}

void Dumper::visitFString(const char *name, const Exprs &values,
                          const Span &span) {
  bool outer = withSpans;
  withSpans &= minor >= 12;
  open(name);
  field("values", values);
  withSpans = outer;
  close(span);
}

void Dumper::visitConstant(const Constant &constant) {
  open("Constant");
  label("value");
  switch (constant.constant) {
  case ConstantKind::None:
    out += "None";
    break;
  case ConstantKind::True:
    out += "True";
    break;
  case ConstantKind::False:
    out += "False";
    break;
  case ConstantKind::Ellipsis:
    out += "Ellipsis";
    break;
  case ConstantKind::Int:
    out += constant.text;
    break;
  case ConstantKind::Float:
    appendFloat(out, constant.number);
    break;
  case ConstantKind::Imaginary:
    appendImaginary(out, constant.number);
    break;
  case ConstantKind::Str:
    appendQuoted(out, constant.text);
    break;
  case ConstantKind::Bytes:
    appendQuotedBytes(out, constant.text);
    break;
  }
  if (constant.hasUPrefix)
    word("kind", "'u'");
  close(constant.span);
}

/// Python 3.8 knew no place for a slice, nor for a tuple with one in it.
void Dumper::visitSlice(const Expr *slice) {
  label("slice");
  if (minor >= 9)
    return visit(slice);
  auto isSlice = [](const Expr *expr) { return expr->kind == NodeKind::Slice; };
  auto *tuple = dyn_cast<Tuple>(slice);
  if (!tuple || std::none_of(tuple->elts.begin(), tuple->elts.end(), isSlice))
    return visit(slice);
  open("Tuple");
  field("elts", tuple->elts);
  word("ctx", "Load()");
  close();
}

void Dumper::conversionAndSpec(int32_t conversion, const Expr *spec) {
  number("conversion", conversion);
  field("format_spec", spec);
}

void Dumper::visit(const Expr *expr) {
  switch (expr->kind) {
  case NodeKind::BoolOp: {
    auto *node = cast<BoolOp>(expr);
    open("BoolOp");
    word("op", node->op == BoolOpKind::And ? "And()" : "Or()");
    field("values", node->values);
    break;
  }
  case NodeKind::NamedExpr: {
    auto *node = cast<NamedExpr>(expr);
    open("NamedExpr");
    field("target", node->target);
    field("value", node->value);
    break;
  }
  case NodeKind::BinOp: {
    auto *node = cast<BinOp>(expr);
    open("BinOp");
    field("left", node->left);
    binaryOperator(node->op);
    field("right", node->right);
    break;
  }
  case NodeKind::UnaryOp: {
    auto *node = cast<UnaryOp>(expr);
    open("UnaryOp");
    word("op", unaryOps[size_t(node->op)]);
    field("operand", node->operand);
    break;
  }
  case NodeKind::Lambda: {
    auto *node = cast<Lambda>(expr);
    open("Lambda");
    field("args", node->args);
    field("body", node->body);
    break;
  }
  case NodeKind::IfExp: {
    auto *node = cast<IfExp>(expr);
    open("IfExp");
    field("test", node->test);
    field("body", node->body);
    field("orelse", node->orelse);
    break;
  }
  case NodeKind::Dict: {
    auto *node = cast<Dict>(expr);
    open("Dict");
    field("keys", node->keys);
    field("values", node->values);
    break;
  }
  case NodeKind::Set:
    open("Set");
    field("elts", cast<Set>(expr)->elts);
    break;
  case NodeKind::ListComp:
    return visitComprehension("ListComp", *cast<ListComp>(expr));
  case NodeKind::SetComp:
    return visitComprehension("SetComp", *cast<SetComp>(expr));
  case NodeKind::DictComp:
    return visitComprehension("DictComp", *cast<DictComp>(expr));
  case NodeKind::GeneratorExp:
    return visitComprehension("GeneratorExp", *cast<GeneratorExp>(expr));
  case NodeKind::Await:
    open("Await");
    field("value", cast<Await>(expr)->value);
    break;
  case NodeKind::Yield:
    open("Yield");
    field("value", cast<Yield>(expr)->value);
    break;
  case NodeKind::YieldFrom:
    open("YieldFrom");
    field("value", cast<YieldFrom>(expr)->value);
    break;
  case NodeKind::Compare: {
    auto *node = cast<Compare>(expr);
    open("Compare");
    field("left", node->left);
    field("ops", node->ops);
    field("comparators", node->comparators);
    break;
  }
  case NodeKind::Call: {
    auto *node = cast<Call>(expr);
    open("Call");
    field("func", node->func);
    field("args", node->args);
    field("keywords", node->keywords);
    break;
  }
  case NodeKind::FormattedValue: {
    auto *node = cast<FormattedValue>(expr);
    open("FormattedValue");
    field("value", node->value);
    conversionAndSpec(node->conversion, node->formatSpec);
    break;
  }
  case NodeKind::Interpolation: {
    auto *node = cast<Interpolation>(expr);
    open("Interpolation");
    field("value", node->value);
    string("str", node->str);
    conversionAndSpec(node->conversion, node->formatSpec);
    break;
  }
  case NodeKind::JoinedStr:
    return visitFString("JoinedStr", cast<JoinedStr>(expr)->values, expr->span);
  case NodeKind::TemplateStr:
    return visitFString("TemplateStr", cast<TemplateStr>(expr)->values,
                        expr->span);
  case NodeKind::Constant:
    return visitConstant(*cast<Constant>(expr));
  case NodeKind::Attribute: {
    auto *node = cast<Attribute>(expr);
    open("Attribute");
    field("value", node->value);
    string("attr", node->attr);
    word("ctx", contexts[size_t(node->ctx)]);
    break;
  }
  case NodeKind::Subscript: {
    auto *node = cast<Subscript>(expr);
    open("Subscript");
    field("value", node->value);
    visitSlice(node->slice);
    word("ctx", contexts[size_t(node->ctx)]);
    break;
  }
  case NodeKind::Starred: {
    auto *node = cast<Starred>(expr);
    open("Starred");
    field("value", node->value);
    word("ctx", contexts[size_t(node->ctx)]);
    break;
  }
  case NodeKind::Name: {
    auto *node = cast<Name>(expr);
    open("Name");
    string("id", node->id);
    word("ctx", contexts[size_t(node->ctx)]);
    break;
  }
  case NodeKind::List: {
    auto *node = cast<List>(expr);
    open("List");
    field("elts", node->elts);
    word("ctx", contexts[size_t(node->ctx)]);
    break;
  }
  case NodeKind::Tuple: {
    auto *node = cast<Tuple>(expr);
    open("Tuple");
    field("elts", node->elts);
    word("ctx", contexts[size_t(node->ctx)]);
    break;
  }
  default: {
    auto *node = cast<Slice>(expr);
    open("Slice");
    field("lower", node->lower);
    field("upper", node->upper);
    field("step", node->step);
    return closeSince(9, node->span);
  }
  }
  close(expr->span);
}

void Dumper::visit(const Arguments *arguments) {
  open("arguments");
  field("posonlyargs", arguments->posonlyargs);
  field("args", arguments->args);
  field("vararg", arguments->vararg);
  field("kwonlyargs", arguments->kwonlyargs);
  field("kw_defaults", arguments->kwDefaults);
  field("kwarg", arguments->kwarg);
  field("defaults", arguments->defaults);
  close();
}

void Dumper::visit(const Arg *arg) {
  open("arg");
  string("arg", arg->arg);
  field("annotation", arg->annotation);
  close(arg->span);
}

void Dumper::visit(const Keyword *keyword) {
  open("keyword");
  maybe("arg", keyword->arg);
  field("value", keyword->value);
  closeSince(9, keyword->span);
}

void Dumper::visit(const Comprehension *comprehension) {
  open("comprehension");
  field("target", comprehension->target);
  field("iter", comprehension->iter);
  field("ifs", comprehension->ifs);
  number("is_async", comprehension->isAsync);
  close();
}

} // namespace tesela::syntax
