// SPDX-License-Identifier: MIT
#include "tools.hpp"

#include <sessionkit/json.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace chat {

namespace sk = sessionkit;
namespace fs = std::filesystem;

sk::Message ReadFile::run(sk::ToolUse const& call) const {
  auto const failed = [&](std::string const& why) { return sk::tool_result(call, why, true); };
  auto const input = sk::to_nlohmann(call.input);
  if (call.name != "read_file") return failed("there is no tool '" + call.name + "'");
  if (!input.is_object() || !input.contains("path") || !input["path"].is_string())
    return failed("'path' is missing");

  std::error_code error;
  auto const path = fs::weakly_canonical(folder_ / input["path"].get<std::string>(), error);
  bool const inside =
      std::mismatch(folder_.begin(), folder_.end(), path.begin(), path.end()).first == folder_.end();
  if (error || !inside) return failed("only files inside the folder can be read");
  std::ifstream file(path, std::ios::binary);
  if (!file || !fs::is_regular_file(path, error))
    return failed("there is no file '" + path.filename().string() + "'");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return sk::tool_result(call, std::move(text));
}

}
