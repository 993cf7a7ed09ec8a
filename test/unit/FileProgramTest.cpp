//===- FileProgramTest.cpp - what files of kernels define -----------------===//

#include "driver/FileProgram.h"
#include "support/Values.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

using namespace tesela;
using namespace tesela::driver;
namespace fs = std::filesystem;

namespace {

std::shared_ptr<FileProgram> parse(const std::string &text,
                                   const std::string &name = "test.py") {
  Diagnostics diags;
  auto program = FileProgram::parse(Source::create(name, text), diags);
  EXPECT_TRUE(program) << diags.render();
  return program;
}

/// The global `name` after `text`, as Python would print it.
std::string global(const std::string &text, const std::string &name = "x") {
  auto program =
      parse(text + "\nimport triton\n@triton.jit\ndef k():\n    pass\n");
  std::optional<Object> value = program->kernel("k")->environment->lookup(name);
  if (!value)
    return "undefined";
  bool unsupported = std::holds_alternative<Object::Unsupported>(value->value);
  return (unsupported ? "unsupported: " : "") + describe(*value);
}

} // namespace

TEST(FileProgram, ConstantsOfSimpleExpressions) {
  struct Row {
    const char *text, *value;
  };
  const Row rows[] = {
      {"x = 1", "1"},
      {"x: int = 0x10", "16"},
      {"x = y = 3", "3"},
      {"x, y = 4, 5", "4"},
      {"x = 1\nx += 2", "3"},
      {"x = -7 // 2", "-4"},
      {"x = -7 % 4", "1"},
      {"x = -7.5 // 2", "-4.0"},
      {"x = 7 / 2", "3.5"},
      {"x = 2 ** 64 - 1", "18446744073709551615"},
      {"x = 2 ** -1", "0.5"},
      {"x = (1 << 70) >> 68", "4"},
      {"x = ~5 & 0xFF | 1 ^ 2", "251"},
      {"x = True & False", "False"},
      {"x = 1 if 2 > 1 else 0", "1"},
      {"x = 1 < 2 <= 2", "True"},
      {"x = not 0 or 5", "True"},
      {"x = 0 or 5", "5"},
      {"x = 'a' + 'b'", "'ab'"},
      {"x = (1, 2.0, 'a', None)", "(1, 2.0, 'a', None)"},
      {"x = (1, 2)[-1]", "2"},
      {"x = float('-inf')", "-inf"},
      {"x = float('1e3')", "1000.0"},
      {"x = int(2.9) + len((1, 2))", "4"},
      {"x = max(1, 5, 3) - min((4, 2))", "3"},
      {"import math\nx = math.pi", "3.141592653589793"},
      {"import math as m\nx = m.sqrt(2) / 2", "0.7071067811865476"},
      {"from math import log2\nx = log2(8)", "3.0"},
      {"import math\nx = math.ceil(2.1)", "3"},
      {"import triton.language as tl\nx = tl.float32", "float32"},
      {"from triton.language import bfloat16\nx = bfloat16", "bfloat16"},
      {"import tesela.language as tl\nx = tl.constexpr(64)", "64"},
      {"import triton.language as tl\nx: tl.constexpr = tl.constexpr(5)", "5"},
      {"import triton\nx = triton.cdiv(10, 4)", "3"},
      {"import triton\nx = triton.next_power_of_2(65)", "128"},
      {"import triton\nx = triton.next_power_of_2(1)", "1"},
      {"x = 1\nif x == 1:\n    x = 2\nelse:\n    x = 3", "2"},
      {"if __name__ == '__main__':\n    x = 2\nelse:\n    x = 3", "3"},
      {"try:\n    x = 2\nexcept ImportError:\n    x = 3", "2"},
      {"import triton.language as tl\nx = tl", "triton.language"},
      {"import tesela as t\nx = t.language.load", "triton.language.load"},
      {"from triton.language.extra import libdevice as x",
       "triton.language.extra.libdevice"},
  };
  for (const Row &row : rows)
    EXPECT_EQ(global(row.text), row.value) << row.text;
}

TEST(FileProgram, WhatIsNotKnownSaysWhatItIs) {
  struct Row {
    const char *text, *value;
  };
  const Row rows[] = {
      {"x = [1, 2]", "unsupported: a list"},
      {"x = {}", "unsupported: a dictionary"},
      {"x = lambda: 1", "unsupported: a lambda"},
      {"import torch\nx = torch.randn(3)", "unsupported: the result of a call"},
      {"import torch\nx = torch.float32",
       "unsupported: `torch.float32`, which is outside the files of kernels"},
      {"x = open('f')", "unsupported: the result of a call of `open`"},
      {"def x():\n    pass",
       "unsupported: a Python function without `@triton.jit`"},
      {"class x:\n    pass", "unsupported: a class"},
      {"for x in range(3):\n    pass",
       "unsupported: a value that the file's own code computes"},
      {"import torch\nx = 1\nif torch.cuda.is_available():\n    x = 2",
       "unsupported: a value that depends on a condition of the file's own "
       "code"},
      {"x = 1 // 0", "unsupported: a number that cannot be computed"},
      {"x = 9 ** 9 ** 9", "unsupported: a number that cannot be computed"},
      {"from .nowhere import x",
       "unsupported: a name from `.nowhere`, for which there is no file"},
      {"x = 1\ndel x", "undefined"},
  };
  for (const Row &row : rows)
    EXPECT_EQ(global(row.text), row.value) << row.text;
}

