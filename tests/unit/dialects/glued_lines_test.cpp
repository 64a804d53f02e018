// SPDX-License-Identifier: MIT
// Lines that writers left without a newline: complete entries on them are read, and nothing else becomes an
// entry.
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/growth.hpp"
#include "support/hostile_log.hpp"
#include "support/long_form.hpp"
#include "support/physical_lines.hpp"

#include <sessionkit/detail/dialects/glued_lines.hpp>
#include <sessionkit/detail/file_store/transcript_store.hpp>
#include <sessionkit/detail/transcript/verify.hpp>
#include <sessionkit/transcript_reader.hpp>

using namespace sessionkit_test;
using sk::DamageKind;

namespace {

std::shared_ptr<sk::SessionStore> store_over(OneFile& file) {
  return sk::detail::open_transcript(file, "t.jsonl", {}).value();
}
sk::SessionId id_in(sk::SessionStore& store) { return store.list({}).value().sessions.at(0).id; }

ReadBack read_back(OneFile& file, sk::ReadRange const& range = {}) {
  auto const store = store_over(file);
  auto const id = id_in(*store);
  return read_all([&](sk::ReadRange const& r) { return store->read(id, r); }, range);
}

std::vector<sk::Damage> verified(OneFile& file) {
  sk::detail::FileReader log(file, 3, "t.jsonl", {});
  return sk::detail::verify_transcript(log).value();
}

/// Every way to page through a file gives these lines, and each end continues after its record, in both
/// directions.
void check_read(std::string const& bytes, std::vector<std::string> const& expected) {
  OneFile file(bytes);
  ReadBack const all = read_back(file);
  CHECK(all.lines == expected);
  CHECK(std::adjacent_find(all.ends.begin(), all.ends.end(), std::greater_equal<>()) == all.ends.end());
  for (std::size_t const page : {1U, 2U, 3U, 100U})
    for (auto const order : {sk::ReadRange::oldest_first, sk::ReadRange::newest_first}) {
      sk::ReadRange range;
      range.order = order;
      range.max_records = page;
      ReadBack back = read_back(file, range);
      if (order == sk::ReadRange::newest_first) std::reverse(back.lines.begin(), back.lines.end());
      CAPTURE(page, order);
      CHECK(back.lines == expected);
      CHECK(back.damage.size() == all.damage.size()); // reported once
      CHECK(back.log_end == (all.ends.empty() ? 0 : all.ends.back()));
    }
  for (std::size_t i = 0; i < all.ends.size(); ++i) {
    sk::ReadRange range;
    range.from = sk::Position{all.ends[i]};
    auto const split = expected.begin() + static_cast<std::ptrdiff_t>(i) + 1;
    CHECK(read_back(file, range).lines == std::vector<std::string>(split, expected.end()));
    range.order = sk::ReadRange::newest_first;
    std::vector<std::string> before = read_back(file, range).lines;
    std::reverse(before.begin(), before.end());
    CHECK(before == std::vector<std::string>(expected.begin(), split));
  }
}

struct Wrong {
  DamageKind kind;
  std::size_t offset, length;
};

/// `glued` is between the header and the last line, or is the last line and lacks its newline.
void check_line(std::string const& dialect, std::string const& glued, std::vector<std::string> const& entries,
                std::vector<Wrong> const& wrong) {
  std::vector<std::string> const lines = HostileLog{}.lines(dialect);
  for (bool const tail : {false, true}) {
    CAPTURE(dialect, glued, tail);
    std::string const bytes = lines[0] + '\n' + glued + (tail ? "" : '\n' + lines[4] + '\n');
    std::vector<std::string> expected{lines[0]};
    expected.insert(expected.end(), entries.begin(), entries.end());
    if (!tail) expected.push_back(lines[4]);
    check_read(bytes, expected);
    OneFile file(bytes);
    std::vector<sk::Damage> const found = verified(file);
    for (Wrong const& each : wrong) {
      bool const reported = std::any_of(found.begin(), found.end(), [&](sk::Damage const& damage) {
        bool const kind = damage.kind == each.kind || (tail && damage.kind == DamageKind::torn_tail);
        return kind && damage.offset == lines[0].size() + 1 + each.offset && damage.length == each.length;
      });
      CHECK(reported);
    }
  }
}

}

