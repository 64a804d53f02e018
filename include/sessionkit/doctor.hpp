// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/file_store.hpp>
#include <sessionkit/record.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// A fault of a store, or an oddity that a person may want to know.
struct DoctorFinding {
  /// The kind of a finding. The kinds form two groups. Findings of the first group mean that something
  /// is lost, may get lost or is wrong. Findings of the second group are harmless.
  enum Kind {
    transcript_damage,  ///< `damage` says what and where
    transcript_unread,  ///< the transcript cannot be opened or read
    link,               ///< a symbolic link, or a file with several hard links; nothing is appended to it
    other_owner,        ///< a file of another user; nothing is appended to it
    not_a_file,         ///< a directory or a special file with a transcript's name
    index_missing,      ///< there are transcripts and no index
    index_unreadable,   ///< the index cannot be understood
    index_wrong,        ///< a row of the index contradicts its transcript
    index_without_file, ///< a row of the index has no transcript
    // harmless: nothing is lost or wrong
    index_behind, ///< a row of the index is missing, or older than its transcript; the store updates it when
                  ///< it needs the row
    loose_mode,   ///< users other than the owner may read or write
    left_over,    ///< a file that a killed program left, or an index that was moved aside earlier
    lock_file,    ///< a lock of another program, or this library's lock while a process holds it
    empty_transcript, ///< no session was ever stored in it
    foreign_file, ///< a file, or a row of the index, that does not belong to this library and does no harm
  };
  /// What `repair` does.
  enum Remedy {
    none,      ///< nothing: it is harmless, or a person must decide
    tighten,   ///< remove the permissions of other users
    set_aside, ///< move the file to the folder `quarantine/`
    rewrite, ///< rewrite the transcript without the bytes that give no entry; a copy of the original is kept
    rebuild, ///< rebuild the index from the transcripts; a copy of the original is kept
  };
  Kind kind = foreign_file;          ///< what was found
  Remedy remedy = none;              ///< what `repair` would do about it
  std::string path = {};             ///< the path of the file; it begins with the root that the caller gave
  std::string what = {};             ///< one sentence
  std::optional<Damage> damage = {}; ///< set if `kind` is `transcript_damage`

  /// True if nothing is lost or wrong.
  bool harmless() const noexcept { return kind >= index_behind; }
};
/// The enumerators' names, for example "index_missing". Never null.
SESSIONKIT_API char const* to_string(DoctorFinding::Kind) noexcept;
/// The enumerators' names, for example "rewrite". Never null.
SESSIONKIT_API char const* to_string(DoctorFinding::Remedy) noexcept;

/// Options of the diagnosis and of `repair`.
struct DoctorOptions {
  std::chrono::milliseconds lock_wait{5000}; ///< the longest wait for a writer; then `timed_out`
  std::uint64_t max_line = default_max_line; ///< in bytes; longer lines are reported and not repaired
  Timestamp now = {};                        ///< the time that is part of the names of quarantined copies
  /// The progress of a diagnosis: in transcripts of a store, or in bytes of a single transcript
  /// (`diagnose_transcript`). `repair` reports the transcripts of a rebuilt index. Absent: nothing is
  /// reported.
  StoreProgress progress = {};
};

/// The result of a diagnosis.
struct Diagnosis {
  std::string root = {};       ///< the root of the store; empty if a single transcript was examined
  std::size_t transcripts = 0; ///< the number of examined transcripts
  std::vector<DoctorFinding> findings =
      {}; ///< in the order of paths, and within a file in the order of offsets
};

/// Examines a file store and changes nothing. Reads every transcript completely. Fails with `not_found`,
/// `unsafe_path` or `io_error`, or with `unsupported` for the folder of another program.
SESSIONKIT_API Result<Diagnosis> diagnose_store(std::string const& root, DoctorOptions const& options = {});
/// Examines one transcript and changes nothing.
SESSIONKIT_API Result<Diagnosis> diagnose_transcript(std::string const& path,
                                                     DoctorOptions const& options = {});

/// The repair of one finding.
struct Treatment {
  DoctorFinding finding; ///< the finding that was repaired
  std::string copy = {}; ///< the path of the copy of the original bytes; empty if no bytes were removed
  std::optional<Error> failure = {}; ///< the reason why the repair failed; absent if it succeeded
};

/// Repairs the findings, one file after the other. A failure does not stop the other repairs. No byte is
/// destroyed: before `repair` removes or replaces bytes of a file, it copies these bytes and syncs the copy.
/// The copies are in the folder `quarantine/`, in the root of the store or beside a single transcript.
/// `repair` holds the lock of a transcript while it rewrites the transcript, and keeps entries that were
/// appended since the diagnosis. If a repair fails, the file is either the old one or the complete new one.
/// The result has no element for a finding without a remedy.
SESSIONKIT_API std::vector<Treatment> repair(Diagnosis const& diagnosis, DoctorOptions const& options);

}}
