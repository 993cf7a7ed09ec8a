//===- SyntaxTreeTest.cpp - trees of kernels and of 3.14's novelties ------===//
//
// Trees are compared with CPython's by test/syntax; here stand a whole tree
// as it is dumped, and what no CPython before 3.14 can judge.
//
//===----------------------------------------------------------------------===//

#include "syntax/Dump.h"
#include "syntax/Parser.h"

#include "llvm/Support/Casting.h"

#include <gtest/gtest.h>

using namespace tesela;
using namespace tesela::syntax;

namespace {

std::string dumpOf(std::string text, bool spans = false) {
  Diagnostics diags;
  auto module = parseModule(Source::create("a.py", std::move(text)), diags);
  DumpOptions options;
  options.spans = spans;
  return module ? dump(*module, options) : diags.render();
}

TEST(SyntaxTree, DumpsAsPythonDoes) {
  EXPECT_EQ(dumpOf("x = -1.50  # c\n", /*spans=*/true),
            "Module(body=[Assign(targets=[Name(id='x', ctx=Store(), lineno=1, "
            "col_offset=0, end_lineno=1, end_col_offset=1)], "
            "value=UnaryOp(op=USub(), operand=Constant(value=1.5, lineno=1, "
            "col_offset=5, end_lineno=1, end_col_offset=9), lineno=1, "
            "col_offset=4, end_lineno=1, end_col_offset=9), lineno=1, "
            "col_offset=0, end_lineno=1, end_col_offset=9)])");
}

TEST(SyntaxTree, OperatorsHaveSpans) {
  Diagnostics diags;
  auto module = parseModule(Source::create("a.py", "a  @ (b) // c"), diags);
  ASSERT_TRUE(module);
  auto *outer = llvm::cast<BinOp>(llvm::cast<ExprStmt>(module->body[0])->value);
  EXPECT_EQ(outer->op, BinOpKind::FloorDiv);
  EXPECT_EQ(outer->opSpan.col, 9);
  EXPECT_EQ(outer->opSpan.endCol, 11);
  EXPECT_EQ(llvm::cast<BinOp>(outer->left)->opSpan.col, 3);
}

TEST(SyntaxTree, FirstLineShiftsPositions) {
  Diagnostics diags;
  auto module = parseModule(Source::create("a.py", "\na\n", 40), diags);
  ASSERT_TRUE(module);
  EXPECT_EQ(module->body[0]->span.line, 41);
}

TEST(SyntaxTree, UnboundedIntegers) {
  EXPECT_EQ(dumpOf("0xFFFFFFFFFFFFFFFFFFFFFFFF"),
            "Module(body=[Expr(value=Constant(value="
            "79228162514264337593543950335))])");
}

TEST(SyntaxTree, TemplateStrings) {
  EXPECT_EQ(dumpOf("t'a{ x + 1 !r:>{w}}b' t'c'"),
            "Module(body=[Expr(value=TemplateStr(values=[Constant(value='a'), "
            "Interpolation(value=BinOp(left=Name(id='x', ctx=Load()), "
            "op=Add(), right=Constant(value=1)), str=' x + 1', "
            "conversion=114, format_spec=JoinedStr(values=["
            "Constant(value='>'), FormattedValue(value=Name(id='w', "
            "ctx=Load()), conversion=-1)])), Constant(value='bc')]))])");
  EXPECT_EQ(dumpOf("t'{x = }'"),
            "Module(body=[Expr(value=TemplateStr(values=["
            "Constant(value='x = '), Interpolation(value=Name(id='x', "
            "ctx=Load()), str='x', conversion=114)]))])");
}

TEST(SyntaxTree, ExceptWithoutParentheses) {
  EXPECT_EQ(dumpOf("try: a\nexcept b, c: d"),
            dumpOf("try: a\nexcept (b, c): d"));
  EXPECT_EQ(dumpOf("try: a\nexcept* b, c: d"),
            dumpOf("try: a\nexcept* (b, c): d"));
}

TEST(SyntaxTree, CommentsInFieldsAreNotShown) {
  EXPECT_EQ(dumpOf("f'{\"#\"= # c\n}'"),
            "Module(body=[Expr(value=JoinedStr(values=["
            "Constant(value='\"#\"= \\n'), FormattedValue("
            "value=Constant(value='#'), conversion=114)]))])");
}

} // namespace
