// SPDX-License-Identifier: MIT
// Reads a whole transcript and reports each odd line and each broken relation between entries.
#pragma once
#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/base/fnv1a.hpp>
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/dialects/member_codec.hpp>
#include <sessionkit/detail/dialects/panel_compaction.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/transcript/verify.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace verify_inl { namespace {

constexpr std::size_t verify_window = std::size_t{256} << 10; // stays in the processor's cache
constexpr std::uint64_t progress_step = std::uint64_t{1} << 20;
constexpr std::size_t most_findings = 100'000; // what a person or program could still use

// A name is remembered as 64 bits, so that memory does not depend on the length of names.
std::uint64_t id_hash(std::string_view id) noexcept {
  std::uint64_t const hash = fnv1a(id) ^ std::uint64_t{crc32c(id)} << 32;
  return hash != 0 ? hash : 1; // which no table takes for none
}

// Where the line of each id begins, by the hash of the id. One flat table, because there is one id for each
// line and no two calls ask for neighbours. Salted: else a file could be made whose ids all have one place.
class IdPlaces {
 public:
  struct Place {
    std::uint64_t id = 0, offset = 0; // id 0: free
  };
  /// Where that id is, or null.
  Place const* find(std::uint64_t id) const noexcept {
    if (places_.empty()) return nullptr;
    Place const& place = places_[slot_of(id)];
    return place.id != 0 ? &place : nullptr;
  }
  /// False, and nothing changes: it is there already.
  bool add(std::uint64_t id, std::uint64_t offset) {
    if (4 * (used_ + 1) > 3 * places_.size()) grow();
    Place& place = places_[slot_of(id)];
    if (place.id != 0) return false;
    place = {id, offset};
    ++used_;
    return true;
  }

 private:
  std::size_t slot_of(std::uint64_t id) const noexcept {
    constexpr std::uint64_t spread = 0x9E3779B97F4A7C15; // the highest bits depend on all bits of the id
    std::size_t const mask = places_.size() - 1;
    auto at = static_cast<std::size_t>(((id ^ salt_) * spread) >> shift_);
    while (places_[at].id != 0 && places_[at].id != id) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    std::vector<Place> const before = std::exchange(places_, {});
    places_.resize(before.empty() ? 2 : 2 * before.size());
    --shift_;
    for (Place const& place : before)
      if (place.id != 0) places_[slot_of(place.id)] = place;
  }

  std::vector<Place> places_; // 2 to the power of 64 - shift_
  int shift_ = 64;
  std::size_t used_ = 0;
  std::uint64_t salt_ = id_hash(random_entry_id());
};

struct LineMembers {
  bool twice = false; ///< `type`, `id` or `parentId` is there twice
  // Their JSON; empty if there is none.
  std::string_view message = {};
  std::string_view content = {};

  // False: it is none of these.
  bool take(std::string_view name, std::string_view value) {
    if (name == "type") return twice |= std::exchange(type_, true), true;
    if (name == "id") return twice |= std::exchange(id_, true), true;
    if (name == "parentId") return twice |= std::exchange(parent_, true), true;
    if (name == "message") return message = value, true;
    if (name == "content") return content = value, true;
    return false;
  }

 private:
  bool type_ = false, id_ = false, parent_ = false;
};

LineMembers members_of(std::string_view line, JsonMap const& map) {
  LineMembers found;
  auto const see = [&](std::string_view key, std::string_view value) {
    if (found.take(key, value) || key.find('\\') == key.npos) return true;
    std::string name;
    append_unescaped(name, key);
    found.take(name, value);
    return true;
  };
  for_members(line, see, &map);
  return found;
}

// Counts the lines of unknown types. Whether a line is one depends on its type, on the role of its message
// and, in `bare` lines, on the kind of its content: so of lines that are alike in all three, one is decoded.
class UnknownTypes {
 public:
  /// Counts nothing if `out` is null.
  UnknownTypes(Dialect const& dialect, UnknownLines* out) : dialect_(dialect), out_(out) {}

  void look_at(RecordView const& record, LineMembers const& members, JsonMap const& map) {
    if (out_ == nullptr) return;
    if (!is_unknown(record, role_in(members.message, map), json_kind(members.content))) return;
    ++out_->count;
    std::string type(record.type.substr(0, max_bytes));
    auto& types = out_->types;
    if (types.size() < 8 && std::find(types.begin(), types.end(), type) == types.end())
      types.push_back(std::move(type));
  }

