//===- Ast.h - the syntax tree of a Python file ---------------------------===//
//
// One struct for each node of CPython's abstract grammar (Parser/Python.asdl),
// with the same names and fields, so that a dump can be compared with what
// Python's own `ast` module gives. Nodes live in an `Arena` and are never
// freed one by one; lists are `std::vector`s owned by their node.
//
// Positions are CPython's: 1-based lines, 0-based UTF-8 byte columns, the end
// exclusive.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_SYNTAX_AST_H
#define TESELA_SYNTAX_AST_H

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tesela::syntax {

/// A stretch of source text.
struct Span {
  int32_t line = 0;
  int32_t col = 0;
  int32_t endLine = 0;
  int32_t endCol = 0;
};

/// Owns every node of one tree.
class Arena {
public:
  template <typename Node, typename... Args>
  Node *make(Args &&...args) {
    auto owned = std::make_shared<Node>(std::forward<Args>(args)...);
    Node *node = owned.get();
    nodes.push_back(std::move(owned));
    return node;
  }

private:
  std::deque<std::shared_ptr<void>> nodes;
};

enum class NodeKind : uint8_t {
  // statements
  FunctionDef, AsyncFunctionDef, ClassDef, Return, Delete, Assign, TypeAlias,
  AugAssign, AnnAssign, For, AsyncFor, While, If, With, AsyncWith, Match,
  Raise, Try, TryStar, Assert, Import, ImportFrom, Global, Nonlocal, ExprStmt,
  Pass, Break, Continue,
  // expressions
  BoolOp, NamedExpr, BinOp, UnaryOp, Lambda, IfExp, Dict, Set, ListComp,
  SetComp, DictComp, GeneratorExp, Await, Yield, YieldFrom, Compare, Call,
  FormattedValue, Interpolation, JoinedStr, TemplateStr, Constant, Attribute,
  Subscript, Starred, Name, List, Tuple, Slice,
  // patterns
  MatchValue, MatchSingleton, MatchSequence, MatchMapping, MatchClass,
  MatchStar, MatchAs, MatchOr,
  // type parameters
  TypeVar, ParamSpec, TypeVarTuple,
  // the rest
  ExceptHandler,
};

struct Node {
  explicit Node(NodeKind kind) : kind(kind) {}
  NodeKind kind;
  Span span;
};

/// `isa`/`cast`/`dyn_cast` of LLVM work on every node through this.
template <typename Base, NodeKind Kind>
struct NodeOf : Base {
  NodeOf() : Base(Kind) {}
  static bool classof(const Node *node) { return node->kind == Kind; }
};

struct Stmt : Node {
  using Node::Node;
  static bool classof(const Node *node) {
    return node->kind <= NodeKind::Continue;
  }
};
struct Expr : Node {
  using Node::Node;
  static bool classof(const Node *node) {
    return node->kind >= NodeKind::BoolOp && node->kind <= NodeKind::Slice;
  }
};
struct Pattern : Node {
  using Node::Node;
  static bool classof(const Node *node) {
    return node->kind >= NodeKind::MatchValue &&
           node->kind <= NodeKind::MatchOr;
  }
};
struct TypeParam : Node {
  using Node::Node;
};

using Identifier = std::string; // NFKC-normalised UTF-8
using Stmts = std::vector<Stmt *>;
using Exprs = std::vector<Expr *>;

enum class BoolOpKind : uint8_t { And, Or };
enum class BinOpKind : uint8_t {
  Add, Sub, Mult, MatMult, Div, Mod, Pow, LShift, RShift, BitOr, BitXor,
  BitAnd, FloorDiv,
};
enum class UnaryOpKind : uint8_t { Invert, Not, UAdd, USub };
enum class CmpOpKind : uint8_t {
  Eq, NotEq, Lt, LtE, Gt, GtE, Is, IsNot, In, NotIn,
};
enum class ExprContext : uint8_t { Load, Store, Del };

//===----------------------------------------------------------------------===//
// Pieces without a kind of their own
//===----------------------------------------------------------------------===//

struct Arg {
  Span span;
  Identifier arg;
  Expr *annotation = nullptr;
};

struct Arguments {
  std::vector<Arg *> posonlyargs;
  std::vector<Arg *> args;
  Arg *vararg = nullptr;
  std::vector<Arg *> kwonlyargs;
  Exprs kwDefaults; // one each of `kwonlyargs`; null where there is none
  Arg *kwarg = nullptr;
  Exprs defaults; // of the last of `posonlyargs` + `args`
};

struct Keyword {
  Span span;
  Identifier arg; // empty for `**value`
  Expr *value = nullptr;
};

struct Alias {
  Span span;
  Identifier name; // dotted in `import a.b`
  Identifier asname; // empty where there is none
};

struct WithItem {
  Expr *contextExpr = nullptr;
  Expr *optionalVars = nullptr;
};

struct MatchCase {
  Pattern *pattern = nullptr;
  Expr *guard = nullptr;
  Stmts body;
};

struct Comprehension {
  Expr *target = nullptr;
  Expr *iter = nullptr;
  Exprs ifs;
  bool isAsync = false;
};

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

struct FunctionBase : Stmt {
  using Stmt::Stmt;
  Identifier name;
  Arguments *args = nullptr;
  Stmts body;
  Exprs decoratorList;
  Expr *returns = nullptr;
  std::vector<TypeParam *> typeParams;
};
struct FunctionDef : NodeOf<FunctionBase, NodeKind::FunctionDef> {};
struct AsyncFunctionDef : NodeOf<FunctionBase, NodeKind::AsyncFunctionDef> {};

struct ClassDef : NodeOf<Stmt, NodeKind::ClassDef> {
  Identifier name;
  Exprs bases;
  std::vector<Keyword *> keywords;
  Stmts body;
  Exprs decoratorList;
  std::vector<TypeParam *> typeParams;
};
struct Return : NodeOf<Stmt, NodeKind::Return> {
  Expr *value = nullptr;
};
struct Delete : NodeOf<Stmt, NodeKind::Delete> {
  Exprs targets;
};
struct Assign : NodeOf<Stmt, NodeKind::Assign> {
  Exprs targets;
  Expr *value = nullptr;
};
struct TypeAlias : NodeOf<Stmt, NodeKind::TypeAlias> {
  Expr *name = nullptr;
  std::vector<TypeParam *> typeParams;
  Expr *value = nullptr;
};
struct AugAssign : NodeOf<Stmt, NodeKind::AugAssign> {
  Expr *target = nullptr;
  BinOpKind op = BinOpKind::Add;
  Expr *value = nullptr;
};
struct AnnAssign : NodeOf<Stmt, NodeKind::AnnAssign> {
  Expr *target = nullptr;
  Expr *annotation = nullptr;
  Expr *value = nullptr;
  bool simple = false;
};
struct ForBase : Stmt {
  using Stmt::Stmt;
  Expr *target = nullptr;
  Expr *iter = nullptr;
  Stmts body;
  Stmts orelse;
};
struct For : NodeOf<ForBase, NodeKind::For> {};
struct AsyncFor : NodeOf<ForBase, NodeKind::AsyncFor> {};
struct While : NodeOf<Stmt, NodeKind::While> {
  Expr *test = nullptr;
  Stmts body;
  Stmts orelse;
};
struct If : NodeOf<Stmt, NodeKind::If> {
  Expr *test = nullptr;
  Stmts body;
  Stmts orelse;
};
struct WithBase : Stmt {
  using Stmt::Stmt;
  std::vector<WithItem *> items;
  Stmts body;
};
struct With : NodeOf<WithBase, NodeKind::With> {};
struct AsyncWith : NodeOf<WithBase, NodeKind::AsyncWith> {};
struct Match : NodeOf<Stmt, NodeKind::Match> {
  Expr *subject = nullptr;
  std::vector<MatchCase *> cases;
};
struct Raise : NodeOf<Stmt, NodeKind::Raise> {
  Expr *exc = nullptr;
  Expr *cause = nullptr;
};
struct ExceptHandler : NodeOf<Node, NodeKind::ExceptHandler> {
  Expr *type = nullptr;
  Identifier name; // empty where there is none
  Stmts body;
};
struct TryBase : Stmt {
  using Stmt::Stmt;
  Stmts body;
  std::vector<ExceptHandler *> handlers;
  Stmts orelse;
  Stmts finalbody;
};
struct Try : NodeOf<TryBase, NodeKind::Try> {};
struct TryStar : NodeOf<TryBase, NodeKind::TryStar> {};
struct Assert : NodeOf<Stmt, NodeKind::Assert> {
  Expr *test = nullptr;
  Expr *msg = nullptr;
};
struct Import : NodeOf<Stmt, NodeKind::Import> {
  std::vector<Alias *> names;
};
struct ImportFrom : NodeOf<Stmt, NodeKind::ImportFrom> {
  Identifier module; // empty in `from . import x`
  std::vector<Alias *> names;
  int32_t level = 0; // number of leading dots
};
struct Global : NodeOf<Stmt, NodeKind::Global> {
  std::vector<Identifier> names;
};
struct Nonlocal : NodeOf<Stmt, NodeKind::Nonlocal> {
  std::vector<Identifier> names;
};
/// An expression as a statement (`Expr` in CPython's grammar).
struct ExprStmt : NodeOf<Stmt, NodeKind::ExprStmt> {
  Expr *value = nullptr;
};
struct Pass : NodeOf<Stmt, NodeKind::Pass> {};
struct Break : NodeOf<Stmt, NodeKind::Break> {};
struct Continue : NodeOf<Stmt, NodeKind::Continue> {};

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

struct BoolOp : NodeOf<Expr, NodeKind::BoolOp> {
  BoolOpKind op = BoolOpKind::And;
  Exprs values;
};
struct NamedExpr : NodeOf<Expr, NodeKind::NamedExpr> {
  Expr *target = nullptr;
  Expr *value = nullptr;
};
struct BinOp : NodeOf<Expr, NodeKind::BinOp> {
  Expr *left = nullptr;
  BinOpKind op = BinOpKind::Add;
  Expr *right = nullptr;
  Span opSpan; // of the operator itself, for carets
};
struct UnaryOp : NodeOf<Expr, NodeKind::UnaryOp> {
  UnaryOpKind op = UnaryOpKind::Not;
  Expr *operand = nullptr;
};
struct Lambda : NodeOf<Expr, NodeKind::Lambda> {
  Arguments *args = nullptr;
  Expr *body = nullptr;
};
struct IfExp : NodeOf<Expr, NodeKind::IfExp> {
  Expr *test = nullptr;
  Expr *body = nullptr;
  Expr *orelse = nullptr;
};
struct Dict : NodeOf<Expr, NodeKind::Dict> {
  Exprs keys; // null for `**value`
  Exprs values;
};
struct Set : NodeOf<Expr, NodeKind::Set> {
  Exprs elts;
};
struct ComprehensionBase : Expr {
  using Expr::Expr;
  Expr *elt = nullptr; // the key in `DictComp`
  Expr *value = nullptr; // `DictComp` alone
  std::vector<Comprehension *> generators;
};
struct ListComp : NodeOf<ComprehensionBase, NodeKind::ListComp> {};
struct SetComp : NodeOf<ComprehensionBase, NodeKind::SetComp> {};
struct DictComp : NodeOf<ComprehensionBase, NodeKind::DictComp> {};
struct GeneratorExp : NodeOf<ComprehensionBase, NodeKind::GeneratorExp> {};
struct Await : NodeOf<Expr, NodeKind::Await> {
  Expr *value = nullptr;
};
struct Yield : NodeOf<Expr, NodeKind::Yield> {
  Expr *value = nullptr;
};
struct YieldFrom : NodeOf<Expr, NodeKind::YieldFrom> {
  Expr *value = nullptr;
};
struct Compare : NodeOf<Expr, NodeKind::Compare> {
  Expr *left = nullptr;
  std::vector<CmpOpKind> ops;
  Exprs comparators;
};
struct Call : NodeOf<Expr, NodeKind::Call> {
  Expr *func = nullptr;
  Exprs args;
  std::vector<Keyword *> keywords;
};
/// `{value!r:spec}` in an f-string.
struct FormattedValue : NodeOf<Expr, NodeKind::FormattedValue> {
  Expr *value = nullptr;
  int32_t conversion = -1; // 's', 'r', 'a' or -1
  Expr *formatSpec = nullptr;
};
/// `{value!r:spec}` in a t-string (3.14).
struct Interpolation : NodeOf<Expr, NodeKind::Interpolation> {
  Expr *value = nullptr;
  std::string str; // the text of `value`
  int32_t conversion = -1;
  Expr *formatSpec = nullptr;
};
struct JoinedStr : NodeOf<Expr, NodeKind::JoinedStr> {
  Exprs values;
};
struct TemplateStr : NodeOf<Expr, NodeKind::TemplateStr> {
  Exprs values;
};

enum class ConstantKind : uint8_t {
  None, True, False, Ellipsis, Int, Float, Imaginary, Str, Bytes,
};
struct Constant : NodeOf<Expr, NodeKind::Constant> {
  ConstantKind constant = ConstantKind::None;
  /// `Int`: decimal digits, unbounded. `Str`: UTF-8, lone surrogates encoded as
  /// three bytes each. `Bytes`: the bytes.
  std::string text;
  double number = 0; // `Float`, and the imaginary part of `Imaginary`
  bool hasUPrefix = false; // `u"…"`: CPython's `kind='u'`
};
struct Attribute : NodeOf<Expr, NodeKind::Attribute> {
  Expr *value = nullptr;
  Identifier attr;
  ExprContext ctx = ExprContext::Load;
};
struct Subscript : NodeOf<Expr, NodeKind::Subscript> {
  Expr *value = nullptr;
  Expr *slice = nullptr;
  ExprContext ctx = ExprContext::Load;
};
struct Starred : NodeOf<Expr, NodeKind::Starred> {
  Expr *value = nullptr;
  ExprContext ctx = ExprContext::Load;
};
struct Name : NodeOf<Expr, NodeKind::Name> {
  Identifier id;
  ExprContext ctx = ExprContext::Load;
};
struct List : NodeOf<Expr, NodeKind::List> {
  Exprs elts;
  ExprContext ctx = ExprContext::Load;
};
struct Tuple : NodeOf<Expr, NodeKind::Tuple> {
  Exprs elts;
  ExprContext ctx = ExprContext::Load;
};
struct Slice : NodeOf<Expr, NodeKind::Slice> {
  Expr *lower = nullptr;
  Expr *upper = nullptr;
  Expr *step = nullptr;
};

//===----------------------------------------------------------------------===//
// Patterns and type parameters
//===----------------------------------------------------------------------===//

using Patterns = std::vector<Pattern *>;

struct MatchValue : NodeOf<Pattern, NodeKind::MatchValue> {
  Expr *value = nullptr;
};
struct MatchSingleton : NodeOf<Pattern, NodeKind::MatchSingleton> {
  ConstantKind value = ConstantKind::None; // None, True or False
};
struct MatchSequence : NodeOf<Pattern, NodeKind::MatchSequence> {
  Patterns patterns;
};
struct MatchMapping : NodeOf<Pattern, NodeKind::MatchMapping> {
  Exprs keys;
  Patterns patterns;
  Identifier rest; // empty where there is none
};
struct MatchClass : NodeOf<Pattern, NodeKind::MatchClass> {
  Expr *cls = nullptr;
  Patterns patterns;
  std::vector<Identifier> kwdAttrs;
  Patterns kwdPatterns;
};
struct MatchStar : NodeOf<Pattern, NodeKind::MatchStar> {
  Identifier name; // empty for `*_`
};
struct MatchAs : NodeOf<Pattern, NodeKind::MatchAs> {
  Pattern *pattern = nullptr;
  Identifier name; // empty for `_`
};
struct MatchOr : NodeOf<Pattern, NodeKind::MatchOr> {
  Patterns patterns;
};

struct TypeVar : NodeOf<TypeParam, NodeKind::TypeVar> {
  Identifier name;
  Expr *bound = nullptr;
  Expr *defaultValue = nullptr;
};
struct ParamSpec : NodeOf<TypeParam, NodeKind::ParamSpec> {
  Identifier name;
  Expr *defaultValue = nullptr;
};
struct TypeVarTuple : NodeOf<TypeParam, NodeKind::TypeVarTuple> {
  Identifier name;
  Expr *defaultValue = nullptr;
};

/// A whole file, and the owner of its nodes.
struct Module {
  Arena arena;
  Stmts body;
};

} // namespace tesela::syntax

#endif // TESELA_SYNTAX_AST_H
