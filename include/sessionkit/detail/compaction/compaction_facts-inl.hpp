// SPDX-License-Identifier: MIT
// Collects the file paths and the calls that a compaction copies word for word.
#pragma once
#include <sessionkit/detail/base/utf8.hpp>
#include <sessionkit/detail/compaction/compaction_facts.hpp>
#include <sessionkit/detail/compaction/conversation_text.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/tokens.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <unordered_set>
#include <utility>

// These are the paths, names and numbers that a compaction carries over word for word.

namespace sessionkit { inline namespace v0 {

namespace compaction_facts_inl { namespace {

constexpr std::size_t longest_fact_value = 120, longest_path = 4096; // bytes
constexpr std::size_t longest_call = 500;                            // code points
constexpr std::size_t most_facts = 1000;                             // in each list

struct FileTool {
  std::string_view name;
  bool modifies;
};
// The text in lower case.
constexpr std::array<FileTool, 12> file_tools{{{"read", false},
                                               {"read_file", false},
                                               {"readfile", false},
                                               {"view", false},
                                               {"write", true},
                                               {"write_file", true},
                                               {"writefile", true},
                                               {"create_file", true},
                                               {"edit", true},
                                               {"edit_file", true},
                                               {"editfile", true},
                                               {"multiedit", true}}};
constexpr std::array<std::string_view, 3> path_names{"path", "file_path", "filename"};

FileTool const* file_tool(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  for (FileTool const& tool : file_tools)
    if (tool.name == lower) return &tool;
  return nullptr;
}

std::string path_argument(ToolUse const& call) {
  if (!call.input.is_object()) return {};
  for (std::string_view const name : path_names)
    if (std::string_view const value = detail::find_member(call.input.str(), name);
        detail::json_kind(value) == detail::JsonKind::string)
      return detail::to_text(value);
  return {};
}

// Shortens a call, because one that is too long would push out all others.
std::string short_call(ToolUse const& call) {
  std::string text = detail::call_text(call, longest_fact_value);
  std::size_t const length = detail::utf8_cut(text, longest_call);
  if (length == text.size()) return text;
  text.resize(length);
  return text + "\xE2\x80\xA6)";
}

// Removes duplicates, keeping the newest mention, and everything that is in `others`.
void keep_last_mentions(std::vector<std::string>& list, std::vector<std::string> const& others = {}) {
  std::unordered_set<std::string> met(others.begin(), others.end());
  std::vector<std::string> last;
  for (auto text = list.rbegin(); text != list.rend(); ++text)
    if (met.insert(*text).second) last.push_back(std::move(*text));
  list.assign(std::make_move_iterator(last.rbegin()), std::make_move_iterator(last.rend()));
}

// The text as one line. If it has line breaks, or could be read as something else, it is a JSON string.
std::string fact_line(std::string const& text) {
  auto const is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20; };
  bool const plain = !text.empty() && text.front() != '"' && text.front() != '<' && text.front() != ' '
                     && text.back() != ' ' && std::none_of(text.begin(), text.end(), is_control);
  return plain ? text : RawJson::string(text).str();
}
std::string fact_of(std::string_view line) {
  bool const quoted = detail::json_kind(line) == detail::JsonKind::string && detail::check_json(line);
  return quoted ? detail::to_text(line) : std::string(line);
}

struct FactBlock {
  std::string_view tag;
  std::vector<std::string> detail::Facts::*list;
  bool sorted;
};
constexpr std::array<FactBlock, 3> fact_blocks{{{"read-files", &detail::Facts::read_files, true},
                                                {"modified-files", &detail::Facts::modified_files, true},
                                                {"tool-calls", &detail::Facts::calls, false}}};

// Keeps the newest, so that the lists of an endless session stay bounded.
void keep_newest(std::vector<std::string>& list) {
  if (list.size() > most_facts)
    list.erase(list.begin(), list.end() - static_cast<std::ptrdiff_t>(most_facts));
}

std::string tag_line(char const* bracket, std::string_view tag) {
  return std::string(bracket).append(tag).append(">");
}

// Takes off the last block if the text ends in one with this tag.
bool take_block(std::string& text, FactBlock const& block, detail::Facts& facts) {
  std::string const close = '\n' + tag_line("</", block.tag), open = tag_line("<", block.tag) + '\n';
  if (text.size() < close.size() || text.compare(text.size() - close.size(), close.size(), close) != 0)
    return false;
  std::size_t const at = text.rfind(open);
  if (at == std::string::npos || (at != 0 && text[at - 1] != '\n')) return false;
  std::string_view lines = std::string_view(text).substr(at + open.size());
  lines.remove_suffix(std::min(lines.size(), close.size()));
  auto& list = facts.*block.list;
  while (!lines.empty()) {
    std::size_t const end = std::min(lines.find('\n'), lines.size());
    if (end != 0) list.push_back(fact_of(lines.substr(0, end)));
    lines.remove_prefix(std::min(lines.size(), end + 1));
  }
  text.resize(at);
  return true;
}

void trim_end(std::string& text) { text.resize(text.find_last_not_of(" \t\r\n") + 1); }

std::size_t list_tokens(std::vector<std::string> const& list) {
  std::size_t tokens = 0;
  for (std::string const& line : list) tokens += estimate_tokens(line) + 1;
  return tokens;
}

}}

namespace detail {

void Facts::add(ToolUse const& call) {
  compaction_facts_inl::FileTool const* const tool = compaction_facts_inl::file_tool(call.name);
  std::string path = tool ? compaction_facts_inl::path_argument(call) : std::string{};
  if (path.empty() || path.size() > compaction_facts_inl::longest_path)
    calls.push_back(compaction_facts_inl::short_call(call));
  else
    (tool->modifies ? modified_files : read_files).push_back(std::move(path));
}

void Facts::settle() {
  compaction_facts_inl::keep_last_mentions(modified_files);
  compaction_facts_inl::keep_last_mentions(read_files, modified_files);
  compaction_facts_inl::keep_last_mentions(calls);
  for (auto* list : {&modified_files, &read_files, &calls}) compaction_facts_inl::keep_newest(*list);
}

void Facts::add(Entry const& entry, std::vector<std::string_view> const& answered) {
  auto const* message = entry.as<Message>();
  if (!message || message->role != Role::assistant) return;
  StopReason const stop = message->generation ? message->generation->stop : StopReason::unknown;
  bool const whole = stop != StopReason::error && stop != StopReason::aborted;
  for (ToolUse const* call : message->tool_uses())
    if (whole || std::find(answered.begin(), answered.end(), call->id) != answered.end()) add(*call);
}

void Facts::add_details(RawJson const& details) {
  if (!details.is_object()) return;
  auto const add_list = [&](std::string_view name, std::vector<std::string>& list) {
    std::string_view const raw = find_member(details.str(), name);
    if (json_kind(raw) != JsonKind::array) return;
    for_elements(raw, [&](std::string_view path) {
      if (json_kind(path) == JsonKind::string) list.push_back(to_text(path));
      return true;
    });
  };
  add_list("readFiles", read_files);
  add_list("modifiedFiles", modified_files);
}

std::string facts_text(Facts facts, std::size_t most_tokens) {
  std::size_t tokens = compaction_facts_inl::list_tokens(facts.read_files)
                       + compaction_facts_inl::list_tokens(facts.modified_files)
                       + compaction_facts_inl::list_tokens(facts.calls);
  for (auto* list : {&facts.calls, &facts.read_files, &facts.modified_files}) {
    auto oldest = list->begin();
    for (; tokens > most_tokens && oldest != list->end(); ++oldest) tokens -= estimate_tokens(*oldest) + 1;
    list->erase(list->begin(), oldest);
  }
  std::string text;
  for (compaction_facts_inl::FactBlock const& block : compaction_facts_inl::fact_blocks) {
    auto& list = facts.*block.list;
    if (list.empty()) continue;
    if (block.sorted) std::sort(list.begin(), list.end());
    text.append("\n\n").append(compaction_facts_inl::tag_line("<", block.tag));
    for (std::string const& fact : list) text.append("\n").append(compaction_facts_inl::fact_line(fact));
    text.append("\n").append(compaction_facts_inl::tag_line("</", block.tag));
  }
  return text;
}

Facts take_facts(std::string& summary) {
  Facts facts;
  for (bool taken = true; taken;) {
    compaction_facts_inl::trim_end(summary);
    taken = false;
    for (compaction_facts_inl::FactBlock const& block : compaction_facts_inl::fact_blocks)
      taken = taken || compaction_facts_inl::take_block(summary, block, facts);
  }
  return facts;
}

}

}}
