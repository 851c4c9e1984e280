import { cachedByConfig } from "~/core/config-cache.server";
import { db } from "~/core/db.server";
import { type BudgetRow, listBudgetRows, listGroupsOfMembers } from "./budgets.repo.server";
import type { BudgetScope } from "./budgets.schema";

export interface Spender {
  orgId: string;
  userId: string;
  tokenId?: string | null | undefined;
  personaId?: string | null | undefined;
  workflowId?: string | null | undefined;
}

interface Index {
  byTarget: Map<string, BudgetRow[]>;
  groupsOf: Map<string, string[]>;
}

const NONE: readonly BudgetRow[] = [];

const indexOf = cachedByConfig<Index>(["budgets"], (orgId) => {
  const rows = listBudgetRows(db(), orgId);
  const byTarget = new Map<string, BudgetRow[]>();
  for (const row of rows) {
    const key = `${row.scope}:${row.scopeId}`;
    byTarget.set(key, [...(byTarget.get(key) ?? []), row]);
  }
  const hasGroups = rows.some(({ scope }) => scope === "group");
  return { byTarget, groupsOf: hasGroups ? listGroupsOfMembers(db(), orgId) : new Map() };
});

/** Budgets that a call counts against, cached until budgets or groups change. */
export function applicableBudgets(spender: Spender): readonly BudgetRow[] {
  const { byTarget, groupsOf } = indexOf(spender.orgId);
  if (byTarget.size === 0) return NONE;
  const of = (scope: BudgetScope, id: string | null | undefined) =>
    id === null || id === undefined ? NONE : (byTarget.get(`${scope}:${id}`) ?? NONE);
  return [
    ...of("organisation", ""),
    ...(groupsOf.get(spender.userId) ?? []).flatMap((id) => of("group", id)),
    ...of("person", spender.userId),
    ...of("persona", spender.personaId),
    ...of("workflow", spender.workflowId),
    ...of("token", spender.tokenId),
  ];
}
