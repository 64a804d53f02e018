// SPDX-License-Identifier: MIT
#pragma once
/// All definitions of the library. A program that uses sessionkit header-only includes this in exactly one
/// .cpp. Needs {fmt}.
#include <sessionkit/src_core.hpp>
#include <sessionkit/src_exchange.hpp>
#include <sessionkit/src_file_store.hpp>
#include <sessionkit/src_history.hpp>
#include <sessionkit/src_session.hpp>
#include <sessionkit/src_upkeep.hpp>
