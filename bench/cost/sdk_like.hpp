// SPDX-License-Identifier: MIT
// Invented for bench/cost/run.py: a typical public header of a C++ client for language models,
// with a JSON library in its interface. No such library was taken or measured.
#pragma once
#include <nlohmann/json.hpp>

#include <chrono>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace sdk_like {

using JsonValue = nlohmann::json;

struct ToolCall {
  std::string id, name;
  JsonValue arguments;
};
struct ToolCallResult {
  std::string id, name;
  JsonValue result;
  std::optional<std::string> error;
};
using Content = std::variant<std::string, ToolCall, ToolCallResult>;
struct Message {
  std::string role;
  std::vector<Content> content;
};
struct Tool {
  std::string description;
  JsonValue schema;
  std::function<JsonValue(JsonValue const&)> execute;
};
struct Options {
  std::string model, system;
  std::vector<Message> messages;
  std::map<std::string, Tool> tools;
  std::optional<double> temperature;
  std::chrono::milliseconds timeout{60000};
  std::function<void(std::string const&)> on_text;
};
struct Answer {
  std::string text;
  std::vector<ToolCall> calls;
  std::optional<std::string> error;
};

class Client {
 public:
  virtual ~Client() = default;
  virtual Answer generate(Options const& options) = 0;
  virtual std::future<Answer> generate_async(Options options) = 0;
};

std::unique_ptr<Client> make_client(std::string const& key, std::string const& base_url);

}
