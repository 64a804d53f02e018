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

/// A line and its head, as stores hold them. Views: the code that made the record owns the bytes.
struct RecordView {
  std::string_view id = {}; ///< empty in an append: the line has no id, the store makes one from its place
  std::string_view type = {};
  std::string_view line = {}; ///< one JSON object, without its line end
  Parent link = Parent::previous;
  std::string_view parent = {}; ///< set if `link` is `entry`
};

/// What is wrong with a place in a log. For the kinds up to `oversize`, a line gives no entry. `checksum`
/// means that a line was changed. For the kinds up to `missing_first_kept`, a relation between entries is
/// wrong. The remaining kinds are oddities by which nothing is lost.
enum class DamageKind {
  bad_json,
  not_an_object,
  too_deep,
  nul_run,
  torn_tail,
  oversize,
  checksum,
  missing_header,
  missing_parent,
  parent_cycle,
  duplicate_id,
  missing_first_kept,
  unknown_dialect, ///< the first lines are in the format of no program that is known
  byte_order_mark,
  carriage_return,
  invalid_utf8,
  no_final_newline,
  repeated_line, ///< an entry occurs twice with the same bytes; pi writes such files before the first answer
  second_header, ///< a header that is not the first entry
  duplicate_key, ///< `type`, `id` or `parentId` occurs twice in a line
  glued_lines, ///< several complete entries on one line, written by programs that do not check the end before
               ///< they append
};
/// The enumerator's name, for example "torn_tail". Never null.
SESSIONKIT_API char const* to_string(DamageKind) noexcept;
/// False for the oddities, by which nothing is lost.
SESSIONKIT_API bool is_damage(DamageKind) noexcept;

/// One finding, located.
struct Damage {
  std::uint64_t offset = 0; ///< where the bytes begin (files), or the record's position (databases)
  std::uint64_t length = 0; ///< bytes
  DamageKind kind = DamageKind::bad_json;
  std::string what = {}; ///< one sentence: what is wrong and what happens with it
};

/// The longest line that stores and readers accept if their options set no other limit; bytes.
inline constexpr std::uint64_t default_max_line = std::uint64_t{64} << 20;

/// Which records of a log to read.
struct ReadRange {
  /// The end of the log at which reading begins.
  enum Order { oldest_first, newest_first };
  Order order = oldest_first;
  /// Where reading begins. `oldest_first` gives the records that end after this position, `newest_first`
  /// those that end at or before it. Absent: reading begins at the first or the last record. To continue, set
  /// this to `RecordPage::next`.
  std::optional<Position> from = {};
  std::size_t max_records = 256;
  std::size_t max_bytes = std::size_t{1} << 20; ///< of lines; at least one record is given, however long
  /// If true, only the heads of lines are read, which is several times faster. Some damage is then not found:
  /// a second entry on a line, or bytes that a crash lost inside a line. This is meant for readers that
  /// decode the records that they use, and that read again without it if something is missing. A store may
  /// check complete lines all the same.
  bool heads_only = false;
};

/// Some records of a log, in the order of the `ReadRange`. The page owns their bytes. Views into it stay
/// valid when the page is moved.
class SESSIONKIT_API RecordPage {
 public:
  /// A record and its place.
  struct Item : RecordView {
    Position end; ///< where the log ended after this record
  };

  RecordPage() = default;
  RecordPage(RecordPage&&) noexcept = default;
  RecordPage& operator=(RecordPage&&) noexcept = default;
  RecordPage(RecordPage const&) = delete;
  RecordPage& operator=(RecordPage const&) = delete;
  ~RecordPage() = default;

  /// The records, in the order of the `ReadRange`; views into this page.
  std::vector<Item> const& items() const& noexcept { return items_; }
  std::vector<Item> const& items() const&& = delete; // the page owns the bytes

  std::vector<Damage> damage = {};     ///< lines that gave no record, in the order in which they were read
  bool more = false;                   ///< records remain in this direction
  Position next = {};                  ///< `ReadRange::from` of the following page
  Position log_end = {};               ///< end of the last record of the whole log when the page was read
  std::string_view dialect = "native"; ///< how to decode the lines; a name with static storage

  /// For backends: copies a record in.
  void add(Position end, RecordView const& record);
  /// For backends: a record whose views point into buffers given to `keep`.
  void add_kept(Position end, RecordView const& record) { items_.push_back(Item{record, end}); }
  /// For backends: gives bytes to the page. The returned view is valid as long as the page exists, or the
  /// page into which it was moved.
  std::string_view keep(std::string bytes);
  /// The same for a buffer that holds what was read.
  char* keep(std::unique_ptr<char[]> buffer);

 private:
  std::forward_list<std::string> texts_; // moving a deque allocates
  std::vector<std::unique_ptr<char[]>> buffers_;
  std::vector<Item> items_;
};

}}