TEST(FileProgram, JitFunctionsUnderAnyName) {
  auto program = parse("import triton, tesela as t\n"
                       "from triton import jit as j, autotune\n"
                       "@triton.jit\ndef a(): pass\n"
                       "@t.jit\ndef b(): pass\n"
                       "@j\ndef c(): pass\n"
                       "@triton.jit(noinline=True)\ndef d(): pass\n"
                       "@autotune(configs=[], key=['n'])\n"
                       "@triton.heuristics({})\n@j\ndef e(): pass\n"
                       "def f(): pass\n"
                       "@property\ndef g(): pass\n"
                       "if f:\n    @j\n    def h(): pass\n");
  EXPECT_EQ(program->file().order,
            (std::vector<std::string>{"a", "b", "c", "d", "e", "h"}));
  EXPECT_FALSE(program->kernel("f"));
  EXPECT_TRUE(program->kernel("d")->noinline);
  std::shared_ptr<const Function> e = program->kernel("e");
  EXPECT_EQ(e->firstLine, 11);
  EXPECT_EQ(e->source, "@autotune(configs=[], key=['n'])\n"
                       "@triton.heuristics({})\n@j\ndef e(): pass\n");
  // One object as long as someone holds it.
  EXPECT_EQ(program->kernel("e"), e);
}

TEST(FileProgram, SiblingFiles) {
  char name[] = "/tmp/tesela-files-XXXXXX";
  ASSERT_TRUE(mkdtemp(name));
  fs::path base = name;
  auto write = [&](const char *path, const char *text) {
    fs::create_directories((base / path).parent_path());
    std::ofstream(base / path) << text;
  };
  write("pkg/__init__.py", "");
  write("pkg/ops/__init__.py", "SHARED = 7\n");
  write("pkg/ops/main.py", "from .helper import twice as t, LIMIT, missing\n"
                           "from . import helper, SHARED\n"
                           "from ..common import SCALE\n"
                           "from pkg.common import SCALE as AGAIN\n"
                           "import helper as flat\n"
                           "from .broken import y\n"
                           "from .star import *\n"
                           "import triton\n"
                           "LOCAL = LIMIT * 2\n"
                           "@triton.jit\ndef k(): pass\n");
  write("pkg/ops/helper.py", "import triton\nfrom .main import LOCAL\n"
                             "LIMIT = 100\n"
                             "@triton.jit\ndef twice(x):\n    return x * 2\n");
  write("pkg/common.py", "SCALE = 0.5\n");
  write("pkg/ops/broken.py", "def (:\n");
  write("pkg/ops/star.py", "FROM_STAR = 9\n");

  Diagnostics diags;
  auto program = FileProgram::load(base / "pkg/ops/main.py", diags);
  ASSERT_TRUE(program) << diags.render();
  std::shared_ptr<Environment> environment = program->kernel("k")->environment;
  auto get = [&](const char *name) {
    std::optional<Object> value = environment->lookup(name);
    return value ? describe(*value) : "undefined";
  };
  EXPECT_EQ(get("LIMIT"), "100");
  EXPECT_EQ(get("LOCAL"), "200");
  EXPECT_EQ(get("SHARED"), "7");
  EXPECT_EQ(get("SCALE"), "0.5");
  EXPECT_EQ(get("AGAIN"), "0.5");
  EXPECT_EQ(get("FROM_STAR"), "9");
  EXPECT_EQ(get("nothing"), "undefined");
  EXPECT_NE(get("missing").find("does not define"), std::string::npos);
  EXPECT_NE(get("y").find("line 1 makes invalid"), std::string::npos)
      << get("y");
  std::optional<Object> twice = environment->lookup("t");
  ASSERT_TRUE(twice);
  auto function = std::get_if<Object::FunctionRef>(&twice->value);
  ASSERT_TRUE(function);
  EXPECT_EQ((*function)->name, "twice");
  // The helper sees its own file, and this one through its import.
  EXPECT_EQ(describe(*(*function)->environment->lookup("LIMIT")), "100");
  EXPECT_EQ(describe(*(*function)->environment->lookup("LOCAL")), "200");
  for (const char *module : {"helper", "flat"}) {
    std::optional<Object> value = environment->lookup(module);
    ASSERT_TRUE(value);
    auto *owner = std::get_if<ModuleName>(&value->value);
    ASSERT_TRUE(owner);
    std::optional<Object> limit = environment->attribute(*owner, "LIMIT");
    ASSERT_TRUE(limit);
    EXPECT_EQ(describe(*limit), "100");
  }
  fs::remove_all(base);
}

TEST(FileProgram, ReportsSyntaxErrorsAndMissingFiles) {
  Diagnostics diags;
  EXPECT_FALSE(FileProgram::parse(Source::create("bad.py", "x = (\n"), diags));
  EXPECT_TRUE(diags.hasErrors());
  Diagnostics missing;
  EXPECT_FALSE(FileProgram::load("/nowhere/at/all.py", missing));
  EXPECT_EQ(missing.all()[0].message,
            "cannot read `/nowhere/at/all.py`: No such file or directory");
}