TEST_CASE("entries without a newline between them are all read and reported") {
  for (std::string const dialect : every_written_dialect) {
    std::vector<std::string> const lines = HostileLog{}.lines(dialect);
    std::string const &a = lines[1], &b = lines[2], &c = lines[3];
    check_line(dialect, a + b, {a, b}, {{DamageKind::glued_lines, 0, a.size() + b.size()}});
    check_line(dialect, a + b + c + a, {a, b, c, a},
               {{DamageKind::glued_lines, 0, 2 * a.size() + b.size() + c.size()}});
    check_line(dialect, a + " \t" + b, {a, b}, {{DamageKind::glued_lines, 0, a.size() + b.size() + 2}});
  }
}

TEST_CASE("an entry after torn bytes is read, and the bytes are reported") {
  for (std::string const dialect : every_written_dialect) {
    std::vector<std::string> const lines = HostileLog{}.lines(dialect);
    std::string const &a = lines[1], &b = lines[2];
    for (std::size_t const torn : {std::size_t{1}, std::size_t{9}, a.size() / 2, a.size() - 1}) {
      std::string const prefix = a.substr(0, torn);
      check_line(dialect, prefix + b, {b}, {{DamageKind::bad_json, 0, torn}});
      check_line(dialect, prefix + a + b, {a, b}, {{DamageKind::bad_json, 0, torn}});
      check_line(dialect, a + prefix + b, {a, b}, {{DamageKind::bad_json, a.size(), torn}});
      check_line(dialect, a + prefix, {a}, {{DamageKind::bad_json, a.size(), torn}});
    }
    check_line(dialect, "x" + a, {a}, {{DamageKind::bad_json, 0, 1}});
    check_line(dialect, a + "x", {a}, {{DamageKind::bad_json, a.size(), 1}});
    std::string const nuls(300, '\0');
    check_line(dialect, a.substr(0, 20) + nuls + b, {b}, {{DamageKind::nul_run, 0, 320}});
    check_line(dialect, a + nuls + b, {a, b}, {{DamageKind::nul_run, a.size(), 300}});
  }
}

TEST_CASE("of lines joined by a crash's hole of NULs, complete entries are read and the rest is reported") {
  for (std::string const dialect : every_written_dialect) {
    std::vector<std::string> const lines = HostileLog{}.lines(dialect);
    std::string const &a = lines[1], &b = lines[2], &c = lines[3];
    for (std::size_t const hole : {1U, 300U, 5000U}) {
      std::string const nuls(hole, '\0');
      check_line(dialect, nuls + a, {a}, {{DamageKind::nul_run, 0, hole}});
      check_line(dialect, a + nuls + b, {a, b}, {{DamageKind::nul_run, a.size(), hole}});
      check_line(
          dialect, a + nuls + b + nuls + c, {a, b, c},
          {{DamageKind::nul_run, a.size(), hole}, {DamageKind::nul_run, a.size() + hole + b.size(), hole}});
      check_line(dialect, a + b + nuls + c, {a, b, c}, {{DamageKind::nul_run, a.size() + b.size(), hole}});
      check_line(dialect, nuls + a + nuls + b + nuls, {a, b}, {{DamageKind::nul_run, hole + a.size(), hole}});
      for (std::size_t torn = 1; torn < a.size(); torn += hole == 300 ? sanitizer_share : a.size() / 4) {
        std::string const head = a.substr(0, torn), tail = a.substr(torn);
        check_line(dialect, head + nuls + b, {b}, {{DamageKind::nul_run, 0, torn + hole}});
        check_line(dialect, head + nuls + b + nuls + c, {b, c}, {{DamageKind::nul_run, 0, torn + hole}});
        check_line(dialect, b + nuls + head, {b}, {{DamageKind::nul_run, b.size(), torn + hole}});
        check_line(dialect, b + nuls + tail, {b}, {{DamageKind::nul_run, b.size(), hole + tail.size()}});
        check_line(dialect, head + nuls + b + nuls + tail, {b}, {{DamageKind::nul_run, 0, torn + hole}});
        for (std::string const& lost : {head + nuls, nuls + tail}) {
          OneFile file(lines[0] + '\n' + lost + '\n' + c + '\n');
          CHECK(read_back(file).lines == std::vector<std::string>{lines[0], c});
          CHECK_FALSE(read_back(file).damage.empty());
        }
      }
    }
  }
}

