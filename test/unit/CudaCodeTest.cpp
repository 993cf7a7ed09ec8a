//===- CudaCodeTest.cpp - launches through a driver that takes notes ------===//

#include "runtime/CudaCode.h"

#include <gtest/gtest.h>

#include <cstring>
#include <dlfcn.h>
#include <filesystem>

using namespace tesela;
using namespace tesela::runtime;
using Op = HostInstruction::Op;

namespace {

/// Beside this program's folder.
const std::string &fakeCuda() {
  static const std::string path =
      (std::filesystem::read_symlink("/proc/self/exe")
           .parent_path()
           .parent_path() /
       "lib/libtesela-fake-cuda.so")
          .string();
  return path;
}

class CudaCodeTest : public testing::Test {
protected:
  void SetUp() override {
    library = dlopen(fakeCuda().c_str(), RTLD_NOW);
    ASSERT_TRUE(library) << dlerror();
    reset("");
  }

  void reset(const std::string &settings) {
    auto call = reinterpret_cast<void (*)(const char *)>(
        dlsym(library, "fakeCudaReset"));
    call(settings.c_str());
  }
  std::string log() {
    return reinterpret_cast<const char *(*)()>(dlsym(library, "fakeCudaLog"))();
  }
  bool logged(const std::string &text) {
    return log().find(text) != std::string::npos;
  }

  bool open(const std::string &settings = "") {
    reset(settings);
    code.reset();
    device.reset();
    driver = CudaDriver::open(fakeCuda(), error);
    if (driver)
      device = CudaDevice::open(*driver, 0, error);
    return device != nullptr;
  }
  bool load(const std::string &image = ".entry scale") {
    code = loadCudaCode(*device, "scale", image, arguments, gpu, error);
    return code != nullptr;
  }
  RunOutcome run() {
    LaunchFrame frame;
    frame.arguments = buffer;
    frame.grid[0] = 4;
    frame.grid[1] = 2;
    return code->run({nullptr, reinterpret_cast<void *>(0x77)}, frame, error);
  }
  template <typename T>
  void put(size_t slot, T value) {
    std::memcpy(buffer + arguments.slots[slot].offset, &value, sizeof value);
  }
  /// A map of `rows` x `columns` fp16 elements, whose sizes are arguments.
  void useTensorMap() {
    arguments.append(true, DType::Float16);
    arguments.append(false, DType::Int32);
    arguments.append(false, DType::Int32);
    gpu.host.instructions = {{Op::Argument, 0, 0, 0, 0},
                             {Op::Argument, 1, 0, 0, 0},
                             {Op::Argument, 2, 0, 0, 0},
                             {Op::Constant, 0, 0, 0, 2},
                             {Op::Mul, 2, 3, 0, 0}};
    gpu.tensorMaps = {{DType::Float16, 128, 0, {{2, 0, 64}, {1, 4, 128}}}};
    put<uint64_t>(0, 0x10000);
    put<int32_t>(1, 300);
    put<int32_t>(2, 512);
  }

  void *library = nullptr;
  RunError error;
  std::unique_ptr<const CudaDriver> driver;
  std::unique_ptr<CudaDevice> device;
  ArgumentLayout arguments;
  GpuLaunch gpu;
  alignas(16) char buffer[256] = {};
  std::unique_ptr<Code> code;
};

} // namespace

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

TEST_F(CudaCodeTest, SaysThatTheDriverIsMissing) {
  EXPECT_FALSE(CudaDriver::open("/nowhere/libcuda.so.1", error));
  EXPECT_EQ(error.id, DiagId::DeviceUnusable);
  EXPECT_NE(error.text.find("`/nowhere/libcuda.so.1`"), error.text.npos)
      << error.text;
  // A library that is something else.
  EXPECT_FALSE(CudaDriver::open("libm.so.6", error));
  EXPECT_NE(error.text.find("is not NVIDIA's driver"), error.text.npos);
}

TEST_F(CudaCodeTest, SaysThatTheDriverIsTooOld) {
  EXPECT_FALSE(open("version=11040"));
  EXPECT_NE(error.text.find("too old: it is for CUDA 11.4, and one for CUDA "
                            "12.0"),
            error.text.npos)
      << error.text;
}

TEST_F(CudaCodeTest, SaysThatThereIsNoDevice) {
  EXPECT_FALSE(open("devices=0"));
  EXPECT_NE(error.text.find("finds no GPU"), error.text.npos);
  ASSERT_TRUE(open("devices=2"));
  EXPECT_FALSE(CudaDevice::open(*driver, 2, error));
  EXPECT_NE(error.text.find("no GPU `cuda:2`; NVIDIA's driver finds 2"),
            error.text.npos)
      << error.text;
  EXPECT_FALSE(open("fail=retainContext:2"));
  EXPECT_EQ(error.id, DiagId::OutOfMemory);
}

