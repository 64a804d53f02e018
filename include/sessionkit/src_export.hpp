// SPDX-License-Identifier: MIT
#pragma once
/// The definitions of export.hpp: the exporters to other programs' files. They need src_core.hpp,
/// src_history.hpp and src_exchange.hpp, which may be in the same .cpp or in others.
#if defined(__wasi__)
#error "for WASI, include src_core, src_history, src_session and src_exchange only (docs/platforms.md)"
#endif
#include <sessionkit/detail/export/src.hpp>
