// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/transcript/file_reader.hpp>
#include <sessionkit/transcript_reader.hpp>

#include <functional>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Does the work of `TranscriptReader::verify` for an open file.
SESSIONKIT_API Result<std::vector<Damage>>
verify_transcript(FileReader& log, std::function<void(std::uint64_t, std::uint64_t)> const& progress = {},
                  UnknownLines* unknown = nullptr);

}}}
