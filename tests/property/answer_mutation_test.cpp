// SPDX-License-Identifier: MIT
// Answers of the four providers, as their documents show them, damaged at random: nothing crashes, the result
// does not depend on the pieces in which the bytes arrive, and the requests that contain it are valid. The
// seeds are the corpus of the fuzz target `answers`.
#include "support/answer_checks.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/long_form.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

using namespace sessionkit_test;

namespace {

struct Answer {
  sk::Provider provider;
  std::string name, bytes;
};

std::vector<Answer> const& answers() {
  static std::vector<Answer> const all = [] {
    std::vector<Answer> found;
    for (auto const& file : std::filesystem::directory_iterator(data("../fuzz/corpus/answers"))) {
      std::string const name = file.path().filename().string();
      auto const provider = sk::parse_provider(name.substr(0, name.find('.')));
      found.push_back({provider.value(), name, read_file(file.path().string())});
    }
    std::sort(found.begin(), found.end(), [](Answer const& a, Answer const& b) { return a.name < b.name; });
    return found;
  }();
  return all;
}

/// Changes bytes, pieces and events. A stream whose JSON is still valid reaches deeper, so most changes keep
/// the frame.
class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  std::string mutated(std::string bytes) {
    for (std::size_t n = 1 + random_.below(random_.one_in(3) ? 8 : 2); n > 0; --n)
      if (!bytes.empty()) one(bytes);
    return bytes;
  }
  Random& random() { return random_; }

 private:
  void one(std::string& bytes) {
    std::size_t const at = random_.below(bytes.size());
    switch (random_.below(12)) {
    case 0: bytes[at] = static_cast<char>(bytes[at] ^ (1 << random_.below(8))); break;
    case 1: bytes[at] = random_.one_of("\"\\{}[]:,\n\r 0-e"); break;
    case 2: bytes.insert(at, 1, random_.byte()); break;
    case 3: bytes.erase(at, 1 + random_.below(random_.one_in(4) ? 200 : 3)); break;
    case 4: bytes.resize(at); break;
    case 5: move_event(bytes, at); break;
    case 6: splice(bytes, at); break;
    case 7: value(bytes, at); break;
    case 8: value(bytes, at); break;
    case 9: digit(bytes, at); break;
    case 10:
      bytes.insert(at, random_.one_of({"\\ud800", "\\u0000", "\xF0\x9F\x98", "\r\n\r\n", "data:", "null"}));
      break;
    default: bytes.insert(at, bytes.substr(random_.below(bytes.size()), 1 + random_.below(150))); break;
    }
  }
  // An event, or what is between two line feeds: dropped, repeated or moved.
  void move_event(std::string& bytes, std::size_t at) {
    std::size_t const from = bytes.rfind("\n\n", at);
    std::size_t const begin = from == std::string::npos ? 0 : from + 2;
    std::size_t const end =
        std::min(bytes.find("\n\n", begin), bytes.size() - std::min<std::size_t>(2, bytes.size())) + 2;
    if (end <= begin || end > bytes.size()) return;
    std::string const event = bytes.substr(begin, end - begin);
    if (!random_.one_in(3)) bytes.erase(begin, event.size());
    std::size_t const other = bytes.find("\n\n", random_.below(bytes.size() + 1));
    if (!random_.one_in(3)) bytes.insert(other == std::string::npos ? 0 : other + 2, event);
  }
  // A piece of another answer.
  void splice(std::string& bytes, std::size_t at) {
    std::string const& other = answers()[random_.below(answers().size())].bytes;
    bytes.insert(at, other.substr(random_.below(other.size()), 1 + random_.below(400)));
  }
  // Another value for the member or element that begins next.
  void value(std::string& bytes, std::size_t at) {
    std::size_t const begin = bytes.find_first_of(":[", at);
    if (begin == std::string::npos || begin + 1 >= bytes.size()) return;
    std::size_t end = begin + 2;
    if (bytes[begin + 1] == '"')
      while (end < bytes.size() && (bytes[end] != '"' || bytes[end - 1] == '\\')) ++end;
    else
      end = std::min(bytes.find_first_of(",}]", begin + 1), bytes.size());
    if (bytes[begin + 1] == '"') ++end;
    if (end > bytes.size()) return;
    char const* const other =
        random_.one_of({"null", "0", "-1", "1e999", "\"\"", "\"x\"", "{}", "[]", "[{}]", "true",
                        "99999999999999999999", "\"{\\\"a\\\":\"", "{\"type\":\"text\"}"});
    bytes.replace(begin + 1, end - begin - 1, other);
  }
  void digit(std::string& bytes, std::size_t at) {
    std::size_t const found = bytes.find_first_of("0123456789", at);
    if (found != std::string::npos) bytes[found] = random_.one_of("0123456789");
  }

