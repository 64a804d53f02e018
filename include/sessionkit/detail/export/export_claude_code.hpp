// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/export.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

/// `Exporter::write` for Claude Code.
Result<Exported> export_to_claude_code(ExportSource const& source, ExportOptions const& options);

}}}
