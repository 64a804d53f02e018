// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/export.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

/// `Exporter::write` for pi.
Result<Exported> export_to_pi(ExportSource const& source, ExportOptions const& options);

}}}
