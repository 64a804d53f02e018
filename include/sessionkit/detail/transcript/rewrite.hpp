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
/// Replaces a damaged transcript by one without the bytes that give no entry, under its lock. Answers where
/// the copy of the old one is; empty: it was not damaged, and was not touched. `unsafe_path` if it is not
/// ours to write, `corrupt` if nothing good is in it, `timed_out`, `io_error`, `no_space`.
SESSIONKIT_API Result<std::string> rewrite_transcript(FileOps& ops, int directory, std::string const& name,
                                                      std::string const& path, Quarantine& quarantine,
                                                      RewriteOptions const& options);

}}}
