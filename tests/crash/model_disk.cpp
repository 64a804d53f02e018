// SPDX-License-Identifier: MIT
#include "model_disk.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>

#include <fcntl.h>

namespace sessionkit_test {

ModelDisk::ModelDisk(std::uint64_t seed) : random(seed) { make(true, 0755, root); }

ModelDisk::Inode ModelDisk::make(bool is_directory, unsigned mode, Inode parent) {
  Inode const inode = next_++;
  Node& made = nodes_[inode];
  made.is_directory = is_directory;
  made.mode = mode;
  made.parent = parent;
  made.modified_ns = tick();
  return inode;
}

std::optional<ModelDisk::Inode> ModelDisk::find(Inode from, std::string_view path) const {
  Inode at = !path.empty() && path.front() == '/' ? root : from;
  while (!path.empty()) {
    std::size_t const slash = std::min(path.find('/'), path.size());
    std::string const name(path.substr(0, slash));
    path.remove_prefix(std::min(slash + 1, path.size()));
    Node const& here = nodes_.at(at);
    if (name.empty() || name == ".") continue;
    if (!here.is_directory) return std::nullopt;
    if (name == "..") {
      at = here.parent;
      continue;
    }
    auto const found = here.names.find(name);
    if (found == here.names.end()) return std::nullopt;
    at = found->second;
  }
  return at;
}

// The directory and the last name of a path.
std::pair<std::optional<ModelDisk::Inode>, std::string> ModelDisk::place(Inode from,
                                                                         std::string_view path) const {
  std::size_t const slash = path.rfind('/');
  if (slash == std::string_view::npos) return {from, std::string(path)};
  return {find(from, slash == 0 ? "/" : path.substr(0, slash)), std::string(path.substr(slash + 1))};
}

void ModelDisk::change(Operation operation) {
  for (Change const& each : operation) {
    auto& names = node(each.directory).names;
    if (each.target)
      names[each.name] = *each.target;
    else
      names.erase(each.name);
  }
  pending_.push_back(std::move(operation));
}

void ModelDisk::apply(std::map<Inode, Node>& nodes, Operation const& operation) {
  for (Change const& each : operation) {
    auto& names = nodes.at(each.directory).kept_names;
    if (each.target)
      names[each.name] = *each.target;
    else
      names.erase(each.name);
  }
}

unsigned ModelDisk::links(Inode inode) const {
  unsigned count = 0;
  for (auto const& [number, node] : nodes_)
    for (auto const& [name, target] : node.names) count += target == inode ? 1U : 0U;
  return count;
}

// A torn page: some of its sectors.
void ModelDisk::write_page(Node& file, std::size_t number, bool torn) {
  for (std::size_t at = number * page; at < (number + 1) * page && at < file.seen.size(); at += sector) {
    if (torn && random.one_in(2)) continue;
    std::size_t const end = std::min(at + sector, file.seen.size());
    if (file.kept.size() < end) file.kept.resize(end, '\0');
    file.kept.replace(at, end - at, file.seen, at, end - at);
  }
}

// The size on the platter without a sync: any between the old and the new one.
void ModelDisk::settle_size(Node& file) {
  std::size_t const from = file.kept.size(), to = file.seen.size();
  (void)from;
  switch (random.below(4)) {
  case 0: break;
  case 1: file.kept.resize(to, '\0'); break;
  case 2: file.kept.resize(std::max(file.kept.size(), to / page * page), '\0'); break;
  default: file.kept.resize(file.kept.size() + random.below(to - std::min(to, file.kept.size()) + 1), '\0');
  }
}

int ModelDisk::sync_file(Node& file, bool fails) {
  for (std::size_t const number : file.dirty)
    if (!fails || random.one_in(2)) write_page(file, number, fails && random.one_in(2));
  if (file.size_dirty) {
    if (fails)
      settle_size(file);
    else
      file.kept.resize(file.seen.size(), '\0');
  }
  file.dirty.clear(); // also after a failure: these pages are not tried again
  file.size_dirty = fails && file.kept.size() != file.seen.size();
  file.errors += fails ? 1U : 0U;
  return fails ? -EIO : 0;
}

// With the earlier changes of the same names, which a change needs.
int ModelDisk::sync_names(Inode directory, bool fails) {
  std::set<std::pair<Inode, std::string>> touched;
  std::vector<bool> due(pending_.size());
  for (std::size_t i = pending_.size(); i-- > 0;) {
    due[i] = std::any_of(pending_[i].begin(), pending_[i].end(), [&](Change const& each) {
      return each.directory == directory || touched.count({each.directory, each.name}) > 0;
    });
    if (due[i])
      for (Change const& each : pending_[i]) touched.emplace(each.directory, each.name);
  }
  std::vector<Operation> rest;
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    if (!due[i])
      rest.push_back(std::move(pending_[i]));
    else if (!fails || random.one_in(2))
      apply(nodes_, pending_[i]);
  }
  pending_ = std::move(rest);
  return fails ? -EIO : 0;
}

