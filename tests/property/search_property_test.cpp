// SPDX-License-Identifier: MIT
// A search finds what a plain scan finds: the texts of each line are known to the code that wrote the line.
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/file_store.hpp"
#include "support/long_form.hpp"
#include "support/random.hpp"
#include "support/search_lines.hpp"
#include "support/transcript.hpp"

#include <sessionkit/copy.hpp>
#include <sessionkit/file_store.hpp>
#include <sessionkit/memory_store.hpp>
#include <sessionkit/search.hpp>

#include <atomic>
#include <thread>

using namespace sessionkit_test;

namespace {

bool has(SearchLine const& line, std::string const& text, bool ignore_case) {
  for (std::string const& one : line.texts)
    if ((ignore_case ? sk::fold_case(one) : one).find(ignore_case ? sk::fold_case(text) : text)
        != std::string::npos)
      return true;
  return false;
}

Ids plain_scan(std::vector<SearchLine> const& lines, std::string const& text, bool ignore_case) {
  Ids ids;
  for (SearchLine const& line : lines)
    if (has(line, text, ignore_case)) ids.push_back(line.id);
  return ids;
}

Ids search_for(sk::SessionStore& store, std::string const& text, bool ignore_case, std::size_t limit) {
  Ids ids;
  sk::SearchQuery query{text};
  query.ignore_case = ignore_case;
  query.limit = limit;
  do {
    auto const page = sk::search(store, {id_of("s1")}, query).value();
    CHECK(page.damaged == 0);
    CHECK(page.failures.empty());
    for (auto const& hit : page.hits) {
      ids.push_back(hit.entry.id.str());
      CHECK(hit.match.size() == text.size());
      CHECK((ignore_case || hit.match == text));
    }
    query.cursor = page.next;
  } while (!query.cursor.empty());
  return ids;
}

/// A part of a text of the corpus, or a text that may be nowhere.
std::string random_query(Random& random, std::vector<SearchLine> const& lines) {
  JsonStrings writer(random);
  auto const& texts = lines[random.below(lines.size())].texts;
  std::string const whole =
      random.one_in(4) || texts.empty() ? writer.text(5) : texts[random.below(texts.size())];
  std::size_t const from = random.below(whole.size() + 1);
  std::string const part = whole.substr(from, 1 + random.below(12));
  return part.empty() ? "needle" : part;
}

std::string log_of(std::vector<SearchLine> const& lines) {
  std::string bytes = header_line("s1") + '\n';
  for (SearchLine const& line : lines) bytes += line.bytes + '\n';
  return bytes;
}

}

TEST_CASE("a search finds what a plain scan of all lines finds") {
  std::size_t const rounds = cases(60, 3000);
  for (std::size_t seed = 0; seed < rounds; ++seed) {
    Random random(seed);
    SearchLines made(random);
    std::vector<SearchLine> lines;
    for (std::size_t i = 0; i < 60; ++i) lines.push_back(made.next(i));
    TempDir dir;
    write_file(dir / "s1.jsonl", log_of(lines));
    auto const files = open_store(dir.path());
    auto const memory = sk::make_memory_store();
    REQUIRE(sk::copy_session(*files, *memory, id_of("s1")));
    for (int query = 0; query < 40; ++query) {
      std::string const text = random_query(random, lines);
      bool const ignore_case = random.one_in(2);
      CAPTURE(seed, text, ignore_case);
      Ids const expected = plain_scan(lines, text, ignore_case);
      REQUIRE(search_for(*files, text, ignore_case, 1 + random.below(80)) == expected);
      REQUIRE(search_for(*memory, text, ignore_case, 50) == expected);
    }
  }
}

TEST_CASE("a search finds what was there when it began, while another thread appends") {
  Random random(7);
  SearchLines made(random);
  std::vector<SearchLine> lines;
  for (std::size_t i = 0; i < 4000; ++i) lines.push_back(made.next(i));
  TempDir dir;
  std::string const path = dir / "s1.jsonl";
  std::size_t const first = 500;
  write_file(path, log_of({lines.begin(), lines.begin() + first}));
  std::atomic<std::size_t> written{first};
  std::thread writer([&] {
    std::ofstream out(path, std::ios::binary | std::ios::app);
    for (std::size_t i = first; i < lines.size(); ++i) {
      out << lines[i].bytes.substr(0, 20) << std::flush << lines[i].bytes.substr(20) << '\n' << std::flush;
      written = i + 1;
    }
  });
  auto const store = open_store(dir.path());
  bool right = true;
  do {
    std::size_t const before = written;
    sk::SearchQuery query{"needle"};
    query.limit = 10000;
    auto const page = sk::search(*store, {id_of("s1")}, query).value();
    Ids ids;
    for (auto const& hit : page.hits) ids.push_back(hit.entry.id.str());
    Ids const all = plain_scan(lines, "needle", false);
    Ids const least =
        plain_scan({lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(before)}, "needle", false);
    right = right && ids.size() >= least.size() && ids.size() <= all.size()
            && std::equal(ids.begin(), ids.end(), all.begin());
  } while (written < lines.size());
  writer.join();
  CHECK(right);
  CHECK(search_for(*store, "needle", false, 50) == plain_scan(lines, "needle", false));
}
