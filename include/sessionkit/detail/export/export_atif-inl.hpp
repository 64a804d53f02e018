// SPDX-License-Identifier: MIT
// Exports a session as a trajectory of ATIF: a step for each message, the results in the step of their calls.
#pragma once
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/dialects/content_codec.hpp>
#include <sessionkit/detail/export/export_atif.hpp>
#include <sessionkit/detail/export/export_history.hpp>
#include <sessionkit/detail/export/export_ids.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/version.hpp>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace export_atif_inl { namespace {

using detail::ExportMessage;
using detail::ExportPiece;
using detail::ExportSegment;
using detail::JsonWriter;

// The kind of a file that the format allows, or empty.
std::string_view extension_of(std::string_view media_type) {
  constexpr std::array<std::array<std::string_view, 2>, 4> types{
      {{"image/png", ".png"}, {"image/jpeg", ".jpg"}, {"image/gif", ".gif"}, {"image/webp", ".webp"}}};
  for (auto const& [type, extension] : types)
    if (type == media_type) return extension;
  return {};
}

std::string bytes_of(std::string_view base64) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (char const c : base64) {
    std::size_t const digit = digits.find(c);
    if (digit == std::string_view::npos) continue;
    bits = (bits << 6U) | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>((bits >> static_cast<unsigned>(count)) & 255U);
  }
  return bytes;
}

// How a message fits into a step: reasoning, then at most one text, then calls, none with a signature.
bool is_plain(ExportMessage const& message) {
  int stage = 0;
  std::size_t thoughts = 0, texts = 0;
  for (ExportPiece const& piece : message.pieces) {
    auto const* const text = std::get_if<Text>(&piece.part);
    auto const* const thinking = std::get_if<Thinking>(&piece.part);
    auto const* const call = std::get_if<ToolUse>(&piece.part);
    int const at = thinking ? 0 : text ? 1 : call ? 2 : 3;
    bool const signs = (text && !text->signature.empty()) || (thinking && !thinking->signature.empty())
                       || (call && (!call->signature.empty() || !call->input.is_object()));
    if (at == 3 || at < stage || signs) return false;
    stage = at;
    thoughts += thinking ? 1U : 0U;
    texts += text ? 1U : 0U;
  }
  return thoughts <= 1 && texts <= 1;
}

class DocumentWriter {
 public:
  DocumentWriter(ExportSource const& source, detail::ExportHistory history, std::string id, std::string cwd)
      : history_(std::move(history)), id_(std::move(id)), cwd_(std::move(cwd)), json_(text_) {
    for (Entry const& entry : source.path) entries_.emplace(entry.id.str(), &entry);
  }

  Exported run() && {
    json_.begin_object().member("schema_version", "ATIF-v1.7").member("session_id", id_);
    json_.key("agent").begin_object().member("name", "sessionkit").member("version", SESSIONKIT_VERSION);
    json_.end_object().key("steps").begin_array();
    for (ExportSegment const& segment : history_.segments) {
      if (!segment.compaction.empty()) summary(segment);
      std::vector<ExportMessage const*> messages;
      for (auto const* list : {&segment.kept, &segment.said})
        for (ExportMessage const& message : *list) messages.push_back(&message);
      write(messages);
    }
    json_.end_array().key("extra").begin_object().key("sessionkit").begin_object().member("cwd", cwd_);
    if (history_.title) json_.member("title", history_.title->title);
    json_.end_object().end_object().end_object();
    text_ += '\n';
    return finish();
  }

 private:
  Exported finish() {
    std::vector<Loss>& losses = history_.losses;
    detail::add_loss(losses, left_out_, "pieces of messages",
                     "not written, because the format has none of their kind");
    detail::add_loss(losses, apart_, "answers", "their order and signatures are only in the member `extra`");
    Exported out;
    out.files.push_back({id_ + ".json", std::move(text_)});
    for (ExportedFile& image : images_) out.files.push_back(std::move(image));
    out.losses = std::move(losses);
    out.id = std::move(id_);
    out.cwd = std::move(cwd_);
    return out;
  }

  void begin_step(char const* source, Timestamp at) {
    json_.begin_object().key("step_id").unsigned_integer(++steps_).member("timestamp", to_rfc3339(at));
    json_.member("source", source);
  }

  void begin_own() { json_.key("extra").begin_object().key("sessionkit").begin_object(); }
  void end_own() { json_.end_object().end_object(); }

