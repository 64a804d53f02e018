// SPDX-License-Identifier: MIT
#pragma once
/// Every definition of the library: include this in exactly one .cpp of a program that uses sessionkit
/// header-only. Needs {fmt}.
#include <sessionkit/src_core.hpp>
#include <sessionkit/src_exchange.hpp>
#include <sessionkit/src_file_store.hpp>
#include <sessionkit/src_history.hpp>
#include <sessionkit/src_session.hpp>
#include <sessionkit/src_upkeep.hpp>
