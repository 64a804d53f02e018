// SPDX-License-Identifier: MIT
#include <sessionkit/detail/base/file_ops-inl.hpp>