  void summary(ExportSegment const& segment) {
    begin_step("user", segment.at);
    json_.member("message", segment.summary);
    begin_own();
    json_.key("compaction").boolean(true);
    json_.key("tokens_before").unsigned_integer(segment.tokens_before);
    end_own();
    json_.end_object();
  }

  void write(std::vector<ExportMessage const*> const& messages) {
    for (std::size_t i = 0; i < messages.size(); ++i) {
      bool const answered = i + 1 < messages.size() && messages[i + 1]->role == Role::tool;
      if (messages[i]->role == Role::user) said(*messages[i]);
      if (messages[i]->role == Role::assistant) answers(*messages[i], answered ? messages[i + 1] : nullptr);
    }
  }

  // Pieces of one entry are a step, so that a text that a program added is marked.
  void said(ExportMessage const& message) {
    for (std::size_t at = 0; at < message.pieces.size();) {
      std::size_t end = at + 1;
      while (end < message.pieces.size() && message.pieces[end].entry == message.pieces[at].entry) ++end;
      std::vector<ToolContent> content;
      for (; at < end; ++at) {
        if (auto const* const text = std::get_if<Text>(&message.pieces[at].part)) content.emplace_back(*text);
        if (auto const* const image = std::get_if<Image>(&message.pieces[at].part))
          content.emplace_back(*image);
        if (std::holds_alternative<Opaque>(message.pieces[at].part)) ++left_out_;
      }
      begin_step("user", message.at);
      json_.key("message");
      write(content);
      auto const entry = entries_.find(message.pieces[end - 1].entry.str());
      auto const* const added = entry == entries_.end() ? nullptr : entry->second->as<CustomMessage>();
      if (added) {
        begin_own();
        json_.member("added", added->type);
        end_own();
      }
      json_.end_object();
    }
  }

  void write(std::vector<ToolContent> const& content) {
    auto const* const only = content.size() == 1 ? std::get_if<Text>(&content.front()) : nullptr;
    if (only || content.empty()) {
      json_.string(only ? only->text : std::string_view());
      return;
    }
    json_.begin_array();
    for (ToolContent const& piece : content) {
      if (auto const* const text = std::get_if<Text>(&piece))
        json_.begin_object().member("type", "text").member("text", text->text).end_object();
      if (auto const* const image = std::get_if<Image>(&piece)) write(*image);
      if (std::holds_alternative<Opaque>(piece)) ++left_out_;
    }
    json_.end_array();
  }

  // The bytes are a file of their own.
  void write(Image const& image) {
    std::string_view const extension = extension_of(image.media_type);
    auto const* const bytes = std::get_if<Base64>(&image.source);
    auto const* const url = std::get_if<Url>(&image.source);
    if (extension.empty() || (!bytes && !url)) {
      ++left_out_;
      return;
    }
    std::string path = url ? url->url : std::string{};
    if (bytes) {
      path = id_ + ".images/" + std::to_string(images_.size() + 1) + std::string(extension);
      images_.push_back({path, bytes_of(bytes->data)});
    }
    json_.begin_object().member("type", "image").key("source").begin_object();
    json_.member("media_type", image.media_type).member("path", path).end_object().end_object();
  }

  template <class Kind> static std::string joined(ExportMessage const& message) {
    std::string all;
    for (ExportPiece const& piece : message.pieces)
      if (auto const* const one = std::get_if<Kind>(&piece.part)) {
        if (!all.empty() && !one->text.empty()) all += "\n\n";
        all += one->text;
      }
    return all;
  }

  Generation made_by(ExportMessage const& message, EntryId const& entry) const {
    auto const found = entries_.find(entry.str());
    auto const* const stored = found == entries_.end() ? nullptr : found->second->as<Message>();
    if (stored && stored->generation) return *stored->generation;
    return message.generation.value_or(Generation{});
  }

  // What another model made is a step of its own. Parallel calls stay in one step.
  void answers(ExportMessage const& message, ExportMessage const* results) {
    ExportMessage one{message.role, {}, {}, message.at};
    bool calls = false;
    for (ExportPiece const& piece : message.pieces) {
      Generation made = made_by(message, piece.entry);
      bool const other =
          one.generation && (one.generation->model != made.model || one.generation->api != made.api);
      if (other && !calls) {
        answer(one, nullptr);
        one.pieces.clear();
      }
      calls = calls || std::holds_alternative<ToolUse>(piece.part);
      one.pieces.push_back(piece);
      one.generation = std::move(made);
    }
    answer(one, results);
  }

