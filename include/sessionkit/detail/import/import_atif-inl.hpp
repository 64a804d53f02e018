// SPDX-License-Identifier: MIT
// Imports trajectories of ATIF: one entry for each step, and one for the results of its calls.
#pragma once
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/dialects/content_codec.hpp>
#include <sessionkit/detail/dialects/member_codec.hpp>
#include <sessionkit/detail/import/foreign_files.hpp>
#include <sessionkit/detail/import/foreign_lines.hpp>
#include <sessionkit/detail/import/import_atif.hpp>
#include <sessionkit/detail/import/salvaged_objects.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace import_atif_inl { namespace {

using detail::find_member;
using detail::JsonKind;
using detail::member_text;

constexpr std::string_view extension = ".json";

bool is_true(std::string_view raw) { return raw == "true"; }

std::string base64_of(std::string_view bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t bits = 0;
    std::size_t const count = std::min<std::size_t>(3, bytes.size() - at);
    for (std::size_t i = 0; i < 3; ++i)
      bits = (bits << 8U) | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    for (std::size_t i = 0; i < 4; ++i)
      out += i <= count ? digits[(bits >> (18U - 6U * static_cast<unsigned>(i))) & 63U] : '=';
  }
  return out;
}

bool recognises(std::string_view file, std::string_view begin) {
  if (file.size() <= extension.size() || file.substr(file.size() - extension.size()) != extension)
    return false;
  if (detail::begins_with_mark(begin)) begin.remove_prefix(detail::utf8_mark.size());
  bool found = false;
  detail::for_members(begin, [&](std::string_view key, std::string_view value) {
    if (!detail::key_is(key, "schema_version") || detail::json_kind(value) != JsonKind::string) return true;
    found = detail::to_text(value).compare(0, 6, "ATIF-v") == 0;
    return false;
  });
  return found;
}

std::string id_of(std::string_view trajectory) {
  std::string id = member_text(trajectory, "trajectory_id");
  return id.empty() ? member_text(trajectory, "session_id") : id;
}

// A file without its byte order mark.
struct Document {
  std::string text = {};
  std::uint64_t mark = 0; ///< how many bytes of the file come before it
  detail::JsonCheck check = {};

  bool is_whole() const { return check && detail::json_kind(detail::trim_space(text)) == JsonKind::object; }
};

Result<Document> document_of(ForeignFiles& files, std::string const& file, ImportLimits const& limits) {
  Result<std::string> text = detail::read_foreign_file(files, file, limits);
  if (!text) return text.error();
  Document document;
  document.mark = detail::begins_with_mark(*text) ? detail::utf8_mark.size() : 0;
  text->erase(0, static_cast<std::size_t>(document.mark));
  document.text = std::move(*text);
  document.check = detail::check_json(document.text);
  return document;
}

bool is_step(std::string_view object) {
  return detail::json_kind(find_member(object, "source")) == JsonKind::string
         && detail::to_uint(find_member(object, "step_id"));
}

// Of a damaged document, the members before its first fault that say whose it is, and its steps that are
// whole. Those of subagents are left out: nobody knows to which one they belong.
struct Salvaged {
  std::string header = {}; ///< an object
  std::vector<std::string_view> steps = {};
};

Salvaged salvage(std::string_view document) {
  Salvaged found;
  detail::for_members(document, [&](std::string_view key, std::string_view value) {
    for (std::string_view const name : {"trajectory_id", "session_id", "agent", "extra"})
      if (detail::key_is(key, name) && detail::check_json(value))
        ((((found.header += found.header.empty() ? "{\"" : ",\"") += name) += "\":") += value);
    return true;
  });
  found.header += found.header.empty() ? "{}" : "}";
  std::size_t const inner = document.find("\"subagent_trajectories\"");
  found.steps = detail::salvaged_objects(document.substr(0, inner), is_step);
  return found;
}

// Of subagents only those that are in the document.
template <class Use> void each_trajectory(std::string_view document, Use const& use) {
  use(document);
  detail::for_elements(find_member(document, "subagent_trajectories"), [&](std::string_view inner) {
    if (detail::json_kind(inner) == JsonKind::object) use(inner);
    return true;
  });
}

