// SPDX-License-Identifier: MIT
#pragma once
/// The definitions of convert and blades, which need those of src_core.hpp: in the same .cpp, or in one of
/// its own. Needs {fmt}.
#include <sessionkit/detail/exchange/src.hpp>
