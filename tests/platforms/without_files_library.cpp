// SPDX-License-Identifier: MIT
// The parts of the library that need neither files nor threads, for without_files.cpp.
#include <sessionkit/src_core.hpp>
#include <sessionkit/src_exchange.hpp>
#include <sessionkit/src_history.hpp>
#include <sessionkit/src_session.hpp>
