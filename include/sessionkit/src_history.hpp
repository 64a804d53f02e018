// SPDX-License-Identifier: MIT
#pragma once
/// The definitions of contexts, histories, requests to providers, answers and compaction. They need
/// src_core.hpp, which may be in the same .cpp or in another.
#include <sessionkit/detail/compaction/src.hpp>
#include <sessionkit/detail/history/src.hpp>
#include <sessionkit/detail/providers/src.hpp>