void ModelDisk::cut_power() {
  for (auto& [inode, file] : nodes_) {
    if (file.is_directory) continue;
    std::size_t const synced = file.kept.size();
    std::string const before = file.kept;
    for (std::size_t const number : file.dirty)
      if (!random.one_in(3)) write_page(file, number, random.one_in(3));
    if (file.size_dirty) {
      // Bytes may have reached the platter although the new size did not.
      std::size_t const written = file.kept.size();
      std::size_t size = written;
      if (random.one_in(3)) size = synced + random.below(written - synced + 1);
      file.kept.resize(size);
      if (random.one_in(3)) settle_size(file);
    }
    file.dirty.clear();
    file.size_dirty = false;
    file.seen = file.kept;
    file.locked_by = nullptr;
  }
  ++starts_;
  for (Operation const& each : pending_)
    if (random.one_in(2)) apply(nodes_, each);
  pending_.clear();
  for (auto& [inode, directory] : nodes_) directory.names = directory.kept_names;
}

std::optional<std::string> ModelDisk::contents(std::string const& path) const {
  auto const inode = find(root, path);
  if (!inode || nodes_.at(*inode).is_directory) return std::nullopt;
  return nodes_.at(*inode).seen;
}

std::vector<std::string> ModelDisk::names(std::string const& path) const {
  std::vector<std::string> all;
  auto const inode = find(root, path);
  if (inode)
    for (auto const& [name, target] : nodes_.at(*inode).names) all.push_back(name);
  return all;
}

void ModelProcess::die() {
  if (std::exchange(dead_, true)) return;
  for (auto const& [number, description] : open_) {
    auto& locked_by = disk_->node(description.inode).locked_by;
    if (locked_by == &description) locked_by = nullptr;
  }
  open_.clear();
}

std::optional<ModelDisk::Inode> ModelProcess::base(int directory) const {
  if (directory == sk::detail::working_directory) return ModelDisk::root;
  auto const found = open_.find(directory);
  if (found == open_.end()) return std::nullopt;
  return found->second.inode;
}

ModelDisk::Description* ModelProcess::description(int descriptor) {
  auto const found = open_.find(descriptor);
  return found == open_.end() ? nullptr : &found->second;
}

int ModelProcess::open(int directory, char const* name, sk::detail::OpenFlags flags) {
  using sk::detail::OpenFlags;
  auto const from = base(directory);
  if (dead_ || !from) return dead_ ? -EIO : -EBADF;
  std::optional<ModelDisk::Inode> inode = disk_->find(*from, name);
  if (inode && has(flags, OpenFlags::only_new)) return -EEXIST;
  if (!inode) {
    auto const [parent, last] = disk_->place(*from, name);
    if (!has(flags, OpenFlags::create | OpenFlags::only_new) || !parent) return -ENOENT;
    inode = disk_->make(false, 0600, *parent);
    disk_->change({{*parent, last, inode}});
  }
  ModelDisk::Node const& node = disk_->node(*inode);
  if (node.is_directory && has(flags, OpenFlags::write)) return -EISDIR;
  if (!node.is_directory && has(flags, OpenFlags::directory)) return -ENOTDIR;
  open_.emplace(next_descriptor_,
                ModelDisk::Description{*inode, node.errors, has(flags, OpenFlags::append), 0});
  return next_descriptor_++;
}

