// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/history/history_part.hpp>
#include <sessionkit/history.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Rebuilds one part of a history, for a target for which `has_parts` is true. Moves the texts out of the
/// context.
History rebuild_part(Context&& context, Target const& target, HistoryPart part);

}}}
