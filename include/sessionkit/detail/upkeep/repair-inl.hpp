// SPDX-License-Identifier: MIT
// Applies the remedies of a diagnosis, and keeps a copy of all that it removes.
#pragma once
#include <sessionkit/detail/base/directory_lock.hpp>
#include <sessionkit/detail/file_store/file_store.hpp>
#include <sessionkit/detail/file_store/index_files.hpp>
#include <sessionkit/detail/transcript/quarantine.hpp>
#include <sessionkit/detail/transcript/rewrite.hpp>
#include <sessionkit/detail/upkeep/repair.hpp>

#include <map>
#include <utility>

namespace sessionkit { inline namespace v0 {
namespace detail {

namespace repair_inl { namespace {

// The result of one remedy for one file: the path of the copy (empty: nothing was removed), or the failure.
using Outcome = Result<std::string>;

class Repairer {
 public:
  Repairer(FileOps& ops, Diagnosis const& diagnosis, DoctorOptions const& options, std::string root,
           OpenFile directory)
      : ops_(ops),
        diagnosis_(diagnosis),
        options_(options),
        root_(std::move(root)),
        directory_(std::move(directory)),
        quarantine_(ops, directory_.get(), root_, options.now) {}

  std::vector<Treatment> run() {
    std::vector<Treatment> out;
    for (DoctorFinding const& finding : diagnosis_.findings) {
      if (finding.remedy == DoctorFinding::none) continue;
      auto const key = std::pair(finding.path, finding.remedy);
      auto done = done_.find(key); // one rewrite repairs all findings of a file
      if (done == done_.end()) done = done_.emplace(key, apply(finding)).first;
      Treatment treatment{finding};
      if (done->second)
        treatment.copy = *done->second;
      else
        treatment.failure = done->second.error();
      out.push_back(std::move(treatment));
    }
    return out;
  }

 private:
  Outcome apply(DoctorFinding const& finding) {
    switch (finding.remedy) {
    case DoctorFinding::tighten: return tighten(finding.path);
    case DoctorFinding::rewrite: return rewrite(finding.path);
    case DoctorFinding::rebuild: return rebuild(finding);
    case DoctorFinding::set_aside: return set_aside(finding.path);
    case DoctorFinding::none: break;
    }
    return std::string{};
  }

  Outcome tighten(std::string const& path) {
    OpenFlags const flags = OpenFlags::read;
    int const descriptor = uninterrupted([&] { return ops_.open(working_directory, path.c_str(), flags); });
    if (descriptor < 0) return file_error(-descriptor, path, "cannot open it");
    OpenFile const file(ops_, descriptor);
    FileStatus status;
    int failed = ops_.status(descriptor, status);
    if (failed == 0 && status.owner == ops_.user()) failed = ops_.set_mode(descriptor, status.mode & 0700U);
    if (failed < 0) return file_error(-failed, path, "cannot set its mode");
    return std::string{};
  }

  Result<OpenFile> directory_of(std::string const& path) {
    std::string const parent = parent_directory(path);
    OpenFlags const flags = OpenFlags::directory | OpenFlags::follow_links;
    int const descriptor = uninterrupted([&] { return ops_.open(working_directory, parent.c_str(), flags); });
    if (descriptor < 0) return file_error(-descriptor, parent, "cannot open the directory");
    return OpenFile(ops_, descriptor);
  }

  Outcome rewrite(std::string const& path) {
    Result<OpenFile> const directory = directory_of(path);
    if (!directory) return directory.error();
    RewriteOptions const options{options_.lock_wait, options_.max_line};
    return rewrite_transcript(ops_, directory->get(), name_of(path), path, quarantine_, options);
  }

  // An unreadable index is moved aside whole. A readable but wrong one is merged with, so a copy is kept.
  Outcome rebuild(DoctorFinding const& finding) {
    bool const unreadable = finding.kind == DoctorFinding::index_unreadable;
    if (!unreadable)
      if (Outcome journal = copy_of("sessions.journal"); !journal) return journal;
    Outcome kept = unreadable ? set_aside(finding.path) : copy_of("sessions.json");
    if (!kept) return kept;
    FileStoreOptions options;
    options.create = false;
    options.lock_wait = options_.lock_wait;
    options.max_line = options_.max_line;
    Result<std::size_t> const sessions =
        reindex_file_store(ops_, root_, std::move(options), options_.progress);
    if (!sessions) return sessions.error();
    return kept;
  }

  Outcome copy_of(std::string const& name) {
    std::string const path = root_ + "/" + name;
    Result<OpenFile> const file = open_for_reading(ops_, directory_.get(), name.c_str(), false, path);
    if (file) return quarantine_.copy(file->get(), name);
    return file.error().code == Errc::not_found ? Outcome(std::string{}) : Outcome(file.error());
  }

  // Takes the lock of the index first: a file that is left over then belongs to no running program.
  Outcome set_aside(std::string const& path) {
    Result<LockedFile> const lock = lock_directory(ops_, directory_.get(), root_, options_.lock_wait);
    if (!lock) return lock.error();
    Result<OpenFile> const directory = directory_of(path);
    if (!directory) return directory.error();
    return quarantine_.take(directory->get(), name_of(path));
  }

  static std::string name_of(std::string const& path) { return path.substr(name_begin(path)); }

  FileOps& ops_;
  Diagnosis const& diagnosis_;
  DoctorOptions const& options_;
  std::string root_;
  OpenFile directory_;
  Quarantine quarantine_;
  std::map<std::pair<std::string, DoctorFinding::Remedy>, Outcome> done_;
};

}}

std::vector<Treatment> repair(FileOps& ops, Diagnosis const& diagnosis, DoctorOptions const& options) {
  if (diagnosis.findings.empty()) return {};
  bool const store = !diagnosis.root.empty();
  std::string const root = store ? diagnosis.root : parent_directory(diagnosis.findings.front().path);
  OpenFlags const flags = store ? OpenFlags::directory : OpenFlags::directory | OpenFlags::follow_links;
  int const descriptor = uninterrupted([&] { return ops.open(working_directory, root.c_str(), flags); });
  if (descriptor >= 0)
    return repair_inl::Repairer(ops, diagnosis, options, root, OpenFile(ops, descriptor)).run();
  std::vector<Treatment> out;
  for (DoctorFinding const& finding : diagnosis.findings)
    if (finding.remedy != DoctorFinding::none)
      out.push_back(Treatment{finding, {}, file_error(-descriptor, root, "cannot open the directory")});
  return out;
}

}

std::vector<Treatment> repair(Diagnosis const& diagnosis, DoctorOptions const& options) {
  return detail::repair(detail::system_file_ops(), diagnosis, options);
}

}}
