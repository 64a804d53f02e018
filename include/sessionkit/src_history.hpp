// SPDX-License-Identifier: MIT
#pragma once
/// The definitions of contexts, histories, requests to providers and compaction, which need those of
/// src_core.hpp: in the same .cpp, or in one of its own. Needs {fmt}.
#include <sessionkit/detail/compaction/src.hpp>
#include <sessionkit/detail/history/src.hpp>
#include <sessionkit/detail/providers/src.hpp>
