// SPDX-License-Identifier: MIT
// Recognises folders that belong to other programs and are no stores.
#pragma once
#include <sessionkit/detail/base/directory_lock.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/file_store/foreign_folder.hpp>
#include <sessionkit/detail/file_store/index_files.hpp>
#include <sessionkit/detail/file_store/transcript_folder.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/transcript/file_reader.hpp>

#include <algorithm>
#include <array>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace foreign_folder_inl { namespace {

constexpr std::string_view pi = "pi"; // its transcripts are ours to read; the folder above them is no store

struct ForeignName {
  std::string_view program, begin, end; ///< of the name
};
constexpr std::array<ForeignName, 3> foreign_names{
    {{"Gemini CLI", "session-20", ".json"}, {"opencode", "ses_", ".json"}, {"opencode", "msg_", ".json"}}};

struct ForeignMember {
  std::string_view program;
  std::array<std::string_view, 2> members; ///< all of which its lines have
};
constexpr std::array<ForeignMember, 6> foreign_members{{{"Claude Code", {"uuid", "parentUuid"}},
                                                        {"Claude Code", {"sessionId", "type"}},
                                                        {"Claude Code", {"leafUuid", "summary"}},
                                                        {"Codex", {"payload", "timestamp"}},
                                                        {"Codex", {"thread_name", "updated_at"}},
                                                        {"Gemini CLI", {"projectHash", "sessionId"}}}};

bool begins(std::string_view text, std::string_view with) noexcept {
  return text.substr(0, with.size()) == with;
}
bool ends(std::string_view text, std::string_view with) noexcept {
  return text.size() >= with.size() && text.substr(text.size() - with.size()) == with;
}

bool is_part_of_date(std::string_view name) noexcept {
  bool const digits = name.find_first_not_of("0123456789") == std::string_view::npos;
  return digits && (name.size() == 2 || (name.size() == 4 && begins(name, "20")));
}

// What the names of a directory without transcripts show: that a program keeps its transcripts below it.
// Hidden files, and an index of ours that was left there, show nothing.
std::string_view program_of_names(FileNames const& names) {
  std::size_t all = 0, projects = 0, pi_projects = 0, dates = 0, sessions = 0, parts = 0, chats = 0,
              settings = 0;
  names.each([&](std::string_view name) {
    if (begins(name, ".") || begins(name, "sessions.json")) return;
    ++all;
    projects += begins(name, "-") ? 1U : 0U;
    pi_projects += begins(name, "--") && ends(name, "--") ? 1U : 0U;
    dates += is_part_of_date(name) ? 1U : 0U;
    sessions += begins(name, "ses_") ? 1U : 0U;
    parts += name == "message" || name == "part" || name == "session" ? 1U : 0U;
    chats += name == "chats" || name == "logs.json" ? 1U : 0U;
    settings += name == "auth.json" || name == "config.toml" || name == "sessions" ? 1U : 0U;
  });
  if (all > 0 && pi_projects == all) return pi;
  if (all > 0 && projects == all) return "Claude Code";
  if ((all > 0 && dates == all) || settings == 3) return "Codex";
  if (parts == 3 || (all > 0 && sessions == all)) return "opencode";
  return chats == 2 ? "Gemini CLI" : std::string_view{};
}

// What the first lines of one file show.
struct Shown {
  bool has_records = false, is_known = false;
  std::string_view program = {};
};

Result<Shown> look_at_file(FileOps& ops, int directory, std::string const& root, std::string const& name,
                           LastBegin& last) {
  std::string const path = root + "/" + name;
  Result<OpenFile> const file = open_for_reading(ops, directory, name.c_str(), false, path);
  if (!file) return Shown{}; // using the store shows why it cannot be read
  FileReader log(ops, file->get(), path, {});
  log.keep_begin_in(last);
  if (auto r = log.detect(); !r) return r.error();
  // ZeroClaw loses a session of its folder that is in another dialect, and no session begins in this one.
  if (&log.dialect() == &bare_dialect()) return Shown{log.has_records(), false, "ZeroClaw"};
  if (log.is_known() || !log.has_records()) return Shown{log.has_records(), log.is_known(), {}};
  ReadRange range;
  range.max_records = 16;
  Result<RecordPage> const page = log.read(range);
  if (!page) return page.error();
  Shown out{true, false, {}};
  for (RecordPage::Item const& item : page->items())
    if (out.program.empty()) out.program = program_of_line(item.line);
  return out;
}

// What the files of a directory show together. The first entry of a known type ends the look.
struct FolderShown {
  bool is_known = false, is_foreign = false;
  std::string_view program = {};
};

