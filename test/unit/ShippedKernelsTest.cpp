//===- ShippedKernelsTest.cpp - `kernels/` on every instruction set -------===//
//
// Each kernel that ships, on small inputs, beside the reference evaluator: on
// this processor, without some of its instructions, and as AArch64 code under
// an emulator.
//
//===----------------------------------------------------------------------===//

#include "EmittedKernel.h"
#include "EmulatedKernel.h"
#include "Emulator.h"
#include "InstructionSets.h"
#include "TileKernel.h"
#include "generate/CpuImplementation.h"

#include "driver/FileProgram.h"

#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <random>
#include <set>

using namespace tesela;
using namespace tesela::test;

namespace {

/// Arguments are `NAME=*TYPE[COUNT]`, memory full of random numbers (of
/// integers, 0 to 6); `NAME=TYPE(VALUE)`, a scalar; or a constant.
struct Shipped {
  const char *file, *kernel, *arguments;
  std::array<int32_t, 3> grid;
};

const Shipped shipped[] = {
    {"vector_add",
     "add_kernel",
     "x_ptr=*fp32[1000] y_ptr=*fp32[1000] out_ptr=*fp32[1000] n=i32(1000) "
     "BLOCK=256",
     {4, 1, 1}},
    {"activations",
     "relu_kernel",
     "x_ptr=*bf16[1000] out_ptr=*bf16[1000] n=i32(1000) BLOCK=256",
     {4, 1, 1}},
    {"activations",
     "silu_kernel",
     "x_ptr=*fp16[1000] out_ptr=*fp16[1000] n=i32(1000) BLOCK=256",
     {4, 1, 1}},
    {"activations",
     "gelu_kernel",
     "x_ptr=*fp32[1000] out_ptr=*fp32[1000] n=i32(1000) BLOCK=256",
     {4, 1, 1}},
    {"activations",
     "gelu_tanh_kernel",
     "x_ptr=*fp32[1000] out_ptr=*fp32[1000] n=i32(1000) BLOCK=256",
     {4, 1, 1}},
    {"bias_add",
     "bias_add_kernel",
     "x_ptr=*fp32[2100] bias_ptr=*fp32[70] out_ptr=*fp32[2100] "
     "num_rows=i32(30) num_cols=i32(70) stride_xm=i32(70) stride_om=i32(70) "
     "BLOCK_M=16 BLOCK_N=32",
     {2, 3, 1}},
    {"softmax",
     "softmax_kernel",
     "x_ptr=*fp32[1000] out_ptr=*fp32[1000] stride_xm=i32(200) "
     "stride_om=i32(200) num_cols=i32(200) BLOCK=256",
     {5, 1, 1}},
    {"cumsum",
     "cumsum_kernel",
     "x_ptr=*fp32[1000] out_ptr=*fp32[1000] stride_xm=i32(200) "
     "stride_om=i32(200) num_cols=i32(200) BLOCK=64",
     {5, 1, 1}},
    {"embedding",
     "embedding_kernel",
     "ids_ptr=*i64[12] table_ptr=*fp32[700] out_ptr=*fp32[1200] "
     "num_cols=i32(100) BLOCK=64",
     {12, 2, 1}},
    {"embedding",
     "scatter_add_kernel",
     "ids_ptr=*i64[12] rows_ptr=*fp32[1200] table_ptr=*fp32[700] "
     "num_cols=i32(100) UNIQUE=False BLOCK=64",
     {12, 2, 1}},
    // One row, so that no two add to one place.
    {"embedding",
     "scatter_add_kernel",
     "ids_ptr=*i64[1] rows_ptr=*fp32[100] table_ptr=*fp32[700] "
     "num_cols=i32(100) UNIQUE=True BLOCK=64",
     {1, 2, 1}},
    {"cross_entropy",
     "cross_entropy_kernel",
     "logits_ptr=*fp32[1000] targets_ptr=*i64[5] loss_ptr=*fp32[5] "
     "stride=i32(200) num_classes=i32(200) BLOCK=64",
     {5, 1, 1}},
    {"layer_norm",
     "layer_norm_forward_kernel",
     "x_ptr=*fp32[1000] weight_ptr=*fp32[200] bias_ptr=*fp32[200] "
     "out_ptr=*fp32[1000] mean_ptr=*fp32[5] rstd_ptr=*fp32[5] "
     "stride_xm=i32(200) stride_om=i32(200) num_cols=i32(200) eps=fp32(1e-5) "
     "BLOCK=256",
     {5, 1, 1}},
    {"layer_norm",
     "layer_norm_backward_kernel",
     "x_ptr=*fp32[1000] weight_ptr=*fp32[200] grad_ptr=*fp32[1000] "
     "mean_ptr=*fp32[5] rstd_ptr=*fp32[5] grad_x_ptr=*fp32[1000] "
     "part_weight_ptr=*fp32[400] part_bias_ptr=*fp32[400] stride_xm=i32(200) "
     "stride_gm=i32(200) stride_om=i32(200) num_rows=i32(5) num_cols=i32(200) "
     "rows_each=i32(3) BLOCK=256",
     {2, 1, 1}},
    {"layer_norm",
     "sum_rows_kernel",
     "part_ptr=*fp32[3500] out_ptr=*fp32[70] num_rows=i32(50) num_cols=i32(70) "
     "BLOCK_M=16 BLOCK_N=64",
     {2, 1, 1}},
    {"rms_norm",
     "rms_norm_forward_kernel",
     "x_ptr=*fp32[1000] weight_ptr=*fp32[200] out_ptr=*fp32[1000] "
     "rstd_ptr=*fp32[5] stride_xm=i32(200) stride_om=i32(200) "
     "num_cols=i32(200) eps=fp32(1e-5) BLOCK=256",
     {5, 1, 1}},
    {"rms_norm",
     "rms_norm_backward_kernel",
     "x_ptr=*fp32[1000] weight_ptr=*fp32[200] grad_ptr=*fp32[1000] "
     "rstd_ptr=*fp32[5] grad_x_ptr=*fp32[1000] part_weight_ptr=*fp32[400] "
     "stride_xm=i32(200) stride_gm=i32(200) stride_om=i32(200) "
     "num_rows=i32(5) num_cols=i32(200) rows_each=i32(3) BLOCK=256",
     {2, 1, 1}},
    {"rms_norm",
     "sum_rows_kernel",
     "part_ptr=*fp32[3500] out_ptr=*fp32[70] num_rows=i32(50) num_cols=i32(70) "
     "BLOCK_M=16 BLOCK_N=64",
     {2, 1, 1}},
    {"matmul",
     "matmul_kernel",
     "a_ptr=*fp32[3000] b_ptr=*fp32[4500] c_ptr=*fp32[5400] M=i32(60) "
     "N=i32(90) K=i32(50) stride_am=i32(50) stride_ak=1 stride_bk=i32(90) "
     "stride_bn=1 stride_cm=i32(90) stride_cn=1 BLOCK_M=32 BLOCK_N=32 "
     "BLOCK_K=16 GROUP=2",
     {6, 1, 1}},
    {"matmul",
     "matmul_kernel",
     "a_ptr=*bf16[3000] b_ptr=*bf16[4500] c_ptr=*bf16[5400] M=i32(60) "
     "N=i32(90) K=i32(50) stride_am=i32(50) stride_ak=1 stride_bk=i32(90) "
     "stride_bn=1 stride_cm=i32(90) stride_cn=1 BLOCK_M=32 BLOCK_N=32 "
     "BLOCK_K=16 GROUP=2 ACTIVATION=\"silu\"",
     {6, 1, 1}},
    {"attention",
     "attention_kernel",
     "q_ptr=*fp32[5600] k_ptr=*fp32[5600] v_ptr=*fp32[5600] "
     "out_ptr=*fp32[5600] "
     "stride_qb=i32(5600) stride_qh=i32(2800) stride_qm=i32(40) "
     "stride_kb=i32(5600) stride_kh=i32(2800) stride_kn=i32(40) "
     "stride_vb=i32(5600) stride_vh=i32(2800) stride_vn=i32(40) "
     "stride_ob=i32(5600) stride_oh=i32(2800) stride_om=i32(40) "
     "num_heads=i32(2) num_queries=i32(70) num_keys=i32(70) scale=fp32(0.2) "
     "HEAD=40 BLOCK_D=64 BLOCK_M=32 BLOCK_N=32 CAUSAL=True",
     {3, 2, 1}},
    {"seeds/vector_add",
     "add_kernel",
     "x_ptr=*fp32[1000] y_ptr=*fp32[1000] out_ptr=*fp32[1000] n=i32(1000) "
     "BLOCK=256",
     {4, 1, 1}},
    {"seeds/gelu",
     "gelu_kernel",
     "x_ptr=*fp32[1000] y_ptr=*fp32[1000] num_elements=i32(1000) "
     "BLOCK_SIZE=256",
     {4, 1, 1}},
    {"seeds/gemm",
     "matmul_kernel",
     "a_ptr=*fp16[4096] b_ptr=*fp16[4096] c_ptr=*fp16[4096] M=i32(64) "
     "N=i32(64) K=i32(64) stride_am=i32(64) stride_ak=1 stride_bk=i32(64) "
     "stride_bn=1 stride_cm=i32(64) stride_cn=1 BLOCK_M=32 BLOCK_N=32 "
     "BLOCK_K=32",
     {2, 2, 1}},
    {"seeds/tutorial_gemm",
     "matmul_kernel",
     "a_ptr=*fp16[3000] b_ptr=*fp16[4500] c_ptr=*fp16[5400] M=i32(60) "
     "N=i32(90) K=i32(50) stride_am=i32(50) stride_ak=1 stride_bk=i32(90) "
     "stride_bn=1 stride_cm=i32(90) stride_cn=1 BLOCK_SIZE_M=32 "
     "BLOCK_SIZE_N=32 BLOCK_SIZE_K=16 GROUP_SIZE_M=2",
     {6, 1, 1}},
    {"seeds/attention",
     "flashattn_kernel",
     "q_ptr=*fp16[4096] k_ptr=*fp16[4096] v_ptr=*fp16[4096] o_ptr=*fp16[4096] "
     "N=i32(128) d=i32(32) BLOCK=32 d_BLOCK=32",
     {4, 1, 1}},
};

std::string path(const std::string &file) { return "kernels/" + file + ".py"; }

/// One array of an argument, of a type as IR writes it.
struct Memory {
  std::string type;
  size_t width;
  std::vector<char> bytes;

