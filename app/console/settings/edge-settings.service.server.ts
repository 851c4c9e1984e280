import { readUnlessDamaged } from "~/core/storage-faults.server";
import type { SettingsOf } from "~/platform/settings/groups/index.schema";
import { performance } from "~/platform/settings/groups/performance.schema";
import { security } from "~/platform/settings/groups/security.schema";
import { installationOrgId, readSettings } from "~/platform/settings/read-settings.service.server";

/** The same for every request: an installation has one organization. */
export type EdgeSettings = Pick<
  SettingsOf<"performance">,
  "rateLimitEnabled" | "rateLimit" | "enableCompression"
> &
  Pick<SettingsOf<"security">, "enableCSP" | "enableCORS" | "corsOrigins" | "enforceHttps">;

const defaults: EdgeSettings = { ...performance.values.parse({}), ...security.values.parse({}) };

/** From memory; defaults before setup, and while their table is damaged, so that the console can say so. */
export const readEdgeSettings = (): Readonly<EdgeSettings> => readUnlessDamaged(readStored, defaults);

function readStored(): Readonly<EdgeSettings> {
  const orgId = installationOrgId();
  if (orgId === undefined) return defaults;
  const { rateLimitEnabled, rateLimit, enableCompression } = readSettings(orgId, "performance");
  const { enableCSP, enableCORS, corsOrigins, enforceHttps } = readSettings(orgId, "security");
  return { rateLimitEnabled, rateLimit, enableCompression, enableCSP, enableCORS, corsOrigins, enforceHttps };
}
