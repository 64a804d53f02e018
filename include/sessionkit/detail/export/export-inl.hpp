// SPDX-License-Identifier: MIT
// Lists the exporters, and reads from a store what they need.
#pragma once
#include <sessionkit/detail/export/export_atif.hpp>
#include <sessionkit/detail/export/export_claude_code.hpp>
#include <sessionkit/detail/export/export_codex.hpp>
#include <sessionkit/detail/export/export_opencode.hpp>
#include <sessionkit/detail/export/export_pi.hpp>
#include <sessionkit/detail/import/import_atif.hpp>

#include <algorithm>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace export_inl { namespace {

constexpr Exporter claude_code{
    "claude-code",         "Claude Code", "CLAUDE_CONFIG_DIR", ".claude", detail::export_to_claude_code,
    &profiles::claude_code};
constexpr Exporter codex{"codex", "Codex", "CODEX_HOME", ".codex", detail::export_to_codex, &profiles::codex};

constexpr Exporter opencode{"opencode", "opencode", "", "", detail::export_to_opencode, &profiles::opencode};
constexpr Exporter pi{
    "pi", "pi", "PI_CODING_AGENT_DIR", ".pi/agent", detail::export_to_pi, &profiles::native};

constexpr Exporter atif{"atif", "ATIF", "", "", detail::export_to_atif, &detail::atif_profile};

// The context of the leaf, and those that its compactions replaced, oldest first.
Result<std::vector<Context>> contexts_of(SessionStore& store, SessionId const& id,
                                         std::vector<Entry> const& path) {
  std::vector<Context> contexts;
  for (std::size_t end = path.size(); end > 0;) {
    Result<Context> context = load_context(store, id, path[end - 1].id);
    if (!context) return context.error();
    std::size_t before = 0;
    if (context->compaction)
      while (before < end && path[before].id != context->compaction->id) ++before;
    if (before == end) before = 0;
    contexts.push_back(std::move(*context));
    end = before;
  }
  std::reverse(contexts.begin(), contexts.end());
  return contexts;
}

}}

Exporter const& claude_code_exporter() noexcept { return export_inl::claude_code; }
Exporter const& codex_exporter() noexcept { return export_inl::codex; }
Exporter const& opencode_exporter() noexcept { return export_inl::opencode; }
Exporter const& pi_exporter() noexcept { return export_inl::pi; }
Exporter const& atif_exporter() noexcept { return export_inl::atif; }

Exporters known_exporters() {
  return {&claude_code_exporter(), &codex_exporter(), &opencode_exporter(), &pi_exporter(), &atif_exporter()};
}

Exporter const* find_exporter(Exporters const& exporters, std::string_view name) noexcept {
  auto const found = std::find_if(exporters.begin(), exporters.end(),
                                  [name](Exporter const* exporter) { return exporter->name == name; });
  return found == exporters.end() ? nullptr : *found;
}

Result<ExportSource> load_export_source(SessionStore& store, SessionId const& id, EntryId const& leaf) {
  ExportSource source;
  Result<RecordPage> const page = store.read(id, {});
  if (!page) return page.error();
  source.dialect = find_dialect(page->dialect);
  Result<Log> log = load_log(store, id, LogLines::kept);
  if (!log) return log.error();
  source.log = std::move(*log);
  Result<std::vector<Entry>> path = load_path(store, id, leaf);
  if (!path) return path.error();
  source.path = std::move(*path);
  if (!source.path.empty()) source.leaf = source.path.back().id;
  Result<std::vector<Context>> contexts = export_inl::contexts_of(store, id, source.path);
  if (!contexts) return contexts.error();
  source.contexts = std::move(*contexts);
  return source;
}

Result<Exported> export_session(Exporter const& exporter, SessionStore& store, SessionId const& id,
                                ExportOptions const& options, EntryId const& leaf) {
  Result<ExportSource> const source = load_export_source(store, id, leaf);
  if (!source) return source.error();
  return exporter.write(*source, options);
}

}}
