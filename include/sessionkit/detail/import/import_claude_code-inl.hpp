// SPDX-License-Identifier: MIT
// Imports transcripts of Claude Code: gives one entry for each unit of the tree of its lines.
#pragma once
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/dialects/content_codec.hpp>
#include <sessionkit/detail/dialects/member_codec.hpp>
#include <sessionkit/detail/import/claude_code_tree.hpp>
#include <sessionkit/detail/import/foreign_files.hpp>
#include <sessionkit/detail/import/import_claude_code.hpp>
#include <sessionkit/detail/json/raw_json_access.hpp>

#include <unordered_set>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace import_claude_code_inl { namespace {

using detail::ClaudeNode;
using detail::ClaudeUnit;
using detail::JsonKind;
using detail::no_unit;

bool begins_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

// Text in the user's name that no person wrote, and that the program sends: how the entry is named.
char const* kind_of_injection(ClaudeNode const& node, std::string_view text) {
  if (node.flag("isMeta")) return "claude-code.meta";
  if (begins_with(text, "<command-name>")) return "claude-code.command";
  if (begins_with(text, "<local-command-stdout>")) return "claude-code.local-command";
  if (begins_with(text, "[Request interrupted by user")) return "claude-code.interrupted";
  return nullptr;
}

StopReason stop_of(std::string_view reason) {
  if (reason == "tool_use") return StopReason::tool_use;
  if (reason == "max_tokens") return StopReason::max_tokens;
  return reason.empty() ? StopReason::unknown : StopReason::end_turn;
}

std::vector<ToolContent> one_text(std::string text) { return {Text{std::move(text)}}; }

class EntryMaker {
 public:
  EntryMaker(ForeignSession const& which, detail::ClaudeLines lines, EntrySink const& sink)
      : which_(which), lines_(std::move(lines)), nodes_(lines_.nodes), sink_(sink) {}

  Result<ImportReport> run(bool finished) && {
    tree_ = detail::make_claude_tree(lines_);
    last_of_.resize(units().size());
    std::size_t const count = finished ? tree_.order.size() : tree_.complete;
    lines_.report.held_back = tree_.order.size() - count;
    header(finished);
    for (std::size_t i = 0; i < count && status_; ++i) unit(tree_.order[i]);
    if (!status_) return status_.error();
    return std::move(lines_.report);
  }

 private:
  std::vector<ClaudeUnit> const& units() const { return tree_.units; }
  ClaudeNode const& first_node(std::size_t u) const { return nodes_[units()[u].first]; }

  void give(Entry&& entry) {
    if (status_) status_ = sink_(std::move(entry));
  }

  void header(bool finished) {
    Timestamp const at = detail::line_time(nodes_.front()["timestamp"]);
    give(detail::imported_header(which_, lines_.version, lines_.cwd, at));
    if (!lines_.title || !finished) return; // a later title would change the entry
    Entry title;
    title.id = EntryId("title");
    title.link = Parent::root;
    title.at = at;
    title.body = *lines_.title;
    give(std::move(title));
  }

  // The lines of which an entry was made, where its id does not say it, and the result in the program's form.
  RawJson extra_of(std::size_t u) const {
    std::string text;
    detail::JsonWriter json(text);
    json.begin_object();
    if (units()[u].nodes.size() > 1) {
      json.key("origin").begin_array();
      for (std::size_t const i : units()[u].nodes) json.string(nodes_[i].uuid);
      json.end_array();
    }
    if (auto const details = first_node(u)["toolUseResult"]; !details.empty())
      json.member_raw("toolUseResult", details);
    json.end_object();
    return text == "{}" ? RawJson{} : RawJsonAccess::trust(std::move(text));
  }

  void add(std::size_t u, EntryBody body, std::string_view suffix = {}) {
    Entry entry;
    entry.id = EntryId(first_node(u).uuid + std::string(suffix));
    std::size_t const parent = units()[u].parent;
    if (!last_of_[u].empty())
      entry.parent = last_of_[u];
    else if (parent != no_unit)
      entry.parent = last_of_[parent];
    entry.link = entry.parent.empty() ? Parent::root : Parent::entry;
    entry.at = detail::line_time(first_node(u)["timestamp"]);
    if (last_of_[u].empty()) entry.extra = extra_of(u);
    entry.body = std::move(body);
    last_of_[u] = entry.id;
    give(std::move(entry));
  }

