// SPDX-License-Identifier: MIT
// Finds the transcripts of a store and the names of their files, in each layout.
#pragma once
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/file_store/transcript_folder.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/transcript/file_reader.hpp>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace transcript_folder_inl { namespace {

constexpr char const* folder_name = "transcripts";
constexpr std::size_t looked_at = 8;                      // transcripts that show a store's dialect
constexpr std::size_t index_begin = std::size_t{8} << 10; // and this much of the index to name them
constexpr std::size_t longest_key = 100;                  // of a key in a file's name
constexpr std::size_t claw0_id_length = 12;

// A missing, forbidden or irregular file is no evidence; any other failure may hide a file that is.
bool is_no_answer(Error const& error) noexcept {
  SystemFault const fault = fault_of(-std::int64_t{error.system});
  return error.code == Errc::not_found || error.code == Errc::unsafe_path || fault == SystemFault::no_access
         || fault == SystemFault::not_permitted;
}

// The texts of all members of this name, as far as the index was read. Quotes within texts are escaped, so
// that no text is taken for a member.
SESSIONKIT_SELDOM std::vector<std::string> files_named(std::string_view text, std::string_view member) {
  std::vector<std::string> names;
  for (std::size_t at = text.find(member); at != std::string_view::npos; at = text.find(member, at)) {
    std::size_t const begin = text.find('"', at += member.size());
    std::size_t const end = begin == std::string_view::npos ? begin : text.find('"', begin + 1);
    if (end == std::string_view::npos) break;
    std::string_view const name = text.substr(begin + 1, end - begin - 1);
    if (is_transcript_name(name)) names.emplace_back(std::string(name));
  }
  return names;
}

constexpr std::string_view file_member = "\"filePath\"";

// OpenClaw's: `{"agent:main:main":{"sessionId":...}}`.
bool is_of_openclaw(std::string_view index) {
  return index.find("\"sessionId\"") != std::string_view::npos && files_named(index, file_member).empty();
}

bool names_by_key(std::string_view index) { return !files_named(index, "\"transcript_file\"").empty(); }

Result<std::vector<std::string>> transcripts_in(FileOps& ops, int directory, std::string const& root) {
  FileNames found;
  int const failed = ops.list(directory, found);
  if (failed < 0) return file_error(-failed, root, "cannot list the directory");
  return found.sorted([](std::string_view name) { return is_transcript_name(name); });
}

// The first record of a file, as a page; empty where there is none.
Result<RecordPage> first_of(FileOps& ops, int directory, std::string const& name) {
  Result<OpenFile> const file = open_for_reading(ops, directory, name.c_str(), false, name);
  if (!file) return is_no_answer(file.error()) ? Result<RecordPage>(RecordPage{}) : file.error();
  return FileReader(ops, file->get(), name, {}).first();
}

enum class Kind { unknown, panel, other };
Result<Kind> kind_of(FileOps& ops, int directory, std::string const& name, LastBegin& last) {
  Result<OpenFile> const file = open_for_reading(ops, directory, name.c_str(), false, name);
  if (!file) return is_no_answer(file.error()) ? Result<Kind>(Kind::unknown) : file.error();
  FileReader log(ops, file->get(), name, {});
  log.keep_begin_in(last);
  if (auto r = log.detect(); !r) return r.error();
  if (!log.has_records()) return Kind::unknown;
  return &log.dialect() == &panel_dialect() ? Kind::panel : Kind::other;
}

Result<Kind> kind_of_most(FileOps& ops, int directory, std::vector<std::string> const& names,
                          LastBegin& last) {
  std::size_t panel = 0, others = 0;
  Result<void> failed;
  for (std::string const& name : names) {
    if (panel + others == looked_at) break;
    Result<Kind> const kind = kind_of(ops, directory, name, last);
    if (!kind) failed = kind.error();
    if (!kind || *kind == Kind::unknown) continue;
    ++(*kind == Kind::panel ? panel : others);
  }
  if (panel + others > 0) return panel > others ? Kind::panel : Kind::other;
  return failed ? Result<Kind>(Kind::unknown) : failed.error();
}

Result<bool> has_known_transcript(FileOps& ops, int directory, std::string const& root) {
  Result<std::vector<std::string>> names = transcripts_in(ops, directory, root);
  if (!names) return names.error();
  names->resize(std::min(names->size(), looked_at));
  LastBegin last;
  Result<Kind> const kind = kind_of_most(ops, directory, *names, last);
  if (!kind) return kind.error();
  return *kind != Kind::unknown;
}

std::string key_in(Append const& first) {
  for (RecordView const& record : first.records) {
    Dialect const* const dialect = detect_dialect(record.line);
    if (!dialect) break;
    Result<Entry> const entry = dialect->decode(record);
    if (auto const* header = entry ? entry->as<Header>() : nullptr) return header->key;
  }
  return {};
}

// claw0 writes `_` for `:`; every other byte that is no plain letter becomes `_` too. The id after it keeps
// names apart; the key of a fork ends in it already.
std::string file_of_key(std::string const& key, SessionId const& id) {
  std::string name = key.substr(0, longest_key);
  std::replace_if(
      name.begin(), name.end(),
      [](char c) {
        bool const word = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        return !word && c != '-' && c != '_';
      },
      '_');
  std::string const end = "_" + id.str();
  bool const ends_so =
      name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
  if (name.empty())
    name = id.str();
  else if (!ends_so)
    name += end;
  return name.append(transcript_suffix);
}

// The id in the header of a file, where the file's name ends in it.
Result<std::string> id_in_header(FileOps& ops, int directory, std::string const& file,
                                 std::string_view stem) {
  Result<RecordPage> const page = first_of(ops, directory, file);
  if (!page) return page.error();
  if (page->items().empty()) return std::string{};
  Result<Entry> const entry = decode(*page, page->items().front());
  Header const* const header = entry ? entry->as<Header>() : nullptr;
  if (header == nullptr || header->id.empty()) return std::string{};
  std::string const end = "_" + header->id;
  bool const ends_so = stem.size() > end.size() && stem.substr(stem.size() - end.size()) == end;
  return ends_so ? header->id : std::string{};
}

// `<key>_<id>.jsonl`: claw0's ids are recognised by their form, others by the file's first line. Any other
// name is its own id.
SESSIONKIT_SELDOM Result<std::optional<SessionId>> id_in_file(FileOps& ops, int directory,
                                                              std::string const& file, bool behind_key) {
  std::string_view const stem = std::string_view(file).substr(0, file.size() - transcript_suffix.size());
  std::size_t const bar = behind_key ? stem.rfind('_') : std::string_view::npos;
  std::string found;
  if (bar != std::string_view::npos) {
    std::string_view const last = stem.substr(bar + 1);
    bool const hex = last.find_first_not_of("0123456789abcdef") == std::string_view::npos;
    Result<std::string> named = hex && last.size() == claw0_id_length
                                    ? Result<std::string>(std::string(last))
                                    : id_in_header(ops, directory, file, stem);
    if (!named) return named.error();
    found = std::move(*named);
  }
  auto id = SessionId::parse(found.empty() ? stem : found);
  if (!id) return std::optional<SessionId>{};
  return std::optional<SessionId>(std::move(*id));
}

}}

