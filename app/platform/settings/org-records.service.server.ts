import { now } from "~/core/clock.server";
import type { Db } from "~/core/db.server";
import { findOrgSettings, saveOrgSettings } from "./settings.repo.server";

/** Data besides settings; the owning feature validates and audits. */
type OrgRecord =
  | "custom-css"
  | "egress"
  | "embedding-consent"
  | "keyOrigins"
  | "provider-outages"
  | "tool-policies"
  | "usage-zone";

/** Empty if never stored. */
export function findOrgRecord(tx: Db, orgId: string, key: OrgRecord): Record<string, unknown> {
  return findOrgSettings(tx, orgId, key)?.value ?? {};
}

export function saveOrgRecord(tx: Db, orgId: string, key: OrgRecord, value: Record<string, unknown>): void {
  saveOrgSettings(tx, { orgId, key, value }, now());
}
