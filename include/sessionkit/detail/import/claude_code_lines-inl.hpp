// SPDX-License-Identifier: MIT
// Reads the lines of a Claude Code transcript, and sorts nodes of its tree from side lines.
#pragma once
#include <sessionkit/detail/import/claude_code_lines.hpp>

#include <unordered_set>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace claude_code_lines_inl { namespace {

using detail::ClaudeNode;
using detail::JsonKind;

class LineReader {
 public:
  detail::ClaudeLines run(std::string_view text, ImportLimits const& limits) && {
    detail::each_foreign_line(text, limits, out_.report.damage,
                              [this](detail::ForeignLine const& line) { add(line); });
    if (out_.nodes.empty())
      out_.nodes = std::move(side_chain_);
    else if (!side_chain_.empty())
      out_.report.passed_over["(subagent's line)"] += side_chain_.size();
    return std::move(out_);
  }

 private:
  static ClaudeNode::Kind kind_of(std::string const& type, ClaudeNode const& node) {
    if (type == "user") return ClaudeNode::user;
    if (type == "assistant") return ClaudeNode::assistant;
    if (type == "attachment") return ClaudeNode::attachment;
    std::string const subtype = type == "system" ? node.text("subtype") : std::string{};
    if (subtype == "compact_boundary") return ClaudeNode::boundary;
    return subtype == "local_command" ? ClaudeNode::local_command : ClaudeNode::other;
  }

  void add(detail::ForeignLine const& line) {
    ClaudeNode node;
    node.offset = line.offset;
    node.line = line.text;
    detail::for_members(line.text, [&](std::string_view key, std::string_view value) {
      for (std::size_t i = 0; i < node.raw.size(); ++i)
        if (detail::claude_members[i] == key) node.raw[i] = value;
      return true;
    });
    std::string const type = node.text("type");
    node.uuid = node.text("uuid");
    node.kind = kind_of(type, node);
    if (node.uuid.empty()
        || (node.kind == ClaudeNode::other && type != "system" && node["parentUuid"].empty()))
      return side_line(type, node);
    add_node(std::move(node), type);
  }

  void add_node(ClaudeNode node, std::string const& type) {
    bool const speaks = node.kind == ClaudeNode::user || node.kind == ClaudeNode::assistant;
    if (speaks && detail::json_kind(node.message()) != JsonKind::object)
      return damage(node, DamageKind::bad_json, "a line of type " + type + " has no message; it is skipped");
    if (!seen_.insert(node.uuid).second)
      return damage(node, DamageKind::duplicate_id,
                    "an earlier line has this uuid; the later one is skipped");
    node.parent = node.text("parentUuid");
    if (node.kind == ClaudeNode::assistant) node.message_id = detail::member_text(node.message(), "id");
    node.summary = node.kind == ClaudeNode::user && node.flag("isCompactSummary");
    if (out_.cwd.empty()) out_.cwd = node.text("cwd");
    if (out_.version.empty()) out_.version = node.text("version");
    (node.flag("isSidechain") ? side_chain_ : out_.nodes).push_back(std::move(node));
  }

  void damage(ClaudeNode const& node, DamageKind kind, std::string what) {
    out_.report.damage.push_back({node.offset, node.line.size(), kind, std::move(what)});
  }

  void side_line(std::string const& type, ClaudeNode const& node) {
    if (!out_.nodes.empty()) out_.nodes.back().side_line_follows = true;
    if (type == "custom-title") {
      out_.title = TitleChange{node.text("customTitle"), true};
      return;
    }
    constexpr std::size_t most_types = 1000; // a damaged file may have a type of its own on each line
    auto& counts = out_.report.passed_over;
    std::string const name = type.empty() ? "(no type)" : type;
    ++counts[counts.size() < most_types || counts.count(name) != 0 ? name : "(other)"];
  }

  detail::ClaudeLines out_;
  std::vector<ClaudeNode> side_chain_;
  std::unordered_set<std::string> seen_;
};

}}

namespace detail {

ClaudeLines read_claude_lines(std::string_view text, ImportLimits const& limits) {
  return claude_code_lines_inl::LineReader().run(text, limits);
}

}
}}
