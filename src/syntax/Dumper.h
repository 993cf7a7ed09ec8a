//===- Dumper.h - the state of a dump, private to its sources -------------===//

#ifndef TESELA_SYNTAX_DUMPER_H
#define TESELA_SYNTAX_DUMPER_H

#include "syntax/Dump.h"

namespace tesela::syntax {

class Dumper {
public:
  explicit Dumper(const DumpOptions &options)
      : minor(options.pythonMinor), withSpans(options.spans) {}

  std::string run(const Module &module);

private:
  // The format: `Name(label=value, …, lineno=…)`.
  void open(const char *name) {
    out += name;
    out += '(';
    first = true;
  }
  void close() {
    out += ')';
    first = false;
  }
  void close(const Span &span) {
    if (withSpans) {
      number("lineno", span.line);
      number("col_offset", span.col);
    }
    if (withSpans && minor >= 9) {
      number("end_lineno", span.endLine);
      number("end_col_offset", span.endCol);
    }
    close();
  }
  /// Where only Python 3.N and later have the position.
  void closeSince(int version, const Span &span) {
    if (minor >= version)
      close(span);
    else
      close();
  }
  void label(const char *name) {
    if (!first)
      out += ", ";
    first = false;
    out += name;
    out += '=';
  }
  void number(const char *name, int32_t value);
  void word(const char *name, const char *value) {
    label(name);
    out += value;
  }
  void string(const char *name, const std::string &value);
  /// An identifier that may be absent.
  void maybe(const char *name, const Identifier &value) {
    if (!value.empty())
      string(name, value);
  }
  /// A node that may be absent.
  template <typename T>
  void field(const char *name, const T *node) {
    if (!node)
      return;
    label(name);
    visit(node);
  }
  template <typename T>
  void field(const char *name, const std::vector<T> &list) {
    if (list.empty())
      return;
    label(name);
    out += '[';
    for (size_t i = 0; i < list.size(); ++i) {
      if (i)
        out += ", ";
      item(list[i]);
    }
    out += ']';
  }
  template <typename T>
  void item(const T *node) {
    if (node)
      visit(node);
    else
      out += "None";
  }
  void item(const Identifier &name);
  void item(CmpOpKind op);
  void binaryOperator(BinOpKind op);

  // DumpStatements.cpp
  void visit(const Stmt *stmt);
  void visit(const ExceptHandler *handler);
  void visit(const WithItem *item);
  void visit(const Alias *alias);
  void visit(const MatchCase *matchCase);
  void visit(const Pattern *pattern);
  void visit(const TypeParam *param);
  void visitFunction(const char *name, const FunctionBase &function);
  void visitFor(const char *name, const ForBase &loop);
  void visitWith(const char *name, const WithBase &with);
  void visitTry(const char *name, const TryBase &statement);

  // DumpExpressions.cpp
  void visit(const Expr *expr);
  void visit(const Arguments *arguments);
  void visit(const Arg *arg);
  void visit(const Keyword *keyword);
  void visit(const Comprehension *comprehension);
  void visitComprehension(const char *name, const ComprehensionBase &expr);
  void visitFString(const char *name, const Exprs &values, const Span &span);
  void visitConstant(const Constant &constant);
  void visitSlice(const Expr *slice);
  void conversionAndSpec(int32_t conversion, const Expr *spec);

  int minor;
  bool withSpans;
  bool first = true;
  std::string out;
};

} // namespace tesela::syntax

#endif // TESELA_SYNTAX_DUMPER_H
