// SPDX-License-Identifier: MIT
#include <sessionkit/detail/transcript/transcript_rewrite-inl.hpp>
