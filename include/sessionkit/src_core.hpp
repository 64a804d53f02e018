// SPDX-License-Identifier: MIT
#pragma once
/// The definitions of the core: logs in all dialects, stores, histories, requests, compaction, sessions. For
/// exactly one .cpp of a program that uses sessionkit header-only and needs neither upkeep nor exchange, or
/// that adds them. Needs {fmt}.
#include <sessionkit/detail/base/src.hpp>
#include <sessionkit/detail/compaction/src.hpp>
#include <sessionkit/detail/dialects/src.hpp>
#include <sessionkit/detail/file_store/src.hpp>
#include <sessionkit/detail/history/src.hpp>
#include <sessionkit/detail/json/src.hpp>
#include <sessionkit/detail/model/src.hpp>
#include <sessionkit/detail/providers/src.hpp>
#include <sessionkit/detail/session/src.hpp>
#include <sessionkit/detail/store/src.hpp>
#include <sessionkit/detail/transcript/src.hpp>
