// SPDX-License-Identifier: MIT
#include <sessionkit/impl/line_scan.ipp>
