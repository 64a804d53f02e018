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
  std::string revert = {};  ///< empty, or an object that names the message from which on all is to be deleted
  std::int64_t created = 0; ///< in milliseconds since 1970
};

/// The title that the program found for a session; empty if it has not found one.
SESSIONKIT_API std::string opencode_title(std::string_view stored);

/// Makes the entries of a session. Messages come in the program's order, by time and id. At most the messages
/// after the last answer that ended are kept in memory.
class SESSIONKIT_API OpencodeReader {
 public:
  OpencodeReader(ForeignSession which, OpencodeSession session, ImportOptions const& options,
                 EntrySink const& sink);

  /// Errors of the sink, also by the calls that follow.
  Result<void> add(OpencodeMessage message);
  /// Gives what was still open, the title and the mark of a revert.
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
  std::size_t turns_ = 0; ///< messages of a person
  bool title_given_ = false;
  bool reverted_ = false;
  EntryId kept_tip_ = {};    ///< the last entry before what is reverted
  OpencodeMessage cut_ = {}; ///< a message of which only the first parts are kept
};

}}}
