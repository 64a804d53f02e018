// SPDX-License-Identifier: MIT
// Exports a session as the document that opencode imports: a message for each answer, with parts.
#pragma once
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/export/export_history.hpp>
#include <sessionkit/detail/export/export_ids.hpp>
#include <sessionkit/detail/export/export_opencode.hpp>
#include <sessionkit/detail/json/json.hpp>

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace export_opencode_inl { namespace {

using detail::ExportMessage;
using detail::ExportPiece;
using detail::ExportSegment;
using detail::JsonWriter;

// As measured.
constexpr std::string_view version = "1.18.33";

constexpr std::string_view interrupted = "[Tool execution was interrupted]";

// 48 bits of the time in hexadecimal digits. Ids are in the order of time, those of sessions in reverse.
std::string time_digits(std::uint64_t value) {
  constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (int shift = 44; shift >= 0; shift -= 4) out += digits[(value >> static_cast<unsigned>(shift)) & 15U];
  return out;
}

bool is_session_id(std::string_view id) {
  return id.size() > 4 && id.size() <= 64 && id.substr(0, 4) == "ses_"
         && std::all_of(id.begin() + 4, id.end(), [](char c) {
              return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
            });
}

Result<std::string> session_id(ExportSource const& source, ExportOptions const& options, Timestamp begin) {
  if (!options.id.empty() && !is_session_id(options.id))
    return detail::make_error(Errc::invalid_argument,
                              "'{}' is no id of an opencode session; give `ses_` and letters or digits, or "
                              "none",
                              options.id);
  if (!options.id.empty()) return options.id;
  Header const* const header = detail::header_of(source);
  std::string const own = header ? header->id : std::string{};
  if (is_session_id(own)) return own;
  auto const ms = static_cast<std::uint64_t>(to_unix_ms(begin));
  return "ses_" + time_digits(~(ms << 12U)) + detail::letters_of(own, 14);
}

char const* finish_of(StopReason stop, bool calls) {
  if (calls || stop == StopReason::tool_use) return "tool-calls";
  return stop == StopReason::max_tokens ? "length" : "stop";
}

// The texts of a result. Images are apart.
std::string text_of(ToolResult const& result) {
  std::string text;
  bool first = true;
  for (ToolContent const& piece : result.content)
    if (auto const* const one = std::get_if<Text>(&piece)) {
      if (!first) text += '\n';
      first = false;
      text += one->text;
    }
  return text;
}

class DocumentWriter {
 public:
  DocumentWriter(ExportSource const& source, detail::ExportHistory history, std::string id, std::string cwd)
      : history_(std::move(history)), id_(std::move(id)), cwd_(std::move(cwd)), json_(text_) {
    for (Entry const& entry : source.path) entries_.emplace(entry.id.str(), &entry);
    now_ = to_unix_ms(history_.begin);
    for (ExportSegment const& segment : history_.segments)
      for (auto const* list : {&segment.kept, &segment.said})
        for (ExportMessage const& message : *list) find_model(message);
    if (model_.empty()) model_ = "unknown";
    if (provider_.empty()) provider_ = "unknown";
  }

  Exported run() && {
    json_.begin_object().key("info");
    info();
    json_.key("messages").begin_array();
    for (ExportSegment const& segment : history_.segments) {
      if (!segment.compaction.empty()) compaction(segment);
      std::vector<ExportMessage const*> messages;
      for (auto const* list : {&segment.kept, &segment.said})
        for (ExportMessage const& message : *list) messages.push_back(&message);
      write(messages);
    }
    json_.end_array().end_object();
    text_ += '\n';
    losses();
    Exported out;
    std::string const name = id_ + ".json";
    out.files.push_back({name, std::move(text_)});
    out.resume = {{"opencode", "import", name}, {"opencode", "--session", id_}};
    out.losses = std::move(history_.losses);
    out.id = std::move(id_);
    out.cwd = std::move(cwd_);
    return out;
  }

 private:
  void find_model(ExportMessage const& message) {
    if (!message.generation || message.generation->model.empty()) return;
    model_ = message.generation->model;
    provider_ = message.generation->provider;
  }

  void info() {
    json_.begin_object().member("id", id_).member("slug", "session-" + detail::letters_of(id_, 8));
    json_.member("projectID", "global").member("directory", cwd_);
    json_.member("title",
                 history_.title ? history_.title->title : "New session - " + to_rfc3339(history_.begin));
    json_.member("version", version).key("time").begin_object();
    json_.key("created").integer(to_unix_ms(history_.begin));
    json_.key("updated").integer(to_unix_ms(history_.end)).end_object().end_object();
  }

  std::string new_id(char const* prefix) {
    auto const at = (static_cast<std::uint64_t>(to_unix_ms(history_.begin)) << 12U) + ++ids_;
    return prefix + time_digits(at) + detail::letters_of(id_ + '/' + std::to_string(ids_), 14);
  }

  // Messages are in the order of their times.
  void advance(Timestamp at) { now_ = std::max(now_, to_unix_ms(at)); }

  void begin_message(std::string id, char const* role) {
    message_ = std::move(id);
    json_.begin_object().key("info").begin_object().member("id", message_).member("sessionID", id_);
    json_.member("role", role);
  }
  void end_message() { json_.end_array().end_object(); }

  void begin_user() {
    begin_message(new_id("msg_"), "user");
    user_ = message_;
    json_.key("time").begin_object().key("created").integer(now_).end_object().member("agent", "build");
    json_.key("model").begin_object().member("providerID", provider_).member("modelID", model_).end_object();
    json_.end_object().key("parts").begin_array();
  }

  void begin_answer(Generation const& made, char const* finish, bool summary, bool aborted) {
    if (user_.empty()) user_ = new_id("msg_"); // of a message that is not there any more
    begin_message(new_id("msg_"), "assistant");
    char const* const agent = summary ? "compaction" : "build";
    json_.member("parentID", user_).member("mode", agent).member("agent", agent);
    json_.key("path").begin_object().member("cwd", cwd_).member("root", "/").end_object();
    json_.key("cost").integer(0);
    tokens(made.usage.value_or(Usage{}));
    json_.member("modelID", made.model.empty() ? model_ : made.model);
    json_.member("providerID", made.provider.empty() ? provider_ : made.provider);
    json_.key("time").begin_object().key("created").integer(now_).key("completed").integer(now_).end_object();
    if (summary) json_.key("summary").boolean(true);
    if (aborted) {
      json_.key("error").begin_object().member("name", "MessageAbortedError").key("data").begin_object();
      json_.member("message", "The operation was aborted.").end_object().end_object();
    } else {
      json_.member("finish", finish);
    }
    json_.end_object().key("parts").begin_array();
    begin_part("step-start");
    json_.end_object();
  }

  void end_answer(Generation const& made, char const* finish) {
    begin_part("step-finish");
    json_.member("reason", finish).key("cost").integer(0);
    tokens(made.usage.value_or(Usage{}));
    json_.end_object();
    end_message();
  }

  void tokens(Usage const& usage) {
    json_.key("tokens").begin_object();
    json_.key("total").unsigned_integer(usage.input + usage.output + usage.cache_read + usage.cache_write);
    json_.key("input").unsigned_integer(usage.input).key("output").unsigned_integer(usage.output);
    json_.key("reasoning").integer(0).key("cache").begin_object();
    json_.key("read").unsigned_integer(usage.cache_read).key("write").unsigned_integer(usage.cache_write);
    json_.end_object().end_object();
  }

  void begin_part(char const* type) {
    json_.begin_object().member("id", new_id("prt_")).member("messageID", message_);
    json_.member("sessionID", id_).member("type", type);
  }

  void time_span() {
    json_.key("time").begin_object().key("start").integer(now_).key("end").integer(now_).end_object();
  }

  void compaction(ExportSegment const& segment) {
    advance(segment.at);
    begin_user();
    begin_part("compaction");
    json_.key("auto").boolean(false).end_object();
    end_message();
    begin_answer({}, "stop", true, false);
    begin_part("text");
    json_.member("text", segment.summary);
    time_span();
    json_.end_object();
    end_answer({}, "stop");
  }

  void write(std::vector<ExportMessage const*> const& messages) {
    for (std::size_t i = 0; i < messages.size(); ++i) {
      ExportMessage const& message = *messages[i];
      bool const answered = i + 1 < messages.size() && messages[i + 1]->role == Role::tool;
      advance(message.at);
      if (message.role == Role::user) said(message);
      if (message.role == Role::assistant) answer(message, answered ? messages[i + 1] : nullptr);
    }
  }

  void said(ExportMessage const& message) {
    begin_user();
    for (ExportPiece const& piece : message.pieces) {
      if (auto const* const text = std::get_if<Text>(&piece.part)) {
        begin_part("text");
        json_.member("text", text->text);
        auto const entry = entries_.find(piece.entry.str());
        if (entry != entries_.end() && entry->second->as<CustomMessage>())
          json_.key("synthetic").boolean(true);
        json_.end_object();
      } else if (auto const* const image = std::get_if<Image>(&piece.part)) {
        begin_part("file");
        file(*image);
        json_.end_object();
      } else {
        ++left_out_;
      }
    }
    end_message();
  }

  void file(Image const& image) {
    auto const* const bytes = std::get_if<Base64>(&image.source);
    auto const* const url = std::get_if<Url>(&image.source);
    json_.member("mime", image.media_type.empty() ? "image/png" : std::string_view(image.media_type));
    json_.member("filename", "image");
    json_.member("url", bytes ? "data:" + image.media_type + ";base64," + bytes->data
                        : url ? url->url
                              : std::string{});
  }

  void answer(ExportMessage const& message, ExportMessage const* results) {
    Generation const made = message.generation.value_or(Generation{});
    if (made.model.empty()) ++nameless_;
    bool const calls =
        std::any_of(message.pieces.begin(), message.pieces.end(),
                    [](ExportPiece const& piece) { return std::holds_alternative<ToolUse>(piece.part); });
    char const* const finish = finish_of(made.stop, calls);
    begin_answer(made, finish, false, made.stop == StopReason::aborted && !calls);
    for (ExportPiece const& piece : message.pieces) {
      if (auto const* const text = std::get_if<Text>(&piece.part))
        spoken("text", text->text, {}, false);
      else if (auto const* const thinking = std::get_if<Thinking>(&piece.part))
        spoken("reasoning", thinking->text, thinking->signature, thinking->redacted);
      else if (auto const* const call = std::get_if<ToolUse>(&piece.part))
        called(*call, result_of(*call, results));
      else
        ++left_out_;
    }
    end_answer(made, finish);
  }

  void spoken(char const* type, std::string const& text, std::string const& signature, bool redacted) {
    begin_part(type);
    json_.member("text", text);
    time_span();
    if (!signature.empty()) {
      json_.key("metadata").begin_object().key("anthropic").begin_object();
      json_.member(redacted ? "redactedData" : "signature", signature).end_object().end_object();
    }
    json_.end_object();
  }

  static ToolResult const* result_of(ToolUse const& call, ExportMessage const* results) {
    if (!results) return nullptr;
    for (ExportPiece const& piece : results->pieces)
      if (auto const* const result = std::get_if<ToolResult>(&piece.part))
        if (result->tool_use_id == call.id) return result;
    return nullptr;
  }

  void called(ToolUse const& call, ToolResult const* result) {
    begin_part("tool");
    json_.member("tool", call.name).member("callID", call.id).key("state").begin_object();
    bool const failed = !result || result->is_error;
    json_.member("status", failed ? "error" : "completed").member_raw("input", call.input.str());
    std::string const text = result ? text_of(*result) : std::string(interrupted);
    if (failed) {
      json_.member("error", text);
    } else {
      json_.member("output", text).member("title", call.name).key("metadata").begin_object().end_object();
    }
    time_span();
    if (result) attachments(*result, failed);
    json_.end_object().end_object();
  }

  void attachments(ToolResult const& result, bool failed) {
    std::size_t texts = 0;
    bool open = false;
    for (ToolContent const& piece : result.content) {
      auto const* const image = std::get_if<Image>(&piece);
      if (std::holds_alternative<Text>(piece)) ++texts;
      if (std::holds_alternative<Opaque>(piece) || (image && failed)) ++left_out_;
      if (!image || failed) continue;
      if (!open) json_.key("attachments").begin_array();
      open = true;
      begin_part("file");
      file(*image);
      json_.end_object();
    }
    if (open) json_.end_array();
    if (texts > 1) ++joined_;
  }

  void losses() {
    std::vector<Loss>& losses = history_.losses;
    detail::add_loss(losses, joined_, "results of several texts",
                     "written as one text, with line ends between");
    detail::add_loss(losses, nameless_, "answers of no known model", "written as those of '" + model_ + "'");
    detail::add_loss(losses, left_out_, "pieces of messages",
                     "not written, because opencode has none of their kind");
  }

  detail::ExportHistory history_;
  std::string id_, cwd_, text_;
  JsonWriter json_;
  std::unordered_map<std::string, Entry const*> entries_;
  std::string model_, provider_, message_, user_; ///< the ids of the message, and of the user's before it
  std::int64_t now_ = 0;
  std::uint64_t ids_ = 0;
  std::size_t joined_ = 0, left_out_ = 0, nameless_ = 0;
};

}}

namespace detail {

Result<Exported> export_to_opencode(ExportSource const& source, ExportOptions const& options) {
  Result<std::string> cwd = export_cwd(source, options);
  if (!cwd) return cwd.error();
  ExportTarget target; // the question with which it asks introduces each summary
  target.target.wording = profiles::opencode.wording;
  auto history = make_export_history(source, target);
  write_once(history);
  Result<std::string> id = export_opencode_inl::session_id(source, options, history.begin);
  if (!id) return id.error();
  return export_opencode_inl::DocumentWriter(source, std::move(history), std::move(*id), std::move(*cwd))
      .run();
}

}

}}
