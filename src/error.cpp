// SPDX-License-Identifier: MIT
#include <sessionkit/detail/base/error-inl.hpp>
