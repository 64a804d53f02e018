// SPDX-License-Identifier: MIT
#pragma once
/// Types that the options of all stores use.
#include <sessionkit/event.hpp>
#include <sessionkit/profile.hpp>
#include <sessionkit/record.hpp>

#include <cstddef>
#include <functional>

namespace sessionkit { inline namespace v0 {

/// The promise of an acknowledged append (docs/durability.md). At every level the entries survive the end of
/// the process.
enum class Durability {
  os,    ///< the operating system has the entries; a power loss may destroy those of the last seconds
  turn,  ///< a turn that has ended also survives power loss
  entry, ///< every entry also survives power loss
};

/// A function that receives the progress of a call that visits all sessions: the number of sessions that are
/// done, and the number of all sessions.
using StoreProgress = std::function<void(std::size_t, std::size_t)>;

}}
