// SPDX-License-Identifier: MIT
#pragma once
/// Every definition of the room `json`.
#include <sessionkit/detail/json/json_repair-inl.hpp>
#include <sessionkit/detail/json/raw_json-inl.hpp>
#include <sessionkit/detail/json/whitespace-inl.hpp>
