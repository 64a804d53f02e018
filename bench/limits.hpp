// SPDX-License-Identifier: MIT
// The best that the machine can do: the same work with nothing around it.
#pragma once
#include <cstdint>
#include <string>

namespace sessionkit_bench {

/// open, fstat, pread of `bytes` at `offset`, close. The buffer is reused.
void read_tail(std::string const& path, std::uint64_t offset, std::uint64_t bytes, std::string& buffer);

/// read() from beginning to end, 256 KiB at a time; returns the number of bytes.
std::uint64_t read_whole(std::string const& path, std::string& buffer);

/// The tail read and cut into the Anthropic messages array without checking any value: pi's lines only,
/// trusted.
void splice_request(std::string const& path, std::uint64_t offset, std::uint64_t bytes, std::string& buffer,
                    std::string& out);

}
