// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/session_store.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// A text to find, and the entries in which it counts.
struct SearchQuery {
  /// The text, which is matched literally. It must not be empty.
  std::string text;
  /// True: a capital and a small letter match if `fold_case` makes them equal.
  bool ignore_case = false;
  bool thinking = false;                ///< true: the model's reasoning is searched too
  std::optional<Role> role = {};        ///< only messages of this role; absent: every entry
  std::optional<std::string> tool = {}; ///< only calls and results that name this tool; absent: all texts
  /// Only entries on the path to this entry (`path_positions`). If absent, the entries of all branches are
  /// searched. The empty id means the last entry of each session. A session without the entry has no hits.
  std::optional<EntryId> leaf = {};
  std::optional<Timestamp> since = {}; ///< only entries of this time or later; absent: any time
  std::optional<Timestamp> until = {}; ///< only entries before this time; absent: any time
  std::optional<std::string> key = {}; ///< only sessions with this `SessionInfo::key`; absent: all sessions
  std::size_t limit = 50;  ///< the maximum number of hits on a page; 0 gives an empty page without `next`
  std::string cursor = {}; ///< `SearchPage::next` of the previous page of the same sessions and query
  std::size_t before = 40; ///< the length of `SearchHit::before` in bytes, or up to three more
  std::size_t after = 80;  ///< the length of `SearchHit::after` in bytes, or up to three more
};

/// An entry that has the text, and the first match in it.
struct SearchHit {
  SessionId session;       ///< the session of the entry
  Position end;            ///< where the entry ends in the log
  std::string type;        ///< the type of the line, as in `RecordView::type`
  Entry entry;             ///< the complete entry
  std::string before = {}; ///< the text before the match, in complete characters
  std::string match = {};  ///< the match, as the entry spells it
  std::string after = {};  ///< the text after the match, in complete characters
  bool cut_before = false; ///< true: more of the text comes before `before`
  bool cut_after = false;  ///< true: more of the text comes after `after`
};

/// A session that could not be searched, or only in part.
struct SearchFailure {
  SessionId session; ///< the session
  Error error;       ///< the error of `SessionStore::read` or `info`; `not_found` if the session was removed
};

/// A page of hits.
struct SearchPage {
  /// The hits in the order of the sessions, and within a session in the order of the log. An entry that has
  /// the text several times is one hit.
  std::vector<SearchHit> hits = {};
  std::string next = {}; ///< the cursor of the following page; empty if this is the last page
  /// The number of damaged places that the search found. In a line that cannot have the text, the search
  /// checks only the beginning and the end, so `TranscriptReader::verify` may find more.
  std::uint64_t damaged = 0;
  std::vector<SearchFailure> failures = {}; ///< sessions that could not be searched completely
};

/// Finds a text in the texts of entries. A match lies within one text. The texts of an entry are: each piece
/// of text of a message, of a result and of a `CustomMessage`; each call, in the form `name arguments`, with
/// the arguments as JSON text; each summary, title and label; each state value, as `key = value`; a
/// `ModelChange`, as `provider/model` or its level; the type of a `Custom` entry.
///
/// The search needs no index. It reads each log once, page by page, from its beginning. It decodes only lines
/// whose bytes may have the text, so it takes little more time than reading the files. Entries that are
/// appended during the call may be missing.
///
/// Several threads may search one store at once. To use several threads, divide the sessions among them. The
/// search follows the order of `sessions`; `list_all` returns sessions newest first. A session that cannot be
/// read is reported in `SearchPage::failures`. Fails with `invalid_argument` if the text is empty, or if the
/// cursor is not the `next` of a page.
SESSIONKIT_API Result<SearchPage> search(SessionStore& store, std::vector<SessionId> const& sessions,
                                         SearchQuery const& query);

/// Returns the text in small letters. Only capital letters of the Latin, Greek and Cyrillic alphabets change.
/// The text keeps its length: a letter does not change if its small form has another length in
/// bytes. Bytes that are not UTF-8 do not change either.
SESSIONKIT_API std::string fold_case(std::string_view text);

}}
