// SPDX-License-Identifier: MIT
// Complete logs, damage included, and the expected content of any history made of them.
#pragma once
#include "support/raw_lines.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sessionkit_test {

/// The bytes of a log, and the facts of its conversation, oldest first. A line that may or may not be read
/// has
/// `"o":1` among its facts. If not certain, everything before the first of `facts` depends on damage that
/// hides the way back; `doubtful` is all that may be there.
struct RawLog {
  std::string bytes;
  std::vector<Fact> facts, doubtful;
  bool certain = true;
  std::vector<std::string> damage;
  std::string format;
};

/// Any lines in any order, branches, missing and repeated ids, and every kind of damage.
class RawLogMaker {
 public:
  static constexpr std::size_t max_line = 16384; ///< for the reader: a longer line is too long

  explicit RawLogMaker(std::uint64_t seed) : random_(seed) {}

  RawLog make() {
    static char const* const names[] = {"native", "panel", "flat", "flat_v2"};
    std::size_t const kind = random_.below(10);
    auto const format = kind < 6   ? RawLines::Format::native
                        : kind < 8 ? RawLines::Format::panel
                        : kind < 9 ? RawLines::Format::flat
                                   : RawLines::Format::flat_v2;
    log_.format = names[static_cast<int>(format)];
    has_ids_ = format == RawLines::Format::native;
    RawLines lines(random_, format);
    lines_.push_back(format == RawLines::Format::flat_v2 ? lines.opening() : lines.header());
    for (std::size_t n = random_.below(24); n > 0; --n) add(lines);
    first_ = first_line();
    if (random_.one_in(3))
      for (std::size_t n = 1 + random_.below(3); n > 0; --n) damage();
    walk();
    write();
    return std::move(log_);
  }

 private:
  // The conversation.

  void add(RawLines& lines) {
    std::size_t const said = lines_.size() - first_line();
    if (said > 0 && random_.one_in(14)) return repeat(said);
    std::string const id = said > 0 && random_.one_in(40) ? any_id() : "e" + std::to_string(++ids_);
    std::string const parent = said == 0 ? "" : parent_of();
    bool const compacts = log_.format != "flat" && log_.format != "flat_v2" && random_.one_in(16);
    if (!compacts) return lines_.push_back(lines.any(id, parent));
    lines_.push_back(lines.compaction(id, parent, random_.one_in(3) || said == 0 ? "nobody" : any_id()));
  }
  std::string any_id() { return lines_[first_line() + random_.below(lines_.size() - first_line())].id; }
  std::size_t first_line() const { return lines_.empty() || lines_.front().says ? 0 : 1; }
  std::string parent_of() {
    if (random_.one_in(12)) return any_id();
    if (random_.one_in(40)) return "nobody";
    if (random_.one_in(40)) return "e" + std::to_string(ids_ + random_.below(3)); // itself, or one to come
    if (random_.one_in(60)) return "";
    return lines_.back().id;
  }
  // The same line once more, unchanged or with its own id.
  void repeat(std::size_t said) {
    RawLine copy = lines_[lines_.size() - 1 - random_.below(random_.one_in(2) ? 1 : said)];
    if (has_ids_ && random_.one_in(2)) {
      std::size_t const id = copy.bytes.find("\"id\":\"") + 6, parent = copy.bytes.find(",\"timestamp\"");
      copy.id = "e" + std::to_string(++ids_);
      copy.parent = lines_.back().id;
      copy.bytes.replace(id, parent - id, copy.id + R"(","parentId":")" + copy.parent + '"');
    }
    lines_.push_back(std::move(copy));
  }

  // The damage.

  void damage() {
    using Damage = void (RawLogMaker::*)(std::size_t);
    static struct {
      char const* name;
      Damage hurt;
    } const kinds[] = {{"torn", &RawLogMaker::tear},
                       {"tail", &RawLogMaker::tear_tail},
                       {"glued", &RawLogMaker::glue},
                       {"nuls", &RawLogMaker::overwrite},
                       {"nuls_around", &RawLogMaker::pad},
                       {"torn_nuls", &RawLogMaker::tear_before},
                       {"bad_byte", &RawLogMaker::spoil},
                       {"junk", &RawLogMaker::insert_junk},
                       {"too_deep", &RawLogMaker::nest},
                       {"oversize", &RawLogMaker::swell},
                       {"return", &RawLogMaker::add_return},
                       {"checksum", &RawLogMaker::add_checksum},
                       {"no_newline", &RawLogMaker::no_newline},
                       {"byte_order", &RawLogMaker::add_byte_order},
                       {"header", &RawLogMaker::add_header}};
    if (lines_.size() <= 1) return; // the first line decides the format
    auto const& kind = kinds[random_.below(std::size(kinds))];
    std::size_t const at = 1 + random_.below(lines_.size() - 1);
    if (lines_[at].state != RawLine::whole || !lines_[at].says) return;
    log_.damage.emplace_back(kind.name);
    (this->*kind.hurt)(at);
  }