bool is_transcript_name(std::string_view name) noexcept {
  return name.size() > transcript_suffix.size() && name.front() != '.'
         && name.substr(name.size() - transcript_suffix.size()) == transcript_suffix
         && name.find('/') == std::string_view::npos && name.find('\0') == std::string_view::npos;
}

SESSIONKIT_SELDOM Result<std::string> begin_of_index(FileOps& ops, int directory, std::string const& root) {
  Result<OpenFile> const index = open_for_reading(ops, directory, "sessions.json", false, root);
  if (!index)
    return transcript_folder_inl::is_no_answer(index.error()) ? Result<std::string>(std::string{})
                                                              : index.error();
  std::string text(transcript_folder_inl::index_begin, '\0');
  auto const got = uninterrupted([&] { return ops.pread(index->get(), text.data(), text.size(), 0); });
  if (got < 0) return file_error(static_cast<int>(-got), root + "/sessions.json", "cannot read the index");
  text.resize(static_cast<std::size_t>(got));
  return text;
}

SESSIONKIT_SELDOM Result<Profile> detect_profile(FileOps& ops, int directory, std::string const& root,
                                                 std::string_view index, LastBegin& last) {
  FileStatus folder;
  int const failed = ops.status_at(directory, transcript_folder_inl::folder_name, folder);
  if (failed < 0 && fault_of(failed) != SystemFault::missing)
    return file_error(-failed, root, "cannot look for transcripts");
  bool const has_folder = failed == 0 && folder.kind == FileStatus::directory;
  bool const by_key = transcript_folder_inl::names_by_key(index);
  if (by_key && has_folder) return profiles::claw0;
  if (by_key)
    return make_error(
        Errc::invalid_argument,
        "{}: its index names transcripts by key, as claw0's does, and it has no folder '{}'; name the "
        "folder that has them (FileStoreOptions::transcripts, --transcript-dir)",
        root, transcript_folder_inl::folder_name);
  Result<transcript_folder_inl::Kind> kind =
      transcript_folder_inl::kind_of_most(ops, directory, files_in_index(index), last);
  if (kind && *kind == transcript_folder_inl::Kind::unknown) {
    Result<std::vector<std::string>> const names =
        transcript_folder_inl::transcripts_in(ops, directory, root);
    if (!names) return names.error();
    kind = transcript_folder_inl::kind_of_most(ops, directory, *names, last);
  }
  if (!kind) return kind.error();
  if (*kind == transcript_folder_inl::Kind::unknown && has_folder) return profiles::claw0;
  if (*kind == transcript_folder_inl::Kind::panel) return profiles::ai_panel;
  return transcript_folder_inl::is_of_openclaw(index) ? profiles::openclaw : profiles::native;
}

