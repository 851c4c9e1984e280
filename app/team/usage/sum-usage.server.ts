import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { type Db, db, runInBatches, transaction } from "~/core/db.server";
import { dayIn } from "~/core/time-zone";
import {
  findOrgRecord,
  installationOrgId,
  orgTimeZone,
  saveOrgRecord,
} from "~/platform/settings/read-settings.service.server";
import { insertUsage, type UsageRow } from "./usage.repo.server";
import {
  addToDay,
  findSummed,
  listSummed,
  listUnsummed,
  markSummed,
  moveToDay,
  type RowPosition,
  subtractFromDay,
  type UnsummedRow,
  type UsageSums,
} from "./usage-days.repo.server";

const BATCH = 100;

/** A row's contribution to its day. */
function sumsOf(row: UnsummedRow, day: string): UsageSums {
  return {
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
  };
}

const dayOf = ({ orgId, createdAt }: Pick<UsageRow, "orgId" | "createdAt">) =>
  dayIn(createdAt, orgTimeZone(orgId));

const changedOrgIds = new Set<string>();

/** Organizations with new records since the last call, including rolled back ones. */
export function takeChangedOrganisations(): string[] {
  if (changedOrgIds.size === 0) return [];
  const ids = [...changedOrgIds];
  changedOrgIds.clear();
  return ids;
}

/** Inserts a row and adds it to its day. */
export function addUsage(tx: Db, row: Omit<UsageRow, "day">): void {
  const day = dayOf(row);
  insertUsage(tx, { ...row, day });
  addToDay(tx, sumsOf(row, day));
  changedOrgIds.add(row.orgId);
}

function* readUnsummed(): Generator<UnsummedRow> {
  for (let rows = listUnsummed(db(), BATCH); rows.length > 0; rows = listUnsummed(db(), BATCH)) yield* rows;
}

/** Adds rows that predate the daily sums. Row and sum share a commit. @returns the number of rows */
export function sumOldUsage(signal: AbortSignal): Promise<number> {
  return runInBatches(
    readUnsummed(),
    (tx, row) => {
      const day = dayOf(row);
      if (markSummed(tx, row.id, day)) addToDay(tx, sumsOf(row, day));
    },
    // A power loss reverts mark and sums together.
    { signal, durable: false },
  );
}

/** Rows moved per transaction. */
const MOVE_BATCH = 20;
/** Rows scanned per batch. */
const SCAN_BATCH = 500;
/** Delay between batches, in ms. */
const BATCH_DELAY = 15;

/** Rows per batch that change their day; may be empty. */
function* movedRows(orgId: string, timeZone: string): Generator<{ id: string; from: string; to: string }[]> {
  let after: RowPosition = { createdAt: 0, id: "" };
  for (;;) {
    const rows = listSummed(db(), orgId, after, SCAN_BATCH);
    const days = rows.map(({ id, day, createdAt }) => ({
      id,
      from: day ?? "",
      to: dayIn(createdAt, timeZone),
    }));
    const moved = days.filter(({ from, to }) => from !== to);
    for (let at = 0; at === 0 || at < moved.length; at += MOVE_BATCH) yield moved.slice(at, at + MOVE_BATCH);
    const last = rows.at(-1);
    if (!last || rows.length < SCAN_BATCH) return;
    after = last;
  }
}

/** Time zone of all daily sums. */
const UsageZone = z.object({ timeZone: z.string().optional().catch(undefined) });

/** Moves rows after a change of time zone; row and sums share a commit. @returns the number of rows */
export async function moveToTimeZone(signal: AbortSignal): Promise<number> {
  const orgId = installationOrgId();
  if (orgId === undefined) return 0;
  const timeZone = orgTimeZone(orgId);
  if (UsageZone.parse(findOrgRecord(db(), orgId, "usage-zone")).timeZone === timeZone) return 0;
  let moved = 0;
  await runInBatches(
    movedRows(orgId, timeZone),
    (tx, rows) => {
      for (const { id, from, to } of rows) {
        const row = findSummed(tx, id);
        if (!row || !moveToDay(tx, id, from, to)) continue;
        subtractFromDay(tx, sumsOf(row, from));
        addToDay(tx, sumsOf(row, to));
        moved += 1;
      }
    },
    { signal, durable: false, after: () => delay(BATCH_DELAY, undefined, { ref: false }) },
  );
  transaction((tx) => saveOrgRecord(tx, orgId, "usage-zone", { timeZone }));
  return moved;
}
