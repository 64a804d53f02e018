// SPDX-License-Identifier: MIT
#pragma once
/// All definitions of the library. A program that uses sessionkit header-only includes this in exactly one
/// .cpp. The definitions need {fmt}. If `SESSIONKIT_WITHOUT_FMT` is defined in this .cpp, the library formats
/// its texts itself instead, with the same results.
#include <sessionkit/src_core.hpp>
#include <sessionkit/src_exchange.hpp>
#include <sessionkit/src_export.hpp>
#include <sessionkit/src_file_store.hpp>
#include <sessionkit/src_history.hpp>
#include <sessionkit/src_import.hpp>
#include <sessionkit/src_session.hpp>
#include <sessionkit/src_transcript.hpp>
#include <sessionkit/src_upkeep.hpp>
