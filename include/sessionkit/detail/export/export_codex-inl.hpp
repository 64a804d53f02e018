// SPDX-License-Identifier: MIT
// Exports a session as a rollout of Codex: one line for each item.
#pragma once
#include <sessionkit/detail/export/export_codex.hpp>
#include <sessionkit/detail/export/export_history.hpp>
#include <sessionkit/detail/export/export_ids.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/provider.hpp>

#include <string>
#include <unordered_map>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace export_codex_inl { namespace {

using detail::ExportMessage;
using detail::ExportSegment;
using detail::JsonWriter;

// As measured. The program reads files of other versions too.
constexpr std::string_view version = "0.169.0";

std::string items_of(ExportMessage const& message) {
  History one;
  one.messages.push_back(message.message());
  Target target;
  target.provider = Provider::openai_responses;
  return encode(one, target).messages;
}

std::string user_item(std::string const& text) {
  std::string item;
  JsonWriter json(item);
  json.begin_object().member("type", "message").member("role", "user").key("content").begin_array();
  json.begin_object().member("type", "input_text").member("text", text).end_object();
  json.end_array().end_object();
  return item;
}

class LineWriter {
 public:
  LineWriter(ExportSource const& source, detail::ExportHistory history, std::string id, std::string cwd)
      : history_(std::move(history)), id_(std::move(id)), cwd_(std::move(cwd)) {
    own_ = detail::is_session_of(source, "codex");
    for (Entry const& entry : source.path) entries_.emplace(entry.id.str(), &entry);
  }

  Exported run() && {
    head();
    for (ExportSegment const& segment : history_.segments) {
      if (!segment.compaction.empty()) compacted(segment);
      for (ExportMessage const& message : segment.said) write(message);
    }
    losses();
    std::string const time = to_rfc3339(history_.begin); // 2026-11-21T22:25:19.223Z
    std::string clock = time.substr(11, 8);
    clock[2] = clock[5] = '-';
    std::string const day = time.substr(0, 10);
    Exported out;
    out.files.push_back({"sessions/" + day.substr(0, 4) + '/' + day.substr(5, 2) + '/' + day.substr(8, 2)
                             + "/rollout-" + day + 'T' + clock + '-' + id_ + ".jsonl",
                         std::move(text_)});
    out.resume = {{"codex", "resume", id_}};
    out.losses = std::move(history_.losses);
    out.id = std::move(id_);
    out.cwd = std::move(cwd_);
    return out;
  }

 private:
  void begin(JsonWriter& json, char const* type, Timestamp at) {
    json.begin_object().member("timestamp", to_rfc3339(at)).member("type", type).key("payload");
  }
  void end(JsonWriter& json) {
    json.end_object();
    text_ += '\n';
  }

  void head() {
    JsonWriter json(text_);
    begin(json, "session_meta", history_.begin);
    json.begin_object().member("id", id_).member("timestamp", to_rfc3339(history_.begin)).member("cwd", cwd_);
    json.member("originator", "sessionkit").member("cli_version", version).member("source", "cli");
    std::string const provider = own_ ? provider_of() : std::string{};
    if (!provider.empty()) json.member("model_provider", provider);
    json.end_object();
    end(json);
  }

  std::string provider_of() const {
    for (ExportSegment const& segment : history_.segments)
      for (ExportMessage const& message : segment.said)
        if (message.generation && !message.generation->provider.empty()) return message.generation->provider;
    return {};
  }

  // The messages before it are replaced by what is kept and the summary.
  void compacted(ExportSegment const& segment) {
    JsonWriter json(text_);
    begin(json, "compacted", segment.at);
    json.begin_object().member("message", segment.summary).key("replacement_history").begin_array();
    bool const blank = segment.summary.empty();
    if (!blank && !segment.summary_is_last) json.raw(user_item(segment.summary));
    for (ExportMessage const& message : segment.kept) {
      count(message);
      detail::for_elements(items_of(message), [&](std::string_view item) {
        json.raw(item);
        return true;
      });
    }
    if (!blank && segment.summary_is_last) json.raw(user_item(segment.summary));
    json.end_array().end_object();
    end(json);
  }

