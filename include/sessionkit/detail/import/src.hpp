// SPDX-License-Identifier: MIT
#pragma once
/// Includes every function body of the room (folder) `import`.
#include <sessionkit/detail/import/blades_pieces-inl.hpp>
#include <sessionkit/detail/import/claude_code_lines-inl.hpp>
#include <sessionkit/detail/import/claude_code_tree-inl.hpp>
#include <sessionkit/detail/import/codex_items-inl.hpp>
#include <sessionkit/detail/import/foreign_files-inl.hpp>
#include <sessionkit/detail/import/foreign_listing-inl.hpp>
#include <sessionkit/detail/import/foreign_store-inl.hpp>
#include <sessionkit/detail/import/gemini_cli_messages-inl.hpp>
#include <sessionkit/detail/import/gemini_cli_records-inl.hpp>
#include <sessionkit/detail/import/import-inl.hpp>
#include <sessionkit/detail/import/import_atif-inl.hpp>
#include <sessionkit/detail/import/import_blades-inl.hpp>
#include <sessionkit/detail/import/import_claude_code-inl.hpp>
#include <sessionkit/detail/import/import_codex-inl.hpp>
#include <sessionkit/detail/import/import_gemini_cli-inl.hpp>
#include <sessionkit/detail/import/import_opencode-inl.hpp>
#include <sessionkit/detail/import/line_stream-inl.hpp>
#include <sessionkit/detail/import/opencode_messages-inl.hpp>
#include <sessionkit/detail/import/opencode_session-inl.hpp>
#include <sessionkit/detail/import/salvaged_objects-inl.hpp>
