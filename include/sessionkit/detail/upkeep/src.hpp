// SPDX-License-Identifier: MIT
#pragma once
/// Includes every function body of the room (folder) `upkeep`.
#include <sessionkit/detail/upkeep/channel_log-inl.hpp>
#include <sessionkit/detail/upkeep/copy-inl.hpp>
#include <sessionkit/detail/upkeep/divergence-inl.hpp>
#include <sessionkit/detail/upkeep/doctor-inl.hpp>
#include <sessionkit/detail/upkeep/follow-inl.hpp>
#include <sessionkit/detail/upkeep/repair-inl.hpp>
#include <sessionkit/detail/upkeep/retention-inl.hpp>
#include <sessionkit/detail/upkeep/search-inl.hpp>
#include <sessionkit/detail/upkeep/search_codec-inl.hpp>
#include <sessionkit/detail/upkeep/search_files-inl.hpp>
#include <sessionkit/detail/upkeep/search_grams-inl.hpp>
#include <sessionkit/detail/upkeep/search_index-inl.hpp>
#include <sessionkit/detail/upkeep/search_needle-inl.hpp>
#include <sessionkit/detail/upkeep/search_pieces-inl.hpp>
#include <sessionkit/detail/upkeep/search_segment-inl.hpp>
#include <sessionkit/detail/upkeep/trash-inl.hpp>
