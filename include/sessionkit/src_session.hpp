// SPDX-License-Identifier: MIT
#pragma once
/// The definitions of sessions, turns and titles. They need src_core.hpp and src_history.hpp, which may be in
/// the same .cpp or in another.
#include <sessionkit/detail/session/src.hpp>
