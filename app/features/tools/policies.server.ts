import { cachedByConfig } from "~/core/config-cache.server";
import { type Db, db } from "~/core/db.server";
import { findOrgRecord, saveOrgRecord } from "~/features/settings/org-records.service.server";
import type { Tool } from "./tool";
import { DEFAULT_POLICY, ToolPolicy } from "./tools.schema";

const RECORD = "tool-policies";

type Policies = ReadonlyMap<string, ToolPolicy>;

function parsePolicies(stored: Record<string, unknown>): Policies {
  const known = Object.entries(stored).map(
    ([name, value]) => [name, ToolPolicy.safeParse(value).data] as const,
  );
  return new Map(known.filter((entry): entry is [string, ToolPolicy] => entry[1] !== undefined));
}

const readPolicies = cachedByConfig([`settings:${RECORD}`], (orgId) =>
  parsePolicies(findOrgRecord(db(), orgId, RECORD)),
);

/** What an admin decided about a tool, or else the default of its effect. */
export function policyOf(orgId: string, { name, effect }: Pick<Tool, "name" | "effect">): ToolPolicy {
  return readPolicies(orgId).get(name) ?? DEFAULT_POLICY[effect];
}

export function savePolicy(tx: Db, orgId: string, name: string, policy: ToolPolicy): void {
  saveOrgRecord(tx, orgId, RECORD, { ...findOrgRecord(tx, orgId, RECORD), [name]: policy });
}
