import { cachedByConfig } from "~/core/config-cache.server";
import { type Db, db } from "~/core/db.server";
import { findOrgRecord, saveOrgRecord } from "~/platform/settings/read-settings.service.server";
import type { Tool } from "./tool.shared";
import { DEFAULT_POLICY, ToolPolicy } from "./tools.schema";

const RECORD = "tool-policies";

type Policies = ReadonlyMap<string, ToolPolicy>;

function parsePolicies(stored: Record<string, unknown>): Policies {
  const valid = Object.entries(stored).map(
    ([name, value]) => [name, ToolPolicy.safeParse(value).data] as const,
  );
  return new Map(valid.filter((entry): entry is [string, ToolPolicy] => entry[1] !== undefined));
}

const readPolicies = cachedByConfig([`settings:${RECORD}`], (orgId) =>
  parsePolicies(findOrgRecord(db(), orgId, RECORD)),
);

/** Undefined without a decision. */
export const decidedPolicy = (orgId: string, name: string): ToolPolicy | undefined =>
  readPolicies(orgId).get(name);

/** Defaults by effect. */
export function policyOf(orgId: string, { name, effect }: Pick<Tool, "name" | "effect">): ToolPolicy {
  return decidedPolicy(orgId, name) ?? DEFAULT_POLICY[effect];
}

/** @param policy undefined returns to the default */
export function savePolicy(tx: Db, orgId: string, name: string, policy: ToolPolicy | undefined): void {
  const { [name]: _, ...others } = findOrgRecord(tx, orgId, RECORD);
  saveOrgRecord(tx, orgId, RECORD, policy === undefined ? others : { ...others, [name]: policy });
}
