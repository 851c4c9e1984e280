import { now } from "~/core/clock.server";
import type { Db } from "~/core/db.server";
import { findOrgSettings, saveOrgSettings } from "./settings.repo.server";

/** What an organisation decided beside its settings; the feature that owns a record checks and audits it. */
type OrgRecord =
  | "custom-css"
  | "egress"
  | "embedding-consent"
  | "keyOrigins"
  | "provider-outages"
  | "tool-policies"
  | "usage-zone";

/** A record as it was stored; empty when it never was. */
export function findOrgRecord(tx: Db, orgId: string, key: OrgRecord): Record<string, unknown> {
  return findOrgSettings(tx, orgId, key)?.value ?? {};
}

export function saveOrgRecord(tx: Db, orgId: string, key: OrgRecord, value: Record<string, unknown>): void {
  saveOrgSettings(tx, { orgId, key, value }, now());
}
