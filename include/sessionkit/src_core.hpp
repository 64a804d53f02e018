// SPDX-License-Identifier: MIT
#pragma once
/// The definitions of the core: messages, entries, all dialects, and the store in memory. A program that uses
/// sessionkit header-only includes this in exactly one .cpp. The other definitions are in src_transcript.hpp,
/// src_file_store.hpp, src_history.hpp, src_session.hpp, src_upkeep.hpp, src_exchange.hpp, src_import.hpp and
/// src_export.hpp. They may be in the same .cpp; a build can compile separate .cpp files in parallel. The
/// definitions need {fmt}, unless `SESSIONKIT_WITHOUT_FMT` is defined.
#include <sessionkit/detail/base/src.hpp>
#include <sessionkit/detail/dialects/src.hpp>
#include <sessionkit/detail/json/src.hpp>
#include <sessionkit/detail/model/src.hpp>
#include <sessionkit/detail/store/src.hpp>
