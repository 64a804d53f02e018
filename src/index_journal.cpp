// SPDX-License-Identifier: MIT
#include <sessionkit/detail/file_store/index_journal-inl.hpp>
