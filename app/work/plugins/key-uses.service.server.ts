import { db } from "~/core/db.server";
import type { KeyUse } from "~/team/keys/keys.shared";
import { findEntry } from "./catalog.server";
import { listInstallationRows, listMcpServerRows } from "./plugins.repo.server";

const TO = "/extensions?tab=installed";

/** Keys in plugins' settings, and those of MCP servers. */
export function pluginKeyUses(orgId: string): KeyUse[] {
  const ofPlugins = listInstallationRows(db(), orgId).flatMap(({ pluginId, removedAt, settings }) => {
    const manifest = removedAt === null ? findEntry(orgId, pluginId)?.manifest : undefined;
    return (manifest?.settings ?? []).flatMap(({ name, control }) => {
      const keyId = control.kind === "key" ? settings[name] : undefined;
      return keyId && manifest ? [{ keyId: String(keyId), name: manifest.title }] : [];
    });
  });
  const ofServers = listMcpServerRows(db(), orgId).flatMap(({ title, keys }) =>
    keys.map(({ keyId }) => ({ keyId, name: title })),
  );
  return [...ofPlugins, ...ofServers].map((use) => ({ ...use, kind: "Plugin", to: TO }));
}