SESSIONKIT_SELDOM Result<FolderShown> look_at_folder(FileOps& ops, int directory, std::string const& path) {
  FileNames names;
  if (int const failed = ops.list(directory, names); failed < 0)
    return file_error(-failed, path, "cannot list the directory");
  FolderShown out;
  auto const transcripts = names.sorted([](std::string_view name) { return is_transcript_name(name); });
  names.each([&](std::string_view name) {
    if (out.program.empty()) out.program = program_of_name(name);
  });
  if (transcripts.empty() && out.program.empty()) out.program = program_of_names(names);
  LastBegin last;
  for (std::string const& name : transcripts) {
    Result<Shown> const shown = look_at_file(ops, directory, path, name, last);
    if (!shown) return shown.error();
    if (!shown->has_records) continue;
    if (shown->is_known) return FolderShown{true};
    out.is_foreign = true;
    if (out.program.empty()) out.program = shown->program;
  }
  return out;
}

// Rows of a store that is open, not in its index yet.
bool has_journal(FileOps& ops, int directory) {
  FileStatus journal;
  return ops.status_at(directory, index_journal_name, journal) == 0;
}

Error foreign(std::string const& root, std::string_view program) {
  if (program == pi)
    return make_error(Errc::unsupported,
                      "{} has the folders of pi's projects, and is not a store; name one of these folders",
                      root);
  return make_error(
      Errc::unsupported,
      "{} is a folder of {}, not a store: nothing is written there; name a directory of its own, and read "
      "one transcript of that program by its path",
      root, program.empty() ? std::string_view("another program") : program);
}

}}

std::string_view program_of_name(std::string_view name) noexcept {
  auto const found = std::find_if(
      foreign_folder_inl::foreign_names.begin(), foreign_folder_inl::foreign_names.end(),
      [&](foreign_folder_inl::ForeignName const& known) {
        return foreign_folder_inl::begins(name, known.begin) && foreign_folder_inl::ends(name, known.end);
      });
  return found == foreign_folder_inl::foreign_names.end() ? std::string_view{} : found->program;
}

std::string_view program_of_line(std::string_view line) noexcept {
  auto const has = [&](std::string_view member) { return !find_member(line, member).empty(); };
  for (foreign_folder_inl::ForeignMember const& known : foreign_folder_inl::foreign_members)
    if (std::all_of(known.members.begin(), known.members.end(), has)) return known.program;
  return {};
}

bool has_our_lock(FileOps& ops, int directory) {
  FileStatus lock;
  return ops.status_at(directory, directory_lock_name, lock) == 0 && lock.kind == FileStatus::regular
         && lock.size == 0;
}

Result<std::string_view> program_of_transcript(FileOps& ops, int directory, std::string const& root,
                                               std::string const& name) {
  LastBegin last;
  Result<foreign_folder_inl::Shown> const shown =
      foreign_folder_inl::look_at_file(ops, directory, root, name, last);
  if (!shown) return shown.error();
  return shown->program;
}

SESSIONKIT_SELDOM Result<void> refuse_foreign_folder(FileOps& ops, int directory, std::string const& root,
                                                     std::string_view index, LastBegin& last) {
  constexpr std::size_t looked_at = 8;
  std::vector<std::string> const indexed = files_in_index(index);
  bool in_index = false;
  for (std::size_t i = 0; i < std::min(indexed.size(), looked_at); ++i) { // mostly the first one shows it
    Result<foreign_folder_inl::Shown> const shown =
        foreign_folder_inl::look_at_file(ops, directory, root, indexed[i], last);
    if (!shown) return shown.error();
    if (shown->has_records && shown->is_known) return {};
    in_index = in_index || shown->has_records;
  }
  Result<foreign_folder_inl::FolderShown> const here =
      foreign_folder_inl::look_at_folder(ops, directory, root);
  if (!here) return here.error();
  if (here->is_known) return {};
  foreign_folder_inl::FolderShown below;
  if (Result<OpenFile> const folder =
          TranscriptFolder::open(ops, directory, root, StoreLayout::transcripts_folder, false)) {
    Result<foreign_folder_inl::FolderShown> const shown =
        foreign_folder_inl::look_at_folder(ops, folder->get(), root + "/transcripts");
    if (!shown) return shown.error();
    if (shown->is_known) return {};
    below = *shown;
  }
  std::string_view const program = here->program.empty() ? below.program : here->program;
  bool const foreign = here->is_foreign || below.is_foreign;
  // In a store of ours such lines are damage, or copies of another program's that are in the index.
  bool const stored = in_index || foreign_folder_inl::has_journal(ops, directory);
  if (foreign && (program.empty() || stored) && has_our_lock(ops, directory)) return {};
  if (foreign || !program.empty()) return foreign_folder_inl::foreign(root, program);
  return {};
}

}}}