Result<std::vector<ForeignSession>> list(ForeignFiles& files, std::string const& file) {
  Result<Document> const document = document_of(files, file, files.limits());
  if (!document) return document.error();
  std::vector<ForeignSession> sessions;
  std::string const text = document->is_whole() ? document->text : salvage(document->text).header;
  each_trajectory(text, [&](std::string_view trajectory) {
    ForeignSession session;
    session.importer = "atif";
    session.id = id_of(trajectory);
    if (session.id.empty() && sessions.empty()) session.id = detail::file_stem(file);
    if (session.id.empty()) return; // an embedded one must have an id
    session.file = file;
    if (!sessions.empty()) session.parent = sessions.front().id;
    sessions.push_back(std::move(session));
  });
  return sessions;
}

class StepReader {
 public:
  StepReader(ForeignFiles& files, ForeignSession const& which, ImportOptions const& options,
             EntrySink const& sink)
      : files_(files), which_(which), options_(options), sink_(sink) {}

  Result<ImportReport> run(Document const& document, std::string_view trajectory) && {
    std::vector<std::string_view> steps;
    detail::for_elements(find_member(trajectory, "steps"), [&](std::string_view step) {
      steps.push_back(step);
      return true;
    });
    std::string_view const text = document.text;
    std::size_t const count = steps.size() - (options_.finished || steps.empty() ? 0U : 1U);
    report_.held_back = steps.size() - count;
    header(trajectory, steps);
    for (std::size_t i = 0; i < count && status_; ++i) {
      if (detail::json_kind(steps[i]) != JsonKind::object)
        report_.damage.push_back({document.mark + static_cast<std::uint64_t>(steps[i].data() - text.data()),
                                  steps[i].size(), DamageKind::bad_json,
                                  "the step is no object; it is skipped"});
      else
        step(step_id(i + 1), steps[i]);
    }
    if (!status_) return status_.error();
    return std::move(report_);
  }

  // A step has the number that it says, so that its id is that of the whole document.
  Result<ImportReport> run(Document const& document, Salvaged const& found) && {
    std::uint64_t const at = document.mark + document.check.offset;
    report_.damage.push_back({at, document.mark + document.text.size() - at, DamageKind::bad_json,
                              "the document is not one JSON object; the steps that are whole are read"});
    header(found.header, found.steps);
    std::set<std::string> ids;
    for (std::string_view const one : found.steps) {
      std::string id = step_id(detail::to_uint(find_member(one, "step_id")).value_or(0));
      while (!ids.insert(id).second) id += '~';
      if (status_) step(std::move(id), one);
    }
    if (!status_) return status_.error();
    return std::move(report_);
  }

 private:
  void give(Entry&& entry) {
    if (status_) status_ = sink_(std::move(entry));
  }

  void header(std::string_view trajectory, std::vector<std::string_view> const& steps) {
    std::string_view const own = find_member(find_member(trajectory, "extra"), "sessionkit");
    Timestamp const at =
        detail::line_time(steps.empty() ? std::string_view() : find_member(steps.front(), "timestamp"));
    give(detail::imported_header(which_, member_text(find_member(trajectory, "agent"), "version"),
                                 member_text(own, "cwd"), at));
    model_ = member_text(find_member(trajectory, "agent"), "model_name");
    std::string title = member_text(own, "title");
    if (!title.empty() && options_.finished)
      give(detail::imported_entry(TitleChange{std::move(title), true}, "title", {}, at));
  }

  void add(std::string id, EntryBody body) {
    Entry entry = detail::imported_entry(std::move(body), std::move(id), tip_, at_);
    tip_ = entry.id;
    give(std::move(entry));
  }

  static std::string step_id(std::uint64_t number) { return "step-" + std::to_string(number); }

