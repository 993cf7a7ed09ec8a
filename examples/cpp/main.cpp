// Adds two vectors with a kernel from a Python file. No Python runs.

#include <tesela/tesela.h>

#include <iostream>

int main(int argc, char **argv) {
  auto module = tesela::Module::load(argc > 1 ? argv[1] : "add.py");
  if (!module)
    return std::cerr << module.error().text(), 1;
  auto add = module->kernel("add");
  if (!add)
    return std::cerr << add.error().text(), 1;

  std::vector<float> x(1000, 1.5f), y(1000, 2.0f), out(1000);
  auto done = add->launch(tesela::Device::cpu(), {4},
                          {std::span(x), std::span(y), std::span(out), 1000},
                          {{"BLOCK", 256}});
  if (!done)
    return std::cerr << done.error().text(), 1;
  std::cout << "out[999] = " << out[999] << "\n";
}
