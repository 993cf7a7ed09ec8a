//===- Grammar.h - the parser's state and rules, private to its sources ---===//
//
// A recursive-descent parser with one method for each rule of Python's grammar
// that makes a node. It holds one error: the first. After an error the cursor
// sits on the end marker, so that every loop ends and every caller unwinds;
// rules therefore return some node, never null, and need not look.
//
// Two statements need a second look (`match` as a name, `with (`); they save
// the cursor and try again.
//
//===----------------------------------------------------------------------===//

#ifndef TESELA_SYNTAX_GRAMMAR_H
#define TESELA_SYNTAX_GRAMMAR_H

#include "support/Diagnostics.h"
#include "syntax/Token.h"

#include <algorithm>
#include <string_view>

namespace tesela::syntax {

class Grammar {
public:
  Grammar(std::string_view text, TokenList list, Module &module);

  /// Fills the module; false, with the error in the two members, otherwise.
  bool parse();

  Span errorSpan;
  std::string errorMessage;

private:
  using Kind = TokenKind;
  struct Start {
    int32_t line, col;
  };
  struct Cursor {
    size_t pos;
    Start end;
  };
  struct Failure {
    size_t pos;
    Span span;
    std::string message;
    bool ofLexer; // which knows brackets better
  };
  /// Bounds how deep rules nest and how high the tree grows, so that neither
  /// this parser nor any walk over its tree can exhaust the stack.
  class Nesting {
  public:
    explicit Nesting(Grammar &g) : g(g), outer(g.height) {
      g.height = 0;
      if (++g.depth > maxNesting)
        g.fail("too deeply nested");
    }
    ~Nesting() {
      --g.depth;
      g.height = std::max(outer, g.height + 1);
    }
    /// To be called where a loop wraps what it has in one more node.
    void wrap() {
      if (++g.height > maxNesting)
        g.fail("too deeply nested");
    }

  private:
    Grammar &g;
    int outer;
  };
  static constexpr int maxNesting = 1000;

  // Cursor
  const Token &tok() const { return tokens[pos]; }
  const Token &peek(size_t ahead = 1) const {
    return tokens[std::min(pos + ahead, tokens.size() - 1)];
  }
  Kind kind() const { return tokens[pos].kind; }
  bool at(Kind k) const { return tokens[pos].kind == k; }
  bool atWord(std::string_view word) const {
    return at(Kind::Name) && spelling(tok()) == word;
  }
  std::string_view spelling(const Token &token) const {
    return text.substr(token.begin, token.end - token.begin);
  }
  Start here() const { return {tok().span.line, tok().span.col}; }
  void advance() {
    const Token &token = tokens[pos];
    if (token.kind > Kind::Dedent)
      lastEnd = {token.span.endLine, token.span.endCol};
    if (token.kind > Kind::Error)
      ++pos;
  }
  bool accept(Kind k) {
    if (!at(k))
      return false;
    advance();
    return true;
  }
  bool expect(Kind k);
  Identifier identifier();
  Cursor save() const { return {pos, lastEnd}; }
  void restore(Cursor cursor) {
    pos = cursor.pos;
    lastEnd = cursor.end;
    failed = false;
  }

  /// A node from `start` to the end of the last token passed.
  template <typename T>
  T *make(Start start) {
    T *node = module.arena.make<T>();
    node->span = {start.line, start.col, lastEnd.line, lastEnd.col};
    return node;
  }
  template <typename T>
  T *make(const Token &first) {
    return make<T>(Start{first.span.line, first.span.col});
  }

  // Errors
  Span errorPlace() const;
  void fail(std::string message) { fail(std::move(message), errorPlace()); }
  void fail(std::string message, Span span);
  void fail(std::string message, const Node *node) {
    fail(std::move(message), node->span);
  }
  /// `invalid syntax` here, or what the lexer had to say.
  void unexpected();
  void reportFailure();
  Expr *placeholder() { return make<Name>(here()); }

  // ParseStatement.cpp
  void parseStatement(Stmts &out);
  void parseSimpleLine(Stmts &out);
  Stmt *parseSimple();
  Stmt *parseExpressionStatement();
  Stmt *parseAssignment(Start start, Expr *first);
  Stmt *parseAnnotated(Start start, const Token &first, Expr *target);
  Stmt *parseReturn();
  Stmt *parseRaise();
  Stmt *parseGlobal();
  Stmt *parseDelete();
  Stmt *parseAssert();
  Stmt *parseTypeAlias();
  Stmt *parseImport();
  Stmt *parseImportFrom();
  Alias *parseAlias(bool dotted);
  Identifier parseDottedName();
  void failPrint(const Token &first);