  SESSIONKIT_SELDOM void step(std::string id, std::string_view step) {
    at_ = detail::line_time(find_member(step, "timestamp"));
    std::string const source = member_text(step, "source");
    if (source == "user") return said(std::move(id), step);
    if (source == "agent") return answered(id, step);
    if (source != "system") {
      ++report_.passed_over["step (unknown source)"];
      return;
    }
    Message message;
    message.role = Role::system;
    for (ToolContent& piece : content_of(find_member(step, "message")))
      if (auto* const text = std::get_if<Text>(&piece)) message.parts.emplace_back(std::move(*text));
    add(std::move(id), std::move(message));
  }

  static std::string_view own(std::string_view holder) {
    return find_member(find_member(holder, "extra"), "sessionkit");
  }

  void said(std::string id, std::string_view step) {
    std::vector<ToolContent> content = content_of(find_member(step, "message"));
    std::string added = member_text(own(step), "added");
    if (is_true(find_member(own(step), "compaction"))) {
      Compaction body;
      if (!content.empty())
        if (auto* const text = std::get_if<Text>(&content.front())) body.summary = std::move(text->text);
      body.first_kept = EntryId(id);
      body.tokens_before = detail::to_uint(find_member(own(step), "tokens_before")).value_or(0);
      return add(std::move(id), std::move(body));
    }
    if (!added.empty())
      return add(std::move(id), detail::injected_text(std::move(added), std::move(content), true));
    Message message;
    for (ToolContent& piece : content)
      message.parts.push_back(std::visit([](auto& body) { return Part(std::move(body)); }, piece));
    add(std::move(id), std::move(message));
  }

  std::vector<ToolContent> content_of(std::string_view content) {
    std::vector<ToolContent> pieces;
    if (detail::json_kind(content) == JsonKind::string) pieces.emplace_back(Text{detail::to_text(content)});
    detail::for_elements(content, [&](std::string_view piece) {
      std::string const type = member_text(piece, "type");
      if (type == "text")
        pieces.emplace_back(Text{member_text(piece, "text")});
      else if (type == "image")
        pieces.push_back(image_of(find_member(piece, "source"), piece));
      else
        pieces.emplace_back(Opaque{type, detail::compact_json(piece)});
      return true;
    });
    return pieces;
  }

  // A file below the root, or an address.
  ToolContent image_of(std::string_view source, std::string_view piece) {
    Image image{member_text(source, "media_type"), Url{member_text(source, "path")}};
    std::string const path = std::get<Url>(image.source).url;
    if (path.find("://") != std::string::npos) return image;
    std::size_t const slash = which_.file.rfind('/');
    std::string const file =
        (slash == std::string::npos ? std::string{} : which_.file.substr(0, slash + 1)) + path;
    Result<std::uint64_t> const size = is_inside_name(path) ? files_.size(file) : Result<std::uint64_t>(0);
    Result<std::string> const bytes = size && *size > 0 && *size <= options_.limits.max_line
                                          ? files_.read(file, 0, static_cast<std::size_t>(*size))
                                          : Result<std::string>(std::string{});
    if (bytes && !bytes->empty()) {
      image.source = Base64{base64_of(*bytes)};
      return image;
    }
    report_.losses.push_back({{}, "the image '" + path + "' cannot be read beside the document"});
    return Opaque{"image", detail::compact_json(piece)};
  }

  void answered(std::string const& id, std::string_view step) {
    Message message;
    message.role = Role::assistant;
    message.generation = generation_of(step);
    std::string_view const kept = find_member(own(step), "content");
    if (detail::json_kind(kept) == JsonKind::array)
      detail::decode_content(detail::compact_json(kept).str(), message.parts); // the document may be indented
    else
      plain_parts(step, message.parts);
    add(id, std::move(message));
    results_of(id, step);
  }

