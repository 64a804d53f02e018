// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/faulty_file_ops.hpp"
#include "support/random.hpp"

#include <sessionkit/detail/upkeep/search_segment.hpp>

#include <map>
#include <set>

using namespace sessionkit_test;
using sk::detail::BlockNumbers;
using sk::detail::Gram;
using sk::detail::GramBlocks;
using sk::detail::IndexedPiece;
using sk::detail::SegmentFolder;
using sk::detail::SegmentName;
using sk::detail::SegmentPtr;

namespace {

struct Folder {
  TempDir dir;
  FaultyFileOps ops;
  int directory =
      ops.open(sk::detail::working_directory, dir.path().c_str(), sk::detail::OpenFlags::directory);
  SegmentFolder folder{&ops, directory, dir.path(), true};
  Folder() = default;
  Folder(Folder const&) = delete;
  Folder& operator=(Folder const&) = delete;
  ~Folder() { ops.close(directory); }
};

using Model = std::map<Gram, std::set<std::uint32_t>>;

Model random_model(Random& random, std::uint32_t blocks, std::size_t grams) {
  Model model;
  for (std::size_t i = 0; i < grams; ++i) {
    auto& of_gram = model[static_cast<Gram>(random.below(1U << 24))];
    for (std::size_t n = 1 + random.below(20); n > 0; --n)
      of_gram.insert(static_cast<std::uint32_t>(random.below(blocks)));
  }
  return model;
}

IndexedPiece piece_of(std::string const& session, std::uint32_t first_block, std::uint32_t blocks) {
  IndexedPiece piece{session, "native", {}, {}, first_block, {}};
  for (std::uint32_t i = 1; i <= blocks; ++i) piece.blocks.push_back({sk::Position{10 * i}, 1, 10000});
  piece.last = {piece.blocks.back().until, 1};
  return piece;
}

SegmentName write(Folder const& at, Model const& model, IndexedPiece const& piece, std::uint32_t blocks) {
  GramBlocks all;
  for (auto const& [gram, numbers] : model)
    for (std::uint32_t const number : numbers) all.push_back(std::uint64_t{gram} << 32 | number);
  return sk::detail::write_segment(at.folder, all, {piece}, blocks).value();
}

void check(SegmentPtr const& segment, Model const& model, Random& random) {
  for (auto const& [gram, numbers] : model)
    CHECK(segment->blocks_with({gram}) == BlockNumbers(numbers.begin(), numbers.end()));
  for (int i = 0; i < 200; ++i) {
    auto const gram = static_cast<Gram>(random.below(1U << 24));
    if (model.count(gram) == 0) CHECK(segment->blocks_with({gram})->empty());
  }
}

}

TEST_CASE("grams are sorted, and the blocks of each stay in order") {
  Random random(1);
  GramBlocks all;
  for (std::uint32_t block = 0; block < 300; ++block)
    for (int i = 0; i < 20; ++i) all.push_back(std::uint64_t{random.below(1U << 24)} << 32 | block);
  GramBlocks sorted = all;
  std::sort(sorted.begin(), sorted.end());
  sk::detail::sort_by_gram(all);
  CHECK(all == sorted);
}

TEST_CASE("a segment knows the blocks of each gram, and of several grams") {
  Random random(2);
  Folder at;
  Model model = random_model(random, 500, 4000);
  for (std::uint32_t i = 0; i < 500; ++i) model[7].insert(i);
  model[0xFFFFFF] = {3, 4, 499};
  SegmentPtr const segment =
      sk::detail::SearchSegment::open(at.folder, write(at, model, piece_of("s1", 0, 500), 500)).value();
  CHECK((segment->blocks() == 500 && segment->pieces().size() == 1 && segment->pages() > 5));
  check(segment, model, random);
  CHECK(segment->blocks_with({7, 0xFFFFFF}) == BlockNumbers{3, 4, 499});
  CHECK(segment->blocks_with({8, 0xFFFFFF})
        == (model.count(8) != 0 ? segment->blocks_with({8}) : BlockNumbers{}));
}

TEST_CASE("a lookup reads a page for each gram, and no more") {
  Random random(3);
  Folder at;
  SegmentPtr const segment =
      sk::detail::SearchSegment::open(
          at.folder, write(at, random_model(random, 500, 20000), piece_of("s1", 0, 500), 500))
          .value();
  CHECK(segment->bytes() > 200000);
  at.ops.reset();
  REQUIRE(segment->blocks_with({1, 0x400000, 0x800000}));
  CHECK(at.ops.calls(Call::pread) <= 3);
  CHECK(at.ops.bytes_read < 3 * 9000);
}

TEST_CASE("merged segments have what is still valid, under new numbers") {
  Random random(4);
  Folder at;
  Model const first = random_model(random, 40, 800), second = random_model(random, 30, 800);
  std::vector<SegmentPtr> segments;
  for (auto const& [model, piece, blocks] :
       {std::tuple{first, piece_of("s1", 0, 40), 40U}, std::tuple{second, piece_of("s2", 0, 30), 30U}})
    segments.push_back(sk::detail::SearchSegment::open(at.folder, write(at, model, piece, blocks)).value());
  sk::detail::MergePlan plan;
  plan.blocks = 30;
  plan.pieces = {piece_of("s2", 0, 30)};
  plan.numbers = {BlockNumbers(40, sk::detail::MergePlan::dropped), {}};
  for (std::uint32_t i = 0; i < 30; ++i) plan.numbers[1].push_back(29 - i);
  SegmentPtr const merged = sk::detail::SearchSegment::open(
                                at.folder, sk::detail::merge_segments(at.folder, segments, plan).value())
                                .value();
  Model expected;
  for (auto const& [gram, numbers] : second)
    for (std::uint32_t const number : numbers) expected[gram].insert(29 - number);
  check(merged, expected, random);
  CHECK((merged->blocks() == 30 && merged->pieces().front().session == "s2"));
}

TEST_CASE("each changed byte of a segment is noticed when it is read") {
  Random random(5);
  Folder at;
  Model const model = random_model(random, 20, 300);
  SegmentName const name = write(at, model, piece_of("s1", 0, 20), 20);
  std::string const path = at.dir / name.file, bytes = read_file(path);
  for (std::size_t i = 0; i < bytes.size(); i += 1 + random.below(20)) {
    CAPTURE(i);
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ (1 << random.below(8)));
    write_file(path, changed);
    auto const segment = sk::detail::SearchSegment::open(at.folder, name);
    if (i >= name.tail_at) {
      CHECK(segment.error().code == sk::Errc::io_error);
      continue;
    }
    REQUIRE(segment);
    bool noticed = false;
    for (auto const& [gram, numbers] : model) noticed = noticed || !(*segment)->blocks_with({gram});
    CHECK((noticed && (*segment)->is_damaged()));
  }
  write_file(path, bytes.substr(0, bytes.size() - 1));
  CHECK(!sk::detail::SearchSegment::open(at.folder, name));
}
