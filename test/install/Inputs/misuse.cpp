// Prints what is said of calls that make no sense; see misuse.test.

#include <tesela/tesela.h>

#include <iostream>

using namespace tesela;

struct NoNames : Environment {
  std::optional<Object> lookup(const std::string &) override { return {}; }
  std::optional<Object> attribute(const ModuleName &,
                                  const std::string &) override {
    return {};
  }
};

template <typename T>
static void show(const Result<T> &result) {
  std::cout << (result ? "fine\n" : result.error().text());
}

int main(int count, char **words) {
  if (count > 1 && words[1] == std::string_view("value"))
    return int(Module::load("absent.py")->kernels().size());
  if (count > 1)
    return int(Device::named("cpu").error().messages.size());
  show(Kernel::create(nullptr));
  auto function = std::make_shared<Function>();
  function->name = "f";
  function->source = "def f(x):\n    x\n";
  show(Kernel::create(function));
  function->environment = std::make_shared<NoNames>();
  Result<Kernel> kernel = Kernel::create(function);
  show(kernel);

  Device cpu = Device::cpu(1);
  float data[1] = {};
  show(kernel->launch(cpu, {1}, {data}));
  show(kernel->launch(cpu, {1}, {static_cast<float *>(nullptr)}));
  show(kernel->launch(cpu, {1}, {Argument(data, DType(200))}));
  Argument untyped(data);
  untyped.dtype.reset();
  show(kernel->launch(cpu, {1}, {untyped}));
}
