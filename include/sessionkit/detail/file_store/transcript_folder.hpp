// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/ids.hpp>
#include <sessionkit/profile.hpp>
#include <sessionkit/session_store.hpp>

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

inline constexpr std::string_view transcript_suffix = ".jsonl";

/// Detects the profile of a store's directory by its content: claw0's if its index names files of the folder
/// `transcripts`, or there is that folder and no transcript beside it; ai-panel's if most of the first few
/// transcripts are in its lines; else native. Fails if the content cannot be read: a store that is taken for
/// another would be written to as another.
SESSIONKIT_API Result<Profile> detect_profile(FileOps& ops, int directory, std::string const& root);

/// `invalid_argument` if the index is in the shape of another layout than the profile's: it is not a broken
/// one that may be moved aside.
SESSIONKIT_API Result<void> check_layout(FileOps& ops, int directory, std::string const& root,
                                         Profile const& profile);

/// The transcripts of the directory that the first part of its index names by their ids; none without an
/// index.
Result<std::vector<std::string>> files_in_index(FileOps& ops, int directory, std::string const& root);

/// Where a store's transcripts are, and what each is called. Safe to call from several threads at once.
class SESSIONKIT_API TranscriptFolder {
 public:
  /// `root` stays open as long as this. `folder` is the folder below it, where the layout has one.
  TranscriptFolder(FileOps& ops, int root, std::string root_path, StoreLayout layout, OpenFile folder);

  /// The folder below the root that the layout has, made where it is missing and `create` says so; nothing
  /// where it has none.
  static Result<OpenFile> open(FileOps& ops, int root, std::string const& root_path, StoreLayout layout,
                               bool create);

  int directory() const noexcept { return folder_ ? folder_.get() : root_; }
  std::string const& path() const noexcept { return path_; }
  /// The file of a session, there or not; for messages, and where it is known that the folder can be read.
  std::string file_of(SessionId const& id);
  /// The same, or why it is not known: a file whose owner could not be read may be the one.
  Result<std::string> find(SessionId const& id);
  /// The sessions that are there, by their files' names. `unread`: why one of them is not called by its own
  /// id.
  Result<std::vector<SessionId>> list(std::optional<Error>* unread = nullptr);
  /// The same as text, including files with the name of a transcript and no id.
  Result<FileNames> names(std::optional<Error>* unread = nullptr);
  /// How many transcripts there are. Absent: the directory cannot be listed now.
  std::optional<std::size_t> count();
  /// The index says so, or the file does.
  void learn(SessionId const& id, std::string const& file);
  /// The session is gone.
  void forget(SessionId const& id);
  /// Chooses the file of a session that is about to be made, by the key in its first line.
  Result<void> choose(SessionId const& id, Append const& first);

 private:
  struct Names {
    std::map<std::string, std::string> files; ///< of ids
    std::map<std::string, SessionId> ids;     ///< of files
  };
  std::optional<SessionId> known_in(std::string const& file);
  std::optional<SessionId> id_by_key(std::string const& file, std::optional<Error>* unread);
  std::string known(SessionId const& id);

  FileOps* ops_;
  int root_;
  std::string path_;
  StoreLayout layout_;
  OpenFile folder_;
  std::mutex mutex_;
  Names names_;
};

/// True if a file of this name may be a transcript: plain, and ends as one.
bool is_transcript_name(std::string_view name) noexcept;

}}}
