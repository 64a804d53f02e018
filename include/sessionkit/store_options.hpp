// SPDX-License-Identifier: MIT
#pragma once
/// What the options of all stores share.
#include <sessionkit/event.hpp>
#include <sessionkit/profile.hpp>
#include <sessionkit/record.hpp>

#include <cstddef>
#include <functional>

namespace sessionkit { inline namespace v0 {

/// What an acknowledged append survives (docs/durability.md). Every level survives the end of the process.
enum class Durability {
  os,    ///< the operating system has it; a power loss may destroy the last seconds
  turn,  ///< the end of each turn survives power loss
  entry, ///< every entry survives power loss
};

/// Called now and then with the number of finished transcripts and the number of all transcripts.
using StoreProgress = std::function<void(std::size_t, std::size_t)>;

}}
