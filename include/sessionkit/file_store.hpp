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
  /// Open a directory to which a group or everybody may write, too: each of them can replace sessions.
  bool allow_shared_directory = false;
  /// Change nothing on the disk, not even the index and `.lock`: appends and removals are `unsupported`, and
  /// nothing is made.
  bool read_only = false;
  /// Layout, shape of the index and dialect of new sessions. Absent: as they are found, native where there is
  /// nothing yet.
  std::optional<Profile> profile = {};
  OnEvent on_event = {};
};

/// Sessions as files in a directory: `<root>/<session id>.jsonl` and an index `<root>/sessions.json` that is
/// rebuilt from them when it is missing or wrong. Several processes may use one directory. A directory of
/// ai-panel's, or claw0's with its `transcripts/`, is recognised and continued as it is. The index of
/// OpenClaw is read for its keys, and never written. A directory that has no lock file of ours yet is only
/// read until something is stored in it. `not_found` (and not `create`), `unsafe_path` (also where others
/// than its owner, we and root may write), `io_error`; `unsupported` for a folder of another program, such as
/// Claude Code's.
SESSIONKIT_API Result<std::shared_ptr<SessionStore>> open_file_store(std::string const& root,
                                                                     FileStoreOptions options = {});

/// `<home>/agents/<agent>/sessions`, as ai-panel and OpenClaw lay it out. `invalid_argument` if the agent's
/// name has not the shape of a `SessionId`.
SESSIONKIT_API Result<std::shared_ptr<SessionStore>>
open_agent_store(std::string const& home, std::string const& agent, FileStoreOptions options = {});

/// One transcript file of any name as a store of one session, whose id is the file's header id where that is
/// a valid `SessionId`, else the file's name without its extension, cleaned. Absent a profile, messages are
/// stored as they come, counted and compacted as ai-panel and claw0 do in their dialects. There is no index.
/// Listing gives that session; creating another in it, a
/// fork included, and removing are `unsupported`.
SESSIONKIT_API Result<std::shared_ptr<SessionStore>> open_transcript(std::string const& path,
                                                                     FileStoreOptions options = {});

/// The file of a session in a store that `open_file_store` opened, there or not; empty for other stores,
/// and in a forked child.
SESSIONKIT_API std::string transcript_path(SessionStore const& store, SessionId const& id);

/// The one session of a store that `open_transcript` opened, without reading more than its first line; absent
/// for other stores.
SESSIONKIT_API std::optional<SessionId> transcript_session(SessionStore const& store);

/// Everything of the session up to here is known to be on the disk and survives power loss: never ahead of a
/// sync that succeeded in this store, and zero where none was made yet (one made by another process is not
/// known, and of sessions that were not written for long it is forgotten). `not_found`; `unsupported` if the
/// store is not one of `open_file_store` or `open_transcript`.
SESSIONKIT_API Result<Position> durable_position(SessionStore& store, SessionId const& id);

/// Rebuilds the index of a file store from its transcripts and answers how many sessions it has now.
SESSIONKIT_API Result<std::size_t> reindex_file_store(std::string const& root, FileStoreOptions options = {},
                                                      StoreProgress const& progress = {});

}}
