// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/entry.hpp>

#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// A record: a line and its head (id, type, parent), as stores hold them. The members are views; the code
/// that made the record owns the bytes.
struct RecordView {
  /// Empty if the line has no id. The store then gives the record an id that is made of its place (`@N`).
  std::string_view id = {};
  std::string_view type = {};     ///< the type of the line, for example "message"; empty if it has none
  std::string_view line = {};     ///< one JSON object, without its line end
  Parent link = Parent::previous; ///< how the line names its parent
  std::string_view parent = {};   ///< set if `link` is `entry`
};

/// What is wrong at a place in a log. There are five groups, in this order. The kinds up to `oversize` mean
/// that bytes give no entry. `checksum` means that a line was changed. The kinds from `missing_header` to
/// `missing_first_kept` mean that a relation between entries is wrong. `unknown_dialect` means that the
/// format is not known. The kinds from `byte_order_mark` on are oddities that lose nothing.
enum class DamageKind {
  bad_json,       ///< bytes that are not JSON and are skipped: a whole line, or bytes beside an entry
  not_an_object,  ///< a line that is JSON, but not an object; it is skipped
  too_deep,       ///< a line with more than 128 levels; it is skipped
  nul_run,        ///< NUL bytes, as a crash leaves them; they are skipped
  torn_tail,      ///< the last line has no end and is not a complete object; it is not an entry yet
  oversize,       ///< a line longer than `max_line`; it is skipped
  checksum,       ///< the checksum of a line is not that in its member `crc`; the line still gives an entry
  missing_header, ///< the dialect has headers, but the first entry is not a header; the log is read without
                  ///< one
  missing_parent, ///< no entry has the id of the parent; the entry before the child counts as the parent
  parent_cycle,   ///< the parent is a later entry; the entry before the child counts as the parent
  duplicate_id,   ///< an earlier entry has this id; a parent's id means the nearest one before the child
  missing_first_kept, ///< the first entry that a compaction keeps is not before the compaction; in a dialect
                      ///< without ids: not all entries that it keeps are written again after it
  unknown_dialect,    ///< the first lines are in no known format
  byte_order_mark,    ///< the file begins with a byte order mark; it is skipped
  carriage_return,    ///< lines end in CR LF; the CR is skipped
  invalid_utf8,       ///< lines have bytes that are not UTF-8, which are read as U+FFFD
  no_final_newline,   ///< the last line is complete, but has no line end; the next append adds the line end
  repeated_line, ///< an entry occurs twice with the same bytes; pi writes such files before the first answer
  second_header, ///< a header that is not the first entry
  duplicate_key, ///< `type`, `id` or `parentId` occurs twice in a line
  glued_lines,   ///< several complete entries on one line; a program that appends without checking for a line
                 ///< end writes such lines
  unknown_role,  ///< a message of a role that its program does not know; it is kept and not sent
};
/// The enumerator's name, for example "torn_tail". Never null.
SESSIONKIT_API char const* to_string(DamageKind) noexcept;
/// False for the oddities (`byte_order_mark` and the kinds after it), which lose nothing.
SESSIONKIT_API bool is_damage(DamageKind) noexcept;

/// One finding and its place.
struct Damage {
  std::uint64_t offset = 0; ///< where the bytes begin (files), or the record's position (databases)
  std::uint64_t length = 0; ///< bytes
  DamageKind kind = DamageKind::bad_json; ///< what is wrong
  std::string what = {};                  ///< one sentence: what is wrong, and how it is handled
};

/// The longest line, in bytes, that stores and readers accept if their options set no other limit.
inline constexpr std::uint64_t default_max_line = std::uint64_t{64} << 20;

/// Decides by the bytes of a line whether its record is wanted. Several threads may call `passes` at once.
class SESSIONKIT_API LineFilter {
 public:
  LineFilter() = default;
  LineFilter(LineFilter const&) = default;
  LineFilter(LineFilter&&) = default;
  /// The same.
  LineFilter& operator=(LineFilter const&) = default;
  /// The same.
  LineFilter& operator=(LineFilter&&) = default;
  virtual ~LineFilter() = default;
  /// True if the record of this line is wanted. `line` is one line without its line end. It may be any bytes.
  virtual bool passes(std::string_view line) const noexcept = 0;
};

/// Which records of a log to read.
struct ReadRange {
  /// The direction of reading.
  enum Order {
    oldest_first, ///< from the beginning of the log on
    newest_first, ///< from the end of the log back
  };
  Order order = oldest_first; ///< the order of the records
  /// The position at which reading begins. `oldest_first` gives the records that end after this position;
  /// `newest_first` gives the records that end at this position or before it. If absent, reading begins at
  /// the first or at the last record. To get the following page, set this to `RecordPage::next`.
  std::optional<Position> from = {};
  std::size_t max_records = 256; ///< the largest number of records on a page
  /// The largest length of all lines on a page together, in bytes. A page has at least one record, however
  /// long it is.
  std::size_t max_bytes = std::size_t{1} << 20;
  /// If true, only the heads of lines are read, which is several times faster. Two kinds of damage are then
  /// not found: a second entry on a line, and bytes that a crash lost inside a line. A caller that sets this
  /// must decode the records that it uses. If a record is missing or bad, the caller must read again without
  /// `heads_only`. A store may ignore `heads_only` and check complete lines.
  bool heads_only = false;
  /// If not null, a store may leave out each record whose line does not pass the filter. It need not report
  /// damage within such a line. A caller must check the records that it gets, because a store may also ignore
  /// `filter`. The filter must exist until the call returns.
  LineFilter const* filter = nullptr;
};

/// Some records of a log, in the order of the `ReadRange`. The page owns the bytes of the records. Views into
/// the page stay valid when the page is moved.
class SESSIONKIT_API RecordPage {
 public:
  /// A record and its place.
  struct Item : RecordView {
    Position end; ///< the end of the log after this record was appended
  };

  RecordPage() = default;
  /// Takes the bytes over. The page that was moved from may only be destroyed or assigned to.
  RecordPage(RecordPage&&) noexcept = default;
  /// The same.
  RecordPage& operator=(RecordPage&&) noexcept = default;
  RecordPage(RecordPage const&) = delete;
  RecordPage& operator=(RecordPage const&) = delete;
  ~RecordPage() = default;

  /// The records, in the order of the `ReadRange`. They are views into this page.
  std::vector<Item> const& items() const& noexcept { return items_; }
  std::vector<Item> const& items() const&& = delete; // the page owns the bytes

  std::vector<Damage> damage = {}; ///< lines that gave no record, in the order in which they were read
  bool more = false;               ///< true: there are more records in the direction of `ReadRange::order`
  Position next = {};              ///< `ReadRange::from` of the following page
  Position log_end = {};           ///< the end of the last record of the log, at the time the page was read
  std::string_view dialect = "native"; ///< the name of the lines' dialect, in static storage

  /// For backends: adds a copy of a record.
  void add(Position end, RecordView const& record);
  /// For backends: adds a record without a copy. Its views must point into buffers given to `keep`.
  void add_kept(Position end, RecordView const& record) { items_.push_back(Item{record, end}); }
  /// For backends: gives bytes to the page and returns a view of them. The view stays valid when the page is
  /// moved. It becomes invalid when the page that then has the bytes is destroyed.
  std::string_view keep(std::string bytes);
  /// The same for a buffer; returns its address.
  char* keep(std::unique_ptr<char[]> buffer);

 private:
  std::forward_list<std::string> texts_; // moving a deque allocates
  std::vector<std::unique_ptr<char[]>> buffers_;
  std::vector<Item> items_;
};

}}
