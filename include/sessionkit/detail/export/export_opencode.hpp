// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/export.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

/// `Exporter::write` for opencode.
Result<Exported> export_to_opencode(ExportSource const& source, ExportOptions const& options);

}}}