 private:
  struct Alike {
    std::string type, role; ///< the role as its JSON
    JsonKind content;
    bool unknown;
  };

  static std::string_view role_in(std::string_view message, JsonMap const& map) {
    std::string_view role;
    if (json_kind(message) != JsonKind::object) return role;
    auto const see = [&](std::string_view key, std::string_view value) {
      if (key_is(key, "role")) role = value;
      return role.empty();
    };
    for_members(message, see, &map);
    return role;
  }
  bool is_unknown(RecordView const& record, std::string_view role, JsonKind content) {
    auto const same = [&](Alike const& lines) {
      return lines.type == record.type && lines.role == role && lines.content == content;
    };
    auto const known = std::find_if(decoded_.begin(), decoded_.end(), same);
    if (known != decoded_.end()) return known->unknown;
    Result<Entry> const entry = dialect_.decode(record);
    bool const unknown = entry && entry->as<Unknown>() != nullptr;
    if (!entry || record.type.size() > max_bytes || role.size() > max_bytes) return unknown;
    if (decoded_.size() == max_decoded) decoded_.clear();
    decoded_.push_back({std::string(record.type), std::string(role), content, unknown});
    return unknown;
  }

  static constexpr std::size_t max_bytes = 64, max_decoded = 32; // no program has so many or so long ones
  Dialect const& dialect_;
  UnknownLines* out_;
  std::vector<Alike> decoded_;
};

// Lines that have one oddity, reported as one finding.
struct OddLines {
  DamageKind kind;
  char const* what;
  std::uint64_t count = 0, first_offset = 0, first_length = 0;
  void note(RawLine const& line) {
    if (count++ == 0) first_offset = line.offset, first_length = line.length;
  }
};

class VerifySink final : public LineSink {
 public:
  VerifySink(FileReader const& reader, std::uint64_t size,
             std::function<void(std::uint64_t, std::uint64_t)> const& progress, UnknownLines* unknown,
             VerifiedSummary* summary)
      : reader_(reader),
        size_(size),
        progress_(progress),
        unknown_(reader.dialect(), unknown),
        summary_(summary) {}

  std::size_t next_window(std::uint64_t) override { return verify_window; }

  bool take(RawLine const& line) override {
    std::vector<Damage> found;
    std::vector<RawLine> parts;
    TrimmedLine trimmed;
    JsonCheck json;
    if (line.data != nullptr) {
      trimmed = trim_line(line);
      json = check_json(trimmed.text, map_);
      bool const whole = json && trimmed.text.front() == '{';
      if (!whole) parts = glued_parts(line, trimmed.text, found);
    }
    std::vector<Damage> const shared = found;
    for (Damage& damage : found) add(damage.offset, damage.length, damage.kind, std::move(damage.what));
    if (parts.empty()) check(line, trimmed, json, line.terminated);
    for (RawLine const& part : parts) {
      trimmed = trim_line(part);
      check(part, trimmed, check_json(trimmed.text, map_), line.terminated || part.end() != line.end());
    }
    summarise(shared);
    if (progress_ && (line.end() - reported_ >= progress_step || line.end() == size_))
      progress_(reported_ = line.end(), size_);
    return true;
  }

  std::vector<Damage> finish() {
    settle_compaction();
    for (Dangling const& it : dangling_) {
      bool const later = ids_.find(it.wanted) != nullptr;
      if (it.kind == DamageKind::missing_first_kept)
        add(it.offset, it.length, it.kind,
            detail::format_text(
                "the compaction keeps from '{}', which is no earlier entry; only what follows it is kept",
                it.name));
      else
        add(it.offset, it.length, later ? DamageKind::parent_cycle : DamageKind::missing_parent,
            later ? detail::format_text(
                "the parent '{}' comes after its child; the entry before is taken instead", it.name)
                  : detail::format_text(
                      "there is no entry '{}' to be the parent; the entry before is taken instead", it.name));
    }
    for (OddLines const& odd : {carriage_returns_, bad_text_, repeated_, duplicate_keys_})
      if (odd.count > 0)
        add(odd.first_offset, odd.first_length, odd.kind,
            detail::format_text("{} lines {}; the first is here", odd.count, odd.what));
    if (!reader_.is_known())
      add(0, 0, DamageKind::unknown_dialect,
          "the first lines are in the format of no program that is known; nothing is appended after them");
    else if (no_header_)
      add(0, 0, DamageKind::missing_header, "the first entry is no header; the log is read without");
    std::stable_sort(damage_.begin(), damage_.end(),
                     [](Damage const& a, Damage const& b) { return a.offset < b.offset; });
    return std::move(damage_);
  }

