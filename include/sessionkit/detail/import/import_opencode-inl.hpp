// SPDX-License-Identifier: MIT
// Imports sessions of opencode from its files: one for the session, one for each message and for each part.
#pragma once
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/import/foreign_files.hpp>
#include <sessionkit/detail/import/foreign_lines.hpp>
#include <sessionkit/detail/import/import_opencode.hpp>
#include <sessionkit/detail/import/opencode_session.hpp>

#include <algorithm>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace import_opencode_inl { namespace {

using detail::find_member;
using detail::JsonKind;
using detail::member_text;
using detail::OpencodeMessage;

constexpr std::string_view extension = ".json";

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

// The members before the first fault, so that the beginning of a file is enough.
bool begins_session(std::string_view begin) {
  if (detail::begins_with_mark(begin)) begin.remove_prefix(detail::utf8_mark.size());
  bool id = false, project = false, directory = false;
  detail::for_members(begin, [&](std::string_view key, std::string_view value) {
    if (detail::json_kind(value) != JsonKind::string) return true;
    if (detail::key_is(key, "id")) id = detail::to_text(value).compare(0, 4, "ses_") == 0;
    project = project || detail::key_is(key, "projectID");
    directory = directory || detail::key_is(key, "directory");
    return true;
  });
  return id && project && directory;
}

bool recognises(std::string_view file, std::string_view begin) {
  return file.size() > extension.size() && ends_with(file, extension) && begins_session(begin);
}

// The folder that has `session/`, with a slash, or an empty name: `storage/`.
std::string root_of(std::string const& file) {
  std::string folder = file;
  for (int up = 0; up < 3; ++up) {
    std::size_t const slash = folder.rfind('/');
    folder.resize(slash == std::string::npos ? 0 : slash);
  }
  return folder.empty() ? folder : folder + '/';
}

// Reads files that are one JSON object each. What is none is reported, and is an empty text.
class Documents {
 public:
  Documents(ForeignFiles& files, std::uint64_t max_line) : files_(files), max_line_(max_line) {}

  // The file of the session itself must be there. Others may have vanished meanwhile.
  Result<std::string> read(std::string const& name, std::vector<Damage>& damage, bool is_main = false) {
    std::string const where = is_main ? std::string{} : name + ": ";
    Result<std::uint64_t> const size = files_.size(name);
    if (!size && !is_main && lost(size.error(), where, damage)) return std::string{};
    if (!size) return size.error();
    if (*size > max_line_) {
      damage.push_back(
          {0, *size, DamageKind::oversize, where + "longer than ImportLimits::max_line; it is skipped"});
      return std::string{};
    }
    Result<std::string> text = files_.read(name, 0, static_cast<std::size_t>(*size));
    if (!text && !is_main && lost(text.error(), where, damage)) return std::string{};
    if (!text) return text.error();
    std::size_t const mark = detail::begins_with_mark(*text) ? detail::utf8_mark.size() : 0;
    if (mark != 0)
      damage.push_back({0, mark, DamageKind::byte_order_mark, where + "a byte order mark; it is skipped"});
    text->erase(0, mark);
    detail::JsonCheck const check = detail::check_json(*text);
    if (check && detail::json_kind(detail::trim_space(*text)) == JsonKind::object)
      return std::string(detail::trim_space(*text));
    std::uint64_t const at = check ? 0 : check.offset;
    bool const torn = !check && detail::trim_space(std::string_view(*text).substr(at)).empty();
    damage.push_back({mark + at, text->size() - at, torn ? DamageKind::torn_tail : DamageKind::bad_json,
                      where
                          + (torn ? "the document is not complete; it is skipped"
                                  : "the file is not one JSON object; it is skipped")});
    return std::string{};
  }

  // The files of a folder that are documents, by their ids. A folder that is not there has none.
  Result<std::vector<std::string>> ids(std::string const& folder) {
    Result<std::vector<std::string>> names = files_.list(folder);
    if (!names && names.error().code == Errc::not_found) return std::vector<std::string>{};
    if (!names) return names;
    std::vector<std::string> ids;
    for (std::string const& name : *names)
      if (ends_with(name, extension)) ids.push_back(name.substr(0, name.size() - extension.size()));
    return ids;
  }

