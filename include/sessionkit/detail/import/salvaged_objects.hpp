// SPDX-License-Identifier: MIT
#pragma once
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Returns the objects of a damaged document that are valid JSON and for which `is_wanted` is true, in their
/// order. If such an object contains another one, only the outer one is returned. A string ends at the end of
/// its line at the latest, so in an indented document a bad line costs only the object that it is in. The
/// time is proportional to the length of the text. Therefore, if many objects are nested in each other, the
/// innermost of the last ones are not looked at. `is_wanted` may be called for objects that are not valid.
std::vector<std::string_view> salvaged_objects(std::string_view document,
                                               bool (*is_wanted)(std::string_view object));

}}}
