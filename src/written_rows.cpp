// SPDX-License-Identifier: MIT
#include <sessionkit/impl/written_rows.ipp>
