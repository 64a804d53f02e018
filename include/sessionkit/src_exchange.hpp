// SPDX-License-Identifier: MIT
#pragma once
/// The definitions of convert and blades. They need those of src_core.hpp, which may be in the same .cpp or
/// in another. Needs {fmt}.
#include <sessionkit/detail/exchange/src.hpp>
