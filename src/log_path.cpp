// SPDX-License-Identifier: MIT
#include <sessionkit/impl/log_path.ipp>
