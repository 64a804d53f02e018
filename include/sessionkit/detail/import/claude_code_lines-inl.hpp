// SPDX-License-Identifier: MIT
// Reads the lines of a Claude Code transcript, and sorts nodes of its tree from side lines.
#pragma once
#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/import/claude_code_lines.hpp>
#include <sessionkit/detail/import/line_stream.hpp>

#include <utility>

namespace sessionkit { inline namespace v0 {

namespace claude_code_lines_inl { namespace {

using detail::ClaudeNode;
using detail::ClaudeRecord;
using detail::JsonKind;

// Nodes, and the calls and results in them.
struct Chain {
  std::vector<ClaudeNode> nodes = {};
  std::vector<detail::ClaudeCall> calls = {}, results = {};
};

class LineReader {
 public:
  Result<detail::ClaudeLines> run(ForeignFiles& files, std::string const& file,
                                  ImportLimits const& limits) && {
    Result<void> const read = detail::each_line_of(files, file, limits, out_.report.damage,
                                                   [this](detail::ForeignLine const& line) { add(line); });
    if (!read) return read.error();
    bool const only_side = main_.nodes.empty();
    if (!only_side && !side_.nodes.empty())
      out_.report.passed_over["(subagent's line)"] += side_.nodes.size();
    Chain& chain = only_side ? side_ : main_;
    out_.nodes = std::move(chain.nodes);
    out_.calls = std::move(chain.calls);
    out_.results = std::move(chain.results);
    return std::move(out_);
  }

 private:
  static ClaudeNode::Kind kind_of(std::string const& type, ClaudeRecord const& record) {
    if (type == "user") return ClaudeNode::user;
    if (type == "assistant") return ClaudeNode::assistant;
    if (type == "attachment") return ClaudeNode::attachment;
    std::string const subtype = type == "system" ? record.text("subtype") : std::string{};
    if (subtype == "compact_boundary") return ClaudeNode::boundary;
    return subtype == "local_command" ? ClaudeNode::local_command : ClaudeNode::other;
  }

  void add(detail::ForeignLine const& line) {
    ClaudeRecord const record(line.text);
    std::string const type = record.text("type"), uuid = record.text("uuid");
    ClaudeNode node;
    node.kind = kind_of(type, record);
    if (uuid.empty() || (node.kind == ClaudeNode::other && type != "system" && record["parentUuid"].empty()))
      return side_line(type, record);
    bool const speaks = node.kind == ClaudeNode::user || node.kind == ClaudeNode::assistant;
    if (speaks && detail::json_kind(record.message()) != JsonKind::object)
      return damage(line, DamageKind::bad_json, "a line of type " + type + " has no message; it is skipped");
    node.uuid = out_.names.add(uuid);
    if (node.uuid >= seen_.size()) seen_.resize(out_.names.size());
    bool const again = seen_[node.uuid];
    seen_[node.uuid] = true;
    if (again)
      return damage(line, DamageKind::duplicate_id,
                    "an earlier line has this uuid; the later one is skipped");
    node.offset = line.offset + static_cast<std::uint64_t>(line.before);
    node.size = line.text.size();
    node.checksum = detail::crc32c(line.text);
    add_node(node, record);
  }

  void add_node(ClaudeNode node, ClaudeRecord const& record) {
    node.parent = out_.names.add(record.text("parentUuid"));
    node.logical_parent = out_.names.add(record.text("logicalParentUuid"));
    if (node.kind == ClaudeNode::assistant) {
      node.message_id = out_.names.add(detail::to_text(record.in_message("id")));
      node.made_up = detail::to_text(record.in_message("model")) == "<synthetic>";
      std::string const stop = detail::to_text(record.in_message("stop_reason"));
      node.may_go_on = stop.empty() || stop == "tool_use";
    }
    node.summary = node.kind == ClaudeNode::user && record.flag("isCompactSummary");
    if (out_.cwd.empty()) out_.cwd = record.text("cwd");
    if (out_.version.empty()) out_.version = record.text("version");
    Chain& chain = record.flag("isSidechain") ? side_ : main_;
    bool const calls = node.kind == ClaudeNode::assistant;
    if (calls || node.kind == ClaudeNode::user)
      detail::for_elements(record.in_message("content"), [&](std::string_view block) {
        add_block(chain, block, calls ? "tool_use" : "tool_result", calls ? "id" : "tool_use_id");
        return true;
      });
    chain.nodes.push_back(node);
  }

  void add_block(Chain& chain, std::string_view block, std::string_view type, std::string_view name) {
    if (detail::member_text(block, "type") != type) return;
    std::uint32_t const id = out_.names.add(detail::member_text(block, name));
    (type == "tool_use" ? chain.calls : chain.results).push_back({chain.nodes.size(), id});
  }

  void damage(detail::ForeignLine const& line, DamageKind kind, std::string what) {
    out_.report.damage.push_back({line.offset, line.text.size(), kind, std::move(what)});
  }

  void side_line(std::string const& type, ClaudeRecord const& record) {
    if (!main_.nodes.empty()) main_.nodes.back().side_line_follows = true;
    if (type == "custom-title") {
      out_.title = TitleChange{record.text("customTitle"), true};
      return;
    }
    constexpr std::size_t most_types = 1000; // a damaged file may have a type of its own on each line
    auto& counts = out_.report.passed_over;
    std::string const name = type.empty() ? "(no type)" : type;
    ++counts[counts.size() < most_types || counts.count(name) != 0 ? name : "(other)"];
  }

  detail::ClaudeLines out_;
  Chain main_, side_;
  std::vector<bool> seen_; ///< uuids, by number
};

}}

namespace detail {

Result<ClaudeLines> read_claude_lines(ForeignFiles& files, std::string const& file,
                                      ImportLimits const& limits) {
  return claude_code_lines_inl::LineReader().run(files, file, limits);
}

}
}}
