// SPDX-License-Identifier: MIT
#pragma once
/// Every definition of the room `exchange`.
#include <sessionkit/detail/exchange/blades-inl.hpp>
#include <sessionkit/detail/exchange/blades_export-inl.hpp>
#include <sessionkit/detail/exchange/conversion_path-inl.hpp>
#include <sessionkit/detail/exchange/convert-inl.hpp>
