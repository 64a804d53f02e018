// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/transcript/log_reader.hpp>

#include <fcntl.h>

namespace sessionkit { inline namespace v0 {

struct TranscriptReader::State {
  State(detail::OpenFile own, detail::LogReader opened) : file(std::move(own)), log(std::move(opened)) {}
  detail::OpenFile file; // empty: the descriptor is somebody else's
  detail::LogReader log;
};

TranscriptReader::TranscriptReader(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
TranscriptReader::TranscriptReader(TranscriptReader&&) noexcept = default;
TranscriptReader& TranscriptReader::operator=(TranscriptReader&&) noexcept = default;
TranscriptReader::~TranscriptReader() = default;

Result<TranscriptReader> TranscriptReader::open(std::string const& path, ReaderOptions options) {
  detail::FileOps& ops = detail::system_file_ops();
  Result<detail::OpenFile> file = detail::open_for_reading(ops, AT_FDCWD, path.c_str(), true, path);
  if (!file) return file.error();
  detail::LogReader log(ops, file->get(), path, options);
  if (auto r = log.detect(); !r) return r.error();
  return TranscriptReader(std::make_unique<State>(std::move(*file), std::move(log)));
}

Result<TranscriptReader> TranscriptReader::from_descriptor(int descriptor, std::string path,
                                                           ReaderOptions options) {
  detail::LogReader log(detail::system_file_ops(), descriptor, std::move(path), options);
  Result<detail::FileStatus> const status = log.status();
  if (!status) return status.error();
  if (status->kind != detail::FileStatus::regular)
    return Error{Errc::unsafe_path, 0, log.path() + ": not a regular file; give a descriptor of one"};
  if (auto r = log.detect(); !r) return r.error();
  return TranscriptReader(std::make_unique<State>(detail::OpenFile{}, std::move(log)));
}

Result<RecordPage> TranscriptReader::read(ReadRange const& range) { return state_->log.read(range); }
Dialect const& TranscriptReader::dialect() const noexcept { return state_->log.dialect(); }
Result<std::vector<Damage>>
TranscriptReader::verify(std::function<void(std::uint64_t, std::uint64_t)> const& progress) {
  return state_->log.verify(progress);
}
std::string const& TranscriptReader::path() const noexcept { return state_->log.path(); }

}}
