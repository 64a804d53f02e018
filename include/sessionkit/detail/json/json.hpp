// SPDX-License-Identifier: MIT
#pragma once
/// The library's own JSON: it finds, checks, reads and writes text in place, and builds no tree.
#include <sessionkit/detail/json/json_check.hpp>
#include <sessionkit/detail/json/json_number.hpp>
#include <sessionkit/detail/json/json_scan.hpp>
#include <sessionkit/detail/json/json_text.hpp>
#include <sessionkit/detail/json/json_write.hpp>
