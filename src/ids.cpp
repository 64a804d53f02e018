// SPDX-License-Identifier: MIT
#include <sessionkit/detail/base/ids-inl.hpp>
