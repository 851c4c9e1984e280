import {
  and,
  asc,
  count,
  desc,
  eq,
  getTableColumns,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  notInArray,
  type SQL,
  sql,
} from "drizzle-orm";
import { type Db, encode, prepared, preparedInsert } from "~/core/db.server";
import { HOUR } from "~/core/durations";
import { workflowRunKeys, workflowRunSteps, workflowRuns, workflows } from "~db/schema";

export type RunRow = typeof workflowRuns.$inferSelect;
type RunState = RunRow["state"];
export type RunStepRow = typeof workflowRunSteps.$inferSelect;

export const OPEN_STATES = ["queued", "running", "waiting"] as const satisfies readonly RunState[];

export const insertRun = preparedInsert(workflowRuns);

const findKeyStatement = prepared((db) =>
  db
    .select({ runId: workflowRunKeys.runId })
    .from(workflowRunKeys)
    .where(
      and(
        eq(workflowRunKeys.workflowId, sql.placeholder("workflowId")),
        eq(workflowRunKeys.key, sql.placeholder("key")),
      ),
    )
    .prepare(),
);

/** The run, which may be deleted, that was accepted with one of the keys. */
export function findAcceptedRun(tx: Db, workflowId: string, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const accepted = findKeyStatement(tx).get({ workflowId, key });
    if (accepted) return accepted.runId;
  }
  return undefined;
}

/** Records keys that aren't in use. */
export function recordRunKeys(
  tx: Db,
  keys: readonly string[],
  row: Omit<typeof workflowRunKeys.$inferInsert, "key">,
): void {
  for (const key of keys)
    tx.insert(workflowRunKeys)
      .values({ ...row, key })
      .onConflictDoNothing()
      .run();
}

export function deleteRunKey(tx: Db, workflowId: string, key: string): void {
  const same = and(eq(workflowRunKeys.workflowId, workflowId), eq(workflowRunKeys.key, key));
  tx.delete(workflowRunKeys).where(same).run();
}

/** Deletes keys from before a time whose runs are deleted, up to a limit. @returns how many */
export function deleteOldRunKeys(tx: Db, before: number, limit: number): number {
  const runs = tx.select({ id: workflowRuns.id }).from(workflowRuns);
  const old = tx
    .select({ rowid: sql`rowid` })
    .from(workflowRunKeys)
    .where(and(lt(workflowRunKeys.createdAt, before), notInArray(workflowRunKeys.runId, runs)))
    .limit(limit);
  return tx.delete(workflowRunKeys).where(inArray(sql`rowid`, old)).run().changes;
}

const findStatement = prepared((db) =>
  db
    .select()
    .from(workflowRuns)
    .where(eq(workflowRuns.id, sql.placeholder("id")))
    .prepare(),
);

/** Unscoped, for the engine. */
export function findRun(tx: Db, id: string): RunRow | undefined {
  return findStatement(tx).get({ id });
}

export type NamedRun = RunRow & { workflowName: string };

const runColumns = getTableColumns(workflowRuns);

const selectRuns = (tx: Db) =>
  tx
    .select({ ...runColumns, workflowName: workflows.name })
    .from(workflowRuns)
    .innerJoin(workflows, eq(workflows.id, workflowRuns.workflowId));

export function findRunFor(tx: Db, orgId: string, id: string): NamedRun | undefined {
  return selectRuns(tx)
    .where(and(eq(workflowRuns.orgId, orgId), eq(workflowRuns.id, id)))
    .get();
}

type RunColumn = keyof typeof runColumns;

const prepareUpdate = (columns: readonly RunColumn[], from: readonly RunState[]) =>
  prepared((db) =>
    db
      .update(workflowRuns)
      .set(Object.fromEntries(columns.map((name) => [name, sql`${sql.placeholder(name)}`])))
      .where(and(eq(workflowRuns.id, sql.placeholder("runId")), inArray(workflowRuns.state, [...from])))
      .prepare(),
  );

/** Prepared updates by columns and states, for hot paths. */
const updates = new Map<string, ReturnType<typeof prepareUpdate>>();

/** Compare-and-set. @returns false if in another state */
export function updateRun(tx: Db, id: string, from: readonly RunState[], change: Partial<RunRow>): boolean {
  const columns = Object.keys(change) as RunColumn[];
  const key = `${columns.join()}|${from.join()}`;
  const statement = updates.get(key) ?? prepareUpdate(columns, from);
  updates.set(key, statement);
  const values = columns.map((name) => [name, encode(runColumns[name], change[name])]);
  return statement(tx).run({ ...Object.fromEntries(values), runId: id }).changes > 0;
}

/** Oldest first. */
export function listOpenRuns(tx: Db): RunRow[] {
  return tx
    .select()
    .from(workflowRuns)
    .where(inArray(workflowRuns.state, [...OPEN_STATES]))
    .orderBy(asc(workflowRuns.createdAt), asc(workflowRuns.id))
    .all();
}