 private:
  struct Dangling { // a name that no earlier entry has
    std::uint64_t offset, length, wanted;
    DamageKind kind;
    std::string name;
  };

  void add(std::uint64_t offset, std::uint64_t length, DamageKind kind, std::string what) {
    if (damage_.size() < most_findings) add_finding(damage_, Damage{offset, length, kind, std::move(what)});
  }

  // `json`: of the trimmed text, whose map is at hand.
  void check(RawLine const& line, TrimmedLine const& trimmed, JsonCheck json, bool ended) {
    std::vector<Damage> found;
    RecordView record;
    bool const is_record = reader_.judge(line, trimmed, record, unescaped_, found);
    if (is_record && record.line.size() != trimmed.text.size())
      json = check_json(record.line, map_); // NULs beside it
    if (is_record) summarise(record, line, trimmed, json);
    summarise(found);
    for (Damage& damage : found) add(damage.offset, damage.length, damage.kind, std::move(damage.what));
    if (trimmed.byte_order_mark)
      add(0, 3, DamageKind::byte_order_mark, "the file begins with a byte order mark; it is passed over");
    if (trimmed.carriage_return) carriage_returns_.note(line);
    if (!is_record) return;

    if (!json.utf8) bad_text_.note(line);
    if (!json) {
      Damage damage = line_damage(line, record.line);
      return add(damage.offset, damage.length, damage.kind, std::move(damage.what));
    }
    if (!ended)
      add(line.offset, line.length, DamageKind::no_final_newline,
          "the last line is whole but has no end; the next append adds it");
    check_sum(line, record.line);
    LineMembers const members = members_of(record.line, map_);
    if (members.twice) duplicate_keys_.note(line);
    unknown_.look_at(record, members, map_);
    relations(line, trimmed, record);
  }

  void summarise(RecordView record, RawLine const& line, TrimmedLine const& trimmed, JsonCheck const& json) {
    if (summary_ == nullptr) return;
    std::string const derived = record.id.empty() ? derived_id(trimmed) : std::string();
    if (record.id.empty()) record.id = derived;
    summary_->add(record, Position{line.end()}, json ? &map_ : nullptr);
  }
  void summarise(std::vector<Damage> const& found) {
    if (summary_ == nullptr) return;
    for (Damage const& damage : found) summary_->add(damage);
  }

  void check_sum(RawLine const& line, std::string_view text) {
    constexpr std::string_view before = R"(,"crc":")", after = R"("})";
    constexpr std::size_t tail = before.size() + 8 + after.size();
    if (text.size() < tail || text.substr(text.size() - tail, before.size()) != before) return;
    if (text.substr(text.size() - after.size()) != after) return;
    std::string_view const written = text.substr(text.size() - after.size() - 8, 8);
    std::string const computed = detail::format_text("{:08x}", crc32c(text.substr(0, text.size() - tail)));
    if (written != computed)
      add(line.offset, line.length, DamageKind::checksum,
          detail::format_text("the line says its checksum is {}, it is {}: bytes of it changed", written,
                              computed));
  }

  void relations(RawLine const& line, TrimmedLine const& trimmed, RecordView const& record) {
    bool const first = !std::exchange(any_, true);
    if (record.type == "session") { // the header is no part of the tree
      if (std::exchange(header_, true) || !first)
        add(line.offset, line.length, DamageKind::second_header,
            "a header that is not the first entry; it is no part of the tree");
      return;
    }
    if (first) no_header_ = reader_.dialect().can(body_index<Header>); // else the dialect has none
    if (record.type == "compaction" && reader_.dialect().has_ids) kept(line, record);
    if (record.type == "compaction" && !reader_.dialect().has_ids) compacted(line, record);
    if (record.type == "message" && !reader_.dialect().has_ids) said(record);
    if (record.link == Parent::entry && !record.parent.empty())
      refer(line, record.parent, DamageKind::missing_parent);
    std::string const derived = record.id.empty() ? derived_id(trimmed) : std::string();
    std::string_view const own = record.id.empty() ? derived : record.id;
    std::uint64_t const at = line.offset + static_cast<std::uint64_t>(record.line.data() - line.data);
    std::uint64_t const id = id_hash(own);
    if (ids_.add(id, at)) return;
    if (reader_.holds_at(ids_.find(id)->offset, record.line))
      repeated_.note(line);
    else
      add(line.offset, line.length, DamageKind::duplicate_id,
          detail::format_text(
              "an earlier entry has the id '{}' too; a parent of that name means the nearest before", own));
  }