  static void lose(RawLine& line) { line.state = RawLine::gone; }

  void tear(std::size_t at) {
    std::string& bytes = lines_[at].bytes;
    bytes.resize(1 + random_.below(bytes.rfind('}')));
    lose(lines_[at]);
  }
  void tear_tail(std::size_t) {
    std::size_t const last = lines_.size() - 1;
    if (lines_[last].state != RawLine::whole || !lines_[last].says) return;
    tear(last);
    ends_in_newline_ = false;
  }
  void glue(std::size_t at) {
    if (at + 1 >= lines_.size() || lines_[at + 1].state != RawLine::whole || !lines_[at + 1].says) return;
    glued_.push_back(at);
    lines_[at].state = lines_[at + 1].state = RawLine::unsure;
  }
  void overwrite(std::size_t at) {
    std::string& bytes = lines_[at].bytes;
    std::size_t const begin = random_.below(bytes.rfind('}') + 1);
    std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(begin), bytes.end(), '\0');
    lose(lines_[at]);
  }
  void pad(std::size_t at) {
    lines_[at].bytes =
        std::string(random_.below(9), '\0') + lines_[at].bytes + std::string(random_.below(9), '\0');
  }
  void tear_before(std::size_t at) {
    std::string const& bytes = lines_[at].bytes;
    std::size_t const torn = random_.below(bytes.size());
    if (torn > 8) lines_[at].state = RawLine::unsure; // the torn piece has a head of its own
    lines_[at].bytes = bytes.substr(0, torn) + std::string(1 + random_.below(9), '\0') + bytes;
  }
  void spoil(std::size_t at) {
    std::string& bytes = lines_[at].bytes;
    bytes[bytes.rfind('}') - random_.below(2)] = random_.one_of("#\x01");
    lose(lines_[at]);
  }
  void insert_junk(std::size_t at) {
    static std::string const junk[] = {"",
                                       "   ",
                                       "[1,2]",
                                       "42",
                                       "null",
                                       "{",
                                       "}{",
                                       "\"text\"",
                                       "not JSON at all",
                                       "\xFF\xFE",
                                       std::string(64, '\0')};
    RawLine line;
    line.bytes = junk[random_.below(std::size(junk))];
    lose(line);
    lines_.insert(lines_.begin() + static_cast<std::ptrdiff_t>(at), std::move(line));
    for (std::size_t& glued : glued_)
      if (glued >= at) ++glued;
  }
  void nest(std::size_t at) {
    put_last(at, R"(,"deep":)" + std::string(200, '[') + std::string(200, ']'));
    lose(lines_[at]);
  }
  void swell(std::size_t at) {
    put_last(at, R"(,"large":")" + std::string(max_line, 'x') + '"');
    lose(lines_[at]);
  }
  void add_checksum(std::size_t at) {
    put_last(at, R"(,"crc":"00000000")");
    lines_[at].state = RawLine::unsure; // it can be read, but need not be believed
  }
  void put_last(std::size_t at, std::string const& member) {
    lines_[at].bytes.insert(lines_[at].bytes.rfind('}'), member);
  }
  void add_return(std::size_t at) { lines_[at].bytes += '\r'; }
  void no_newline(std::size_t) { ends_in_newline_ = false; }
  void add_byte_order(std::size_t) { begins_with_mark_ = true; }
  void add_header(std::size_t at) {
    if (first_ == 0) return;
    RawLine header = lines_.front();
    lines_.insert(lines_.begin() + static_cast<std::ptrdiff_t>(at), std::move(header));
    for (std::size_t& glued : glued_)
      if (glued >= at) ++glued;
  }

  // The way back from the last line, the slow way.

  std::optional<std::size_t> previous(std::size_t at) const {
    while (at-- > first_)
      if (lines_[at].says) return at;
    return std::nullopt;
  }
  bool has_name(std::size_t at) const { return has_ids_ && lines_[at].says && !lines_[at].id.empty(); }
  std::optional<std::size_t> find(std::string const& id, std::size_t before) const {
    while (has_ids_ && before-- > first_)
      if (lines_[before].says && lines_[before].id == id) return before;
    return std::nullopt;
  }
  // Whether it makes no difference if this line's head can be read: its parent is the line before it
  // and no other.
  bool leads_back(std::size_t at) const {
    for (std::size_t i = at; i-- > first_;)
      if (has_name(i)) return lines_[i].id == lines_[at].parent && !find(lines_[i].id, i);
    return lines_[at].parent.empty();
  }
  // Nor does it for the line that names it: that line directly follows, and nothing else has that name.
  bool is_only_parent(std::size_t at, std::size_t child) const {
    for (std::size_t i = at + 1; i < child; ++i)
      if (has_name(i)) return false;
    return !find(lines_[at].id, at);
  }

  // The next line backwards; absent where the log ends, or where it depends on damage (`lost_`).
  std::optional<std::size_t> before(std::size_t child) {
    crossed_ = broke_ = false;
    if (has_ids_ && lines_[child].parent.empty()) return std::nullopt;
    auto const named = find(lines_[child].parent, child);
    if (named && lines_[*named].state == RawLine::unsure) lost_ = lost_ || !is_only_parent(*named, child);
    if (named && lines_[*named].state != RawLine::gone) return named;
    broke_ = !named;
    if (named) lost_ = lost_ || !is_only_parent(*named, child);
    auto at = named ? named : previous(child);
    for (; at && lines_[*at].state == RawLine::gone; at = previous(*at)) {
      if (!has_name(*at)) continue;
      crossed_ = true;
      lost_ = lost_ || !leads_back(*at);
    }
    return at;
  }

  void walk() {
    std::vector<std::size_t> path; // newest first
    std::optional<std::size_t> at, compaction;
    for (at = previous(lines_.size()); at && lines_[*at].state == RawLine::gone;) at = previous(*at);
    std::size_t after = 0;                  ///< how many follow the compaction
    std::optional<std::size_t> after_break; ///< how many follow the oldest break before it
    bool kept = false;
    while (at && !kept && !lost_) {
      RawLine const& line = lines_[*at];
      bool const unsure = has_ids_ && line.state == RawLine::unsure;
      if (unsure) lost_ = !leads_back(*at);
      if (line.is_compaction && !compaction) {
        if (line.state != RawLine::whole) lost_ = true;
        compaction = at;
        after = path.size();
        if (!has_ids_) break;
      } else {
        path.push_back(*at);
        kept = compaction && line.id == lines_[*compaction].first_kept;
      }
      if (kept || lost_) break;
      at = before(*at);
      if (!compaction || !has_ids_) continue;
      if (crossed_ || unsure || (at && lines_[*at].state == RawLine::unsure)) lost_ = true;
      if (!broke_ || lost_) continue;
      kept = line.parent == lines_[*compaction].first_kept;
      after_break = path.size();
    }
    log_.certain = !lost_;
    if (compaction && !kept) path.resize(lost_ ? after : std::max(after, after_break.value_or(0)));
    if (compaction) tell(lines_[*compaction], log_.facts);
    for (auto line = path.rbegin(); line != path.rend(); ++line)
      if (!lines_[*line].is_compaction) tell(lines_[*line], log_.facts);
    if (lost_)
      for (RawLine const& line : lines_) tell(line, log_.doubtful);
  }
  static void tell(RawLine const& line, std::vector<Fact>& facts) {
    if (line.state == RawLine::gone) return;
    for (Fact const& fact : line.facts)
      facts.push_back(line.state == RawLine::whole ? fact : fact + R"(,"o":1)");
  }

  void write() {
    if (begins_with_mark_) log_.bytes = "\xEF\xBB\xBF";
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      log_.bytes += lines_[i].bytes;
      bool const glued = std::find(glued_.begin(), glued_.end(), i) != glued_.end();
      if (!glued && (i + 1 < lines_.size() || ends_in_newline_)) log_.bytes += '\n';
    }
  }

  Random random_;
  RawLog log_;
  std::vector<RawLine> lines_;
  std::size_t first_ = 0, ids_ = 0;
  std::vector<std::size_t> glued_; ///< lines without an end
  bool has_ids_ = true, ends_in_newline_ = true, begins_with_mark_ = false;
  bool lost_ = false;    ///< the lines before are unknown
  bool broke_ = false;   ///< the last step did not go to the parent that was named
  bool crossed_ = false; ///< it crossed lost lines
};

}
