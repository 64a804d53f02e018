// SPDX-License-Identifier: MIT
// Examines a store or a transcript and lists what is wrong.
#pragma once
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/safe_directory.hpp>
#include <sessionkit/detail/base/system_advice.hpp>
#include <sessionkit/detail/file_store/file_store.hpp>
#include <sessionkit/detail/file_store/foreign_folder.hpp>
#include <sessionkit/detail/file_store/index_files.hpp>
#include <sessionkit/detail/file_store/transcript_folder.hpp>
#include <sessionkit/detail/transcript/file_summary.hpp>
#include <sessionkit/detail/transcript/quarantine.hpp>
#include <sessionkit/detail/transcript/rewrite.hpp>
#include <sessionkit/detail/transcript/verify.hpp>
#include <sessionkit/detail/upkeep/doctor.hpp>

#include <algorithm>
#include <array>
#include <map>

namespace sessionkit { inline namespace v0 {
namespace detail {

namespace doctor_inl { namespace {

using Finding = DoctorFinding;

constexpr std::array<std::string_view, 6> own_names{
    {"sessions.json", "sessions.journal", ".lock", "trash", "transcripts", Quarantine::folder_name}};

bool ends_in(std::string_view text, std::string_view end) noexcept {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

// A new file is called `.<name>.<16 hex digits>` until it replaces the old one;
// `sessions.json.unreadable-...` is an index that was moved aside, and its journal is named likewise.
bool is_left_over(std::string_view name) noexcept {
  constexpr std::size_t digits = 16;
  for (std::string_view const aside : {"sessions.json.unreadable-", "sessions.journal.unreadable-"})
    if (name.substr(0, aside.size()) == aside) return true;
  if (name.size() < digits + 3 || name.front() != '.' || name[name.size() - digits - 1] != '.') return false;
  std::string_view const of = name.substr(1, name.size() - digits - 2);
  return name.substr(name.size() - digits).find_first_not_of("0123456789abcdef") == std::string_view::npos
         && (of == "sessions.json" || of == "sessions.journal" || ends_in(of, transcript_suffix));
}

std::string row_text(SessionInfo info, IndexRow const& beside, bool by_key, bool with_text) {
  if (!beside.title.empty()) info.title.clear(); // the log cannot confirm a title that only the index has
  if (by_key) info.created = info.updated = {};  // another program chose these times
  IndexRow const row{std::move(info)};
  std::string text;
  JsonWriter out(text);
  write_index_row(row, out, text, with_text);
  return text;
}

std::vector<Finding> damage_findings(std::string const& path, std::vector<Damage> all) {
  std::vector<Finding> out;
  for (Damage& damage : all) {
    if (!is_damage(damage.kind)) continue;
    Finding::Remedy const remedy = gives_no_entry(damage.kind) ? Finding::rewrite : Finding::none;
    out.push_back(Finding{Finding::transcript_damage, remedy, path, damage.what, damage});
  }
  return out;
}

Finding empty_finding(std::string const& path, std::uint64_t bytes) {
  Finding out{Finding::empty_transcript, Finding::none, path, "no session was ever stored in it"};
  if (bytes > 0)
    out.what += detail::format_text(
        ": its {} bytes are what torn writes left; creating the session continues after them", bytes);
  return out;
}

// What is wrong with the bytes of one transcript. One finding if no session was ever stored in it; then
// nothing is added to `summary`. `progress` counts bytes.
Result<std::vector<Finding>> transcript_findings(FileReader& log, StoreProgress const& progress = {},
                                                 VerifiedSummary* summary = nullptr) {
  Result<FileStatus> const status = log.status();
  if (!status) return status.error();
  Result<bool> const nothing = holds_nothing(log);
  if (!nothing) return nothing.error();
  if (*nothing) return std::vector<Finding>{empty_finding(log.path(), status->size)};
  Result<std::vector<Damage>> damage = verify_transcript(log, progress, nullptr, summary);
  if (!damage) return damage.error();
  return damage_findings(log.path(), std::move(*damage));
}

class StoreDoctor {
 public:
  StoreDoctor(FileOps& ops, std::string root, OpenFile directory, OpenFile folder, Profile const& profile,
              DoctorOptions const& options)
      : ops_(ops),
        directory_(std::move(directory)),
        by_key_(profile.layout != StoreLayout::by_id),
        with_text_(!profile.shares_index || by_key_),
        fallback_(find_dialect(profile.dialect)),
        options_(options),
        folder_(ops, directory_.get(), TranscriptFolder::usual_path(root, profile.layout), profile.layout,
                std::move(folder)),
        files_(
            ops, directory_.get(), root,
            {profile.layout, !(profile.shares_index || by_key_), false, [this] { return folder_.count(); }}) {
    out_.root = std::move(root);
  }

  Result<Diagnosis> look() {
    FileNames names;
    if (int const failed = ops_.list(directory_.get(), names); failed < 0)
      return file_error(-failed, out_.root, "cannot list the directory");
    index_ = files_.look();
    if (!index_.doubt.empty())
      add(Finding::index_unreadable, Finding::rebuild, files_.journal_path(), index_.doubt);
    each_row([this](IndexRow const& row) { folder_.learn(row.info.id, row.file); });
    Result<std::vector<SessionId>> const ids = folder_.list();
    if (!ids) return ids.error();
    std::map<std::string, SessionId> files;
    for (SessionId const& id : *ids) files.emplace(folder_.file_of(id), id);
    look_at_mode(directory_.get(), ".", out_.root);
    names.each([&](std::string_view name) {
      if (std::string const file(name); by_key_ || files.count(file) == 0) look_at_other(file);
    });
    if (by_key_ && ops_.list(folder_.directory(), names) == 0)
      names.each([&](std::string_view name) {
        if (std::string const file(name); is_left_over(file)) look_at_other_in(folder_.path(), file);
      });
    for (auto const& [file, id] : files) {
      if (options_.progress) options_.progress(out_.transcripts, files.size());
      ++out_.transcripts;
      look_at_transcript(file, id);
    }
    if (options_.progress) options_.progress(files.size(), files.size());
    look_at_index(files);
    std::stable_sort(out_.findings.begin(), out_.findings.end(),
                     [](Finding const& a, Finding const& b) { return a.path < b.path; });
    return std::move(out_);
  }

 private:
  template <class Use> void each_row(Use&& use) {
    index_.rows.each(
        [&](std::string_view name, IndexRow const*, std::string_view) { use(*index_.rows.find(name)); });
  }

  void add(Finding::Kind kind, Finding::Remedy remedy, std::string path, std::string what) {
    out_.findings.push_back(Finding{kind, remedy, std::move(path), std::move(what)});
  }

  // False: the file must not be read.
  bool look_at_mode(int directory, char const* name, std::string const& path) {
    FileStatus status;
    if (int const failed = ops_.status_at(directory, name, status); failed < 0)
      return add(Finding::transcript_unread, Finding::none, path,
                 file_error(-failed, path, "cannot look at it").message),
             false;
    if (status.kind == FileStatus::link)
      return add(Finding::link, Finding::none, path, "a symbolic link; put the file itself here"), false;
    if (status.kind == FileStatus::other)
      return add(Finding::not_a_file, Finding::none, path, "a special file; move it away"), false;
    if (status.owner != ops_.user())
      add(Finding::other_owner, Finding::none, path,
          detail::format_text("belongs to {}; change its owner, or copy it",
                              detail::owner_text(status.owner)));
    else if ((status.mode & 077U) != 0)
      add(Finding::loose_mode, Finding::tighten, path,
          detail::format_text("{}: others than its owner may use it", detail::mode_text(status.mode)));
    if (status.kind == FileStatus::regular && status.links > 1)
      add(Finding::link, Finding::none, path,
          detail::format_text("the file has {} names (hard links); remove the others or copy it",
                              status.links));
    return true;
  }

  void look_at_other(std::string const& name) {
    std::string const path = out_.root + "/" + name;
    if (name == ".lock") return look_at_lock(path);
    if (name == "sessions.json" || name == "sessions.journal")
      return (void)look_at_mode(directory_.get(), name.c_str(), path);
    if (std::find(own_names.begin(), own_names.end(), name) != own_names.end()) return;
    look_at_other_in(out_.root, name);
  }

  void look_at_other_in(std::string const& folder, std::string const& name) {
    std::string const path = folder + "/" + name;
    if (is_left_over(name))
      add(Finding::left_over, Finding::set_aside, path, "a program was killed, or moved an index aside");
    else if (ends_in(name, ".lock"))
      add(Finding::lock_file, Finding::none, path,
          "a lock of another program; remove it if that is not running");
    else
      add(Finding::foreign_file, Finding::none, path, "not a session and not ours");
  }

  void look_at_lock(std::string const& path) {
    if (!look_at_mode(directory_.get(), ".lock", path)) return;
    Result<OpenFile> const file = open_for_reading(ops_, directory_.get(), ".lock", false, path);
    if (!file) return add(Finding::lock_file, Finding::none, path, file.error().message);
    if (ops_.try_lock(file->get()) < 0)
      add(Finding::lock_file, Finding::none, path, "somebody writes the index just now");
    else
      (void)ops_.unlock(file->get());
  }

  void look_at_transcript(std::string const& name, SessionId const& id) {
    std::string const path = folder_.path() + "/" + name;
    if (!look_at_mode(folder_.directory(), name.c_str(), path)) return;
    Result<OpenFile> const file = open_for_reading(ops_, folder_.directory(), name.c_str(), false, path);
    if (!file) return unread(path, file.error());
    FileReader log(ops_, file->get(), path, ReaderOptions{options_.max_line, fallback_});
    VerifiedSummary summary(log, id);
    bool const compares = index_.state == JournalDelta::good;
    Result<std::vector<Finding>> found = transcript_findings(log, {}, compares ? &summary : nullptr);
    if (!found) return unread(path, found.error());
    for (Finding& finding : *found) out_.findings.push_back(std::move(finding));
    if (!compares) return;
    Result<FileSummary> const fresh = summary.finish();
    if (!fresh) return unread(path, fresh.error());
    if (fresh->exists) compare(log, path, *fresh);
  }

  void unread(std::string const& path, Error const& error) {
    bool const directory = error.code == Errc::unsafe_path;
    add(directory ? Finding::not_a_file : Finding::transcript_unread, Finding::none, path, error.message);
  }

  void compare(FileReader& log, std::string const& path, FileSummary const& fresh) {
    IndexRow const* const found = index_.rows.find(fresh.info.id.str());
    if (found == nullptr) {
      if (!by_key_) add(Finding::index_behind, Finding::none, path, "not in the index yet");
      return; // an index by keys names only the newest session of each key
    }
    IndexRow const& row = *found;
    if (row.info.end == Position{}) return; // another program wrote the row
    bool const old = row.info.end < fresh.info.end;
    Result<FileSummary> const forward =
        old ? summarise(log, row.info.id, row.info) : Result<FileSummary>(fresh);
    if (!forward) return unread(path, forward.error());
    std::string const expected = row_text(fresh.info, row, by_key_, with_text_);
    bool const right = row_text(old ? forward->info : row.info, row, by_key_, with_text_) == expected;
    if (!right)
      add(Finding::index_wrong, Finding::rebuild, files_.path(),
          detail::format_text("what it says of session '{}' is not what the transcript holds",
                              row.info.id.str()));
    else if (old)
      add(Finding::index_behind, Finding::none, path,
          detail::format_text("the index knows the first {} of {} bytes", row.info.end.value(),
                              fresh.info.end.value()));
  }

  void look_at_index(std::map<std::string, SessionId> const& files) {
    std::string const& path = files_.path();
    if (index_.state == JournalDelta::missing && !files.empty())
      add(Finding::index_missing, Finding::rebuild, path,
          detail::format_text("there is no index, and there are {} transcripts", files.size()));
    if (index_.state == JournalDelta::unreadable)
      add(Finding::index_unreadable, Finding::rebuild, path, "no index that can be understood");
    if (index_.state == JournalDelta::unavailable)
      add(Finding::index_unreadable, Finding::none, path, "the system does not let us read it");
    each_row([&](IndexRow const& row) {
      if (files.count(folder_.file_of(row.info.id)) != 0) return;
      bool const ours = row.info.end != Position{};
      add(ours ? Finding::index_without_file : Finding::foreign_file, ours ? Finding::rebuild : Finding::none,
          path,
          detail::format_text("it has a row of session '{}', whose transcript is not there",
                              row.info.id.str()));
    });
  }

  FileOps& ops_;
  OpenFile directory_;
  bool by_key_, with_text_;
  Dialect const* fallback_;
  DoctorOptions const& options_;
  TranscriptFolder folder_;
  IndexFiles files_;
  JournalDelta index_;
  Diagnosis out_;
};

}}

Result<Diagnosis> diagnose_store(FileOps& ops, std::string const& root, DoctorOptions const& options) {
  Result<OpenFile> directory = open_store_directory(ops, root, false);
  if (!directory) return directory.error();
  Result<std::string> const index = begin_of_index(ops, directory->get(), root);
  if (!index) return index.error();
  LastBegin last;
  if (auto r = refuse_foreign_folder(ops, directory->get(), root, *index, last); !r) return r.error();
  Result<Profile> const profile = detect_profile(ops, directory->get(), root, *index, last);
  if (!profile) return profile.error();
  Result<OpenFile> folder = TranscriptFolder::open(ops, directory->get(), root, profile->layout, false);
  if (!folder) return folder.error();
  return doctor_inl::StoreDoctor(ops, root, std::move(*directory), std::move(*folder), *profile, options)
      .look();
}

Result<Diagnosis> diagnose_transcript(FileOps& ops, std::string const& path, DoctorOptions const& options) {
  Result<OpenFile> const file = open_for_reading(ops, working_directory, path.c_str(), true, path);
  if (!file) return file.error();
  FileReader log(ops, file->get(), path, ReaderOptions{options.max_line});
  Result<std::vector<DoctorFinding>> found = doctor_inl::transcript_findings(log, options.progress);
  if (!found) return found.error();
  Diagnosis out;
  out.transcripts = 1;
  out.findings = std::move(*found);
  return out;
}

}

char const* to_string(DoctorFinding::Kind kind) noexcept {
  switch (kind) {
  case DoctorFinding::transcript_damage: return "transcript_damage";
  case DoctorFinding::transcript_unread: return "transcript_unread";
  case DoctorFinding::link: return "link";
  case DoctorFinding::other_owner: return "other_owner";
  case DoctorFinding::not_a_file: return "not_a_file";
  case DoctorFinding::index_missing: return "index_missing";
  case DoctorFinding::index_unreadable: return "index_unreadable";
  case DoctorFinding::index_wrong: return "index_wrong";
  case DoctorFinding::index_without_file: return "index_without_file";
  case DoctorFinding::index_behind: return "index_behind";
  case DoctorFinding::loose_mode: return "loose_mode";
  case DoctorFinding::left_over: return "left_over";
  case DoctorFinding::lock_file: return "lock_file";
  case DoctorFinding::empty_transcript: return "empty_transcript";
  case DoctorFinding::foreign_file: return "foreign_file";
  }
  return "unknown";
}

char const* to_string(DoctorFinding::Remedy remedy) noexcept {
  switch (remedy) {
  case DoctorFinding::none: return "none";
  case DoctorFinding::tighten: return "tighten";
  case DoctorFinding::set_aside: return "set_aside";
  case DoctorFinding::rewrite: return "rewrite";
  case DoctorFinding::rebuild: return "rebuild";
  }
  return "unknown";
}

Result<Diagnosis> diagnose_store(std::string const& root, DoctorOptions const& options) {
  return detail::diagnose_store(detail::system_file_ops(), root, options);
}
Result<Diagnosis> diagnose_transcript(std::string const& path, DoctorOptions const& options) {
  return detail::diagnose_transcript(detail::system_file_ops(), path, options);
}

}}
