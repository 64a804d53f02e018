// SPDX-License-Identifier: MIT
// Links the lines of a Claude Code transcript as the program does when it resumes.
#pragma once
#include <sessionkit/detail/import/claude_code_tree.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace claude_code_tree_inl { namespace {

using detail::ClaudeNode;
using detail::ClaudeUnit;
using detail::no_unit;

constexpr std::uint32_t no_node = std::numeric_limits<std::uint32_t>::max();

class TreeMaker {
 public:
  explicit TreeMaker(detail::ClaudeLines& lines)
      : lines_(lines), nodes_(lines.nodes), node_of_(lines.names.size(), no_node) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) node_of_[nodes_[i].uuid] = static_cast<std::uint32_t>(i);
  }

  detail::ClaudeTree run() && {
    make_units();
    pair_results();
    for (std::size_t u = 0; u < units_.size(); ++u) link(u);
    std::size_t const linked = tree_.order.size();
    std::vector<std::size_t> left;
    for (auto const& output : outputs_) left.push_back(output.second);
    std::sort(left.begin(), left.end());
    tree_.order.insert(tree_.order.end(), left.begin(), left.end());
    tree_.complete = count_complete(linked);
    return std::move(tree_);
  }

 private:
  // The blocks of one answer are one unit; so are a boundary and its summary.
  void make_units() {
    std::unordered_map<std::uint32_t, std::size_t> answers; // by message id
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      ClaudeNode& node = nodes_[i];
      std::size_t unit = no_unit;
      if (node.message_id != 0) {
        auto const [at, fresh] = answers.emplace(node.message_id, units_.size());
        if (!fresh) unit = at->second;
      } else if (std::uint32_t const up = node_named(node.parent); node.summary && up < i) {
        if (nodes_[up].kind == ClaudeNode::boundary) unit = nodes_[up].unit;
      }
      if (unit == no_unit) {
        unit = units_.size();
        units_.emplace_back().first = i;
      }
      units_[unit].nodes.push_back(i);
      node.unit = unit;
    }
  }

  // Parallel calls: each result hangs on its call's line, the next line on the last result written.
  void pair_results() {
    std::unordered_map<std::uint32_t, std::size_t> calls; // the units that make them
    for (detail::ClaudeCall const& call : lines_.calls) {
      std::size_t const unit = nodes_[call.node].unit;
      if (calls.emplace(call.id, unit).second) ++units_[unit].calls;
    }
    for (detail::ClaudeCall const& result : lines_.results) {
      auto const call = calls.find(result.id);
      if (call == calls.end()) continue;
      ClaudeUnit& unit = units_[nodes_[result.node].unit];
      ++units_[call->second].answered;
      if (unit.answers != no_unit) continue;
      unit.answers = call->second;
      units_[call->second].results.push_back(nodes_[result.node].unit);
    }
  }

  std::uint32_t node_named(std::uint32_t name) const { return name == 0 ? no_node : node_of_[name]; }

  std::size_t unit_named(std::uint32_t name) const {
    std::uint32_t const node = node_named(name);
    return node == no_node ? no_unit : nodes_[node].unit;
  }

  // The last result of an answer that is in the file before `place`; or none.
  std::size_t result_before(std::size_t answer, std::size_t place) const {
    auto const& results = units_[answer].results;
    auto const after = std::lower_bound(results.begin(), results.end(), place,
                                        [&](std::size_t u, std::size_t at) { return units_[u].first < at; });
    return after == results.begin() ? no_unit : *(after - 1);
  }

  // The unit, or the last result beside it or after it that is in the file before `place`.
  std::size_t after_results(std::size_t unit, std::size_t place) const {
    if (unit == no_unit) return no_unit;
    std::size_t const result =
        result_before(units_[unit].answers != no_unit ? units_[unit].answers : unit, place);
    return result != no_unit && units_[result].first > units_[unit].first ? result : unit;
  }

  static std::size_t unit_before(std::size_t u) { return u == 0 ? no_unit : u - 1; }

  std::size_t parent_of(std::size_t u) {
    ClaudeUnit const& unit = units_[u];
    ClaudeNode const& node = nodes_[unit.first];
    if (node.kind == ClaudeNode::boundary) {
      std::size_t const before = unit_named(node.logical_parent);
      return before != no_unit ? after_results(before, unit.first) : unit_before(u);
    }
    if (unit.answers != no_unit) {
      std::size_t const earlier = result_before(unit.answers, unit.first);
      return earlier != no_unit ? earlier : unit.answers;
    }
    std::size_t const parent = after_results(unit_named(node.parent), unit.first);
    if (node.parent == 0 || parent != no_unit) return parent;
    damage(node, DamageKind::missing_parent, "there is no line " + std::string(lines_.names[node.parent]));
    return unit_before(u);
  }

  void damage(ClaudeNode const& node, DamageKind kind, std::string what) {
    lines_.report.damage.push_back({node.offset, node.size, kind,
                                    std::move(what) + "; the line before it takes the place of its parent"});
  }

  bool is_output(std::size_t u) const { return nodes_[units_[u].first].kind == ClaudeNode::local_command; }

  void put(std::size_t u) { tree_.order.push_back(u); }

  // The output of a command waits for the line that hangs beside it, and goes before it; but after the answer
  // that 2.1.197 makes itself. Then what hangs on that answer goes after the output.
  void link(std::size_t u) {
    ClaudeUnit& unit = units_[u];
    ClaudeNode const& node = nodes_[unit.first];
    unit.parent = parent_of(u);
    if (unit.parent != no_unit && units_[unit.parent].first >= unit.first) {
      damage(node, DamageKind::parent_cycle, "its parent comes after it");
      unit.parent = unit_before(u);
    }
    if (unit.answers == no_unit) {
      if (auto const moved = moved_.find(unit.parent); moved != moved_.end()) unit.parent = moved->second;
      if (is_output(u) && unit.parent != no_unit && outputs_.emplace(unit.parent, u).second) return;
    }
    if (unit.parent == no_unit) return put(u);
    ++units_[unit.parent].children;
    if (is_output(unit.parent)) put_waiting(unit.parent);
    auto const output = outputs_.find(unit.parent);
    if (output == outputs_.end()) return put(u);
    std::size_t const held = output->second;
    outputs_.erase(output);
    if (node.made_up) {
      put(u);
      put(held);
      units_[held].parent = u;
      moved_[u] = held;
    } else {
      put(held);
      put(u);
      unit.parent = held;
    }
  }

  // The line hangs on the output itself, as 2.1.330 links it.
  void put_waiting(std::size_t output) {
    auto const waiting = outputs_.find(units_[output].parent);
    if (waiting == outputs_.end() || waiting->second != output) return;
    outputs_.erase(waiting);
    put(output);
  }

  // An answer is complete if all its calls have results and the file goes on; a boundary, if it has its
  // summary.
  bool may_change(std::size_t u, std::size_t said_last) const {
    ClaudeUnit const& unit = units_[u];
    ClaudeNode const& last = nodes_[unit.nodes.back()];
    if (last.kind == ClaudeNode::boundary) return unit.nodes.size() == 1 && unit.nodes.back() >= said_last;
    if (last.kind != ClaudeNode::assistant || unit.nodes.back() < said_last) return false;
    if (unit.calls > unit.answered) return true;
    return unit.calls == 0 && (last.may_go_on || !last.side_line_follows);
  }

  std::size_t count_complete(std::size_t linked) const {
    std::size_t said_last = 0; // the last line with which a person or another answer goes on
    std::uint32_t answer = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      ClaudeNode const& node = nodes_[i];
      bool const goes_on =
          (node.kind == ClaudeNode::user && units_[node.unit].answers == no_unit && !node.summary)
          || (node.kind == ClaudeNode::assistant && node.message_id != answer);
      if (node.kind == ClaudeNode::assistant) answer = node.message_id;
      if (goes_on) said_last = i;
    }
    for (std::size_t at = 0; at < linked; ++at)
      if (may_change(tree_.order[at], said_last)) return at;
    return linked;
  }

  detail::ClaudeLines& lines_;
  std::vector<ClaudeNode>& nodes_;
  detail::ClaudeTree tree_;
  std::vector<ClaudeUnit>& units_ = tree_.units;
  std::vector<std::uint32_t> node_of_;                   ///< by the number of its uuid
  std::unordered_map<std::size_t, std::size_t> outputs_; ///< of commands, that wait: by what they hang on
  std::unordered_map<std::size_t, std::size_t> moved_;   ///< what goes after an answer that was made up
};

}}

namespace detail {

ClaudeTree make_claude_tree(ClaudeLines& lines) { return claude_code_tree_inl::TreeMaker(lines).run(); }

}
}}
