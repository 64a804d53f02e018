// SPDX-License-Identifier: MIT
#include <sessionkit/detail/file_store/written_rows-inl.hpp>
