// SPDX-License-Identifier: MIT
#include <sessionkit/detail/file_store/open_logs-inl.hpp>