  void add_injected(std::size_t u, char const* type, std::string text, std::string_view suffix = {}) {
    add(u, detail::injected_text(type, one_text(std::move(text)), true), suffix);
  }

  void unit(std::size_t u) {
    ClaudeNode const& node = first_node(u);
    switch (node.kind) {
    case ClaudeNode::assistant: return answer(u);
    case ClaudeNode::user: return node.summary ? compaction(u) : said(u, node);
    case ClaudeNode::boundary: return compaction(u);
    case ClaudeNode::local_command: return add_injected(u, "claude-code.local-command", node.text("content"));
    case ClaudeNode::attachment: {
      std::string_view const data = node["attachment"];
      return add(u, Custom{"claude-code.attachment",
                           RawJsonAccess::trust(std::string(data.empty() ? "null" : data))});
    }
    case ClaudeNode::other: break;
    }
    add(u, Custom{"claude-code.system", RawJsonAccess::trust(std::string(node.line))});
  }

  static Usage usage_of(std::string_view raw) {
    detail::Fields fields(raw);
    return {fields.count("input_tokens"), fields.count("output_tokens"),
            fields.count("cache_read_input_tokens"), fields.count("cache_creation_input_tokens")};
  }

  // Each line repeats what is known of the whole answer, the last one best.
  static void take_generation(ClaudeNode const& node, Generation& made) {
    made.model = detail::member_text(node.message(), "model");
    made.request_id = node.message_id;
    if (auto const usage = detail::find_member(node.message(), "usage");
        detail::json_kind(usage) == JsonKind::object)
      made.usage = usage_of(usage);
    made.stop = stop_of(detail::member_text(node.message(), "stop_reason"));
    if (node.flag("isAbortedMidStream")) made.stop = StopReason::aborted;
    if (node.flag("isApiErrorMessage")) made.stop = StopReason::error;
  }

  void answer(std::size_t u) {
    ClaudeUnit const& unit = units()[u];
    Message message;
    message.role = Role::assistant;
    Generation made;
    made.provider = "anthropic";
    made.api = "anthropic-messages";
    for (std::size_t const i : unit.nodes) {
      detail::decode_content(detail::find_member(nodes_[i].message(), "content"), message.parts);
      take_generation(nodes_[i], made);
    }
    if (made.model == "<synthetic>") made = {{}, {}, made.request_id, {}, made.stop, {}};
    // 2.1.197 leaves out calls that nobody answered. 2.1.330, whose lines have an index of the block, stores
    // results for them before it goes on.
    bool const old_style = nodes_[unit.first]["apiBlockIndex"].empty();
    if (unit.calls > unit.answered && (old_style || unit.children > 0)) made.stop = StopReason::aborted;
    message.generation = std::move(made);
    add(u, std::move(message));
  }

  std::string summary_of(std::size_t u) const {
    for (std::size_t const i : units()[u].nodes) {
      if (!nodes_[i].summary) continue;
      Message summary;
      detail::decode_content(detail::find_member(nodes_[i].message(), "content"), summary.parts);
      return summary.text();
    }
    return {};
  }

  bool speaks(std::size_t u) const {
    auto const kind = first_node(u).kind;
    return kind == ClaudeNode::user || kind == ClaudeNode::assistant;
  }

  // What a compaction keeps must be the end of the path before it.
  void compaction(std::size_t u) {
    Compaction body;
    body.summary = summary_of(u);
    body.first_kept = EntryId(first_node(u).uuid);
    std::string_view const facts = detail::find_member(first_node(u).line, "compactMetadata");
    body.tokens_before = detail::to_uint(detail::find_member(facts, "preTokens")).value_or(0);
    std::unordered_set<std::size_t> kept = kept_units(facts);
    std::size_t steps = kept.size() * 16 + 64; // attachments lie between; a chain of them only is no end
    for (std::size_t at = units()[u].parent; at != no_unit && !kept.empty() && steps > 0;
         at = units()[at].parent) {
      --steps;
      if (kept.erase(at) != 0)
        body.first_kept = EntryId(first_node(at).uuid);
      else if (speaks(at))
        break;
    }
    if (!kept.empty())
      lines_.report.losses.push_back(
          {EntryId(first_node(u).uuid),
           "the messages that the compaction keeps are not the end of the path before it"});
    add(u, std::move(body));
  }

