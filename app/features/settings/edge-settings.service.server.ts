import { db, rawDatabase } from "~/core/db.server";
import type { SettingsOf } from "./groups/index.schema";
import { performance } from "./groups/performance.schema";
import { security } from "./groups/security.schema";
import { readSettings } from "./read-settings.service.server";
import { findOrganisationId } from "./settings.repo.server";

/** What the edge obeys: the same for every request, signed in or not, since one installation is one organisation. */
export type EdgeSettings = Pick<
  SettingsOf<"performance">,
  "rateLimitEnabled" | "rateLimit" | "enableCompression"
> &
  Pick<SettingsOf<"security">, "enableCSP" | "enableCORS" | "enforceHttps">;

const defaults: EdgeSettings = { ...performance.values.parse({}), ...security.values.parse({}) };
/** The organisation of each open file: it never becomes another. */
const organisations = new WeakMap<object, string>();

/** Read for each request from memory; the defaults until the console is set up. */
export function readEdgeSettings(): Readonly<EdgeSettings> {
  const raw = rawDatabase();
  const orgId = organisations.get(raw) ?? findOrganisationId(db());
  if (orgId === undefined) return defaults;
  organisations.set(raw, orgId);
  const { rateLimitEnabled, rateLimit, enableCompression } = readSettings(orgId, "performance");
  const { enableCSP, enableCORS, enforceHttps } = readSettings(orgId, "security");
  return { rateLimitEnabled, rateLimit, enableCompression, enableCSP, enableCORS, enforceHttps };
}
