//===- DiskCacheTest.cpp - what the disk may do to machine code -----------===//

#include "driver/DiskCache.h"
#include "driver/Archive.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tesela;
using namespace tesela::driver;
namespace fs = std::filesystem;

namespace {

class DiskCacheTest : public testing::Test {
protected:
  void SetUp() override {
    char name[] = "/tmp/tesela-cache-XXXXXX";
    ASSERT_TRUE(mkdtemp(name));
    base = name;
    folder = base / "cache";
  }
  void TearDown() override { fs::remove_all(base); }

  fs::path file(const std::string &name) { return folder / (name + ".tesela"); }
  std::string contents(const std::string &name) {
    std::ifstream stream(file(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  void overwrite(const std::string &name, const std::string &text) {
    std::ofstream(file(name), std::ios::binary) << text;
  }

  fs::path base, folder;
};

} // namespace

TEST_F(DiskCacheTest, KeepsEntriesBetweenObjects) {
  DiskCache(folder, 1 << 20).write("a", "code");
  DiskCache cache(folder, 1 << 20);
  EXPECT_EQ(cache.read("a"), "code");
  EXPECT_FALSE(cache.read("b"));
  EXPECT_EQ(cache.takeWarning(), "");
}

TEST_F(DiskCacheTest, IsPrivate) {
  DiskCache(folder, 1 << 20).write("a", "code");
  EXPECT_EQ(fs::status(folder).permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(file("a")).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(DiskCacheTest, IgnoresEveryTruncation) {
  DiskCache cache(folder, 1 << 20);
  cache.write("a", "machine code");
  std::string whole = contents("a");
  for (size_t size = 0; size < whole.size(); ++size) {
    overwrite("a", whole.substr(0, size));
    EXPECT_FALSE(cache.read("a")) << size;
  }
  overwrite("a", whole + "x");
  EXPECT_FALSE(cache.read("a"));
  overwrite("a", whole);
  EXPECT_TRUE(cache.read("a"));
}

TEST_F(DiskCacheTest, IgnoresEveryFlippedByte) {
  DiskCache cache(folder, 1 << 20);
  cache.write("a", "machine code");
  std::string whole = contents("a");
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] ^= 0x20;
    overwrite("a", damaged);
    EXPECT_FALSE(cache.read("a")) << i;
  }
  cache.write("a", "machine code");
  EXPECT_EQ(cache.read("a"), "machine code");
}

TEST_F(DiskCacheTest, IgnoresForeignEntries) {
  DiskCache cache(folder, 1 << 20);
  cache.write("a", "machine code");
  fs::copy_file(file("a"), file("b"));
  EXPECT_FALSE(cache.read("b")); // a's entry under b's name
  overwrite("c", "");
  EXPECT_FALSE(cache.read("c"));
  fs::create_directory(file("d"));
  EXPECT_FALSE(cache.read("d"));
  fs::create_symlink(file("a"), file("e"));
  EXPECT_FALSE(cache.read("e"));
}

TEST_F(DiskCacheTest, DoesNotWaitForAPipe) {
  DiskCache cache(folder, 1 << 20);
  cache.write("a", "code");
  fs::remove(file("a"));
  ASSERT_EQ(mkfifo(file("a").c_str(), 0600), 0);
  EXPECT_FALSE(cache.read("a"));
  cache.write("a", "code");
  EXPECT_EQ(cache.read("a"), "code");
}

TEST_F(DiskCacheTest, WarnsOnceWhereTheFolderCannotBeMade) {
  std::ofstream(base / "file") << "";
  DiskCache cache(base / "file" / "cache", 1 << 20);
  EXPECT_TRUE(cache.isEnabled());
  cache.write("a", "code");
  EXPECT_FALSE(cache.isEnabled());
  EXPECT_FALSE(cache.read("a"));
  std::string warning = cache.takeWarning();
  EXPECT_NE(warning.find("is not kept in"), std::string::npos) << warning;
  EXPECT_NE(warning.find("Not a directory"), std::string::npos) << warning;
  cache.write("a", "code");
  EXPECT_EQ(cache.takeWarning(), "");
}

TEST_F(DiskCacheTest, RefusesAFolderThatOthersMayWriteTo) {
  fs::create_directory(folder);
  chmod(folder.c_str(), 0777);
  DiskCache cache(folder, 1 << 20);
  cache.write("a", "code");
  EXPECT_NE(cache.takeWarning().find("other users may write to it"),
            std::string::npos);
  EXPECT_TRUE(fs::is_empty(folder));
}

TEST_F(DiskCacheTest, StaysBelowItsLimit) {
  DiskCache cache(folder, 10000);
  std::string kilobyte(1000, 'x');
  for (int i = 0; i < 9; ++i) {
    cache.write("entry" + std::to_string(i), kilobyte);
    // Older by the hour, the first the oldest.
    struct timespec times[2] = {{1000000 + i * 3600, 0},
                                {1000000 + i * 3600, 0}};
    utimensat(AT_FDCWD, file("entry" + std::to_string(i)).c_str(), times, 0);
  }
  EXPECT_TRUE(cache.read("entry0")); // used now
  cache.write("large", std::string(3000, 'x'));
  cache.shrink();
  uintmax_t total = 0;
  for (const auto &entry : fs::directory_iterator(folder))
    total += entry.file_size();
  EXPECT_LE(total, 7500u);
  EXPECT_TRUE(cache.read("entry0"));
  EXPECT_FALSE(cache.read("entry1"));
  EXPECT_TRUE(cache.read("large"));
}

TEST_F(DiskCacheTest, ClearsWhatKilledWritersLeft) {
  DiskCache cache(folder, 1 << 20);
  cache.write("a", "code");
  fs::path old = folder / "b.1.0.new", fresh = folder / "c.1.0.new";
  std::ofstream(old) << "half";
  std::ofstream(fresh) << "half";
  struct timespec times[2] = {{1000000, 0}, {1000000, 0}};
  utimensat(AT_FDCWD, old.c_str(), times, 0);
  cache.shrink();
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(fresh));
}

TEST_F(DiskCacheTest, ManyProcessesWriteAndRead) {
  std::string text(100000, 'x');
  std::vector<pid_t> children;
  for (int i = 0; i < 16; ++i) {
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      DiskCache cache(folder, 1 << 30);
      bool good = true;
      for (int round = 0; round < 20; ++round) {
        cache.write("shared", text);
        std::optional<std::string> seen = cache.read("shared");
        good = good && seen == text;
      }
      _exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  // Nothing but the entry is left.
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1);
}

TEST(Archive, BinariesAndBack) {
  Binary binary;
  binary.name = "add";
  binary.code = std::string("\0\1\2", 3);
  binary.scratchBytes = 4096;
  binary.precondition = "add.precondition";
  binary.arguments.append(true, DType::Float32);
  binary.arguments.append(false, DType::Int64);
  binary.written = {true, false};
  binary.steps = {false, true};
  using Op = HostInstruction::Op;
  binary.gpu.threads = 384;
  binary.gpu.sharedBytes = 100000;
  binary.gpu.crowdedBytes = 120000;
  binary.gpu.cluster = 2;
  binary.gpu.host.instructions = {{Op::Argument, 1, 0, 0, 0},
                                  {Op::Constant, 0, 0, 0, -5},
                                  {Op::LessSigned, 1, 0, 0, 0}};
  binary.gpu.precondition = 2;
  binary.gpu.tensorMaps = {{DType::BFloat16, 64, 0, {{0, 0, 32}, {0, 1, 8}}}};
  std::string bytes = encodeBinary(binary);
  std::optional<Binary> read = decodeBinary(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->name, binary.name);
  EXPECT_EQ(read->code, binary.code);
  EXPECT_EQ(read->scratchBytes, binary.scratchBytes);
  EXPECT_EQ(read->precondition, binary.precondition);
  EXPECT_EQ(read->arguments, binary.arguments);
  EXPECT_EQ(read->written, binary.written);
  EXPECT_EQ(read->steps, binary.steps);
  EXPECT_EQ(read->gpu, binary.gpu);
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decodeBinary(bytes.substr(0, size)));
  EXPECT_FALSE(decodeBinary(bytes + "x"));
}

// Of a file that someone else wrote.
TEST(Archive, RefusesSenselessBinaries) {
  Binary good;
  good.name = "add";
  good.arguments.append(true, DType::Float32);
  good.written = {true};
  ASSERT_TRUE(decodeBinary(encodeBinary(good)));
  auto refuses = [&](auto change) {
    Binary bad = good;
    change(bad);
    return !decodeBinary(encodeBinary(bad));
  };
  EXPECT_TRUE(refuses([](Binary &b) { b.arguments.slots[0].offset = 4; }));
  EXPECT_TRUE(
      refuses([](Binary &b) { b.arguments.slots[0].dtype = DType(99); }));
  EXPECT_TRUE(refuses([](Binary &b) { b.gpu.threads = 0; }));
  EXPECT_TRUE(refuses([](Binary &b) { b.gpu.precondition = 0; }));
  EXPECT_TRUE(refuses([](Binary &b) {
    b.gpu.host.instructions = {{HostInstruction::Op::Argument, 7, 0, 0, 0}};
  }));
}
