//===- Binding.cpp - which argument a parameter gets ----------------------===//

#include "runtime/Binding.h"

#include <algorithm>

namespace tesela::runtime {

static std::string plural(size_t count, const char *noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

/// "`x`, `y` and `n`".
static std::string joinNames(const std::vector<std::string> &names) {
  std::string result;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0)
      result += i + 1 == names.size() ? " and " : ", ";
    result += "`" + names[i] + "`";
  }
  return result;
}

static std::optional<LaunchProblem> tooMany(const KernelRules &rules,
                                            size_t given) {
  return LaunchProblem{DiagId::ArgumentCount, -1,
                       plural(given, "positional argument") + " given to `" +
                           rules.name + "`, which has " +
                           plural(rules.parameters.size(), "parameter")};
}

static std::optional<LaunchProblem> unknownName(const KernelRules &rules,
                                                std::string_view name) {
  std::vector<std::string> names;
  for (const ParameterRules &rule : rules.parameters)
    names.push_back(rule.name);
  return LaunchProblem{
      DiagId::ArgumentName, -1,
      "`" + rules.name + "` has no parameter `" + std::string(name) + "`" +
          (names.empty() ? "; it has none" : "; it has " + joinNames(names))};
}

std::optional<LaunchProblem> bindArguments(const KernelRules &rules,
                                           std::span<const Argument> positional,
                                           std::span<const NamedArgument> named,
                                           std::span<Argument> bound) {
  const auto &parameters = rules.parameters;
  if (positional.size() > parameters.size())
    return tooMany(rules, positional.size());
  auto rest = std::copy(positional.begin(), positional.end(), bound.begin());
  std::fill(rest, bound.end(), Argument());

  for (const NamedArgument &argument : named) {
    size_t i = 0;
    while (i < parameters.size() && parameters[i].name != argument.name)
      ++i;
    if (i == parameters.size())
      return unknownName(rules, argument.name);
    if (bound[i].kind != Argument::Kind::Default)
      return LaunchProblem{DiagId::ArgumentName, int(i),
                           "`" + rules.name + "` got two values for `" +
                               parameters[i].name + "`"};
    bound[i] = argument.value;
  }

  std::vector<std::string> missing;
  int firstMissing = -1;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (bound[i].kind != Argument::Kind::Default)
      continue;
    if (parameters[i].defaultValue) {
      bound[i] = parameters[i].defaultArgument;
      continue;
    }
    if (firstMissing < 0)
      firstMissing = int(i);
    missing.push_back(parameters[i].name);
  }
  if (missing.empty())
    return std::nullopt;
  return LaunchProblem{DiagId::ArgumentMissing, firstMissing,
                       "`" + rules.name + "` needs " +
                           (missing.size() == 1 ? "an argument" : "arguments") +
                           " for " + joinNames(missing)};
}

std::optional<LaunchProblem> checkGrid(const KernelRules &rules,
                                       const Grid &grid) {
  const int64_t extents[] = {grid.x, grid.y, grid.z};
  const int64_t limits[] = {INT32_MAX, 65535, 65535};
  for (int axis = 0; axis < 3; ++axis) {
    int64_t extent = extents[axis];
    if (extent >= 1 && extent <= limits[axis])
      continue;
    std::string seen = "the grid of `" + rules.name + "` is " +
                       std::to_string(extent) + " along axis " +
                       std::to_string(axis);
    return LaunchProblem{DiagId::LaunchGrid, -1,
                         extent < 1 ? seen + "; it must be at least 1"
                                    : seen + "; it may be at most " +
                                          std::to_string(limits[axis])};
  }
  return std::nullopt;
}

} // namespace tesela::runtime