int ModelProcess::close(int descriptor) {
  if (dead_) return -EIO;
  ModelDisk::Description const* const closed = description(descriptor);
  if (closed == nullptr) return -EBADF;
  auto& locked_by = disk_->node(closed->inode).locked_by;
  if (locked_by == closed) locked_by = nullptr;
  open_.erase(descriptor);
  return 0;
}

std::int64_t ModelProcess::pread(int descriptor, char* to, std::size_t bytes, std::uint64_t offset) {
  ModelDisk::Description const* const from = description(descriptor);
  if (dead_ || from == nullptr) return dead_ ? -EIO : -EBADF;
  std::string const& text = disk_->node(from->inode).seen;
  if (offset >= text.size()) return 0;
  std::size_t const count = std::min(bytes, text.size() - static_cast<std::size_t>(offset));
  std::memcpy(to, text.data() + offset, count);
  return static_cast<std::int64_t>(count);
}

std::int64_t ModelProcess::write(int descriptor, char const* from, std::size_t bytes) {
  ModelDisk::Description* const to = description(descriptor);
  if (dead_ || to == nullptr) return dead_ ? -EIO : -EBADF;
  if (dies_writing_) bytes = disk_->random.below(bytes + 1);
  ModelDisk::Node& file = disk_->node(to->inode);
  std::size_t const at = to->appends ? file.seen.size() : static_cast<std::size_t>(to->offset);
  to->offset = at + bytes;
  return write_to(file, from, bytes, at);
}

std::int64_t ModelProcess::pwrite(int descriptor, char const* from, std::size_t bytes, std::uint64_t offset) {
  ModelDisk::Description const* const to = description(descriptor);
  if (dead_ || to == nullptr) return dead_ ? -EIO : -EBADF;
  if (dies_writing_) bytes = disk_->random.below(bytes + 1);
  ModelDisk::Node& file = disk_->node(to->inode); // the system appends, whatever the offset
  return write_to(file, from, bytes, to->appends ? file.seen.size() : static_cast<std::size_t>(offset));
}

std::int64_t ModelProcess::write_to(ModelDisk::Node& file, char const* from, std::size_t bytes,
                                    std::size_t at) {
  if (file.seen.size() < at + bytes) file.seen.resize(at + bytes, '\0');
  file.seen.replace(at, bytes, from, bytes);
  if (bytes > 0)
    for (std::size_t number = at / ModelDisk::page; number <= (at + bytes - 1) / ModelDisk::page; ++number)
      file.dirty.insert(number);
  file.size_dirty = true;
  file.modified_ns = disk_->tick();
  if (!dies_writing_) return static_cast<std::int64_t>(bytes);
  die();
  return -EIO;
}

int ModelProcess::sync(int descriptor) {
  ModelDisk::Description* const of = description(descriptor);
  if (dead_ || of == nullptr) return dead_ ? -EIO : -EBADF;
  ModelDisk::Node& node = disk_->node(of->inode);
  if (node.is_directory) return disk_->sync_names(of->inode, std::exchange(fails_name_sync_, false));
  int failed = disk_->sync_file(node, std::exchange(fails_sync_, false));
  if (of->reported != node.errors) failed = -EIO;
  of->reported = node.errors;
  return failed;
}

