// SPDX-License-Identifier: MIT
#pragma once
#include "console.hpp"

#include <common/stores.hpp>

namespace cli {

/// The same store. Reading a long transcript through it shows the progress of each pass
/// (`Console::progress_within`). Functions for stores of files, such as `transcript_path`, do not know it.
StorePtr watched(Console& console, StorePtr store);

}
