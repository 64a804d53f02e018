// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/event.hpp>
#include <sessionkit/session_store.hpp>
#include <sessionkit/store_options.hpp>
#include <sessionkit/time.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace sessionkit { inline namespace v0 {

/// How a file store writes, reads and waits.
struct FileStoreOptions {
  Durability durability = Durability::turn;
  std::chrono::milliseconds lock_wait{5000}; ///< how long to wait for another writer: then `timed_out`
  std::uint64_t max_line =
      default_max_line; ///< longer lines are skipped on reading and refused on writing; bytes
  bool create = true;   ///< make the directory (mode 0700) if it does not exist
  /// Also open a directory to which a group or everybody may write, although each of these users can replace
  /// sessions.
  bool allow_shared_directory = false;
  /// Change nothing on the disk, not even the index and `.lock`, and create nothing. Appends and removals
  /// answer `unsupported`.
  bool read_only = false;
  /// Layout, form of the index and dialect of new sessions. Absent: those of the directory, or `native` if
  /// the directory is new.
  std::optional<Profile> profile = {};
  /// The directory of the transcripts, if it is not `<root>/transcripts`: for claw0's layout only, whose
  /// index and transcripts may lie apart (its `SessionStore(store_path, transcript_dir)`). Both must be on
  /// one file system. Without a profile it is claw0's. `invalid_argument` for a profile of another layout.
  /// `diagnose` and `repair` examine `<root>/transcripts` only.
  std::string transcripts = {};
  OnEvent on_event = {};
};

/// Sessions as files in a directory: `<root>/<session id>.jsonl` and an index `<root>/sessions.json` that is
/// rebuilt from them when it is missing or wrong. Several processes may use one directory. A directory of
/// ai-panel, or of claw0 with its `transcripts/`, is recognised and continued in its own form. The index of
/// OpenClaw is read for its keys, and never written. A directory without our lock file is only read, until
/// something is stored in it. `not_found` if the directory does not exist and `create` is false;
/// `unsafe_path`, also if other users than the owner, this user and root may write to the directory;
/// `io_error`; `unsupported` for a folder of another program such as Claude Code.
SESSIONKIT_API Result<std::shared_ptr<SessionStore>> open_file_store(std::string const& root,
                                                                     FileStoreOptions options = {});

/// Opens `<home>/agents/<agent>/sessions`, the directory that ai-panel and OpenClaw use. `invalid_argument`
/// if the agent's name is not valid as a `SessionId`.
SESSIONKIT_API Result<std::shared_ptr<SessionStore>>
open_agent_store(std::string const& home, std::string const& agent, FileStoreOptions options = {});

/// Opens one transcript file of any name as a store of one session. The id of the session is that of the
/// header if it is a valid `SessionId`, else it is made of the file's name. If the options have no profile,
/// each message is stored at once, and tokens and compactions follow the program whose dialect the file has.
/// There is no index. A list has this one session. Creating another session (also by a fork) and removing are
/// `unsupported`.
SESSIONKIT_API Result<std::shared_ptr<SessionStore>> open_transcript(std::string const& path,
                                                                     FileStoreOptions options = {});

/// The path of a session's file in a store of `open_file_store`, whether the file exists or not. Empty for
/// other stores, and in a forked child.
SESSIONKIT_API std::string transcript_path(SessionStore const& store, SessionId const& id);

/// The session of a store of `open_transcript`; absent for other stores. Reads only the first line.
SESSIONKIT_API std::optional<SessionId> transcript_session(SessionStore const& store);

/// Everything of the session up to this position is known to be on the disk and survives power loss. It is
/// the position of the last successful sync of this store, or zero if there was none. Syncs of other
/// processes are not known, and the store forgets its own for sessions that were not written for a long time.
/// `not_found`; `unsupported` for stores of other kinds than those of `open_file_store` and
/// `open_transcript`.
SESSIONKIT_API Result<Position> durable_position(SessionStore& store, SessionId const& id);

/// Rebuilds the index of a file store from its transcripts and returns the number of its sessions.
SESSIONKIT_API Result<std::size_t> reindex_file_store(std::string const& root, FileStoreOptions options = {},
                                                      StoreProgress const& progress = {});

}}