  void write(ExportMessage const& message) {
    count(message);
    std::string const items = items_of(message);
    detail::for_elements(items, [&](std::string_view item) {
      JsonWriter json(text_);
      begin(json, "response_item", message.at);
      json.raw(item);
      end(json);
      shown(item, message);
      return true;
    });
    if (message.generation && message.generation->usage) usage(*message.generation->usage, message.at);
  }

  // What the program's screen shows.
  void shown(std::string_view item, ExportMessage const& message) {
    if (detail::member_text(item, "type") != "message") return;
    std::string text;
    detail::for_elements(detail::find_member(item, "content"), [&](std::string_view piece) {
      text += detail::member_text(piece, "text");
      return true;
    });
    bool const user = message.role == Role::user;
    JsonWriter json(text_);
    begin(json, "event_msg", message.at);
    json.begin_object().member("type", user ? "user_message" : "agent_message").member("message", text);
    if (user)
      for (char const* list : {"images", "local_images", "text_elements"})
        json.key(list).begin_array().end_array();
    json.end_object();
    end(json);
  }

  void usage(Usage const& usage, Timestamp at) {
    total_.input += usage.input + usage.cache_read;
    total_.cache_read += usage.cache_read;
    total_.cache_write += usage.cache_write;
    total_.output += usage.output;
    JsonWriter json(text_);
    begin(json, "event_msg", at);
    json.begin_object().member("type", "token_count").key("info").begin_object();
    counts(json, "total_token_usage", total_);
    Usage last = usage;
    last.input += usage.cache_read;
    counts(json, "last_token_usage", last);
    json.key("model_context_window").null().end_object().key("rate_limits").null().end_object();
    end(json);
  }

  static void counts(JsonWriter& json, char const* name, Usage const& usage) {
    json.key(name).begin_object().key("input_tokens").unsigned_integer(usage.input);
    json.key("cached_input_tokens").unsigned_integer(usage.cache_read);
    json.key("cache_write_input_tokens").unsigned_integer(usage.cache_write);
    json.key("output_tokens").unsigned_integer(usage.output);
    json.key("reasoning_output_tokens").unsigned_integer(0);
    json.key("total_tokens").unsigned_integer(usage.input + usage.output).end_object();
  }

  // What items cannot say.
  void count(ExportMessage const& message) {
    if (message.generation && !message.generation->model.empty()) ++answers_;
    for (detail::ExportPiece const& piece : message.pieces) {
      auto const* const result = std::get_if<ToolResult>(&piece.part);
      if (result && result->is_error) ++failed_;
      auto const entry = entries_.find(piece.entry.str());
      auto const* const text = entry == entries_.end() ? nullptr : entry->second->as<CustomMessage>();
      if (text && !own_) ++added_;
    }
  }

  void losses() {
    std::vector<Loss>& losses = history_.losses;
    detail::add_loss(losses, answers_, "answers", "the name of the model is not written");
    detail::add_loss(losses, failed_, "results of calls that failed",
                     "written without the mark of a failure");
    detail::add_loss(losses, added_, "texts that a program added", "written as texts of the user");
    if (history_.title) losses.push_back({{}, "the title '" + history_.title->title + "': not written"});
  }

  detail::ExportHistory history_;
  std::string id_, cwd_, text_;
  std::unordered_map<std::string, Entry const*> entries_;
  Usage total_;
  std::size_t answers_ = 0, failed_ = 0, added_ = 0;
  bool own_ = false;
};

}}

namespace detail {

Result<Exported> export_to_codex(ExportSource const& source, ExportOptions const& options) {
  Result<std::string> id = uuid_session_id(source, options);
  if (!id) return id.error();
  Result<std::string> cwd = export_cwd(source, options);
  if (!cwd) return cwd.error();
  auto history =
      make_export_history(source, export_target(source, codex_exporter(), Provider::openai_responses));
  return export_codex_inl::LineWriter(source, std::move(history), std::move(*id), std::move(*cwd)).run();
}

}

}}