void ModelProcess::describe(ModelDisk::Inode inode, sk::detail::FileStatus& out) {
  ModelDisk::Node const& node = disk_->node(inode);
  out = {};
  out.kind = node.is_directory ? sk::detail::FileStatus::directory : sk::detail::FileStatus::regular;
  out.device = 1;
  out.inode = inode;
  out.size = node.seen.size();
  out.links = node.is_directory ? 2 : disk_->links(inode);
  out.modified_ns = out.changed_ns = node.modified_ns;
  out.owner = user();
  out.mode = node.mode;
}

int ModelProcess::status(int descriptor, sk::detail::FileStatus& out) {
  ModelDisk::Description const* const of = description(descriptor);
  if (dead_ || of == nullptr) return dead_ ? -EIO : -EBADF;
  describe(of->inode, out);
  return 0;
}

int ModelProcess::status_at(int directory, char const* name, sk::detail::FileStatus& out) {
  auto const from = base(directory);
  if (dead_ || !from) return dead_ ? -EIO : -EBADF;
  auto const inode = disk_->find(*from, name);
  if (!inode) return -ENOENT;
  describe(*inode, out);
  return 0;
}

int ModelProcess::try_lock(int descriptor) {
  ModelDisk::Description const* const of = description(descriptor);
  if (dead_ || of == nullptr) return dead_ ? -EIO : -EBADF;
  void const*& locked_by = disk_->node(of->inode).locked_by;
  if (locked_by != nullptr && locked_by != of) return -EWOULDBLOCK;
  locked_by = of;
  return 0;
}

int ModelProcess::unlock(int descriptor) {
  ModelDisk::Description const* const of = description(descriptor);
  if (dead_ || of == nullptr) return dead_ ? -EIO : -EBADF;
  void const*& locked_by = disk_->node(of->inode).locked_by;
  if (locked_by == of) locked_by = nullptr;
  return 0;
}

int ModelProcess::set_mode(int descriptor, unsigned mode) {
  ModelDisk::Description const* const of = description(descriptor);
  if (dead_ || of == nullptr) return dead_ ? -EIO : -EBADF;
  disk_->node(of->inode).mode = mode;
  return 0;
}

int ModelProcess::make_directory(int directory, char const* name) {
  auto const from = base(directory);
  if (dead_ || !from) return dead_ ? -EIO : -EBADF;
  if (disk_->find(*from, name)) return -EEXIST;
  auto const [parent, last] = disk_->place(*from, name);
  if (!parent) return -ENOENT;
  ModelDisk::Inode const made = disk_->make(true, 0700, *parent);
  disk_->change({{*parent, last, made}});
  return 0;
}

int ModelProcess::rename(int from_directory, char const* from, int to_directory, char const* to,
                         bool replace) {
  auto const old_base = base(from_directory), new_base = base(to_directory);
  if (dead_ || !old_base || !new_base) return dead_ ? -EIO : -EBADF;
  auto const moved = disk_->find(*old_base, from);
  if (!moved) return -ENOENT;
  if (!replace && disk_->find(*new_base, to)) return -EEXIST;
  auto const old_place = disk_->place(*old_base, from), new_place = disk_->place(*new_base, to);
  if (!new_place.first) return -ENOENT;
  disk_->change(
      {{*old_place.first, old_place.second, std::nullopt}, {*new_place.first, new_place.second, moved}});
  return 0;
}

int ModelProcess::unlink(int directory, char const* name) {
  auto const from = base(directory);
  if (dead_ || !from) return dead_ ? -EIO : -EBADF;
  if (!disk_->find(*from, name)) return -ENOENT;
  auto const [parent, last] = disk_->place(*from, name);
  disk_->change({{*parent, last, std::nullopt}});
  return 0;
}

int ModelProcess::list(int directory, sk::detail::FileNames& names) {
  auto const from = base(directory);
  if (dead_ || !from) return dead_ ? -EIO : -EBADF;
  names.clear();
  for (auto const& [name, target] : disk_->node(*from).names) names.push_back(name);
  return 0;
}

}
