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

/// A fault of a store, or something that a person may want to know about it.
struct DoctorFinding {
  /// The kind of the finding. Entries or sessions are lost, or may be lost, by findings of the first group.
  /// The second group is harmless.
  enum Kind {
    transcript_damage,  ///< `damage` says what and where
    transcript_unread,  ///< cannot be opened or read
    link,               ///< a symbolic link, or a file with several names; nothing is appended to it
    other_owner,        ///< a file of another user; nothing is appended to it
    not_a_file,         ///< a directory or a special file with a transcript's name
    index_missing,      ///< there are transcripts and no index
    index_unreadable,   ///< no index that can be understood
    index_wrong,        ///< a row contradicts its transcript
    index_without_file, ///< a row whose transcript is not there
    // harmless: nothing is lost or wrong
    index_behind,     ///< a row that is missing or older than its transcript; it is updated when it is needed
    loose_mode,       ///< others than the owner may read or write
    left_over,        ///< a file that a program left when it was killed, or an index moved aside earlier
    lock_file,        ///< a lock of another program, or our lock while a process has it
    empty_transcript, ///< no session was ever stored in it
    foreign_file,     ///< a file that is not ours and does no harm
  };
  /// What `repair` does.
  enum Remedy {
    none,      ///< nothing: a person must decide
    tighten,   ///< remove the permissions of other users
    set_aside, ///< move the file to the quarantine
    rewrite,   ///< replace the transcript by one without the bytes that give no entry; a copy is kept
    rebuild,   ///< rebuild the index from the transcripts; a copy is kept
  };
  Kind kind = foreign_file;
  Remedy remedy = none;
  std::string path = {};
  std::string what = {};             ///< one sentence
  std::optional<Damage> damage = {}; ///< of `transcript_damage`

  /// True if nothing is lost or wrong.
  bool harmless() const noexcept { return kind >= index_behind; }
};
/// The enumerators' names, for example "index_missing". Never null.
SESSIONKIT_API char const* to_string(DoctorFinding::Kind) noexcept;
/// The enumerators' names, for example "rewrite". Never null.
SESSIONKIT_API char const* to_string(DoctorFinding::Remedy) noexcept;

/// How to look, and how to repair.
struct DoctorOptions {
  std::chrono::milliseconds lock_wait{5000}; ///< how long to wait for a writer: then `timed_out`
  std::uint64_t max_line = default_max_line; ///< longer lines are left alone; bytes
  Timestamp now = {};                        ///< part of the names of quarantined copies
  StoreProgress progress = {};
};

/// The findings, in the order of paths; those of one file in the order of offsets.
struct Diagnosis {
  std::string root = {};       ///< of the store; empty: one transcript was looked at
  std::size_t transcripts = 0; ///< looked at
  std::vector<DoctorFinding> findings = {};
};

/// Examines a file store and changes nothing: every transcript is read completely. `not_found`,
/// `unsafe_path`, `io_error`.
SESSIONKIT_API Result<Diagnosis> diagnose_store(std::string const& root, DoctorOptions const& options = {});
/// Examines one transcript and changes nothing.
SESSIONKIT_API Result<Diagnosis> diagnose_transcript(std::string const& path,
                                                     DoctorOptions const& options = {});

/// What `repair` did about a finding.
struct Treatment {
  DoctorFinding finding;
  std::string copy = {};             ///< where the original bytes are kept; empty: none were removed
  std::optional<Error> failure = {}; ///< absent: repaired
};

/// Repairs the findings, one file after the other. A failure does not stop the other repairs. No byte is
/// destroyed: before a file changes, the bytes that are removed or replaced are copied to `quarantine/`
/// beside it, and synced. A transcript is rewritten under its lock, and entries that were appended since the
/// diagnosis are kept. If a repair fails, the file is the old one or the complete new one. The result has no
/// element for findings without a remedy.
SESSIONKIT_API std::vector<Treatment> repair(Diagnosis const& diagnosis, DoctorOptions const& options);

}}
