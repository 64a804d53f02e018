// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/transcript/file_reader.hpp>
#include <sessionkit/detail/transcript/verified_summary.hpp>
#include <sessionkit/transcript_reader.hpp>

#include <functional>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Does the work of `TranscriptReader::verify` for an open file. Adds the records to `summary`, if it is not
/// null.
SESSIONKIT_API Result<std::vector<Damage>>
verify_transcript(FileReader& log, std::function<void(std::uint64_t, std::uint64_t)> const& progress = {},
                  UnknownLines* unknown = nullptr, VerifiedSummary* summary = nullptr);

}}}
