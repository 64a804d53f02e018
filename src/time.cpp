// SPDX-License-Identifier: MIT
#include <sessionkit/detail/base/time-inl.hpp>
