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

class LastBegin;

/// Reads the beginning of a directory's index, which names enough transcripts to recognise the directory.
/// Empty if there is no index.
Result<std::string> begin_of_index(FileOps& ops, int directory, std::string const& root);

/// Detects the profile of a store from the content of its directory. The profile is claw0's if the index
/// names files of the folder `transcripts`, or if this folder exists and no transcript is beside it. It is
/// ai-panel's if most of the first few transcripts have lines of ai-panel. It is OpenClaw's if the index has
/// OpenClaw's form. In all other cases it is the native one. Fails if the content cannot be read, or if
/// the folder that the index names is missing, because a store with a wrong profile would be written in a
/// wrong dialect. `index` is the beginning of the index. `last` has the transcript that was read last.
SESSIONKIT_API Result<Profile> detect_profile(FileOps& ops, int directory, std::string const& root,
                                              std::string_view index, LastBegin& last);

/// Fails with `invalid_argument` if the index has another layout than the profile. If the index names no
/// files, the transcripts show the layout. An index of another layout is not broken, and must not be moved
/// aside.
SESSIONKIT_API Result<void> check_layout(FileOps& ops, int directory, std::string const& root,
                                         std::string_view index, Profile const& profile);

/// Returns the names of the transcripts in the beginning of an index, if the index has the form of layout
/// `by_id`.
std::vector<std::string> files_in_index(std::string_view index);

/// Finds the transcripts of a store and the names of their files. Several threads may call all functions at
/// once.
class SESSIONKIT_API TranscriptFolder {
 public:
  /// `root` must stay open as long as this object exists. If the layout has a folder of transcripts, `folder`
  /// is this folder and `path` is its path. Else `path` is the path of `root`.
  TranscriptFolder(FileOps& ops, int root, std::string path, StoreLayout layout, OpenFile folder);

  /// The usual path of the transcripts of a store.
  static std::string usual_path(std::string const& root_path, StoreLayout layout);

  /// Opens the folder of transcripts below the root, and makes a missing folder if `create` is true. Returns
  /// no file if the layout has no such folder.
  static Result<OpenFile> open(FileOps& ops, int root, std::string const& root_path, StoreLayout layout,
                               bool create);

  int directory() const noexcept { return folder_ ? folder_.get() : root_; }
  std::string const& path() const noexcept { return path_; }
  /// Returns the name of a session's file, which need not exist. Use this name in messages, or after the
  /// folder was read.
  std::string file_of(SessionId const& id);
  /// As `file_of`, but fails if the name is uncertain: a file that cannot be read may be the session's file.
  Result<std::string> find(SessionId const& id);
  /// Returns the ids of the sessions that have files. If a layout names files by keys, and such a file cannot
  /// be read, its name becomes the id, and `unread` is set to the error.
  Result<std::vector<SessionId>> list(std::optional<Error>* unread = nullptr);
  /// As `list`, but returns texts. The names of transcripts that are no valid ids are included.
  Result<FileNames> names(std::optional<Error>* unread = nullptr);
  /// How many transcripts there are. Absent if the directory cannot be listed now.
  std::optional<std::size_t> count();
  /// Notes that `file` is the transcript of session `id`, as the index or the file itself says.
  void learn(SessionId const& id, std::string const& file);
  /// Notes that a session was removed.
  void forget(SessionId const& id);
  /// Chooses the file of a session that is about to be created, by the key in its first line.
  Result<void> choose(SessionId const& id, Append const& first);

 private:
  struct Names {
    std::map<std::string, std::string> files; ///< by id
    std::map<std::string, SessionId> ids;     ///< by file name
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

/// True if a file of this name may be a transcript: the name ends in `.jsonl`, does not begin with a dot, and
/// contains no slash.
bool is_transcript_name(std::string_view name) noexcept;

}}}
