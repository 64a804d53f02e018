// SPDX-License-Identifier: MIT
#pragma once
/// The definitions of import.hpp: the importers of other programs' files. They need src_core.hpp, which may
/// be in the same .cpp or in another.
#include <sessionkit/detail/import/src.hpp>
