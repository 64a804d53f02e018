// SPDX-License-Identifier: MIT
#pragma once
/// Includes every function body of the room (folder) `exchange`.
#include <sessionkit/detail/exchange/blades-inl.hpp>
#include <sessionkit/detail/exchange/blades_document-inl.hpp>
#include <sessionkit/detail/exchange/blades_export-inl.hpp>
#include <sessionkit/detail/exchange/blades_readings-inl.hpp>
#include <sessionkit/detail/exchange/blades_store-inl.hpp>
#include <sessionkit/detail/exchange/claude_code_lines-inl.hpp>
#include <sessionkit/detail/exchange/claude_code_tree-inl.hpp>
#include <sessionkit/detail/exchange/codex_items-inl.hpp>
#include <sessionkit/detail/exchange/conversion_path-inl.hpp>
#include <sessionkit/detail/exchange/convert-inl.hpp>
#include <sessionkit/detail/exchange/foreign_files-inl.hpp>
#include <sessionkit/detail/exchange/gemini_cli_messages-inl.hpp>
#include <sessionkit/detail/exchange/gemini_cli_records-inl.hpp>
#include <sessionkit/detail/exchange/import-inl.hpp>
#include <sessionkit/detail/exchange/import_claude_code-inl.hpp>
#include <sessionkit/detail/exchange/import_codex-inl.hpp>
#include <sessionkit/detail/exchange/import_gemini_cli-inl.hpp>
#include <sessionkit/detail/exchange/import_opencode-inl.hpp>
#include <sessionkit/detail/exchange/opencode_messages-inl.hpp>
#include <sessionkit/detail/exchange/opencode_session-inl.hpp>
#include <sessionkit/detail/exchange/shadowed_members-inl.hpp>
#include <sessionkit/detail/exchange/time_spelling-inl.hpp>
