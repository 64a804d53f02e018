// SPDX-License-Identifier: MIT
#pragma once
#include "console.hpp"

#include <sessionkit/convert.hpp>

#include <vector>

namespace cli {

/// Lists on stderr what another format could not represent.
void list_losses(Console& console, std::vector<sessionkit::Loss> const& losses);

}