  Random random_;
};

/// The same JSON, with blanks and line ends between its tokens. In events, each line begins with `data:`.
std::string spread(std::string const& bytes, Random& random) {
  bool const events = bytes.find("data:") < bytes.find('{');
  std::string out;
  bool in_string = false;
  int depth = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    char const c = bytes[i];
    out += c;
    if (in_string && c == '\\') out += bytes[++i];
    if (c == '"' && depth > 0) in_string = !in_string;
    if (in_string) continue;
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    bool const between = c == '{' || c == '[' || c == ',' || c == ':';
    if (depth > 0 && between && random.one_in(2))
      out += events ? "\ndata:   " : random.one_of({"\n  ", "\r\n\t", " "});
  }
  return out;
}

std::string shown(std::string const& bytes) {
  return Json(bytes).dump(-1, ' ', true, Json::error_handler_t::replace);
}

}

TEST_CASE("answers are the same and are stored with any blanks between the tokens of their JSON") {
  std::size_t spread_out = 0;
  for (std::size_t seed = 0; seed < 40 * answers().size(); ++seed) {
    Answer const& answer = answers()[seed % answers().size()];
    Random random(seed);
    std::string const bytes = spread(answer.bytes, random);
    CAPTURE(answer.name, seed, shown(bytes));
    DecodedAnswer const compact = decode_in_pieces(answer.provider, answer.bytes, {});
    DecodedAnswer const wide = decode_in_pieces(answer.provider, bytes, {});
    auto const without_blanks = [](std::string text) {
      text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
      text.erase(std::remove(text.begin(), text.end(), '\t'), text.end());
      return text;
    };
    REQUIRE(without_blanks(wide.seen) == without_blanks(compact.seen));
    REQUIRE(faults_of_line(wide.message) == Faults{});
    spread_out += bytes.size() > answer.bytes.size() ? 1U : 0U;
  }
  CHECK(spread_out > 30 * answers().size());
}

TEST_CASE("mutated streams of answers are decoded alike in any pieces, and give valid requests") {
  REQUIRE(answers().size() >= 15);
  std::size_t const count = long_form() ? 1'000'000 : 20'000;
  constexpr std::array<sk::Provider, 4> providers{sk::Provider::anthropic, sk::Provider::openai_chat,
                                                  sk::Provider::openai_responses, sk::Provider::gemini};
  std::size_t whole = 0, with_calls = 0;
  for (std::size_t seed = 0; seed < count; ++seed) {
    Answer const& answer = answers()[seed % answers().size()];
    bool const sixteenth = seed / answers().size() % 16 == 0;
    Mutator mutator(seed);
    std::string const bytes = mutator.mutated(answer.bytes);
    Random& random = mutator.random();
    sk::Provider const provider =
        random.one_in(32) ? providers[random.below(providers.size())] : answer.provider;
    Faults faults = faults_of_bytes(provider, bytes, random, sixteenth);
    for (std::string const& fault : faults_of_failure(static_cast<int>(random.below(600)), bytes))
      faults.push_back(fault);
    if (sixteenth) { // how deep the streams reach
      DecodedAnswer const again = decode_in_pieces(provider, bytes, {});
      whole += again.failed ? 0U : 1U;
      with_calls += again.message.tool_uses().empty() ? 0U : 1U;
    }
    if (faults.empty()) continue;
    CAPTURE(answer.name, seed, shown(bytes));
    REQUIRE(faults == Faults{});
  }
  std::printf("seeds 0 to %zu; of a sixteenth, %zu without a failure and %zu with calls\n", count - 1, whole,
              with_calls);
  CHECK(whole > count / 16 / 20);
  CHECK(with_calls > count / 16 / 20);
}
