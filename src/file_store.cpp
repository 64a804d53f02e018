// SPDX-License-Identifier: MIT
#include <sessionkit/detail/file_store/src.hpp>
