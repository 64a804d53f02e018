// SPDX-License-Identifier: MIT
// Finds the conversations in files of other programs, and names them, without reading them.
#pragma once
#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/import/foreign_listing.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace foreign_listing_inl { namespace {

constexpr std::size_t begin_bytes = std::size_t{64} << 10;
constexpr std::int64_t ns_per_ms = 1'000'000;

// Files that seem to end where a list stops reading. No folder has names, so nothing beside a file is found.
class Beginnings final : public ForeignFiles {
 public:
  explicit Beginnings(ForeignFiles& files) : files_(files) {}
  Result<std::vector<std::string>> list(std::string const& /*folder*/) override {
    return std::vector<std::string>{};
  }
  Result<std::uint64_t> size(std::string const& file) override {
    Result<std::uint64_t> const bytes = files_.size(file);
    if (!bytes) return bytes.error();
    return std::min<std::uint64_t>(*bytes, begin_bytes);
  }
  Result<std::string> read(std::string const& file, std::uint64_t offset, std::size_t max) override {
    if (offset >= begin_bytes) return std::string{};
    return files_.read(file, offset, std::min(max, begin_bytes - static_cast<std::size_t>(offset)));
  }
  Result<std::int64_t> modified(std::string const& file) override { return files_.modified(file); }
  ImportLimits const& limits() const noexcept override { return files_.limits(); }

 private:
  ForeignFiles& files_;
};

class Walk {
 public:
  Walk(ForeignFiles& files, ForeignStoreOptions const& options) : files_(files), options_(options) {}

  Result<std::vector<ForeignConversation>> run() && {
    if (Result<void> const done = folder({}, 0); !done) return done.error();
    return std::move(found_);
  }

 private:
  void leave_out(std::string const& name, Error const& error) const {
    if (options_.on_event) options_.on_event({Event::part_left_out, name, name + ": " + error.message});
  }

  Result<void> folder(std::string const& folder, std::size_t depth) {
    Result<std::vector<std::string>> const names = files_.list(folder);
    if (!names && depth == 0) return names.error();
    if (!names) {
      leave_out(folder, names.error());
      return {};
    }
    for (std::string const& name : *names) {
      if (++seen_ > files_.limits().max_files)
        return detail::make_error(Errc::unsupported,
                                  "more than {} names; open a folder below it, or raise "
                                  "ImportLimits::max_files",
                                  files_.limits().max_files);
      std::string path = folder;
      if (!path.empty()) path += '/';
      path += name;
      if (path.back() != '/') {
        if (may_be_conversation(name)) file(path);
      } else if (depth < files_.limits().max_depth) {
        path.pop_back();
        if (Result<void> below = this->folder(path, depth + 1); !below) return below;
      }
    }
    return {};
  }

  void file(std::string const& name) {
    auto all = detail::conversations_of(files_, name, options_.importers);
    if (!all && all.error().code != Errc::not_found) leave_out(name, all.error()); // else it was removed
    if (all)
      for (ForeignConversation& one : *all) found_.push_back(std::move(one));
  }

  ForeignFiles& files_;
  ForeignStoreOptions const& options_;
  std::vector<ForeignConversation> found_;
  std::size_t seen_ = 0;
};

std::string checksum(std::string const& text) { return detail::format_text("{:08x}", detail::crc32c(text)); }

// An id of our form, the same for the same text.
std::string usable_id(std::string const& id) {
  if (SessionId::parse(id)) return id;
  constexpr std::size_t kept = 100;
  std::string text = id.substr(0, kept);
  for (char& c : text) {
    bool const usable = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-'
                        || c == '_' || c == '.';
    if (!usable) c = '-';
  }
  return "id-" + text + '-' + checksum(id);
}

SessionId known_id(std::string const& text) { return SessionId::parse(text).value(); }

// What is before the last component of a path, and this component.
std::pair<std::string, std::string> split_path(std::string_view path) {
  while (path.size() > detail::root_length(path) && detail::name_begin(path) == path.size())
    path.remove_suffix(1); // a separator at the end
  return {detail::parent_directory(path), std::string(path.substr(detail::name_begin(path)))};
}

// Of `a/projects/b` and `projects`, `a` and `projects/b`. Two empty texts if no near folder has this name.
std::pair<std::string, std::string> split_above(std::string const& folder, std::string_view name) {
  constexpr int nearest = 5;
  std::string at = folder, below;
  for (int up = 0; up < nearest; ++up) {
    auto parts = split_path(at);
    if (parts.first == at) break;
    if (!below.empty()) below.insert(0, 1, '/');
    below.insert(0, parts.second);
    if (parts.second == name) return {std::move(parts.first), std::move(below)};
    at = std::move(parts.first);
  }
  return {};
}

bool ends_with(std::string_view text, std::string_view end) noexcept {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

// Without regard to the case of letters.
bool has_word(std::string_view text, std::string_view word) noexcept {
  auto const same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; };
  return std::search(text.begin(), text.end(), word.begin(), word.end(), same) != text.end();
}

}}

