// SPDX-License-Identifier: MIT
// Refuses calls of a forked child on objects that its parent opened.
#pragma once
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/base/opening_process.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

Result<void> OpeningProcess::check() const {
  if (is_this_one()) return {};
  return detail::make_error(Errc::forked, "{}: opened by the parent process; open it again in this one",
                            place_);
}

}}}
