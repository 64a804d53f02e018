// SPDX-License-Identifier: MIT
// Exports a session as a transcript of Claude Code: one line for each content block.
#pragma once
#include <sessionkit/detail/export/export_claude_code.hpp>
#include <sessionkit/detail/export/export_history.hpp>
#include <sessionkit/detail/export/export_ids.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/provider.hpp>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace export_claude_code_inl { namespace {

using detail::ExportMessage;
using detail::ExportSegment;
using detail::JsonWriter;

// As measured. The program reads files of other versions too.
constexpr std::string_view version = "2.1.330";

char const* stop_name(StopReason stop, bool calls) {
  if (calls || stop == StopReason::tool_use) return "tool_use";
  return stop == StopReason::max_tokens ? "max_tokens" : "end_turn";
}

class LineWriter {
 public:
  LineWriter(ExportSource const& source, detail::ExportHistory history, std::string id, std::string cwd)
      : history_(std::move(history)), id_(std::move(id)), cwd_(std::move(cwd)) {
    for (Entry const& entry : source.path) entries_.emplace(entry.id.str(), &entry);
  }

  Exported run() && {
    for (ExportSegment const& segment : history_.segments) write(segment);
    title();
    for (std::string const& name : foreign_)
      history_.losses.push_back({{}, "answers of " + name + " are written as Anthropic's"});
    Exported out;
    out.files.push_back({"projects/" + folder() + '/' + id_ + ".jsonl", std::move(text_)});
    out.resume = {{"claude", "--resume", id_}};
    out.losses = std::move(history_.losses);
    out.id = std::move(id_);
    out.cwd = std::move(cwd_);
    return out;
  }

