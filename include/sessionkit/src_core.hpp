// SPDX-License-Identifier: MIT
#pragma once
/// The definitions of the core: messages, entries, all dialects, the store in memory, transcripts read and
/// written. For exactly one .cpp of a program that uses sessionkit header-only. The rest of the library
/// is in src_file_store.hpp, src_history.hpp, src_session.hpp, src_upkeep.hpp and src_exchange.hpp. Include
/// them in the same .cpp, or each in its own, so that a build compiles them in parallel. Needs {fmt}.
#include <sessionkit/detail/base/src.hpp>
#include <sessionkit/detail/dialects/src.hpp>
#include <sessionkit/detail/json/src.hpp>
#include <sessionkit/detail/model/src.hpp>
#include <sessionkit/detail/store/src.hpp>
#include <sessionkit/detail/transcript/src.hpp>
