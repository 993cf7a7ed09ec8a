// Adds two vectors with a kernel from a Python file: `add add.py` on the CPU,
// `add add.py cuda` on a GPU. No Python runs.

#include <tesela/tesela.h>

#include <cstdlib>
#include <iostream>

/// The value of a result, or the end of the program.
template <typename T>
T must(tesela::Result<T> result) {
  if (result)
    return *std::move(result);
  std::cerr << result.error().text();
  std::exit(1);
}

int main(int argc, char **argv) {
  auto module = must(tesela::Module::load(argc > 1 ? argv[1] : "add.py"));
  auto add = must(module.kernel("add"));
  auto device = must(tesela::Device::named(argc > 2 ? argv[2] : "cpu"));

  std::vector<float> x(1000, 1.5f), y(1000, 2.0f), out(1000);
  size_t bytes = out.size() * sizeof(float);
  // A device that reaches the host's memory could take `std::span(x)` at once.
  auto xThere = must(device.allocate(bytes));
  auto yThere = must(device.allocate(bytes));
  auto outThere = must(device.allocate(bytes));
  must(xThere.write(x.data(), bytes));
  must(yThere.write(y.data(), bytes));

  auto pointer = [](const tesela::Buffer &buffer) {
    return tesela::Argument(buffer.data(), tesela::DType::Float32,
                            buffer.bytes());
  };
  must(add.launch(device, {4},
                  {pointer(xThere), pointer(yThere), pointer(outThere), 1000},
                  {{"BLOCK", 256}}));
  must(outThere.read(out.data(), bytes)); // waits for the kernel
  std::cout << "out[999] = " << out[999] << "\n";
}
