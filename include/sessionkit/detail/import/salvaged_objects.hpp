// SPDX-License-Identifier: MIT
#pragma once
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The objects of a damaged document that are valid JSON and for which `is_wanted` is true, in their order;
/// of nested ones the outer one. A string ends at the latest with its line, so in an indented document a bad
/// line costs only the object that it is in. The time is proportional to the text: if many objects lie in
/// each other, the innermost of the last ones are not looked at. `is_wanted` may be asked about objects that
/// are not valid.
std::vector<std::string_view> salvaged_objects(std::string_view document,
                                               bool (*is_wanted)(std::string_view object));

}}}