 private:
  static bool lost(Error const& error, std::string const& where, std::vector<Damage>& damage) {
    if (error.code == Errc::not_found) {
      damage.push_back({0, 0, DamageKind::torn_tail, where + "the file was removed while it was read"});
      return true;
    }
    if (error.code != Errc::unsupported) return false;
    damage.push_back(
        {0, 0, DamageKind::oversize, where + "longer than ImportLimits::max_file; it is skipped"});
    return true;
  }

  ForeignFiles& files_;
  std::uint64_t max_line_;
};

detail::OpencodeSession session_of(std::string_view document) {
  detail::OpencodeSession session;
  session.directory = member_text(document, "directory");
  session.title = member_text(document, "title");
  session.version = member_text(document, "version");
  session.created = detail::to_rounded_int(find_member(find_member(document, "time"), "created")).value_or(0);
  std::string_view const revert = find_member(document, "revert");
  if (detail::json_kind(revert) == JsonKind::object) session.revert = std::string(revert);
  return session;
}

Result<std::vector<ForeignSession>> list(ForeignFiles& files, std::string const& file) {
  Documents documents(files, files.limits().max_line);
  std::vector<Damage> ignored;
  Result<std::string> const document = documents.read(file, ignored, true);
  if (!document) return document.error();
  ForeignSession session;
  session.importer = "opencode";
  session.id = member_text(*document, "id");
  if (session.id.empty()) session.id = detail::file_stem(file);
  session.file = file;
  session.parent = member_text(*document, "parentID");
  session.title = detail::opencode_title(member_text(*document, "title"));
  session.cwd = member_text(*document, "directory");
  session.updated = from_unix_ms(
      detail::to_rounded_int(find_member(find_member(*document, "time"), "updated")).value_or(0));
  return std::vector<ForeignSession>{std::move(session)};
}

// The messages without their parts, in the program's order.
Result<std::vector<OpencodeMessage>> messages_of(Documents& documents, std::string const& folder,
                                                 std::vector<Damage>& damage) {
  Result<std::vector<std::string>> const ids = documents.ids(folder);
  if (!ids) return ids.error();
  std::vector<OpencodeMessage> messages;
  for (std::string const& id : *ids) {
    Result<std::string> data =
        documents.read(std::string(folder).append("/").append(id).append(".json"), damage);
    if (!data) return data.error();
    if (!data->empty()) messages.push_back({id, std::move(*data)});
  }
  std::stable_sort(messages.begin(), messages.end(), [](OpencodeMessage const& a, OpencodeMessage const& b) {
    return a.created() < b.created();
  });
  return messages;
}

Result<ImportReport> read(ForeignFiles& files, ForeignSession const& which, ImportOptions const& options,
                          EntrySink const& sink) {
  Documents documents(files, options.limits.max_line);
  std::vector<Damage> damage;
  Result<std::string> const document = documents.read(which.file, damage, true);
  if (!document) return document.error();
  if (!is_inside_name(which.id) || which.id.find('/') != std::string::npos)
    return detail::make_error(Errc::unsafe_path, "{}: '{}' is no id of an opencode session", which.file,
                              which.id);
  std::string const root = root_of(which.file);
  Result<std::vector<OpencodeMessage>> messages =
      messages_of(documents, root + "message/" + which.id, damage);
  if (!messages) return messages.error();
  if (document->empty() && messages->empty())
    return detail::make_error(Errc::corrupt,
                              "{}: no opencode session; name a file of storage/session/PROJECT, with the "
                              "folders message and part beside session",
                              which.file);
  if (document->empty() && !options.finished) // the header would change
    return detail::make_error(
        Errc::corrupt, "{}: the opencode session is not whole yet; read it again when it is", which.file);
  detail::OpencodeReader reader(which, session_of(*document), options, sink);
  for (OpencodeMessage& message : *messages) {
    std::string const folder = root + "part/" + message.id;
    Result<std::vector<std::string>> const ids = documents.ids(folder);
    if (!ids) return ids.error();
    for (std::string const& id : *ids) {
      Result<std::string> data =
          documents.read(std::string(folder).append("/").append(id).append(".json"), damage);
      if (!data) return data.error();
      if (!data->empty()) message.parts.push_back({id, std::move(*data)});
    }
    if (Result<void> const added = reader.add(std::move(message)); !added) return added.error();
  }
  for (Damage& one : damage) reader.report().damage.push_back(std::move(one));
  return std::move(reader).finish();
}

constexpr Importer importer{"opencode", "opencode",          recognises, list,
                            read,       &profiles::opencode, nullptr,    "storage"};

}}

Importer const& opencode_importer() noexcept { return import_opencode_inl::importer; }

}}
