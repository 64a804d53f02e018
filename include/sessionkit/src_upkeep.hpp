// SPDX-License-Identifier: MIT
#pragma once
/// The definitions for diagnosis, repair, retention, copies, followers, search, channel logs and divergence.
/// They need src_core.hpp, src_transcript.hpp, src_file_store.hpp and src_history.hpp, which may be in the
/// same .cpp or in another.
#if defined(__wasi__)
#error "for WASI, include src_core, src_history, src_session and src_exchange only (docs/platforms.md)"
#endif
#include <sessionkit/detail/upkeep/src.hpp>
