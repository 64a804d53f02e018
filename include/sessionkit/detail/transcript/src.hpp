// SPDX-License-Identifier: MIT
#pragma once
/// Includes every function body of the room (folder) `transcript`.
#include <sessionkit/detail/transcript/file_reader-inl.hpp>
#include <sessionkit/detail/transcript/file_summary-inl.hpp>
#include <sessionkit/detail/transcript/file_sync-inl.hpp>
#include <sessionkit/detail/transcript/file_writer-inl.hpp>
#include <sessionkit/detail/transcript/line_scan-inl.hpp>
#include <sessionkit/detail/transcript/quarantine-inl.hpp>
#include <sessionkit/detail/transcript/rewrite-inl.hpp>
#include <sessionkit/detail/transcript/transcript_reader-inl.hpp>
#include <sessionkit/detail/transcript/transcript_writer-inl.hpp>
#include <sessionkit/detail/transcript/verified_summary-inl.hpp>
#include <sessionkit/detail/transcript/verify-inl.hpp>