  void answer(ExportMessage const& message, ExportMessage const* results) {
    Generation const made = message.generation.value_or(Generation{});
    begin_step("agent", message.at);
    if (!made.model.empty()) json_.member("model_name", made.model);
    json_.member("message", joined<Text>(message));
    if (std::string const thoughts = joined<Thinking>(message); !thoughts.empty())
      json_.member("reasoning_content", thoughts);
    calls(message);
    if (results) observation(*results);
    if (made.usage) metrics(*made.usage);
    own(message, made);
    json_.end_object();
  }

  void calls(ExportMessage const& message) {
    bool open = false;
    for (ExportPiece const& piece : message.pieces) {
      auto const* const call = std::get_if<ToolUse>(&piece.part);
      if (!call) continue;
      if (!open) json_.key("tool_calls").begin_array();
      open = true;
      json_.begin_object().member("tool_call_id", call->id).member("function_name", call->name);
      json_.key("arguments");
      if (call->input.is_object())
        json_.raw(call->input.str());
      else
        json_.begin_object().member_raw("input", call->input.str()).end_object();
      json_.end_object();
    }
    if (open) json_.end_array();
  }

  void observation(ExportMessage const& results) {
    bool open = false;
    for (ExportPiece const& piece : results.pieces) {
      auto const* const result = std::get_if<ToolResult>(&piece.part);
      if (!result) continue;
      if (!open) json_.key("observation").begin_object().key("results").begin_array();
      open = true;
      json_.begin_object().member("source_call_id", result->tool_use_id).key("content");
      write(result->content);
      if (result->is_error) {
        begin_own();
        json_.key("is_error").boolean(true);
        end_own();
      }
      json_.end_object();
    }
    if (open) json_.end_array().end_object();
  }

  void metrics(Usage const& usage) {
    json_.key("metrics").begin_object();
    json_.key("prompt_tokens").unsigned_integer(usage.input + usage.cache_read + usage.cache_write);
    json_.key("completion_tokens").unsigned_integer(usage.output);
    json_.key("cached_tokens").unsigned_integer(usage.cache_read);
    if (usage.cache_write != 0) {
      json_.key("extra").begin_object().key("cache_write_tokens").unsigned_integer(usage.cache_write);
      json_.end_object();
    }
    json_.end_object();
  }

  // What the members of a step cannot say.
  void own(ExportMessage const& message, Generation const& made) {
    bool const plain = is_plain(message), aborted = made.stop == StopReason::aborted;
    if (plain && made.provider.empty() && made.api.empty() && !aborted) return;
    begin_own();
    if (!made.provider.empty()) json_.member("provider", made.provider);
    if (!made.api.empty()) json_.member("api", made.api);
    if (aborted) json_.key("aborted").boolean(true);
    if (!plain) {
      ++apart_;
      json_.key("content").begin_array();
      for (ExportPiece const& piece : message.pieces) {
        std::string part;
        detail::encode_native_part(piece.part, part);
        if (!part.empty()) json_.raw(part);
      }
      json_.end_array();
    }
    end_own();
  }

  detail::ExportHistory history_;
  std::string id_, cwd_, text_;
  JsonWriter json_;
  std::unordered_map<std::string, Entry const*> entries_;
  std::vector<ExportedFile> images_;
  std::size_t steps_ = 0, left_out_ = 0, apart_ = 0;
};

}}

namespace detail {

Result<Exported> export_to_atif(ExportSource const& source, ExportOptions const& options) {
  Result<std::string> cwd = export_cwd(source, options);
  if (!cwd) return cwd.error();
  Header const* const header = header_of(source);
  std::string id = !options.id.empty() ? options.id : header ? header->id : std::string{};
  Result<SessionId> const named = SessionId::parse(id);
  if (!named && !options.id.empty()) return named.error();
  if (!named) id = uuid_of(id);
  ExportTarget target; // the summary is marked as one
  target.target.provider = Provider::native;
  target.target.wording.summary = Wording::Summary::first_user;
  auto history = make_export_history(source, target);
  write_once(history);
  bool const silent = std::all_of(history.segments.begin(), history.segments.end(), [](auto const& segment) {
    return segment.compaction.empty() && segment.kept.empty() && segment.said.empty();
  });
  if (silent)
    return make_error(Errc::unsupported, "'{}' has no message yet, and an ATIF document needs one", id);
  return export_atif_inl::DocumentWriter(source, std::move(history), std::move(id), std::move(*cwd)).run();
}

}

}}
