// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/transcript/log_summary.hpp>
#include <sessionkit/detail/transcript/log_writer.hpp>
#include <sessionkit/detail/file_store/session_index.hpp>
#include <sessionkit/detail/file_store/transcript_folder.hpp>
#include <sessionkit/file_store.hpp>

#include <list>
#include <mutex>
#include <set>
#include <unordered_map>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The writers a store keeps open: the most recently used, each with the lock that makes threads take turns.
class SESSIONKIT_API OpenLogs {
 public:
  struct Log {
    std::mutex mutex;
    std::optional<LogWriter> writer;
    std::vector<Event> events; // told when no lock is held any more
  };
  static constexpr std::size_t most_open = 128;

  std::shared_ptr<Log> of(std::string const& name);
  /// How far the log is known to be on the disk; zero for one that is not open.
  Position durable(std::string const& name);
  std::size_t size() const noexcept { return logs_.size(); }

 private:
  using Order = std::list<std::pair<std::string, std::shared_ptr<Log>>>;
  void close_unused();
  Order order_; // most recently used first
  std::unordered_map<std::string, Order::iterator> logs_;
  std::mutex mutex_;
};

/// What an append does with an open log, under its mutex: opens its writer where there is none, writes,
/// collects events. `due` is then waited for without the mutex, but with the log kept: closing it would
/// forget a failed sync.
SESSIONKIT_API Result<Position> append_to(OpenLogs::Log& log, FileOps& ops,
                                          std::function<LogPlace()> const& place,
                                          FileStoreOptions const& options, std::string const& session,
                                          Append const& batch, std::chrono::steady_clock::time_point asked,
                                          DueSync& due);

/// What a store of files tells beside the five calls.
class SESSIONKIT_API SyncsFiles {
 public:
  virtual ~SyncsFiles() = default;
  virtual Result<Position> durable_position(SessionId const& id) = 0;
};

/// `open_file_store` over calls that tests can replace.
SESSIONKIT_API Result<std::shared_ptr<SessionStore>> open_file_store(FileOps& ops, std::string const& root,
                                                                     FileStoreOptions options);
/// `reindex_file_store` likewise.
SESSIONKIT_API Result<std::size_t> reindex_file_store(FileOps& ops, std::string const& root,
                                                      FileStoreOptions options,
                                                      StoreProgress const& progress);
/// `open_transcript` likewise.
SESSIONKIT_API Result<std::shared_ptr<SessionStore>> open_transcript(FileOps& ops, std::string const& path,
                                                                     FileStoreOptions options);

/// Opens a directory for a store, made (with its parents, mode 0700, their names synced) where `create` says
/// so; refuses links, other things and network file systems.
SESSIONKIT_API Result<OpenFile> open_store_directory(FileOps& ops, std::string const& path, bool create);

/// Opens the folder for removed transcripts, made where it is missing.
SESSIONKIT_API Result<OpenFile> open_trash(FileOps& ops, int root, std::string const& root_path);

}}}