std::vector<std::string> files_in_index(std::string_view index) {
  return transcript_folder_inl::files_named(index, transcript_folder_inl::file_member);
}

SESSIONKIT_SELDOM Result<void> check_layout(FileOps& ops, int directory, std::string const& root,
                                            std::string_view index, Profile const& profile) {
  bool by_key = transcript_folder_inl::names_by_key(index);
  bool by_id = !by_key && !files_in_index(index).empty();
  if (!by_key && !by_id) { // then the transcripts show it
    Result<bool> const here = transcript_folder_inl::has_known_transcript(ops, directory, root);
    if (!here) return here.error();
    by_id = *here;
    if (Result<OpenFile> const folder =
            TranscriptFolder::open(ops, directory, root, StoreLayout::transcripts_folder, false)) {
      Result<bool> const below = transcript_folder_inl::has_known_transcript(ops, folder->get(), root);
      if (!below) return below.error();
      by_key = *below;
    }
    if (by_key && by_id) return {};
  }
  if (!(profile.layout == StoreLayout::by_id ? by_key : by_id)) return {};
  return detail::make_error(Errc::invalid_argument,
                            "{} is laid out by {}, profile '{}' is not; open it without a profile, or name "
                            "another directory",
                            root, by_key ? "keys, with a folder of transcripts" : "ids", profile.name);
}

TranscriptFolder::TranscriptFolder(FileOps& ops, int root, std::string path, StoreLayout layout,
                                   OpenFile folder)
    : ops_(&ops), root_(root), path_(std::move(path)), layout_(layout), folder_(std::move(folder)) {}

std::string TranscriptFolder::usual_path(std::string const& root_path, StoreLayout layout) {
  return layout == StoreLayout::by_id ? root_path : root_path + "/" + transcript_folder_inl::folder_name;
}

SESSIONKIT_SELDOM Result<OpenFile> TranscriptFolder::open(FileOps& ops, int root,
                                                          std::string const& root_path, StoreLayout layout,
                                                          bool create) {
  if (layout == StoreLayout::by_id) return OpenFile{};
  std::string const path = usual_path(root_path, layout);
  int const made = create ? ops.make_directory(root, transcript_folder_inl::folder_name)
                          : -system_code(SystemFault::exists);
  if (made < 0 && fault_of(made) != SystemFault::exists)
    return file_error(-made, path, "cannot make the directory");
  OpenFlags const flags = OpenFlags::directory;
  int const descriptor =
      uninterrupted([&] { return ops.open(root, transcript_folder_inl::folder_name, flags); });
  if (descriptor < 0) return file_error(-descriptor, path, "cannot open the directory");
  OpenFile folder(ops, descriptor);
  if (made == 0)
    if (int const failed = ops.set_mode(descriptor, 0700); failed < 0)
      return file_error(-failed, path, "cannot set the new directory's mode");
  return folder;
}

std::string TranscriptFolder::file_of(SessionId const& id) {
  Result<std::string> file = find(id);
  return file ? std::move(*file) : id.str() + std::string(transcript_suffix);
}