  Memory(DType dtype, size_t count, unsigned seed)
      : width(byteWidth(dtype)), bytes(count * width) {
    bool isFloating = dtype >= DType::Float16;
    type = dtype == DType::BFloat16
               ? "bf16"
               : (isFloating ? "f" : "i") + std::to_string(8 * width);
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    std::vector<double> numbers;
    for (size_t i = 0; i < count; ++i)
      numbers.push_back(isFloating ? normal(random) : double(random() % 7));
    Bits bits = toBits(type, numbers);
    for (size_t i = 0; i < count; ++i)
      std::memcpy(bytes.data() + i * width, &bits[i], width);
  }

  std::vector<double> numbers() const {
    Bits bits(bytes.size() / width);
    for (size_t i = 0; i < bits.size(); ++i)
      std::memcpy(&bits[i], bytes.data() + i * width, width);
    return toNumbers(type, bits);
  }
};

/// A launch of a row on memory of its own.
struct Trial {
  EmittedKernel kernel;
  std::vector<Memory> memory;

  /// Emits the kernel, runs it; false, with the reason in `error`, where that
  /// fails.
  bool run(const Shipped &row, const Implementation &implementation,
           std::string &error) {
    auto text = llvm::MemoryBuffer::getFile(path(row.file));
    if (!text) {
      error =
          "the tests run in the root of the repository: no " + path(row.file);
      return false;
    }
    std::vector<std::string> words;
    Bits values;
    for (llvm::StringRef word : llvm::split(row.arguments, ' '))
      words.push_back(take(word, values));
    kernel = emitText((*text)->getBuffer().str(), words, row.kernel);
    if (!kernel.emitted) {
      error =
          kernel.error().empty() ? "there is no such kernel" : kernel.error();
      return false;
    }
    std::string arguments =
        packArguments(findKernel(*kernel.emitted->module), values);
    Launch launch{row.grid, arguments.data(), {}};
    for (Memory &array : memory)
      launch.memory.push_back({array.bytes.data(), array.bytes.size()});
    return implementation(*kernel.emitted->module, launch, error);
  }

private:
  /// The argument as `emitText` has it; its value where it has one at run time.
  std::string take(llvm::StringRef word, Bits &values) {
    auto [name, given] = word.split('=');
    llvm::StringRef number =
        given.drop_while([](char c) { return c != '[' && c != '('; });
    if (number.empty())
      return word.str();
    llvm::StringRef type = given.drop_back(number.size());
    double value = std::stod(number.drop_front().str());
    DType dtype = *parseDType(std::string_view(type.ltrim('*')));
    if (type.starts_with("*")) {
      memory.emplace_back(dtype, size_t(value), unsigned(memory.size()));
      values.push_back(address(memory.back().bytes.data()));
    } else if (dtype == DType::Float32) {
      float single = float(value);
      std::memcpy(&values.emplace_back(), &single, sizeof(single));
    } else {
      values.push_back(uint64_t(value));
    }
    return (name + "=" + type).str();
  }
};

double toleranceOf(const std::string &type) {
  return type == "bf16" ? 3e-2 : type == "f16" ? 5e-3 : 5e-5;
}

void expectSame(const Shipped &row, const Implementation &implementation) {
  Trial expected, actual;
  std::string error;
  ASSERT_TRUE(expected.run(row, evaluator(), error)) << error;
  ASSERT_TRUE(actual.run(row, implementation, error)) << error;
  for (size_t k = 0; k < expected.memory.size(); ++k) {
    std::vector<double> want = expected.memory[k].numbers(),
                        have = actual.memory[k].numbers();
    double tolerance = toleranceOf(expected.memory[k].type);
    for (size_t i = 0; i < want.size(); ++i)
      ASSERT_LE(std::abs(have[i] - want[i]),
                tolerance * (1 + std::abs(want[i])))
          << "element " << i << " of memory " << k << " is " << have[i]
          << " instead of " << want[i];
  }
}

class ShippedKernels : public testing::TestWithParam<size_t> {};

TEST_P(ShippedKernels, AgreeWithTheEvaluator) {
  expectSame(shipped[GetParam()], compiledForCpu());
}

TEST_P(ShippedKernels, AgreeWithoutInstructions) {
  for (const char *feature : instructionSets) {
    SCOPED_TRACE(feature);
    if (std::optional<TargetFacts> facts = hostWithout(feature))
      expectSame(shipped[GetParam()], compiledForCpu(false, *facts));
  }
}

TEST_P(ShippedKernels, AgreeOnAArch64) {
  if (!canEmulate())
    GTEST_SKIP() << "needs clang, lld and qemu-aarch64";
  expectSame(shipped[GetParam()], emulatedOnAArch64());
}

INSTANTIATE_TEST_SUITE_P(All, ShippedKernels,
                         testing::Range(size_t(0), std::size(shipped)),
                         [](const auto &info) {
                           const Shipped &row = shipped[info.param];
                           std::string file = row.file;
                           std::replace(file.begin(), file.end(), '/', '_');
                           return file + "_" + row.kernel + "_" +
                                  std::to_string(info.param);
                         });

TEST(ShippedKernels, AreAllHere) {
  std::set<std::string> tried;
  for (const Shipped &row : shipped)
    tried.insert(path(row.file) + ":" + row.kernel);
  Diagnostics diags;
  for (const auto &entry :
       std::filesystem::recursive_directory_iterator("kernels")) {
    std::string file = entry.path().string();
    // The seeds in Chinese differ in their comments.
    if (entry.path().extension() != ".py" || file.ends_with("_zh.py"))
      continue;
    auto program = driver::FileProgram::load(file, diags);
    ASSERT_TRUE(program) << diags.render();
    for (const std::string &name : program->file().order)
      if (name.ends_with("_kernel") && program->kernel(name)) {
        EXPECT_TRUE(tried.count(file + ":" + name)) << file << ":" << name;
      }
  }
}

} // namespace
