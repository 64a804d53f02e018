// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/record.hpp>
#include <sessionkit/result.hpp>
#include <sessionkit/time.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// A document of go-kratos/blades as text, and as the lines of `blades_dialect`. What an append does not
/// change keeps its bytes.
///
/// The header ends at position 1, the state (if it has members) at 2, and the n-th item of the history at
/// 2 + n. So a position stays where it is when the state changes.
class SESSIONKIT_API BladesDocument {
 public:
  /// Reads a document. `corrupt` if the text is none, `unsupported_version` for another version than 1.
  /// `path` is for messages.
  static Result<BladesDocument> parse(std::string text, std::string_view path);
  /// A new document with the members of this header's line. `invalid_argument` if it has no id.
  static Result<BladesDocument> start(std::string_view header, std::string_view path);

  std::string const& text() const noexcept { return text_; }
  Position end() const noexcept;
  /// All lines, with their positions. Items that are no object are listed as damage. The header has the time
  /// of saving, unless this is the time of the newest message, or of the header if there is none.
  RecordPage records() const { return records_with(header(true)); }
  /// The same with a header that does not change: without the time of saving.
  RecordPage lasting_records() const { return records_with(header(false)); }

  /// Adds the lines of messages to the history, and applies the lines of states. The time of saving becomes
  /// that of the newest message, or `now` if only the state changes; it never goes back. What is added first
  /// to a document that starts with a time of saving keeps this time, if no message is newer. `unsupported`
  /// if a line is no message and no state of blades.
  Result<void> append(std::vector<RecordView> const& records, Timestamp now);

 private:
  struct Edit {
    std::size_t at, length;
    std::string text;
  };
  BladesDocument(std::string text, std::string_view path) : text_(std::move(text)), path_(path) {}
  Result<void> look();
  RecordPage records_with(std::string header) const;
  std::string header(bool with_time_of_saving) const;
  std::string_view newest_time() const;
  std::string_view member(std::string_view name) const;
  std::size_t offset_of(std::string_view within) const noexcept {
    return static_cast<std::size_t>(within.data() - text_.data());
  }
  Edit state_edit(std::vector<std::string_view> const& changes) const;
  Edit history_edit(std::string const& items) const;

  std::string text_, path_;
  std::size_t items_ = 0;
  bool copied_ = false; // started with a time of saving, and nothing was added yet
};

/// The line of a header without the time of saving; another line as it is.
SESSIONKIT_API std::string without_time_of_saving(std::string_view line);

}}}
