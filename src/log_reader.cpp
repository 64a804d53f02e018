// SPDX-License-Identifier: MIT
#include <sessionkit/detail/transcript/log_reader-inl.hpp>
