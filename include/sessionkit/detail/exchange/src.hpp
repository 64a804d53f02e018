// SPDX-License-Identifier: MIT
#pragma once
/// Includes every function body of the room (folder) `exchange`.
#include <sessionkit/detail/exchange/blades-inl.hpp>
#include <sessionkit/detail/exchange/blades_document-inl.hpp>
#include <sessionkit/detail/exchange/blades_export-inl.hpp>
#include <sessionkit/detail/exchange/blades_readings-inl.hpp>
#include <sessionkit/detail/exchange/blades_store-inl.hpp>
#include <sessionkit/detail/exchange/conversion_path-inl.hpp>
#include <sessionkit/detail/exchange/convert-inl.hpp>
#include <sessionkit/detail/exchange/shadowed_members-inl.hpp>
#include <sessionkit/detail/exchange/time_spelling-inl.hpp>