Result<std::string> TranscriptFolder::find(SessionId const& id) {
  std::string plain = id.str() + std::string(transcript_suffix);
  if (layout_ == StoreLayout::by_id) return plain;
  std::string file = known(id);
  if (!file.empty()) return file;
  std::optional<Error> unread;
  auto const listed = list(&unread); // somebody may have made it since
  if (!listed) return listed.error();
  file = known(id);
  if (file.empty() && unread) return *unread;
  return file.empty() ? plain : file;
}

std::string TranscriptFolder::known(SessionId const& id) {
  std::lock_guard<std::mutex> const lock(mutex_);
  auto const found = names_.files.find(id.str());
  return found == names_.files.end() ? std::string{} : found->second;
}

SESSIONKIT_SELDOM Result<FileNames> TranscriptFolder::names(std::optional<Error>* unread) {
  FileNames files, ids;
  int const failed = ops_->list(directory(), files);
  if (failed < 0) return file_error(-failed, path_, "cannot list the directory");
  if (layout_ == StoreLayout::by_id) {
    files.each([&](std::string_view file) {
      if (is_transcript_name(file)) ids.push_back(file.substr(0, file.size() - transcript_suffix.size()));
    });
    return ids;
  }
  std::set<std::string_view> sorted; // so that of two files of one id the same keeps it
  files.each([&](std::string_view file) {
    if (is_transcript_name(file)) sorted.insert(file);
  });
  for (std::string_view const file : sorted)
    if (auto const id = id_by_key(std::string(file), unread)) ids.push_back(id->str());
  return ids;
}

std::optional<std::size_t> TranscriptFolder::count() {
  FileNames files;
  if (ops_->list(directory(), files) < 0) return std::nullopt;
  std::size_t found = 0;
  files.each([&](std::string_view file) {
    if (is_transcript_name(file)) ++found;
  });
  return found;
}

Result<std::vector<SessionId>> TranscriptFolder::list(std::optional<Error>* unread) {
  Result<FileNames> const found = names(unread);
  if (!found) return found.error();
  std::vector<SessionId> ids;
  found->each([&](std::string_view name) {
    if (auto id = SessionId::parse(name)) ids.push_back(std::move(*id));
  });
  return ids;
}

// Of a file that is called by a key.
SESSIONKIT_SELDOM std::optional<SessionId> TranscriptFolder::id_by_key(std::string const& file,
                                                                       std::optional<Error>* unread) {
  if (auto known = known_in(file)) return known;
  Result<std::optional<SessionId>> found = transcript_folder_inl::id_in_file(*ops_, directory(), file, true);
  bool const read = found.ok(); // else its name is used, and nothing is learned from it
  if (!read && unread != nullptr) *unread = found.error();
  bool const taken = read && *found && !known(**found).empty();
  if (!read || taken) found = transcript_folder_inl::id_in_file(*ops_, directory(), file, false);
  if (!found || !*found) return std::nullopt;
  if (read) learn(**found, file);
  return std::move(*found);
}

std::optional<SessionId> TranscriptFolder::known_in(std::string const& file) {
  std::lock_guard<std::mutex> const lock(mutex_);
  auto const found = names_.ids.find(file);
  if (found == names_.ids.end()) return std::nullopt;
  return found->second;
}

SESSIONKIT_SELDOM void TranscriptFolder::learn(SessionId const& id, std::string const& file) {
  if (layout_ == StoreLayout::by_id || !is_transcript_name(file)) return;
  std::lock_guard<std::mutex> const lock(mutex_);
  std::string& place = names_.files[id.str()];
  if (!place.empty() && place != file) names_.ids.erase(place);
  place = file;
  names_.ids.insert_or_assign(file, id);
}

void TranscriptFolder::forget(SessionId const& id) {
  std::lock_guard<std::mutex> const lock(mutex_);
  auto const found = names_.files.find(id.str());
  if (found == names_.files.end()) return;
  names_.ids.erase(found->second);
  names_.files.erase(found);
}

SESSIONKIT_SELDOM Result<void> TranscriptFolder::choose(SessionId const& id, Append const& first) {
  if (layout_ == StoreLayout::by_id) return {};
  Result<std::string> const there = find(id); // somebody may have made it under another key
  if (!there) return there.error();
  if (known(id).empty())
    learn(id, transcript_folder_inl::file_of_key(transcript_folder_inl::key_in(first), id));
  return {};
}

}}}
