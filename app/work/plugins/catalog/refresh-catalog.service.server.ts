import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { guardedFetch } from "~/core/egress/index.server";
import { env } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { clip } from "~/core/well-formed";
import { publish } from "~/platform/events/events.service.server";
import { installationOrgId } from "~/platform/settings/read-settings.service.server";
import { bundledPlugins } from "../bundled/index.server";
import { readText } from "../bundled/responses.server";
import { findCatalogRow, saveCatalogRow } from "./catalog.repo.server";
import { readCatalog } from "./read-catalog";

const MAX_BYTES = 2_000_000;

const fetchCatalog = guardedFetch("plugins:catalog", {
  timeoutMs: 30_000,
  silenceMs: 15_000,
  maxBytes: MAX_BYTES,
});

const bundledIds = new Set(bundledPlugins.map(({ manifest }) => manifest.id));

/** Refreshes from `PLUGIN_CATALOG_URL`; a failure keeps the old entries. */
export async function refreshCatalog(signal: AbortSignal): Promise<void> {
  const url = env().PLUGIN_CATALOG_URL;
  if (url === undefined) return;
  const before = findCatalogRow(db(), url);
  const stored = { url, entries: before?.entries ?? [], skipped: before?.skipped ?? [] };
  // Increases with each refresh: a cache key.
  const checkedAt = Math.max(now(), (before?.checkedAt ?? 0) + 1);
  try {
    const text = await readText(await fetchCatalog(url, { signal }));
    const { entries, skipped } = readCatalog(text, bundledIds);
    transaction((tx) => saveCatalogRow(tx, { ...stored, entries, skipped, problem: null, checkedAt }));
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (!(error instanceof AppError)) log.warn("the plugin catalog can't be read", { error });
    const problem = error instanceof AppError ? error.message : "It can't be reached.";
    transaction((tx) => saveCatalogRow(tx, { ...stored, problem: clip(problem, 500), checkedAt }));
  }
  const orgId = installationOrgId();
  if (orgId !== undefined) publish({ topic: "plugins", orgId });
}
