// SPDX-License-Identifier: MIT
#include <sessionkit/impl/log_writer.ipp>