namespace {

/// Whether an object may follow these bytes of a line; nlohmann decides.
bool object_may_follow(std::string const& prefix) {
  std::string closing;
  bool in_string = false;
  for (std::size_t i = 0; i < prefix.size(); ++i) {
    char const c = prefix[i];
    if (in_string && c == '\\')
      ++i;
    else if (c == '"')
      in_string = !in_string;
    else if (!in_string && (c == '{' || c == '['))
      closing.insert(0, 1, c == '{' ? '}' : ']');
    else if (!in_string && (c == '}' || c == ']'))
      closing.erase(0, 1);
  }
  return !in_string && Json::accept(prefix + "{}" + closing);
}

/// Whether it ends as text before an object nearly always does; such a line is not searched again.
bool ends_well(std::string const& prefix) {
  std::string last;
  for (char const c : prefix)
    if (c != ' ' && c != '\t') last += c;
  last = last.substr(last.size() < 2 ? 0 : last.size() - 2);
  return last == "\":" || last == "}," || last == ":[" || last == ",[" || last == "[[";
}

}

TEST_CASE("torn at any byte before an entry, the entry is read unless it could be a value of the torn one") {
  std::size_t read = 0, hidden = 0;
  std::vector<std::vector<std::string>> logs{
      split_lines(read_file(data("pi/custom_entries.jsonl"))),
      split_lines(read_file(data("pi/legacy_v1.jsonl"))),
      split_lines(read_file(data("flat/12-out-of-order-and-duplicates/transcript.jsonl")))};
  for (char const* dialect : every_written_dialect) logs.push_back(HostileLog{}.lines(dialect));
  for (std::vector<std::string> const& lines : logs)
    for (std::size_t i = 1; i + 1 < lines.size(); ++i)
      for (std::size_t torn = 1; torn <= lines[i].size(); torn += sanitizer_share) {
        std::string const prefix = lines[i].substr(0, torn);
        OneFile file(lines[0] + '\n' + prefix + lines[i + 1] + '\n');
        std::vector<std::string> got;
        for (sk::Entry const& entry :
             sk::load_log(*store_over(file), id_in(*store_over(file))).value().entries)
          got.push_back(entry.id.str());
        bool const may_follow = object_may_follow(prefix);
        std::size_t const expected = torn == lines[i].size() ? 3 : may_follow || ends_well(prefix) ? 1 : 2;
        ++(expected == 1 ? hidden : read);
        if (got.size() == expected) continue;
        CAPTURE(prefix, lines[i + 1], may_follow, got);
        CHECK(got.size() == expected);
      }
  WARN(read << " tears read, " << hidden << " where JSON allows a value");
  CHECK(hidden * 10 < read);
}

namespace {

// Only an entry that begins where the line begins.
void check_nothing_inside(std::string const& text) {
  auto const found = sk::detail::split_glued(text).entries;
  bool const inside = found.size() > 1 || (found.size() == 1 && found[0].data() != text.data());
  if (!inside) return;
  CAPTURE(text, found);
  CHECK_FALSE(inside);
}

}

TEST_CASE("a part of an entry never becomes an entry") {
  std::vector<std::string> const lines = HostileLog{}.lines("native");
  HostileLog evil;
  evil.input = lines[1]; // the arguments of a call are an entry, word for word
  evil.words = Json(lines[1]).dump();
  for (char const* dialect : every_written_dialect)
    for (std::string const& line : evil.lines(dialect))
      for (std::size_t torn = 1; torn < line.size(); torn += sanitizer_share)
        for (char const* behind : {"", "x", "}", "}}}"}) {
          std::string const text = line.substr(0, torn) + behind;
          check_nothing_inside(text);
        }
}

