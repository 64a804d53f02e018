// SPDX-License-Identifier: MIT
#include <sessionkit/detail/transcript/line_scan-inl.hpp>
