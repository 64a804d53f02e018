// SPDX-License-Identifier: MIT
// Logs of other programs that are longer than the pieces in which they are read.
#include "support/catch.hpp"
#include "support/random.hpp"

#include <sessionkit/import.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace sessionkit_test;
namespace sk = sessionkit;

namespace {

std::string const name = "projects/p/s1.jsonl";

std::string line(std::size_t number, std::string const& words) {
  std::string const id = std::to_string(number);
  std::string const parent = number == 0 ? "null" : "\"u" + std::to_string(number - 1) + '"';
  return R"({"type":"user","uuid":"u)" + id + R"(","parentUuid":)" + parent
         + R"(,"sessionId":"s1","message":{"role":"user","content":")" + words + "\"}}";
}

// One file. `before_read` sees each reading, and may change the bytes.
class OneFile final : public sk::ForeignFiles {
 public:
  using BeforeRead = std::function<void(std::string& bytes, std::uint64_t offset, std::size_t max)>;
  explicit OneFile(std::string bytes, BeforeRead before_read = {}, sk::ImportLimits limits = {})
      : bytes_(std::move(bytes)), before_read_(std::move(before_read)), limits_(std::move(limits)) {}

  sk::Result<std::vector<std::string>> list(std::string const& /*folder*/) override {
    return std::vector<std::string>{};
  }
  sk::Result<std::uint64_t> size(std::string const& /*file*/) override {
    return static_cast<std::uint64_t>(bytes_.size());
  }
  sk::Result<std::string> read(std::string const& /*file*/, std::uint64_t offset, std::size_t max) override {
    if (before_read_) before_read_(bytes_, offset, max);
    if (offset >= bytes_.size()) return std::string{};
    return bytes_.substr(static_cast<std::size_t>(offset), max);
  }
  sk::Result<std::int64_t> modified(std::string const& /*file*/) override { return std::int64_t{0}; }
  sk::ImportLimits const& limits() const noexcept override { return limits_; }

 private:
  std::string bytes_;
  BeforeRead before_read_;
  sk::ImportLimits limits_;
};

sk::Result<sk::Log> imported(sk::ForeignFiles& files, std::uint64_t max_line = sk::default_max_line) {
  sk::ImportOptions options;
  options.limits.max_line = max_line;
  sk::ForeignSession const which{"claude-code", "s1", name};
  return sk::import_log(sk::claude_code_importer(), files, which, options);
}

std::vector<std::string> texts_of(sk::Log const& log) {
  std::vector<std::string> texts;
  for (sk::Entry const& entry : log.entries)
    if (auto const* const message = entry.as<sk::Message>()) texts.push_back(message->text());
  return texts;
}

}

TEST_CASE("lines of a log that is read in pieces are those of the log, and damage is where it is") {
  Random random(20261125);
  std::string bytes = "\xEF\xBB\xBF";
  std::vector<std::string> said;
  std::vector<std::uint64_t> damaged{0}; // the mark
  while (bytes.size() < std::size_t{5} << 20) {
    std::size_t const kind = random.below(40);
    if (kind == 0) {
      damaged.push_back(bytes.size());
      bytes += R"({"type":"user")";
    } else if (kind == 1) {
      bytes += " \t ";
    } else {
      // Some are longer than a piece.
      said.push_back(
          std::string(random.below(kind == 2 ? 1'500'000 : 9'000), static_cast<char>('a' + kind % 26)));
      bytes += std::string(random.below(3), ' ') + line(said.size() - 1, said.back());
    }
    bytes += random.one_in(2) ? "\r\n" : "\n";
  }
  said.emplace_back("the last one has no line end");
  bytes += line(said.size() - 1, said.back());
  std::size_t longest = 0;
  OneFile files(bytes,
                [&](std::string&, std::uint64_t, std::size_t max) { longest = std::max(longest, max); });
  auto const log = imported(files).value();
  CHECK(texts_of(log) == said);
  std::vector<std::uint64_t> found;
  for (sk::Damage const& one : log.damage) found.push_back(one.offset);
  CHECK(found == damaged);
  CHECK(longest < std::size_t{2} << 20); // a line, or a piece
}

TEST_CASE("a line that is too long is located wherever the pieces end, and is not kept in memory") {
  for (std::size_t const before : {std::size_t{0}, std::size_t{1} << 20, (std::size_t{1} << 20) - 500}) {
    std::string const first = line(0, std::string(before, 'x')),
                      too_long = line(1, std::string(3'000'000, 'y'));
    OneFile files(first + '\n' + too_long + '\n' + line(2, "short") + '\n');
    auto const log = imported(files, 2'000'000).value();
    CHECK(texts_of(log) == std::vector<std::string>{std::string(before, 'x'), "short"});
    REQUIRE(log.damage.size() == 2); // and its child's parent is missing
    CHECK(log.damage[0].kind == sk::DamageKind::oversize);
    CHECK(log.damage[0].offset == first.size() + 1);
    CHECK(log.damage[0].length == too_long.size());
  }
}

TEST_CASE("a log that is rewritten while it is read is refused, and one that grows is not") {
  std::string const log = line(0, "one") + '\n' + line(1, "two") + '\n';
  std::size_t readings = 0;
  OneFile grows(log, [&](std::string& bytes, std::uint64_t, std::size_t) {
    if (++readings > 1) bytes += line(2, "three") + '\n';
  });
  CHECK(texts_of(imported(grows).value()) == std::vector<std::string>{"one", "two"});
  CHECK(readings > 1);
  for (bool const is_cut : {false, true}) {
    readings = 0;
    OneFile changes(log, [&](std::string& bytes, std::uint64_t, std::size_t) {
      if (++readings == 1) return;
      if (is_cut)
        bytes.resize(bytes.size() - 5);
      else
        bytes[bytes.find("two")] = 'T';
    });
    auto const refused = imported(changes);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == sk::Errc::conflict);
    CHECK(refused.error().message.find(name + ": ") == 0);
    CHECK(refused.error().message.find("import it again") != std::string::npos);
  }
}