export function hasOpenRun(tx: Db, workflowId: string, triggerId: string): boolean {
  const open = tx
    .select({ id: workflowRuns.id })
    .from(workflowRuns)
    .where(
      and(
        eq(workflowRuns.workflowId, workflowId),
        eq(workflowRuns.triggerId, triggerId),
        inArray(workflowRuns.state, [...OPEN_STATES]),
      ),
    )
    .limit(1)
    .get();
  return open !== undefined;
}

/** Without payloads: thousands of runs may be queued. */
export function listOpenRunsOf(tx: Db, workflowId: string): Pick<RunRow, "id" | "parentRunId">[] {
  return tx
    .select({ id: workflowRuns.id, parentRunId: workflowRuns.parentRunId })
    .from(workflowRuns)
    .where(and(eq(workflowRuns.workflowId, workflowId), inArray(workflowRuns.state, [...OPEN_STATES])))
    .all();
}

/** By state. */
export function countOpenRuns(tx: Db, orgId: string): { state: RunState; runs: number }[] {
  return tx
    .select({ state: workflowRuns.state, runs: count() })
    .from(workflowRuns)
    .where(and(eq(workflowRuns.orgId, orgId), inArray(workflowRuns.state, [...OPEN_STATES])))
    .groupBy(workflowRuns.state)
    .all();
}

/** Without child runs. */
export function countFailedRuns(tx: Db, workflowId: string, since: number): number {
  const failed = and(
    eq(workflowRuns.workflowId, workflowId),
    eq(workflowRuns.state, "failed"),
    isNull(workflowRuns.parentRunId),
    gte(workflowRuns.finishedAt, since),
  );
  return tx.select({ runs: count() }).from(workflowRuns).where(failed).get()?.runs ?? 0;
}

export function countRunsOf(tx: Db, workflowId: string, triggerId: string, since: number): number {
  const started = and(
    eq(workflowRuns.workflowId, workflowId),
    eq(workflowRuns.triggerId, triggerId),
    gte(workflowRuns.createdAt, since),
  );
  return tx.select({ runs: count() }).from(workflowRuns).where(started).get()?.runs ?? 0;
}

interface RunFilter {
  orgId: string;
  workflowId?: string | undefined;
  state?: RunState | undefined;
  /** In ms. */
  from?: number | undefined;
  before?: number | undefined;
  limit: number;
  after?: { createdAt: number; id: string } | undefined;
}

/** Newest first. */
export function listRunRows(tx: Db, { limit, after, ...filter }: RunFilter): NamedRun[] {
  const { orgId, workflowId, state, from, before } = filter;
  return selectRuns(tx)
    .where(
      and(
        eq(workflowRuns.orgId, orgId),
        workflowId ? eq(workflowRuns.workflowId, workflowId) : undefined,
        state ? eq(workflowRuns.state, state) : undefined,
        from === undefined ? undefined : gte(workflowRuns.createdAt, from),
        before === undefined ? undefined : lt(workflowRuns.createdAt, before),
        after && sql`(${workflowRuns.createdAt}, ${workflowRuns.id}) < (${after.createdAt}, ${after.id})`,
      ),
    )
    .orderBy(desc(workflowRuns.createdAt), desc(workflowRuns.id))
    .limit(limit)
    .all();
}

/** Newest first; literal states use the partial index. */
export function listOpenRunRows(tx: Db, orgId: string, limit: number): NamedRun[] {
  return selectRuns(tx)
    .where(and(eq(workflowRuns.orgId, orgId), sql`${workflowRuns.state} in ('queued', 'running', 'waiting')`))
    .orderBy(desc(workflowRuns.createdAt))
    .limit(limit)
    .all();
}

/** Number of runs by the hour in which they were started and by state, for a read thread. */
export function hourlyRunsQuery(
  tx: Db,
  { orgId, from, before }: { orgId: string; from: number; before: number },
) {
  const { createdAt, state } = workflowRuns;
  const hour = sql`${createdAt} / ${sql.raw(String(HOUR))}`;
  return tx
    .select({ hour, state, runs: count() })
    .from(workflowRuns)
    .where(and(eq(workflowRuns.orgId, orgId), gte(createdAt, from), lt(createdAt, before)))
    .groupBy(hour, state)
    .toSQL();
}

/** Open runs with an approval step that waits, the longest first. */
export function listWaitingApprovalRows(tx: Db, orgId: string, limit: number) {
  const since = sql<number>`min(${workflowRunSteps.startedAt})`;
  return tx
    .select({ runId: workflowRuns.id, workflowName: workflows.name, since })
    .from(workflowRuns)
    .innerJoin(workflows, eq(workflows.id, workflowRuns.workflowId))
    .innerJoin(workflowRunSteps, eq(workflowRunSteps.runId, workflowRuns.id))
    .where(
      and(
        eq(workflowRuns.orgId, orgId),
        sql`${workflowRuns.state} in ('queued', 'running', 'waiting')`,
        eq(workflowRunSteps.type, "approval"),
        eq(workflowRunSteps.state, "waiting"),
      ),
    )
    .groupBy(workflowRuns.id)
    .orderBy(asc(since))
    .limit(limit)
    .all();
}

