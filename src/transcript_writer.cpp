// SPDX-License-Identifier: MIT
#include <sessionkit/detail/transcript/transcript_writer-inl.hpp>
