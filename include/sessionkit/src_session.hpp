// SPDX-License-Identifier: MIT
#pragma once
/// The definitions of sessions, turns and titles, which need those of src_core.hpp and src_history.hpp: in
/// the same .cpp, or in one of its own. Needs {fmt}.
#include <sessionkit/detail/session/src.hpp>
