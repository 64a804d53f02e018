// SPDX-License-Identifier: MIT
#include "folder.hpp"
#include "folder_tools.hpp"

#include <sessionkit/json.hpp>

#include <memory>
#include <utility>

namespace agent {

namespace sk = sessionkit;

namespace {

constexpr std::size_t longest_file = 256U << 10;
constexpr std::size_t most_names = 1000;

using Arguments = nlohmann::ordered_json;
using Action = ToolOutput (*)(Folder const&, Arguments const&);

struct Described {
  char const* name;
  char const* description;
  char const* parameters;
  Action act;
};

ToolOutput refused(sk::Error const& error) { return {error.message, true}; }

std::string text_of(Arguments const& arguments, char const* name) {
  return arguments[name].get<std::string>();
}

ToolOutput read_file(Folder const& folder, Arguments const& arguments) {
  auto text = folder.read(text_of(arguments, "path"), longest_file);
  if (!text) return refused(text.error());
  while (!text->empty() && text->back() == '\n') text->pop_back();
  return {std::move(*text)};
}

ToolOutput list_dir(Folder const& folder, Arguments const& arguments) {
  auto const names = folder.list(arguments.contains("path") ? text_of(arguments, "path") : ".");
  if (!names) return refused(names.error());
  std::string text;
  for (std::size_t i = 0; i < names->size() && i < most_names; ++i) text += (*names)[i] + '\n';
  if (names->size() > most_names) text += "and " + std::to_string(names->size() - most_names) + " more\n";
  return {text.empty() ? "it is empty" : text};
}

ToolOutput write_file(Folder const& folder, Arguments const& arguments) {
  auto const text = text_of(arguments, "content");
  if (auto const written = folder.write(text_of(arguments, "path"), text); !written)
    return refused(written.error());
  return {"wrote " + std::to_string(text.size()) + " bytes"};
}

constexpr Described tools[] = {
    {"read_file", "Reads a text file.",
     R"({"type":"object","properties":{"path":{"type":"string"}},"required":["path"]})", read_file},
    {"list_dir", "Lists the names in a folder.",
     R"({"type":"object","properties":{"path":{"type":"string"}},"required":[]})", list_dir},
    {"write_file", "Writes a text file, and replaces an existing one.",
     R"({"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},)"
     R"("required":["path","content"]})",
     write_file},
};

/// The fault in the arguments of a call; empty if there is none.
std::string objection_to(Arguments const& arguments, sk::RawJson const& schema) {
  if (!arguments.is_object()) return "the arguments are not a JSON object";
  auto const wanted = sk::to_nlohmann(schema);
  for (auto const& name : wanted["required"])
    if (!arguments.contains(name.get<std::string>())) return "'" + name.get<std::string>() + "' is missing";
  for (auto const& [name, value] : arguments.items())
    if (wanted["properties"].contains(name) && !value.is_string()) return "'" + name + "' is not a text";
  return {};
}

Tool make_tool(std::shared_ptr<Folder const> folder, Described const& tool) {
  llm::ToolSpec spec{tool.name, tool.description, sk::RawJson::from(tool.parameters)};
  auto run = [folder = std::move(folder), act = tool.act, schema = spec.parameters](ToolCall const& call) {
    auto const arguments = sk::to_nlohmann(call.use->input);
    if (auto objection = objection_to(arguments, schema); !objection.empty())
      return ToolOutput{std::move(objection), true};
    return act(*folder, arguments);
  };
  return {std::move(spec), std::move(run)};
}

}

sk::Result<std::vector<Tool>> make_folder_tools(std::string const& folder) {
  auto opened = Folder::open(folder);
  if (!opened) return opened.error();
  auto const shared = std::make_shared<Folder const>(std::move(*opened));
  std::vector<Tool> all;
  for (auto const& tool : tools) all.push_back(make_tool(shared, tool));
  return all;
}

}
