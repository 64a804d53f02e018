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

/// Options of a file store.
struct FileStoreOptions {
  Durability durability = Durability::turn;  ///< the promise of an acknowledged append
  std::chrono::milliseconds lock_wait{5000}; ///< the longest wait for another writer; then `timed_out`
  std::uint64_t max_line =
      default_max_line; ///< in bytes; a longer line is skipped when read and refused when written
  bool create = true;   ///< make the directory (mode 0700) if it does not exist
  /// True: also open a directory to which a group or everybody may write, although each of these users can
  /// replace sessions.
  bool allow_shared_directory = false;
  /// True: change and create nothing on the disk, not even the index and `.lock`. Appends and removals fail
  /// with `unsupported`.
  bool read_only = false;
  /// The profile decides the layout (names of files), the form of the index and the dialect of new sessions.
  /// If absent, the store keeps the profile that it recognises in the directory. A new directory gets the
  /// profile `native`.
  std::optional<Profile> profile = {};
  /// The directory of the transcripts, for claw0's layout only; empty means `<root>/transcripts`. claw0 may
  /// keep the index and the transcripts in two directories (its `SessionStore(store_path, transcript_dir)`).
  /// Both directories must be on one file system. If this is set and `profile` is absent, the profile is
  /// claw0's. A profile of another layout gives `invalid_argument`. `diagnose_store` and `repair` examine
  /// only `<root>/transcripts`.
  std::string transcripts = {};
  /// True: while a `Session` of this store exists, the store holds a `Lease`, which keeps all other writers
  /// out of the log of this session. So no entry of another writer comes between the entries of this store.
  /// Appends, removals and repairs by other processes, and by other stores of this process, fail with
  /// `timed_out`. In the opposite case, in which another writer already keeps the lock of the session,
  /// `Session::open`, `create`, `resume` and `fork` of this store wait for `lock_wait` and then fail with
  /// `timed_out`. Several `Session` objects of one store for the same session share a lease. Readers are not
  /// kept out. Each lease needs a file descriptor. If `read_only` is also true, the store is not opened
  /// (`invalid_argument`).
  bool exclusive = false;
  OnEvent on_event = {}; ///< receives the events of the store; absent: they are dropped
  /// Receives the progress of a call that reads a long transcript to make the summary of its session: the
  /// number of bytes read, and the number of bytes in the transcript. Such a call is, for example, the first
  /// `info` of a transcript that another program wrote, or `reindex_file_store`. The function is called on
  /// the thread of the call, about once for each MiB, and not for a transcript that is shorter. It must not
  /// call the store, whose index may be locked. If absent, nothing is reported.
  std::function<void(std::uint64_t, std::uint64_t)> on_summary_progress = {};
};

/// Opens a directory as a store. Each session is a file `<root>/<session id>.jsonl`. The index
/// `<root>/sessions.json` is rebuilt from these files when it is missing or wrong. Several processes may use
/// one directory.
///
/// A directory of ai-panel, or of claw0 with its `transcripts/`, is recognised and continued in its own form.
/// The index of OpenClaw is read for its keys, but never written. If the directory has no lock file of this
/// library, the store writes nothing until the first append.
///
/// Fails with `not_found` if the directory does not exist and `create` is false. Fails with `unsafe_path` if
/// a group or everybody may write to the directory, it has no sticky bit and `allow_shared_directory` is
/// false, or if the path is unsafe in another way. Fails with `unsupported` for a folder of another program
/// such as Claude Code. Also fails with `io_error`.
SESSIONKIT_API Result<std::shared_ptr<SessionStore>> open_file_store(std::string const& root,
                                                                     FileStoreOptions options = {});

/// Opens `<home>/agents/<agent>/sessions`, the directory that ai-panel and OpenClaw use. Fails with
/// `invalid_argument` if the agent's name does not have the form of a `SessionId`. Other errors are those of
/// `open_file_store`.
SESSIONKIT_API Result<std::shared_ptr<SessionStore>>
open_agent_store(std::string const& home, std::string const& agent, FileStoreOptions options = {});

/// Opens one transcript file of any name as a store of one session. The session has the id in the header if
/// that id is a valid `SessionId`, else an id made of the file's name. If the options have no profile, each
/// message is stored at once. Token counts and compactions follow the program whose dialect the file has. The
/// store has no index, and a list has this one session. Calls that would create another session (also a fork)
/// or remove this one fail with `unsupported`.
SESSIONKIT_API Result<std::shared_ptr<SessionStore>> open_transcript(std::string const& path,
                                                                     FileStoreOptions options = {});

/// Returns the path of a session's file in a store of `open_file_store`. The file need not exist. Empty for
/// other stores, and in a forked child.
SESSIONKIT_API std::string transcript_path(SessionStore const& store, SessionId const& id);

/// Returns the id of the session in a store of `open_transcript`. Absent for other stores. Reads only the
/// first line.
SESSIONKIT_API std::optional<SessionId> transcript_session(SessionStore const& store);

/// Returns the position up to which the session survives power loss, as far as this store knows. It is the
/// position of the last successful sync that this store made, or zero if there was none. The store does not
/// know the syncs of other processes. It forgets its own syncs of sessions that were not written for a long
/// time. Fails with `not_found` if there is no such session, and with `unsupported` for stores that neither
/// `open_file_store` nor `open_transcript` opened.
SESSIONKIT_API Result<Position> durable_position(SessionStore& store, SessionId const& id);

/// Rebuilds the index of a file store from its transcripts and returns the number of its sessions.
SESSIONKIT_API Result<std::size_t> reindex_file_store(std::string const& root, FileStoreOptions options = {},
                                                      StoreProgress const& progress = {});

}}
