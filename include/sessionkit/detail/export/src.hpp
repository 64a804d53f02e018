// SPDX-License-Identifier: MIT
#pragma once
/// Includes every function body of the room (folder) `export`.
#include <sessionkit/detail/export/export-inl.hpp>
#include <sessionkit/detail/export/export_atif-inl.hpp>
#include <sessionkit/detail/export/export_claude_code-inl.hpp>
#include <sessionkit/detail/export/export_codex-inl.hpp>
#include <sessionkit/detail/export/export_history-inl.hpp>
#include <sessionkit/detail/export/export_ids-inl.hpp>
#include <sessionkit/detail/export/export_opencode-inl.hpp>
#include <sessionkit/detail/export/export_pi-inl.hpp>
