import { type Db, db } from "~/core/db.server";
import { inSlices } from "~/core/time-slices.server";
import { orgTimeZone } from "~/features/organisation/organisation.service.server";
import { insertUsage, type UsageRow } from "./usage.repo.server";
import { usageDay } from "./usage-day";
import { addToDay, listUnsummed, markSummed, type UnsummedRow } from "./usage-days.repo.server";

/** Rows read at once while older ones are added up. */
const BATCH = 100;

function addRow(tx: Db, row: UnsummedRow, day: string): void {
  addToDay(tx, {
    orgId: row.orgId,
    day,
    source: row.source,
    model: row.model,
    providerId: row.providerId ?? "",
    userId: row.userId,
    personaId: row.personaId ?? "",
    workflowId: row.workflowId ?? "",
    tokenId: row.tokenId ?? "",
    tool: row.tool ?? "",
    requests: 1,
    errors: row.outcome === "error" ? 1 : 0,
    inputTokens: row.inputTokens ?? 0,
    outputTokens: row.outputTokens ?? 0,
    costMicros: row.costMicros ?? 0,
    unpriced: row.costMicros === null ? 1 : 0,
    firstTokenMs: row.firstTokenMs ?? 0,
    firstTokens: row.firstTokenMs === null ? 0 : 1,
  });
}

const dayOf = ({ orgId, createdAt }: Pick<UsageRow, "orgId" | "createdAt">) =>
  usageDay(createdAt, orgTimeZone(orgId));

const changed = new Set<string>();

/** The organizations with calls recorded since the last time this was asked, also by a transaction that was undone. */
export function takeChangedOrganisations(): string[] {
  if (changed.size === 0) return [];
  const ids = [...changed];
  changed.clear();
  return ids;
}

/** Adds a usage row and its figures to the sums of its day, in one transaction. */
export function addUsage(tx: Db, row: Omit<UsageRow, "day">): void {
  const day = dayOf(row);
  insertUsage(tx, { ...row, day });
  addRow(tx, row, day);
  changed.add(row.orgId);
}

function* unsummed(): Generator<UnsummedRow> {
  for (let rows = listUnsummed(db(), BATCH); rows.length > 0; rows = listUnsummed(db(), BATCH)) yield* rows;
}

/**
 * Adds up the rows that a program before the daily sums wrote. Each row is marked by the commit that adds it, so that it
 * counts once, also after a crash.
 *
 * @returns how many there were
 */
export function sumOldUsage(signal: AbortSignal): Promise<number> {
  return inSlices(
    unsummed(),
    (tx, row) => {
      const day = dayOf(row);
      if (markSummed(tx, row.id, day)) addRow(tx, row, day);
    },
    // A loss of power takes back a row's mark and its figures together.
    { signal, durable: false },
  );
}
