import { readUnlessDamaged } from "~/core/storage-faults.server";
import type { SettingsOf } from "./groups/index.schema";
import { performance } from "./groups/performance.schema";
import { security } from "./groups/security.schema";
import { installationOrgId } from "./installation.service.server";
import { readSettings } from "./read-settings.service.server";

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