/** Loop items count with their loop. */
export function countEndedSteps(tx: Db, runId: string): number {
  const { key, state, stepId } = workflowRunSteps;
  return (
    tx
      .select({ steps: count() })
      .from(workflowRunSteps)
      .where(
        and(
          eq(workflowRunSteps.runId, runId),
          eq(key, stepId),
          inArray(state, ["succeeded", "failed", "skipped"]),
        ),
      )
      .get()?.steps ?? 0
  );
}

export function lastRunOf(
  tx: Db,
  workflowId: string,
): Pick<RunRow, "id" | "state" | "createdAt"> | undefined {
  return tx
    .select({ id: workflowRuns.id, state: workflowRuns.state, createdAt: workflowRuns.createdAt })
    .from(workflowRuns)
    .where(eq(workflowRuns.workflowId, workflowId))
    .orderBy(desc(workflowRuns.createdAt))
    .limit(1)
    .get();
}

/** The newest run that has begun. */
export function lastBegunRun(tx: Db, workflowId: string): RunRow | undefined {
  const { startedAt, createdAt } = workflowRuns;
  return tx
    .select()
    .from(workflowRuns)
    .where(and(eq(workflowRuns.workflowId, workflowId), isNotNull(startedAt)))
    .orderBy(desc(createdAt))
    .limit(1)
    .get();
}

const listStepsStatement = prepared((db) =>
  db
    .select()
    .from(workflowRunSteps)
    .where(eq(workflowRunSteps.runId, sql.placeholder("runId")))
    .orderBy(asc(workflowRunSteps.position))
    .prepare(),
);

export function listStepRows(tx: Db, runId: string): RunStepRow[] {
  return listStepsStatement(tx).all({ runId });
}

const ofRun = (runId: string, condition: SQL) => and(eq(workflowRunSteps.runId, runId), condition);
const stepsWith = (tx: Db, runId: string, condition: SQL) =>
  tx.select().from(workflowRunSteps).where(ofRun(runId, condition));

/** Steps in one state, without the others' outputs, which may be large. */
export const listStepsIn = (tx: Db, runId: string, state: RunStepRow["state"]): RunStepRow[] =>
  stepsWith(tx, runId, eq(workflowRunSteps.state, state)).all();

export const findStepRow = (tx: Db, runId: string, key: string): RunStepRow | undefined =>
  stepsWith(tx, runId, eq(workflowRunSteps.key, key)).get();

const insertStep = preparedInsert(workflowRunSteps);

const upsertStatement = prepared((db) =>
  db
    .delete(workflowRunSteps)
    .where(
      and(
        eq(workflowRunSteps.runId, sql.placeholder("runId")),
        eq(workflowRunSteps.key, sql.placeholder("key")),
      ),
    )
    .prepare(),
);

/** Upserts. */
export function putStep(tx: Db, row: RunStepRow): void {
  upsertStatement(tx).run({ runId: row.runId, key: row.key });
  insertStep(tx, row);
}

/** For a retry. What was cut off stays, since its call may have left. */
export function deleteUnfinishedSteps(tx: Db, runId: string): void {
  const isRepeated = notInArray(workflowRunSteps.state, ["succeeded", "running"]);
  tx.delete(workflowRunSteps).where(ofRun(runId, isRepeated)).run();
}

/** Expired runs, and those beyond `keep` per workflow. */
export function listExpiredRuns(tx: Db, before: number, keep: number, limit: number): string[] {
  const old = tx
    .select({ id: workflowRuns.id })
    .from(workflowRuns)
    .where(and(isNotNull(workflowRuns.finishedAt), lt(workflowRuns.finishedAt, before)))
    .limit(limit)
    .all();
  if (old.length > 0) return old.map(({ id }) => id);
  const crowded = tx
    .select({ id: workflowRuns.workflowId, n: count() })
    .from(workflowRuns)
    .where(isNotNull(workflowRuns.finishedAt))
    .groupBy(workflowRuns.workflowId)
    .having(sql`count(*) > ${keep}`)
    .all();
  return crowded.flatMap(({ id, n }) =>
    tx
      .select({ id: workflowRuns.id })
      .from(workflowRuns)
      .where(and(eq(workflowRuns.workflowId, id), isNotNull(workflowRuns.finishedAt)))
      .orderBy(asc(workflowRuns.createdAt))
      .limit(Math.min(n - keep, limit))
      .all()
      .map((row) => row.id),
  );
}

export function deleteRuns(tx: Db, ids: readonly string[]): void {
  const gone = inArray(workflowRuns.id, [...ids]);
  tx.delete(workflowRuns).where(gone).run();
}