TEST_F(CudaCodeTest, KnowsTheDevice) {
  ASSERT_TRUE(open("capability=89 shared=101376"));
  EXPECT_EQ(device->capability(), 89);
  EXPECT_EQ(device->sharedBytes(), 101376u);
  EXPECT_EQ(device->name(), "Fake GPU");
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

TEST_F(CudaCodeTest, ShowsWhatTheDriverSaysOfCode) {
  ASSERT_TRUE(open());
  EXPECT_FALSE(load("not PTX"));
  EXPECT_NE(error.text.find("a PTX JIT compilation failed"), error.text.npos);
  EXPECT_NE(error.text.find("\nline 1: not PTX at all"), error.text.npos)
      << error.text;
  EXPECT_FALSE(load(".entry other"));
  EXPECT_NE(error.text.find("lacks `scale`"), error.text.npos);
  ASSERT_TRUE(open("fail=moduleLoad:222"));
  EXPECT_FALSE(load());
  EXPECT_NE(error.text.find("a newer driver is needed"), error.text.npos);
}

TEST_F(CudaCodeTest, AsksForSharedMemory) {
  ASSERT_TRUE(open("static=1024"));
  gpu.sharedBytes = 200000;
  ASSERT_TRUE(load()) << error.text;
  EXPECT_TRUE(logged("attribute scale 8 200000\n"));
  gpu.sharedBytes = 232000;
  EXPECT_FALSE(load());
  EXPECT_EQ(error.id, DiagId::OutOfResources);
  EXPECT_NE(error.text.find("needs 233024 bytes of shared memory, and a block "
                            "has 232448 on Fake GPU; a lower `num_stages`"),
            error.text.npos)
      << error.text;
}

TEST_F(CudaCodeTest, NeedsItsThreads) {
  ASSERT_TRUE(open("threads=256"));
  gpu.threads = 512;
  EXPECT_FALSE(load());
  EXPECT_EQ(error.id, DiagId::OutOfResources);
  EXPECT_NE(error.text.find("a lower `num_warps`"), error.text.npos);
}

TEST_F(CudaCodeTest, RefusesSenselessLaunches) {
  ASSERT_TRUE(open());
  gpu.precondition = 3;
  EXPECT_FALSE(load());
}

TEST_F(CudaCodeTest, UnloadsAfterItHasRun) {
  ASSERT_TRUE(open());
  ASSERT_TRUE(load());
  code.reset();
  EXPECT_TRUE(logged("synchronize\nunload\n")) << log();
}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

TEST_F(CudaCodeTest, PassesArgumentsInOrder) {
  ASSERT_TRUE(open("parameters=8,4,1,8"));
  arguments.append(true, DType::Float32);
  arguments.append(false, DType::Int32);
  arguments.append(false, DType::Int1);
  arguments.append(false, DType::Float64);
  gpu.threads = 160;
  gpu.sharedBytes = 1000;
  ASSERT_TRUE(load()) << error.text;
  put<uint64_t>(0, 0x1122334455667788);
  put<int32_t>(1, -2);
  put<uint8_t>(2, 1);
  put<double>(3, 1.0);
  ASSERT_EQ(run(), RunOutcome::Done) << error.text;
  EXPECT_TRUE(logged("launch scale grid 4 2 1 block 160 1 1 shared 1000 stream "
                     "119 context 4096\n"
                     "parameter 0 8877665544332211\n"
                     "parameter 1 feffffff\n"
                     "parameter 2 01\n"
                     "parameter 3 000000000000f03f\n"))
      << log();
}

TEST_F(CudaCodeTest, EncodesTensorMaps) {
  ASSERT_TRUE(open("parameters=8,4,4,16"));
  useTensorMap();
  ASSERT_TRUE(load()) << error.text;
  ASSERT_EQ(run(), RunOutcome::Done) << error.text;
  EXPECT_TRUE(
      logged("map type 6 address 65536 swizzle 3 interleave 0 promotion "
             "2 fill 0  [512 box 64 step 1] [300 box 128 step 1 stride "
             "1024]\n"))
      << log();
  // The map comes after the arguments.
  EXPECT_TRUE(logged("parameter 3 0000010000000000")) << log();
}

TEST_F(CudaCodeTest, MapsThatCannotBeEncodedAreNotAccepted) {
  ASSERT_TRUE(open());
  useTensorMap();
  ASSERT_TRUE(load()) << error.text;
  auto outcomeWith = [&](uint64_t address, int32_t rows, int32_t columns) {
    put<uint64_t>(0, address);
    put<int32_t>(1, rows);
    put<int32_t>(2, columns);
    return run();
  };
  EXPECT_EQ(outcomeWith(0x10008, 300, 512), RunOutcome::NotAccepted);
  EXPECT_EQ(outcomeWith(0x10000, 0, 512), RunOutcome::NotAccepted);
  EXPECT_EQ(outcomeWith(0x10000, -1, 512), RunOutcome::NotAccepted);
  EXPECT_EQ(outcomeWith(0x10000, 300, 513), RunOutcome::NotAccepted);
  EXPECT_EQ(outcomeWith(0x10000, 300, -512), RunOutcome::NotAccepted);
  EXPECT_FALSE(logged("launch"));
  EXPECT_EQ(outcomeWith(0x10000, 300, 520), RunOutcome::Done);
}

TEST_F(CudaCodeTest, ChecksItsPrecondition) {
  ASSERT_TRUE(open());
  arguments.append(false, DType::Int32);
  gpu.host.instructions = {{Op::Argument, 0, 0, 0, 0},
                           {Op::Grid, 0, 0, 0, 0},
                           {Op::LessSigned, 0, 1, 0, 0}};
  gpu.precondition = 2;
  ASSERT_TRUE(load());
  put<int32_t>(0, 4);
  EXPECT_EQ(run(), RunOutcome::NotAccepted);
  put<int32_t>(0, 3);
  EXPECT_EQ(run(), RunOutcome::Done);
}

TEST_F(CudaCodeTest, LaunchesClusters) {
  ASSERT_TRUE(open());
  gpu.cluster = 2;
  ASSERT_TRUE(load());
  ASSERT_EQ(run(), RunOutcome::Done);
  EXPECT_TRUE(logged("launchEx scale grid 4 2 1 block 128 shared 0 stream 119\n"
                     "attribute 4 2 1 1\n"))
      << log();
  gpu.cluster = 3; // does not divide the grid
  ASSERT_TRUE(load());
  EXPECT_EQ(run(), RunOutcome::NotAccepted);
}

TEST_F(CudaCodeTest, GivesCrowdsOtherMemory) {
  // 8 blocks of the grid, and 132 processors.
  gpu.sharedBytes = 1000;
  gpu.crowdedBytes = 3000;
  ASSERT_TRUE(open("residents=0"));
  ASSERT_TRUE(load());
  EXPECT_TRUE(logged("attribute scale 8 3000\n")) << log();
  ASSERT_EQ(run(), RunOutcome::Done);
  EXPECT_TRUE(logged("block 128 1 1 shared 3000")) << log();
  ASSERT_TRUE(open("residents=1"));
  ASSERT_TRUE(load());
  ASSERT_EQ(run(), RunOutcome::Done);
  EXPECT_TRUE(logged("block 128 1 1 shared 1000")) << log();
  // More than the device has is not asked for.
  ASSERT_TRUE(open("residents=0 shared=2000"));
  ASSERT_TRUE(load());
  EXPECT_TRUE(logged("attribute scale 8 1000\n")) << log();
  ASSERT_EQ(run(), RunOutcome::Done);
  EXPECT_TRUE(logged("block 128 1 1 shared 1000")) << log();
}

TEST_F(CudaCodeTest, NamesTheKernelThatFaulted) {
  ASSERT_TRUE(open("fail=launch:700@2"));
  ASSERT_TRUE(load());
  ASSERT_EQ(run(), RunOutcome::Done);
  EXPECT_EQ(run(), RunOutcome::Failed);
  EXPECT_EQ(error.id, DiagId::DeviceFault);
  EXPECT_NE(error.text.find("accessed memory that is not its own"),
            error.text.npos)
      << error.text;
  EXPECT_NE(error.text.find("the last one launched was `scale`"),
            error.text.npos);
  // From then on nothing works, and everything says why.
  error = {};
  EXPECT_FALSE(device->synchronize(error));
  EXPECT_EQ(error.id, DiagId::DeviceFault);
  error = {};
  EXPECT_FALSE(device->allocate(16, error));
  EXPECT_EQ(error.id, DiagId::DeviceFault);
}

TEST_F(CudaCodeTest, OtherRefusals) {
  ASSERT_TRUE(open("fail=launch:701"));
  ASSERT_TRUE(load());
  EXPECT_EQ(run(), RunOutcome::Failed);
  EXPECT_EQ(error.id, DiagId::OutOfResources);
  ASSERT_TRUE(open("fail=launch:2"));
  ASSERT_TRUE(load());
  EXPECT_EQ(run(), RunOutcome::Failed);
  EXPECT_EQ(error.id, DiagId::OutOfMemory);
  ASSERT_TRUE(open("fail=launch:3"));
  ASSERT_TRUE(load());
  EXPECT_EQ(run(), RunOutcome::Failed);
  EXPECT_NE(error.text.find("forked"), error.text.npos) << error.text;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

TEST_F(CudaCodeTest, CopiesToAndFromTheDevice) {
  ASSERT_TRUE(open("memory=100"));
  void *memory = device->allocate(64, error);
  ASSERT_TRUE(memory);
  int there[4] = {1, 2, 3, 4}, back[4] = {};
  ASSERT_TRUE(device->copyIn(memory, there, sizeof there, error));
  ASSERT_TRUE(device->copyOut(back, memory, sizeof back, error));
  EXPECT_EQ(std::memcmp(there, back, sizeof back), 0);
  device->release(memory);
  EXPECT_TRUE(logged("release"));
  EXPECT_FALSE(device->allocate(101, error));
  EXPECT_EQ(error.id, DiagId::OutOfMemory);
  EXPECT_NE(error.text.find("cannot allocate 101 bytes on Fake GPU: out of "
                            "memory"),
            error.text.npos)
      << error.text;
}
