// SPDX-License-Identifier: MIT
#pragma once
/// Includes every function body of the room (folder) `json`.
#include <sessionkit/detail/json/json_repair-inl.hpp>
#include <sessionkit/detail/json/raw_json-inl.hpp>
#include <sessionkit/detail/json/whitespace-inl.hpp>
