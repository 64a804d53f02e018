// SPDX-License-Identifier: MIT
// Changes files of other programs at random: bytes, lines, members of records, and what names other records.
#pragma once
#include "support/random.hpp"
#include "support/transcript.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sessionkit_test {

inline std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

class ForeignMutator {
 public:
  using Json = nlohmann::json;

  explicit ForeignMutator(std::uint64_t seed) : random_(seed) {}

  Random& random() { return random_; }

  std::string bytes_changed(std::string bytes) {
    for (std::size_t n = 1 + random_.below(3); n > 0 && !bytes.empty(); --n) {
      std::size_t const at = random_.below(bytes.size());
      switch (random_.below(6)) {
      case 0: bytes[at] = random_.byte(); break;
      case 1: bytes[at] = static_cast<char>(bytes[at] ^ (1 << random_.below(8))); break;
      case 2: bytes.erase(at, 1 + random_.below(40)); break;
      case 3: { // the order of arguments is the compiler's; that of statements is not
        std::size_t const count = 1 + random_.below(5);
        bytes.insert(at, count, random_.one_of("\"{}[]:,0\\n"));
        break;
      }
      case 4: {
        std::string const piece = bytes.substr(at, random_.below(80));
        bytes.insert(random_.below(bytes.size()), piece);
        break;
      }
      default: bytes.resize(at); break;
      }
    }
    return bytes;
  }

  std::string lines_changed(std::string const& bytes) {
    std::vector<std::string> lines = split_lines(bytes);
    for (std::size_t n = 1 + random_.below(4); n > 0 && !lines.empty(); --n) {
      std::size_t const at = random_.below(lines.size()), other = random_.below(lines.size());
      auto const place = [&](std::size_t i) { return lines.begin() + static_cast<std::ptrdiff_t>(i); };
      switch (random_.below(5)) {
      case 0: lines.erase(place(at)); break;
      case 1: lines.insert(place(at), std::string(lines[other])); break;
      case 2: std::swap(lines[at], lines[other]); break;
      case 3: lines[at] += lines[other]; break;
      default: std::rotate(lines.begin(), place(at), lines.end()); break;
      }
    }
    std::string out;
    for (std::string const& line : lines) out += line + '\n';
    return out;
  }

  /// Changes members of records: of lines, or of the document. Values and names come from elsewhere in the
  /// file too, so that records name themselves, each other, and what comes after them.
  std::string members_changed(std::string const& bytes, bool is_log) {
    std::vector<Json> records = records_of(bytes, is_log);
    for (std::size_t n = 1 + random_.below(3); n > 0; --n) {
      Json& record = records[random_.below(records.size())];
      std::vector<Json*> members, others;
      collect(record, members);
      collect(records[random_.below(records.size())], others);
      if (members.empty() || others.empty()) continue;
      Json& member = *members[random_.below(members.size())];
      if (random_.one_in(3))
        member = Json(*others[random_.below(others.size())]);
      else if (random_.one_in(3) && member.is_object() && !member.empty())
        member.erase(member.begin());
      else if (random_.one_in(12))
        member = Json::parse(nested(200));
      else
        member = Json::parse(random_.one_of({"null", "-1", "1e300", "true", "\"\"", "\"x\"", "[]", "{}",
                                             "[null]", "[{}]", "[\"a\",1]", "18446744073709551616"}));
    }
    return text_of(records, is_log);
  }

  /// Gives records the names of others, or their own: parents, ids, bases of forks.
  std::string names_changed(std::string const& bytes, bool is_log) {
    std::vector<Json> records = records_of(bytes, is_log);
    for (std::size_t n = 1 + random_.below(3); n > 0; --n) {
      std::vector<Json*> names; // again, because a name that is replaced may contain others
      for (Json& record : records) collect_names(record, names);
      if (names.empty()) break;
      Json const other = *names[random_.below(names.size())];
      *names[random_.below(names.size())] = other;
    }
    return text_of(records, is_log);
  }

  static std::vector<Json> records_of(std::string const& bytes, bool is_log) {
    std::vector<Json> records;
    for (std::string const& line : is_log ? split_lines(bytes) : std::vector<std::string>{bytes})
      records.push_back(Json::parse(line, nullptr, false));
    if (records.empty()) records.emplace_back();
    return records;
  }

  static std::string text_of(std::vector<Json> const& records, bool is_log) {
    std::string out;
    for (Json const& record : records)
      out += record.dump(is_log ? -1 : 2, ' ', false, Json::error_handler_t::replace) + '\n';
    return out;
  }

 private:
  static void collect(Json& value, std::vector<Json*>& members) {
    if (!value.is_structured()) return;
    for (Json& member : value) {
      members.push_back(&member);
      collect(member, members);
    }
  }

  static void collect_names(Json& value, std::vector<Json*>& found) {
    static std::set<std::string> const known{
        "uuid",           "parentUuid",     "logicalParentUuid", "id",        "parentID",
        "messageID",      "sessionID",      "sessionId",         "thread_id", "call_id",
        "callID",         "tool_use_id",    "message_id",        "$rewindTo", "end_ordinal_exclusive",
        "ordinal",        "source_call_id", "tool_call_id",      "num_turns", "tail_start_id",
        "forked_from_id", "session_id",     "trajectory_id",     "partID",    "apiBlockIndex"};
    if (value.is_array())
      for (Json& element : value) collect_names(element, found);
    if (!value.is_object()) return;
    for (auto member = value.begin(); member != value.end(); ++member) {
      if (known.count(member.key()) != 0) found.push_back(&*member);
      collect_names(*member, found);
    }
  }

  Random random_;
};

}