  // ParseCompound.cpp
  Stmt *parseCompound();
  void expectColon();
  void parseBlock(Stmts &body, const std::string &what, int32_t line);
  void parseElse(Stmts &orelse, const char *what);
  Stmt *parseIf();
  Stmt *parseWhile();
  Stmt *parseFor(Start start, bool isAsync);
  Stmt *parseWith(Start start, bool isAsync);
  bool parseWithItems(std::vector<WithItem *> &items, bool parenthesized);
  bool isColonAfterBracket() const;
  Stmt *parseTry();
  ExceptHandler *parseHandler(bool &isStar);
  Stmt *parseAsync();
  Stmt *parseDecorated();
  Stmt *parseFunction(Start start, Exprs decorators, bool isAsync);
  Stmt *parseClass(Exprs decorators);

  // ParseParameters.cpp
  Arguments *parseParameters(Kind close);
  Arg *parseParameter(bool isLambda, bool isVararg);
  void parseTypeParams(std::vector<TypeParam *> &out);
  TypeParam *parseTypeParam();

  // ParsePattern.cpp
  Stmt *parseMatch();
  MatchCase *parseCase();
  Pattern *parsePatterns();
  Pattern *parseMaybeStarPattern();
  Pattern *parsePattern();
  Pattern *parseOrPattern();
  Pattern *parseClosedPattern();
  Pattern *parseStarPattern();
  Pattern *parseSequencePattern();
  Pattern *parseMappingPattern();
  Pattern *parseNamePattern();
  Pattern *parseClassPattern(Start start, Expr *cls);
  Expr *parsePatternLiteral();
  Expr *parsePatternNumber();
  Expr *parseDottedLoad();

  // ParseExpression.cpp
  Expr *parseStarExpressions();
  Expr *parseStarExpression();
  Expr *parseStarNamed();
  Expr *parseNamed();
  Expr *parseExpression();
  Expr *parseDisjunction();
  Expr *parseConjunction();
  Expr *parseInversion();
  Expr *parseComparison();
  Expr *parseBinary(int precedence = 1);
  Expr *parseFactor();
  Expr *parsePower();
  Expr *parseLambda();
  Expr *parseYield();
  Expr *parseYieldOrStar();
  bool atExpressionStart() const;

  // ParsePrimary.cpp
  Expr *parsePrimary();
  Expr *parseAtom();
  Expr *parseCall(Start start, Expr *func);
  void parseArguments(Exprs &args, std::vector<Keyword *> &keywords,
                      bool allowGenerator);
  void parseKeyword(std::vector<Keyword *> &keywords);
  Expr *parseSubscript(Start start, Expr *value);
  Expr *parseSlice();

  // ParseDisplay.cpp
  Expr *parseGroup();
  Expr *parseList();
  Expr *parseBraces();
  Expr *parseDictRest(Start start, Expr *key);
  bool atComprehension() const {
    return at(Kind::KwFor) || (at(Kind::KwAsync) && peek().kind == Kind::KwFor);
  }
  std::vector<Comprehension *> parseGenerators();
  void expectClose(Kind close);

  // ParseTarget.cpp
  Expr *parseStarTarget();
  Expr *parseTargets();
  /// Turns an expression into a target; fails where it can't be one.
  void toTarget(Expr *expr, ExprContext context, const char *hint = "");
  Expr *findInvalidTarget(Expr *expr, ExprContext context) const;
  void setContext(Expr *expr, ExprContext context);

  // ParseString.cpp
  Expr *parseStrings();
  Constant *parseStringToken();
  Exprs foldConstants(const Exprs &pieces);
  void parseFString(Exprs &values);
  void parseFStringText(Exprs &values, bool raw, bool inSpec);
  void parseField(Exprs &values, bool raw, bool isTemplate);
  Expr *parseFormatSpec(bool raw);
  std::string fieldText(size_t firstToken, uint32_t begin, uint32_t end) const;

  // DecodeEscapes.cpp
  bool decode(std::string_view body, bool raw, bool bytes, std::string &out,
              Span span);

  // ParseNumber.cpp
  Constant *parseNumber();

  std::string_view text;
  std::vector<Token> tokens;
  std::string lexError;
  std::vector<OpenBracket> unclosed;
  Module &module;
  size_t pos = 0;
  Start lastEnd = {1, 0};
  bool failed = false;
  Failure failure;
  int depth = 0;
  int height = 0;
};

/// What messages call an expression: `function call`, `literal`, …
const char *describe(const Expr *expr);

} // namespace tesela::syntax

#endif // TESELA_SYNTAX_GRAMMAR_H
