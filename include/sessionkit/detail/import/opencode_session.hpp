// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/import/opencode_messages.hpp>
#include <sessionkit/import.hpp>

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// A session of opencode without its messages.
struct OpencodeSession {
  std::string directory = {}, title = {}, version = {};
  std::string revert = {};  ///< empty, or an object that names the first message that is to be deleted
  std::int64_t created = 0; ///< in milliseconds since 1970
};

/// Returns the title of a session. Empty if the program has not found a title yet and stores only a default.
SESSIONKIT_API std::string opencode_title(std::string_view stored);

/// Makes the entries of a session. Messages come in the program's order, by time and id. Only the last answer
/// and the messages after it are kept in memory. If that answer is a summary, the messages from its request
/// on are kept too.
class SESSIONKIT_API OpencodeReader {
 public:
  OpencodeReader(ForeignSession which, OpencodeSession session, ImportOptions const& options,
                 EntrySink const& sink);

  /// Adds the next message. After an error of the sink, this call and all later calls fail with that error.
  Result<void> add(OpencodeMessage message);
  /// Gives the sink the kept messages that cannot change any more. With `ImportOptions::finished`, gives
  /// all of them, and also the title and the mark of a revert.
  Result<ImportReport> finish() &&;
  ImportReport& report() noexcept { return report_; }

 private:
  void flush(std::size_t count);
  std::size_t closed() const;
  void emit(OpencodeMessage const& message);
  void compact(OpencodeMessage const& request, OpencodeMessage const& answer);
  bool revert_from(OpencodeMessage const& message);
  void give_title();
  void mark_revert();
  void give(EntryBody body, std::string id, std::vector<std::string> const& origin, std::int64_t at,
            std::string_view error = {});

  ForeignSession which_;
  OpencodeSession session_;
  ImportOptions const& options_;
  EntrySink const& sink_;
  ImportReport report_ = {};
  Result<void> status_ = {};
  std::vector<OpencodeMessage> waiting_ = {};
  std::unordered_set<std::string> ids_ = {};
  EntryId tip_ = {};
  std::size_t turns_ = 0; ///< how many messages a person has written
  bool title_given_ = false;
  bool reverted_ = false;
  EntryId kept_tip_ = {};    ///< the last entry before the reverted messages
  OpencodeMessage cut_ = {}; ///< a message of which a revert keeps only the first parts
};

}}}
