// SPDX-License-Identifier: MIT
// Writes and reads the numbers and the lists of blocks in the files of a search index.
#pragma once
#include <sessionkit/detail/upkeep/search_codec.hpp>

#include <algorithm>

namespace sessionkit { inline namespace v0 { namespace detail {

void put_number(std::string& out, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) out.push_back(static_cast<char>(number | 0x80));
  out.push_back(static_cast<char>(number));
}

void put_bytes(std::string& out, std::string_view bytes) {
  put_number(out, bytes.size());
  out.append(bytes);
}

std::uint64_t NumberReader::fail() noexcept {
  failed_ = true;
  text_ = {};
  return 0;
}

std::uint64_t NumberReader::number() noexcept {
  std::uint64_t value = 0;
  std::size_t i = 0;
  for (unsigned shift = 0; i < text_.size() && shift < 64; shift += 7) {
    auto const byte = static_cast<unsigned char>(text_[i++]);
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if (byte >= 0x80) continue;
    text_.remove_prefix(i);
    return value;
  }
  return fail();
}

std::size_t NumberReader::count() noexcept {
  std::uint64_t const size = number();
  return size <= text_.size() ? static_cast<std::size_t>(size) : static_cast<std::size_t>(fail());
}

std::string_view NumberReader::bytes() noexcept {
  std::size_t const size = count();
  std::string_view const found = text_.substr(0, size);
  text_.remove_prefix(found.size());
  return found;
}

std::string encode_blocks(BlockNumbers const& blocks) {
  std::string list;
  std::uint32_t previous = 0;
  for (std::uint32_t const block : blocks) {
    put_number(list, block - previous);
    previous = block;
  }
  return list;
}

BlockNumbers decode_blocks(std::string_view list) {
  BlockNumbers blocks;
  NumberReader reader(list);
  for (std::uint32_t block = 0; !reader.is_at_end();) {
    block += static_cast<std::uint32_t>(reader.number());
    if (!reader.has_failed()) blocks.push_back(block);
  }
  return blocks;
}

void keep_listed(BlockNumbers& blocks, std::string_view list) {
  if (list.empty()) return blocks.clear();
  NumberReader reader(list);
  auto listed = static_cast<std::uint32_t>(reader.number());
  auto const is_missing = [&](std::uint32_t block) {
    while (listed < block && !reader.is_at_end()) listed += static_cast<std::uint32_t>(reader.number());
    return listed != block;
  };
  blocks.erase(std::remove_if(blocks.begin(), blocks.end(), is_missing), blocks.end());
}

void put_gram(std::string& page, std::uint32_t previous, std::uint32_t gram, std::string_view list) {
  put_number(page, gram - previous);
  put_bytes(page, list);
}

bool PageWalk::next() noexcept {
  if (reader_.is_at_end()) return false;
  gram_ += static_cast<std::uint32_t>(reader_.number());
  list_ = reader_.bytes();
  return !reader_.has_failed();
}

}}}