TEST_CASE("flipping any byte of a line makes no entry of its parts") {
  for (char const* dialect : every_written_dialect)
    for (std::string const& line : HostileLog{}.lines(dialect))
      for (std::size_t at = 0; at < line.size(); at += sanitizer_share)
        for (char const other : {'#', '"', '{', '}', '[', ']', ',', ':', ' ', '\\', '\0'}) {
          std::string text = line;
          text[at] = other;
          if (is_object_to_others(text)) continue;
          check_nothing_inside(text);
        }
}

TEST_CASE("an append after an entry and torn bytes on one line continues the log") {
  for (std::string const dialect : every_written_dialect) {
    std::vector<std::string> const lines = HostileLog{}.lines(dialect);
    OneFile file(lines[0] + '\n' + lines[1]);
    auto const store = store_over(file);
    auto session =
        sk::Session::open(store, id_in(*store)).value(); // is at the end of a line without a newline
    file.bytes += lines[4].substr(0, 20);
    REQUIRE(session.append(sk::user("ours")).ok());
    std::vector<std::string> const read = read_back(file).lines;
    REQUIRE(read.size() == 3);
    CHECK(read[1] == lines[1]);
    CHECK(read[2].find("ours") != std::string::npos);
    CHECK(session.context().value().entries.size() == 2);
  }
}

TEST_CASE("an entry of another writer on the same line as ours is not taken for ours") {
  for (std::string const dialect : every_written_dialect) {
    std::vector<std::string> const lines = HostileLog{}.lines(dialect);
    OneFile file(lines[0] + '\n' + lines[1]);
    auto const store = store_over(file);
    auto const id = id_in(*store);
    sk::SessionOptions options;
    options.on_conflict = sk::OnConflict::fail;
    auto session = sk::Session::open(store, id, options).value();
    file.bytes += lines[4];
    auto const refused = session.append(sk::user("ours"));
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == sk::Errc::conflict);
    CHECK(session.refresh().value().size() == 1);
    REQUIRE(session.append(sk::user("ours")).ok());
    CHECK(read_back(file).lines.size() == 4);
    CHECK(store->info(id).value().damaged == 0);
    CHECK(store->info(id).value().messages == 3);
  }
}

TEST_CASE("a hostile line costs time in proportion to its length") {
  std::string const pieces[] = {"{\"",     "}{\"", "#{\"a\":1}", "{\"a\":1}",
                                "{\"a\":", "[{\"", "\"{\"",      "\\{\""};
  for (std::string const& piece : pieces) {
    CAPTURE(piece);
    CHECK(sessionkit_test::is_linear(std::size_t{512} << 10, [&](std::size_t bytes) {
      std::string text;
      while (text.size() < bytes) text += piece;
      sk::detail::may_be_glued(text);
      CHECK(sk::detail::split_glued(text).entries.empty());
    }));
  }
}

TEST_CASE("valid lines are not suspected, except a string that ends in a bracket") {
  for (char const* text : {R"({"a":{"b":1}})", R"([{"a":1},{"a":2}])", R"({"a":[{"b":1}, {"c":2} ,{"d":3}]})",
                           R"({"a": {"b":1}})", R"({"a":"}{\"type\":1}"})", "", "{", "{\"", R"({"a":1})"})
    CHECK_FALSE(sk::detail::may_be_glued(text));
  CHECK(sk::detail::may_be_glued(R"({"a":"x {"})"));
  CHECK(sk::detail::may_be_glued(R"({"a":1}{"b":1})"));
  CHECK(sk::detail::may_be_glued(R"({"a":"x{"b":1})"));
  std::string far = "{\"a\":\"" + std::string(1000, 'x');
  for (std::size_t i = 0; i < 40; ++i) {
    CHECK(sk::detail::may_be_glued(far + "{\"b\":1}"));
    far += 'y';
  }
}
