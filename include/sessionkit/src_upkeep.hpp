// SPDX-License-Identifier: MIT
#pragma once
/// The definitions of doctor, repair, retention, copy, follow, channel log and divergence. They need those of
/// src_core.hpp, src_file_store.hpp and src_history.hpp, which may be in the same .cpp or in another. Needs
/// {fmt}.
#include <sessionkit/detail/upkeep/src.hpp>
