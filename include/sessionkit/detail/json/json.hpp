// SPDX-License-Identifier: MIT
#pragma once
/// The library's own JSON functions. They find, check, read and write text in place, and build no tree.
#include <sessionkit/detail/json/json_check.hpp>
#include <sessionkit/detail/json/json_number.hpp>
#include <sessionkit/detail/json/json_scan.hpp>
#include <sessionkit/detail/json/json_text.hpp>
#include <sessionkit/detail/json/json_write.hpp>
