// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/history/history_part.hpp>
#include <sessionkit/history.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Rebuilds one part of a history for a target that `has_parts`. The texts are moved out of the context.
History rebuild_part(Context&& context, Target const& target, HistoryPart part);

}}}