bool may_be_conversation(std::string_view name) noexcept {
  using namespace foreign_listing_inl;
  if (name.empty() || name.front() == '.') return false;
  for (std::string_view const end : {".toml", ".yaml", ".yml", ".ini", ".env", ".pem", ".key", ".md"})
    if (ends_with(name, end)) return false;
  if (!ends_with(name, ".json")) return true;
  for (std::string_view const word :
       {"auth", "cred", "token", "secret", "account", "setting", "config", "key"})
    if (has_word(name, word)) return false;
  return true;
}

namespace detail {

SESSIONKIT_SELDOM Result<ForeignPlace> open_foreign_place(std::string const& path,
                                                          ForeignStoreOptions const& options) {
  using namespace foreign_listing_inl;
  ImportLimits const& limits = options.import.limits;
  auto folder = open_foreign_files(path, limits);
  if (folder) return ForeignPlace{std::move(*folder)};
  if (folder.error().code == Errc::not_found) return folder.error();
  auto const parts = split_path(path);
  auto files = open_foreign_files(parts.first, limits);
  if (!files) return files.error();
  if (Result<std::uint64_t> const size = (*files)->size(parts.second); !size) return size.error();
  Result<Importer const*> const importer = find_importer(options.importers, **files, parts.second);
  if (!importer) return importer.error();
  bool const has_folder = *importer && !(*importer)->folder.empty();
  auto const [above, below] = has_folder ? split_above(parts.first, (*importer)->folder) : decltype(parts){};
  if (above.empty()) return ForeignPlace{std::move(*files), parts.second};
  auto wider = open_foreign_files(above, limits);
  if (!wider) return ForeignPlace{std::move(*files), parts.second}; // it may be a link
  return ForeignPlace{std::move(*wider), below + '/' + parts.second};
}

SESSIONKIT_SELDOM Result<std::vector<ForeignConversation>>
conversations_of(ForeignFiles& files, std::string const& file, Importers const& importers) {
  Result<Importer const*> const importer = find_importer(importers, files, file);
  if (!importer) return importer.error();
  std::vector<ForeignConversation> found;
  if (!*importer) return found;
  Result<std::vector<ForeignSession>> sessions = (*importer)->list(files, file);
  if (!sessions) return sessions.error();
  Result<std::int64_t> const modified = files.modified(file);
  for (ForeignSession& session : *sessions)
    found.push_back({*importer, std::move(session), foreign_listing_inl::known_id("unnamed"), false,
                     modified.ok() ? *modified : 0});
  return found;
}

Result<std::vector<ForeignConversation>> conversations_below(ForeignFiles& files,
                                                             ForeignStoreOptions const& options) {
  return foreign_listing_inl::Walk(files, options).run();
}

SESSIONKIT_SELDOM Result<void> name_conversations(std::vector<ForeignConversation>& all,
                                                  ForeignFiles& files) {
  using namespace foreign_listing_inl;
  std::map<std::string, std::vector<ForeignConversation*>> by_id;
  for (ForeignConversation& one : all) by_id[usable_id(one.session.id)].push_back(&one);
  for (auto& [id, same] : by_id) {
    std::map<ForeignConversation*, std::uint64_t> sizes;
    if (same.size() > 1)
      for (ForeignConversation* one : same)
        if (Result<std::uint64_t> const size = files.size(one->session.file)) sizes[one] = *size;
    std::stable_sort(same.begin(), same.end(),
                     [&](ForeignConversation* a, ForeignConversation* b) { return sizes[a] > sizes[b]; });
    same.front()->id = known_id(id);
    for (std::size_t i = 1; i < same.size(); ++i) {
      constexpr std::size_t kept = 100;
      ForeignSession const& session = same[i]->session;
      same[i]->id = known_id(id.substr(0, kept) + '-' + checksum(session.file + '\n' + session.table));
      same[i]->shares_id = true;
    }
  }
  return {};
}

SessionInfo listed_info(ForeignFiles& files, ForeignConversation const& which) {
  using namespace foreign_listing_inl;
  SessionInfo info = make_session_info(which.id);
  bool const is_known = !which.session.cwd.empty();
  if (!is_known && which.importer->looks_into == nullptr) {
    Beginnings beginnings(files);
    ImportOptions options{files.limits(), false};
    auto const take = [&](Entry&& entry) -> Result<void> {
      fold(info, entry, {}, {});
      if (info.first_user_text.empty()) return {};
      return detail::make_error(Errc::unsupported, "enough was read");
    };
    // A beginning that cannot be read gives a row without a title.
    static_cast<void>(which.importer->read(beginnings, which.session, options, take));
  }
  SessionInfo row = make_session_info(which.id);
  row.title = which.session.title.empty() ? info.title : which.session.title;
  row.cwd = which.session.cwd.empty() ? info.cwd : which.session.cwd;
  row.parent_session = info.parent_session.empty() ? which.session.parent : info.parent_session;
  row.first_user_text = std::move(info.first_user_text);
  row.metadata = std::move(info.metadata);
  row.tokens.reset();
  Timestamp const changed = which.session.updated != Timestamp{}
                                ? which.session.updated
                                : from_unix_ms(which.modified_ns / ns_per_ms);
  row.created = info.created != Timestamp{} ? info.created : changed;
  row.updated = std::max(row.created, changed);
  return row;
}

}
}}