 private:
  // The program's own rule: each byte that is no letter or digit becomes a dash.
  std::string folder() const {
    std::string name = cwd_;
    for (char& c : name)
      if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))) c = '-';
    return name;
  }

  // The entry's own id is used once, if it has the form.
  std::string new_uuid(EntryId const& entry) {
    if (detail::is_uuid(entry.str()) && used_.insert(entry.str()).second) return entry.str();
    std::string made;
    do made = detail::uuid_of(id_ + '/' + std::to_string(++lines_));
    while (!used_.insert(made).second);
    return made;
  }

  // Begins a line below `parent`, which is empty at the root.
  void begin(JsonWriter& json, std::string const& parent, char const* type, std::string const& uuid,
             Timestamp at) {
    json.begin_object();
    if (parent.empty())
      json.key("parentUuid").null();
    else
      json.member("parentUuid", parent);
    json.key("isSidechain").boolean(false);
    json.member("type", type).member("uuid", uuid).member("timestamp", to_rfc3339(at));
    json.member("userType", "external").member("entrypoint", "cli").member("cwd", cwd_);
    json.member("sessionId", id_).member("version", version).member("gitBranch", "");
  }

  void end(JsonWriter& json, std::string uuid) {
    json.end_object();
    text_ += '\n';
    last_ = std::move(uuid);
  }

  void write(ExportSegment const& segment) {
    if (!segment.compaction.empty()) compaction(segment);
    for (ExportMessage const& message : segment.kept) write(message);
    for (ExportMessage const& message : segment.said) write(message);
  }

  void compaction(ExportSegment const& segment) {
    std::string const before = last_;
    std::string const boundary = new_uuid(segment.compaction);
    JsonWriter json(text_);
    begin(json, {}, "system", boundary, segment.at);
    json.member("subtype", "compact_boundary").member("content", "Conversation compacted");
    if (!before.empty()) json.member("logicalParentUuid", before);
    json.key("isMeta").boolean(false).member("level", "info");
    json.key("compactMetadata").begin_object().member("trigger", "manual");
    json.key("preTokens").unsigned_integer(segment.tokens_before).end_object();
    end(json, boundary);
    std::string const summary = new_uuid({});
    begin(json, boundary, "user", summary, segment.at);
    json.key("message").begin_object().member("role", "user").member("content", segment.summary).end_object();
    json.key("isVisibleInTranscriptOnly").boolean(true).key("isCompactSummary").boolean(true);
    end(json, summary);
  }

  void write(ExportMessage const& message) {
    History one;
    one.messages.push_back(message.message());
    Target target;
    target.provider = Provider::anthropic;
    std::string const encoded = encode(one, target).messages;
    std::vector<std::string_view> blocks;
    detail::for_elements(encoded, [&](std::string_view sent) {
      detail::for_elements(detail::find_member(sent, "content"), [&](std::string_view block) {
        blocks.push_back(block);
        return true;
      });
      return false;
    });
    if (message.role == Role::assistant)
      answer(message, blocks);
    else
      said(message, blocks);
  }

  static EntryId entry_of(ExportMessage const& message, std::size_t block) {
    return block < message.pieces.size() ? message.pieces[block].entry : EntryId{};
  }

  void answer(ExportMessage const& message, std::vector<std::string_view> const& blocks) {
    Generation const made = message.generation.value_or(Generation{});
    if (!made.api.empty() && made.api != "anthropic-messages") foreign_.insert(made.api);
    std::string id = made.request_id;
    if (id.empty() || !answers_.insert(id).second) {
      do id = "msg_" + detail::letters_of(id_ + "/m" + std::to_string(answers_.size()), 24);
      while (!answers_.insert(id).second);
    }
    bool const calls = std::any_of(blocks.begin(), blocks.end(), [](std::string_view block) {
      return detail::member_text(block, "type") == "tool_use";
    });
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      std::string const uuid = new_uuid(i == 0 ? entry_of(message, 0) : EntryId{});
      JsonWriter json(text_);
      begin(json, last_, "assistant", uuid, message.at);
      json.key("message")
          .begin_object()
          .member("id", id)
          .member("type", "message")
          .member("role", "assistant");
      json.member("model", made.model.empty() ? "<synthetic>" : std::string_view(made.model));
      json.key("content").begin_array().raw(blocks[i]).end_array();
      json.member("stop_reason", stop_name(made.stop, calls)).key("stop_sequence").null();
      usage(json, made.usage.value_or(Usage{}));
      json.end_object().key("apiBlockIndex").unsigned_integer(i);
      if (made.stop == StopReason::aborted && !calls) json.key("isAbortedMidStream").boolean(true);
      if (detail::member_text(blocks[i], "type") == "tool_use")
        calls_[detail::member_text(blocks[i], "id")] = uuid;
      end(json, uuid);
    }
  }

  static void usage(JsonWriter& json, Usage const& usage) {
    json.key("usage").begin_object().key("input_tokens").unsigned_integer(usage.input);
    json.key("cache_creation_input_tokens").unsigned_integer(usage.cache_write);
    json.key("cache_read_input_tokens").unsigned_integer(usage.cache_read);
    json.key("output_tokens").unsigned_integer(usage.output).end_object();
  }

  // Blocks of one entry are a line; each result has a line of its own.
  void said(ExportMessage const& message, std::vector<std::string_view> const& blocks) {
    for (std::size_t at = 0; at < blocks.size();) {
      std::size_t end = at + 1;
      bool const result = detail::member_text(blocks[at], "type") == "tool_result";
      while (!result && end < blocks.size() && entry_of(message, end) == entry_of(message, at)) ++end;
      line(message, blocks, at, end, result);
      at = end;
    }
  }

  void line(ExportMessage const& message, std::vector<std::string_view> const& blocks, std::size_t at,
            std::size_t end_at, bool result) {
    EntryId const from = entry_of(message, at);
    std::string const uuid = new_uuid(from);
    std::string const call = result ? calls_[detail::member_text(blocks[at], "tool_use_id")] : std::string{};
    JsonWriter json(text_);
    begin(json, call.empty() ? last_ : call, "user", uuid, message.at);
    bool const bare = end_at == at + 1 && detail::member_text(blocks[at], "type") == "text";
    json.key("message").begin_object().member("role", "user").key("content");
    if (bare) {
      json.string(detail::member_text(blocks[at], "text"));
    } else {
      json.begin_array();
      for (std::size_t i = at; i < end_at; ++i) json.raw(blocks[i]);
      json.end_array();
    }
    json.end_object();
    if (!call.empty()) json.member("sourceToolAssistantUUID", call);
    auto const entry = entries_.find(from.str());
    if (entry != entries_.end()) of_entry(json, *entry->second, bare);
    end(json, uuid);
  }

  // The result as the program itself shows it, and whether a person said the text.
  static void of_entry(JsonWriter& json, Entry const& entry, bool bare) {
    if (auto const shown = detail::find_member(entry.extra.str(), "toolUseResult"); !shown.empty())
      json.member_raw("toolUseResult", shown);
    auto const* const text = entry.as<CustomMessage>();
    bool const known = text
                       && (text->type == "claude-code.command" || text->type == "claude-code.local-command"
                           || text->type == "claude-code.interrupted");
    if (text && bare && !known) json.key("isMeta").boolean(true);
  }

  void title() {
    if (!history_.title) return;
    JsonWriter json(text_);
    json.begin_object().member("type", "custom-title").member("customTitle", history_.title->title);
    json.member("sessionId", id_).end_object();
    text_ += '\n';
  }

  detail::ExportHistory history_;
  std::string id_, cwd_, text_, last_;
  std::unordered_map<std::string, Entry const*> entries_;
  std::unordered_map<std::string, std::string> calls_; ///< the line of each call
  std::unordered_set<std::string> used_, answers_;
  std::set<std::string> foreign_; ///< formats of answers that are not Anthropic's
  std::size_t lines_ = 0;
};

}}

namespace detail {

Result<Exported> export_to_claude_code(ExportSource const& source, ExportOptions const& options) {
  Result<std::string> id = uuid_session_id(source, options);
  if (!id) return id.error();
  Result<std::string> cwd = export_cwd(source, options);
  if (!cwd) return cwd.error();
  auto history =
      make_export_history(source, export_target(source, claude_code_exporter(), Provider::anthropic));
  write_once(history);
  return export_claude_code_inl::LineWriter(source, std::move(history), std::move(*id), std::move(*cwd))
      .run();
}

}

}}
