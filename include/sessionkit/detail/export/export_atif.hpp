// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/export.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

/// `Exporter::write` for the Agent Trajectory Interchange Format.
Result<Exported> export_to_atif(ExportSource const& source, ExportOptions const& options);

}}}
