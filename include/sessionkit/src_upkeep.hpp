// SPDX-License-Identifier: MIT
#pragma once
/// The definitions of doctor, repair, retention, copy, follow, channel log and divergence, which need those
/// of src_core.hpp, src_file_store.hpp and src_history.hpp: in the same .cpp, or in one of its own. Needs
/// {fmt}.
#include <sessionkit/detail/upkeep/src.hpp>
