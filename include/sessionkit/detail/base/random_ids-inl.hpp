// SPDX-License-Identifier: MIT
// Makes ids of entries from random bits that are drawn many at a time.
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/detail/base/random_bits.hpp>
#include <sessionkit/detail/base/random_ids.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

void append_hex(std::string& out, std::uint64_t bits, unsigned digits) {
  for (unsigned shift = digits * 4; shift != 0; shift -= 4)
    out += "0123456789abcdef"[bits >> (shift - 4) & 0xF];
}

std::string RandomIds::next() {
  int const process = system_file_ops().process();
  if (left_ == 0 || process != process_) {
    fill_random(bits_.data(), bits_.size());
    left_ = bits_.size();
    process_ = process;
  }
  std::string text;
  append_hex(text, bits_[--left_], 16);
  return text;
}

}}}
