// SPDX-License-Identifier: MIT
#include <sessionkit/detail/transcript/log_writer-inl.hpp>
