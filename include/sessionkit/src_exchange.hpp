// SPDX-License-Identifier: MIT
#pragma once
/// The definitions for conversion (convert.hpp) and for the documents of blades (blades.hpp). They need
/// src_core.hpp, which may be in the same .cpp or in another.
#include <sessionkit/detail/exchange/src.hpp>
