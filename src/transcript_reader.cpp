// SPDX-License-Identifier: MIT
#include <sessionkit/detail/transcript/transcript_reader-inl.hpp>
