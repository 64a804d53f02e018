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

/// A document of go-kratos/blades as text, and as the lines of `blades_dialect`. An append keeps the bytes of
/// each part of the text that it does not change.
///
/// The header ends at position 1. The state, if it has members, ends at 2. The n-th item of the history ends
/// at 2 + n. So a change of the state moves no position of a message.
class SESSIONKIT_API BladesDocument {
 public:
  /// Reads a document. Fails with `corrupt` if the text is no document, and with `unsupported_version` if its
  /// version is not 1. `path` is for messages.
  static Result<BladesDocument> parse(std::string text, std::string_view path);
  /// Makes a new document with the members of a header's line. Fails with `unsupported` if the line has no
  /// id, or has a `type` as the lines of other programs do.
  static Result<BladesDocument> start(std::string_view header, std::string_view path);

  std::string const& text() const noexcept { return text_; }
  Position end() const noexcept;
  /// Returns all lines, with their positions. Items that are no object are listed as damage. The header shows
  /// the time of saving only if it differs from the newest of these times: the time of the header and the
  /// times of the messages.
  RecordPage records() const { return records_with(header(true)); }
  /// Returns the same lines, but the header has no time of saving, so that the header never changes.
  RecordPage lasting_records() const { return records_with(header(false)); }

  /// Adds the lines of messages to the history, and applies the lines of states. The time of saving becomes
  /// the newest time of the added messages, or `now` if they have none; it never goes back. The first append
  /// to a document that `start` made with a time of saving keeps this time, if no added message is newer.
  /// Fails with `unsupported` if a line is neither a message nor a state of blades.
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
  bool copied_ = false; // made by `start` with a time of saving, and nothing was added yet
};

/// Returns the line of a header without the time of saving. Returns any other line unchanged.
SESSIONKIT_API std::string without_time_of_saving(std::string_view line);

}}}