  void kept(RawLine const& line, RecordView const& record) {
    Result<Entry> const entry = reader_.dialect().decode(record);
    if (!entry) return;
    auto const* compaction = entry->as<Compaction>();
    bool const keeps = compaction != nullptr && compaction->first_kept.str() != record.id; // else nothing
    if (keeps && !compaction->first_kept.empty())
      refer(line, compaction->first_kept.str(), DamageKind::missing_first_kept);
  }

  // After a compaction in lines without ids its messages are written again, unless its write was cut short.
  void compacted(RawLine const& line, RecordView const& record) {
    settle_compaction();
    Result<Entry> entry = reader_.dialect().decode(record);
    if (!entry || !entry->as<Compaction>()) return;
    bool const replaces = std::exchange(any_said_, false);
    std::uint64_t const kept =
        messages_left_out(*entry) ? entry->as<Compaction>()->kept_again.value_or(0) : 0;
    if (!replaces || kept == 0) return;
    kept_left_ = kept;
    cut_short_ = cut_short_damage(*entry, line.offset, line.length);
  }
  void said(RecordView const& record) {
    if (kept_left_ != 0) {
      Result<Entry> const entry = reader_.dialect().decode(record);
      if (!entry || !is_said(*entry)) return;
      if (is_kept_again(*entry))
        --kept_left_;
      else
        settle_compaction();
    }
    any_said_ = true;
  }
  void settle_compaction() {
    if (std::exchange(kept_left_, 0) == 0) return;
    any_said_ = true; // what the compaction does not replace
    add(cut_short_.offset, cut_short_.length, cut_short_.kind, cut_short_.what);
  }

  void refer(RawLine const& line, std::string_view name, DamageKind kind) {
    std::uint64_t const wanted = id_hash(name);
    if (ids_.find(wanted) == nullptr && dangling_.size() < most_findings)
      dangling_.push_back(Dangling{line.offset, line.length, wanted, kind, std::string(name)});
  }

  FileReader const& reader_;
  std::uint64_t size_, reported_ = 0;
  std::function<void(std::uint64_t, std::uint64_t)> const& progress_;
  UnknownTypes unknown_;
  VerifiedSummary* summary_; ///< null: nobody asks for it
  std::vector<Damage> damage_;
  std::vector<Dangling> dangling_;
  IdPlaces ids_;
  std::deque<std::string> unescaped_;
  JsonMap map_; ///< of the line at hand
  OddLines carriage_returns_{DamageKind::carriage_return, "have a carriage return, which is passed over"};
  OddLines bad_text_{DamageKind::invalid_utf8, "hold bytes that are not UTF-8, which are read as U+FFFD"};
  OddLines repeated_{DamageKind::repeated_line, "are there a second time, byte for byte"};
  OddLines duplicate_keys_{DamageKind::duplicate_key,
                           "name their type, id or parentId twice, which programs read differently"};
  Damage cut_short_;            ///< the last compaction, unless all it keeps comes yet
  std::uint64_t kept_left_ = 0; ///< so many messages
  bool any_said_ = false;       ///< since the last compaction that counts
  bool any_ = false, no_header_ = false, header_ = false;
};

}}

Result<std::vector<Damage>>
verify_transcript(FileReader& log, std::function<void(std::uint64_t, std::uint64_t)> const& progress,
                  UnknownLines* unknown, VerifiedSummary* summary) {
  if (auto r = log.detect(); !r) return r.error();
  Result<FileStatus> const now = log.status();
  if (!now) return now.error();
  verify_inl::VerifySink sink(log, now->size, progress, unknown, summary);
  LineScan lines = log.scan();
  if (auto r = lines.forward(0, now->size, sink); !r) return r.error();
  return sink.finish();
}

}}}
