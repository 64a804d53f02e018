// SPDX-License-Identifier: MIT
#pragma once
/// The definitions of the stores of files. They need src_core.hpp and src_transcript.hpp, which may be
/// in the same .cpp or in another.
#if defined(__wasi__)
#error "for WASI, include src_core, src_history, src_session and src_exchange only (docs/platforms.md)"
#endif
#include <sessionkit/detail/file_store/src.hpp>
