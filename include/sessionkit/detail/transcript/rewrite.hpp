// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/transcript/quarantine.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace sessionkit { inline namespace v0 { namespace detail {

/// True if bytes of this kind of damage give no entry, so that a rewritten transcript leaves them out.
SESSIONKIT_API bool gives_no_entry(DamageKind kind) noexcept;

/// How to rewrite a transcript.
struct RewriteOptions {
  std::chrono::milliseconds lock_wait{5000};
  std::uint64_t max_line = default_max_line;
};
/// Rewrites a damaged transcript without the bytes that give no entry, while it holds the transcript's lock.
/// Returns the path of a copy of the old transcript. If the transcript was not damaged, the path is empty and
/// the file is unchanged. Fails with `unsafe_path` if we must not write the file, with `corrupt` if it has no
/// good line, or with `timed_out`, `io_error` or `no_space`.
SESSIONKIT_API Result<std::string> rewrite_transcript(FileOps& ops, int directory, std::string const& name,
                                                      std::string const& path, Quarantine& quarantine,
                                                      RewriteOptions const& options);

}}}
