// SPDX-License-Identifier: MIT
#pragma once
/// The definitions for diagnosis, repair, retention, copies, followers, search, channel logs and divergence.
/// They need src_core.hpp, src_transcript.hpp, src_file_store.hpp and src_history.hpp, which may be in the
/// same .cpp or in another.
#include <sessionkit/detail/upkeep/src.hpp>