  std::unordered_set<std::size_t> kept_units(std::string_view facts) {
    if (by_uuid_.empty())
      for (ClaudeNode const& node : nodes_) by_uuid_.emplace(node.uuid, node.unit);
    std::unordered_set<std::size_t> kept;
    std::string_view const list =
        detail::find_member(detail::find_member(facts, "preservedMessages"), "uuids");
    detail::for_elements(list, [&](std::string_view raw) {
      auto const found = by_uuid_.find(detail::to_text(raw));
      if (found != by_uuid_.end() && speaks(found->second)) kept.insert(found->second);
      return true;
    });
    return kept;
  }

  void said(std::size_t u, ClaudeNode const& node) {
    if (node.flag("isVisibleInTranscriptOnly"))
      return add(u, Custom{"claude-code.shown-only", RawJsonAccess::trust(std::string(node.message()))});
    Message all, results, words;
    words.content_is_string =
        detail::decode_content(detail::find_member(node.message(), "content"), all.parts);
    results.role = Role::tool;
    for (Part& part : all.parts)
      (std::holds_alternative<ToolResult>(part) ? results : words).parts.push_back(std::move(part));
    bool const has_results = !results.parts.empty();
    if (has_results) add(u, std::move(results));
    if (words.parts.empty() && has_results) return;
    std::string_view const suffix = has_results ? ".words" : "";
    auto const* const text = words.parts.size() == 1 ? std::get_if<Text>(&words.parts.front()) : nullptr;
    char const* const type = text ? kind_of_injection(node, text->text) : nullptr;
    if (type)
      add_injected(u, type, text->text, suffix);
    else
      add(u, std::move(words), suffix);
  }

  ForeignSession const& which_;
  detail::ClaudeLines lines_;
  std::vector<ClaudeNode> const& nodes_;
  EntrySink const& sink_;
  detail::ClaudeTree tree_;
  std::vector<EntryId> last_of_; ///< of each unit, its last entry that was given
  std::unordered_map<std::string, std::size_t> by_uuid_;
  Result<void> status_ = {};
};

bool recognises(std::string_view file, std::string_view begin) {
  constexpr std::string_view extension = ".jsonl";
  return file.size() > extension.size() && file.substr(file.size() - extension.size()) == extension
         && detail::begins_claude_code(begin);
}

Result<std::vector<ForeignSession>> list(ForeignFiles& /*files*/, std::string const& file) {
  ForeignSession session;
  session.importer = "claude-code";
  session.id = detail::file_stem(file);
  session.file = file;
  constexpr std::string_view subagents = "/subagents/";
  if (std::size_t const at = file.rfind(subagents); at != std::string::npos)
    session.parent = file.substr(0, at).substr(file.substr(0, at).rfind('/') + 1);
  return std::vector<ForeignSession>{std::move(session)};
}

Result<ImportReport> read(ForeignFiles& files, ForeignSession const& which, ImportOptions const& options,
                          EntrySink const& sink) {
  Result<std::string> const text = detail::read_foreign_file(files, which.file, options.limits);
  if (!text) return text.error();
  detail::ClaudeLines lines = detail::read_claude_lines(*text, options.limits);
  if (lines.nodes.empty())
    return detail::make_error(Errc::corrupt,
                              "{}: no line of a Claude Code conversation; name its .jsonl file", which.file);
  return EntryMaker(which, std::move(lines), sink).run(options.finished);
}

constexpr Importer importer{"claude-code", "Claude Code",          recognises, list,
                            read,          &profiles::claude_code, nullptr,    "projects"};

}}

namespace detail {

bool begins_claude_code(std::string_view begin) {
  bool found = false;
  first_lines(begin, 20, [&](std::string_view line) {
    if (json_kind(find_member(line, "type")) != JsonKind::string) return true;
    if (json_kind(find_member(line, "payload")) == JsonKind::object) return false; // Codex
    bool const session = json_kind(find_member(line, "sessionId")) == JsonKind::string;
    found = session && find_member(line, "projectHash").empty(); // Gemini CLI has it
    return !found;
  });
  return found;
}

}

Importer const& claude_code_importer() noexcept { return import_claude_code_inl::importer; }

}}
