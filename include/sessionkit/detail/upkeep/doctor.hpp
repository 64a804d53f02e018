// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/doctor.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

/// `diagnose_store` and `diagnose_transcript`, with system calls that tests can replace.
SESSIONKIT_API Result<Diagnosis> diagnose_store(FileOps& ops, std::string const& root,
                                                DoctorOptions const& options);
SESSIONKIT_API Result<Diagnosis> diagnose_transcript(FileOps& ops, std::string const& path,
                                                     DoctorOptions const& options);

}}}
