// SPDX-License-Identifier: MIT
// Imports transcripts of Claude Code: gives one entry for each unit of the tree of its lines.
#pragma once
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/dialects/content_codec.hpp>
#include <sessionkit/detail/dialects/member_codec.hpp>
#include <sessionkit/detail/import/claude_code_tree.hpp>
#include <sessionkit/detail/import/foreign_files.hpp>
#include <sessionkit/detail/import/import_claude_code.hpp>
#include <sessionkit/detail/import/line_stream.hpp>
#include <sessionkit/detail/json/raw_json_access.hpp>

#include <unordered_set>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace import_claude_code_inl { namespace {

using detail::ClaudeNode;
using detail::ClaudeRecord;
using detail::ClaudeUnit;
using detail::JsonKind;
using detail::no_unit;

bool begins_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

// Text in the user's name that no person wrote, and that the program sends: how the entry is named.
char const* kind_of_injection(ClaudeRecord const& record, std::string_view text) {
  if (record.flag("isMeta")) return "claude-code.meta";
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

constexpr char const* words_suffix = ".words"; // of the words beside results

std::vector<ToolContent> one_text(std::string text) { return {Text{std::move(text)}}; }

class EntryMaker {
 public:
  EntryMaker(ForeignFiles& files, ForeignSession const& which, detail::ClaudeLines lines,
             EntrySink const& sink)
      : which_(which),
        lines_(std::move(lines)),
        nodes_(lines_.nodes),
        again_(files, which.file),
        sink_(sink) {}

  Result<ImportReport> run(bool finished) && {
    tree_ = detail::make_claude_tree(lines_);
    last_of_.resize(units().size(), none);
    std::size_t const count = finished ? tree_.order.size() : tree_.complete;
    lines_.report.held_back = tree_.order.size() - count;
    header(finished);
    for (std::size_t i = 0; i < count && status_; ++i)
      with_record(units()[tree_.order[i]].first, [&](ClaudeRecord const& first) {
        at_ = detail::line_time(first["timestamp"]);
        extra_ = extra_of(tree_.order[i], first);
        unit(tree_.order[i], first);
      });
    if (!status_) return status_.error();
    return std::move(lines_.report);
  }

 private:
  std::vector<ClaudeUnit> const& units() const { return tree_.units; }
  ClaudeNode const& first_node(std::size_t u) const { return nodes_[units()[u].first]; }
  std::string name(std::uint32_t number) const { return std::string(lines_.names[number]); }

  // Which of a unit's entries was given last.
  enum Last : unsigned char { none, itself, its_words };
  EntryId last_of(std::size_t u) const {
    std::string id = name(first_node(u).uuid);
    if (last_of_[u] == its_words) id += words_suffix;
    return last_of_[u] == none ? EntryId{} : EntryId(std::move(id));
  }

  // Calls `use` with the line of a node.
  template <class Use> void with_record(std::size_t node, Use const& use) {
    if (!status_) return;
    ClaudeNode const& place = nodes_[node];
    Result<std::string_view> const line = again_.read(place.offset, place.size, place.checksum);
    if (line)
      use(ClaudeRecord(*line));
    else
      status_ = line.error();
  }

  void give(Entry&& entry) {
    if (status_) status_ = sink_(std::move(entry));
  }

  void header(bool finished) {
    Timestamp at = {};
    with_record(0, [&](ClaudeRecord const& record) { at = detail::line_time(record["timestamp"]); });
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
  RawJson extra_of(std::size_t u, ClaudeRecord const& record) const {
    std::string text;
    detail::JsonWriter json(text);
    json.begin_object();
    if (units()[u].nodes.size() > 1) {
      json.key("origin").begin_array();
      for (std::size_t const i : units()[u].nodes) json.string(lines_.names[nodes_[i].uuid]);
      json.end_array();
    }
    if (auto const details = record["toolUseResult"]; !details.empty())
      json.member_raw("toolUseResult", details);
    json.end_object();
    return text == "{}" ? RawJson{} : RawJsonAccess::trust(std::move(text));
  }

  void add(std::size_t u, EntryBody body) {
    Entry entry;
    entry.id = EntryId(name(first_node(u).uuid));
    std::size_t const parent = units()[u].parent;
    if (last_of_[u] != none) {
      entry.parent = last_of(u);
      entry.id = EntryId(entry.id.str() + words_suffix);
    } else {
      if (parent != no_unit) entry.parent = last_of(parent);
      entry.extra = std::move(extra_);
    }
    entry.link = entry.parent.empty() ? Parent::root : Parent::entry;
    entry.at = at_;
    entry.body = std::move(body);
    last_of_[u] = last_of_[u] == none ? itself : its_words;
    give(std::move(entry));
  }

  void add_injected(std::size_t u, char const* type, std::string text) {
    add(u, detail::injected_text(type, one_text(std::move(text)), true));
  }

  // `first` is the first line of the unit. Its views end when another line is read.
  void unit(std::size_t u, ClaudeRecord const& first) {
    ClaudeNode const& node = first_node(u);
    switch (node.kind) {
    case ClaudeNode::assistant: return answer(u, first);
    case ClaudeNode::user: return node.summary ? compaction(u, first) : said(u, first);
    case ClaudeNode::boundary: return compaction(u, first);
    case ClaudeNode::local_command:
      return add_injected(u, "claude-code.local-command", first.text("content"));
    case ClaudeNode::attachment: {
      std::string_view const data = first["attachment"];
      return add(u, Custom{"claude-code.attachment",
                           RawJsonAccess::trust(std::string(data.empty() ? "null" : data))});
    }
    case ClaudeNode::other: break;
    }
    add(u, Custom{"claude-code.system", RawJsonAccess::trust(std::string(first.line()))});
  }

  static Usage usage_of(std::string_view raw) {
    detail::Fields fields(raw);
    return {fields.count("input_tokens"), fields.count("output_tokens"),
            fields.count("cache_read_input_tokens"), fields.count("cache_creation_input_tokens")};
  }

  // Each line repeats what is known of the whole answer, the last one best.
  static void take_generation(ClaudeRecord const& record, Generation& made) {
    made.model = detail::to_text(record.in_message("model"));
    made.request_id = detail::to_text(record.in_message("id"));
    if (auto const usage = record.in_message("usage"); detail::json_kind(usage) == JsonKind::object)
      made.usage = usage_of(usage);
    made.stop = stop_of(detail::to_text(record.in_message("stop_reason")));
    if (record.flag("isAbortedMidStream")) made.stop = StopReason::aborted;
    if (record.flag("isApiErrorMessage")) made.stop = StopReason::error;
  }

  void answer(std::size_t u, ClaudeRecord const& first) {
    ClaudeUnit const& unit = units()[u];
    Message message;
    message.role = Role::assistant;
    Generation made;
    made.provider = "anthropic";
    made.api = "anthropic-messages";
    // 2.1.197 leaves out calls that nobody answered. 2.1.330, whose lines have an index of the block, stores
    // results for them before it goes on.
    bool const old_style = first["apiBlockIndex"].empty();
    auto const take = [&](ClaudeRecord const& record) {
      detail::decode_content(record.in_message("content"), message.parts);
      take_generation(record, made);
    };
    take(first);
    for (std::size_t i = 1; i < unit.nodes.size(); ++i) with_record(unit.nodes[i], take);
    if (made.model == "<synthetic>") made = {{}, {}, made.request_id, {}, made.stop, {}};
    if (unit.calls > unit.answered && (old_style || unit.children > 0)) made.stop = StopReason::aborted;
    message.generation = std::move(made);
    add(u, std::move(message));
  }

  static std::string words_of(ClaudeRecord const& record) {
    Message message;
    detail::decode_content(record.in_message("content"), message.parts);
    return message.text();
  }

  // Of a boundary and its summary, or of one of them alone.
  std::string summary_of(std::size_t u, ClaudeRecord const& first) {
    if (first_node(u).summary) return words_of(first);
    std::string summary;
    for (std::size_t const i : units()[u].nodes) {
      if (!nodes_[i].summary) continue;
      with_record(i, [&](ClaudeRecord const& record) { summary = words_of(record); });
      break;
    }
    return summary;
  }

  bool speaks(std::size_t u) const {
    auto const kind = first_node(u).kind;
    return kind == ClaudeNode::user || kind == ClaudeNode::assistant;
  }

  // What a compaction keeps must be the end of the path before it.
  void compaction(std::size_t u, ClaudeRecord const& first) {
    Compaction body;
    EntryId const id(name(first_node(u).uuid));
    body.first_kept = id;
    std::string_view const facts = first["compactMetadata"];
    body.tokens_before = detail::to_uint(detail::find_member(facts, "preTokens")).value_or(0);
    std::unordered_set<std::size_t> kept = kept_units(facts);
    std::size_t steps = kept.size() * 16 + 64; // attachments lie between; a chain of them only is no end
    for (std::size_t at = units()[u].parent; at != no_unit && !kept.empty() && steps > 0;
         at = units()[at].parent) {
      --steps;
      if (kept.erase(at) != 0)
        body.first_kept = EntryId(name(first_node(at).uuid));
      else if (speaks(at))
        break;
    }
    if (!kept.empty())
      lines_.report.losses.push_back(
          {id, "the messages that the compaction keeps are not the end of the path before it"});
    body.summary = summary_of(u, first);
    add(u, std::move(body));
  }

  std::unordered_set<std::size_t> kept_units(std::string_view facts) {
    if (unit_of_.empty()) {
      unit_of_.resize(lines_.names.size(), no_unit);
      for (ClaudeNode const& node : nodes_) unit_of_[node.uuid] = node.unit;
    }
    std::unordered_set<std::size_t> kept;
    std::string_view const list =
        detail::find_member(detail::find_member(facts, "preservedMessages"), "uuids");
    detail::for_elements(list, [&](std::string_view raw) {
      std::size_t const unit = unit_of_[lines_.names.find(detail::to_text(raw))];
      if (unit != no_unit && speaks(unit)) kept.insert(unit);
      return true;
    });
    return kept;
  }

  void said(std::size_t u, ClaudeRecord const& first) {
    if (first.flag("isVisibleInTranscriptOnly"))
      return add(u, Custom{"claude-code.shown-only", RawJsonAccess::trust(std::string(first.message()))});
    Message all, results, words;
    words.content_is_string = detail::decode_content(first.in_message("content"), all.parts);
    results.role = Role::tool;
    for (Part& part : all.parts)
      (std::holds_alternative<ToolResult>(part) ? results : words).parts.push_back(std::move(part));
    bool const has_results = !results.parts.empty();
    if (has_results) add(u, std::move(results));
    if (words.parts.empty() && has_results) return;
    auto const* const text = words.parts.size() == 1 ? std::get_if<Text>(&words.parts.front()) : nullptr;
    char const* const type = text ? kind_of_injection(first, text->text) : nullptr;
    if (type)
      add_injected(u, type, text->text);
    else
      add(u, std::move(words));
  }

  ForeignSession const& which_;
  detail::ClaudeLines lines_;
  std::vector<ClaudeNode> const& nodes_;
  detail::LinesAgain again_;
  EntrySink const& sink_;
  detail::ClaudeTree tree_;
  std::vector<Last> last_of_;        ///< of each unit
  std::vector<std::size_t> unit_of_; ///< by the number of a uuid; empty: not made yet
  Timestamp at_ = {};                ///< of the unit that is made
  RawJson extra_;                    ///< of its first entry
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
  Result<detail::ClaudeLines> lines = detail::read_claude_lines(files, which.file, options.limits);
  if (!lines) return lines.error();
  if (lines->nodes.empty())
    return detail::make_error(Errc::corrupt,
                              "{}: no line of a Claude Code conversation; name its .jsonl file", which.file);
  return EntryMaker(files, which, std::move(*lines), sink).run(options.finished);
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