  Generation generation_of(std::string_view step) const {
    Generation made;
    made.model = member_text(step, "model_name");
    if (made.model.empty()) made.model = model_;
    made.provider = member_text(own(step), "provider");
    made.api = member_text(own(step), "api");
    bool const calls = detail::json_kind(find_member(step, "tool_calls")) == JsonKind::array;
    made.stop = calls ? StopReason::tool_use : StopReason::end_turn;
    if (is_true(find_member(own(step), "aborted"))) made.stop = StopReason::aborted;
    std::string_view const metrics = find_member(step, "metrics");
    if (detail::json_kind(metrics) != JsonKind::object) return made;
    detail::Fields fields(metrics);
    Usage usage;
    usage.cache_read = fields.count("cached_tokens");
    usage.cache_write =
        detail::to_uint(find_member(find_member(metrics, "extra"), "cache_write_tokens")).value_or(0);
    std::uint64_t const prompt = fields.count("prompt_tokens"), rest = usage.cache_read + usage.cache_write;
    usage.input = prompt - std::min(prompt, rest);
    usage.output = fields.count("completion_tokens");
    made.usage = usage;
    return made;
  }

  static void plain_parts(std::string_view step, std::vector<Part>& parts) {
    if (std::string text = member_text(step, "reasoning_content"); !text.empty())
      parts.emplace_back(Thinking{std::move(text)});
    std::string_view const message = find_member(step, "message");
    std::string text =
        detail::json_kind(message) == JsonKind::string ? detail::to_text(message) : std::string{};
    detail::for_elements(message, [&](std::string_view piece) {
      text += member_text(piece, "text");
      return true;
    });
    if (!text.empty()) parts.emplace_back(Text{std::move(text)});
    detail::for_elements(find_member(step, "tool_calls"), [&](std::string_view raw) {
      ToolUse call;
      call.id = member_text(raw, "tool_call_id");
      call.name = member_text(raw, "function_name");
      std::string_view const arguments = find_member(raw, "arguments");
      call.input = arguments.empty() ? RawJson::from("{}") : detail::compact_json(arguments);
      parts.emplace_back(std::move(call));
      return true;
    });
  }

  // Each result is a message.
  void results_of(std::string const& id, std::string_view step) {
    std::size_t number = 0;
    detail::for_elements(find_member(find_member(step, "observation"), "results"), [&](std::string_view raw) {
      ToolResult result;
      result.tool_use_id = member_text(raw, "source_call_id");
      if (result.tool_use_id.empty()) {
        ++report_.passed_over["observation without a call"];
        return true;
      }
      result.content = content_of(find_member(raw, "content"));
      result.is_error = is_true(find_member(own(raw), "is_error"));
      Message message;
      message.role = Role::tool;
      message.parts.emplace_back(std::move(result));
      add(id + '.' + std::to_string(++number), std::move(message));
      return true;
    });
  }

  ForeignFiles& files_;
  ForeignSession const& which_;
  ImportOptions const& options_;
  EntrySink const& sink_;
  ImportReport report_;
  Result<void> status_ = {};
  EntryId tip_;
  Timestamp at_ = {};
  std::string model_; ///< of steps that name none
};

SESSIONKIT_SELDOM Result<ImportReport> read(ForeignFiles& files, ForeignSession const& which,
                                            ImportOptions const& options, EntrySink const& sink) {
  Result<Document> const document = document_of(files, which.file, options.limits);
  if (!document) return document.error();
  StepReader reader(files, which, options, sink);
  if (!document->is_whole()) {
    Salvaged const found = salvage(document->text);
    if (options.finished && which.parent.empty() && !found.steps.empty())
      return std::move(reader).run(*document, found);
    return detail::make_error(Errc::corrupt, "{}: not one JSON document of ATIF; copy the file again",
                              which.file);
  }
  std::string_view wanted;
  each_trajectory(document->text, [&](std::string_view trajectory) {
    if (wanted.empty() && id_of(trajectory) == which.id) wanted = trajectory;
  });
  if (wanted.empty()) wanted = document->text; // it has no id, so its file's name is the id
  if (detail::json_kind(find_member(wanted, "steps")) != JsonKind::array)
    return detail::make_error(Errc::corrupt, "{}: the ATIF document has no steps", which.file);
  return std::move(reader).run(*document, wanted);
}

constexpr Importer importer{"atif", "ATIF", recognises, list, read, &detail::atif_profile};

}}

Importer const& atif_importer() noexcept { return import_atif_inl::importer; }

}}
