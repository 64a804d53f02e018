// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/history/provider_rules.hpp>

#include <string>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Returns the name of a tool in the form that the provider accepts. If the provider accepts the name, it is
/// unchanged. A byte that the provider refuses becomes `_xHH_`, so that `mcp.read` becomes `mcp_x2E_read`
/// (.NET's `XmlConvert.EncodeName` writes names in this way). A name that is then too long is cut, and ends
/// in `_h` and a checksum of the name.
std::string fitting_name(ProviderRules const& rules, std::string_view name);

/// Returns the name from which `fitting_name` made `fitting`. If the name was cut or not changed, returns
/// `fitting`.
std::string original_name(ProviderRules const& rules, std::string_view fitting);

}}}
