import { and, asc, desc, eq, getTableColumns, lte, notInArray, sql } from "drizzle-orm";
import { type Db, prepared, preparedInsert } from "~/core/db.server";
import { workflowHookCalls, workflowHooks, workflowPolls, workflows, workflowVersions } from "~db/schema";

export type WorkflowRow = typeof workflows.$inferSelect;
export type VersionRow = typeof workflowVersions.$inferSelect;
export type HookRow = typeof workflowHooks.$inferSelect;

export interface WorkflowWithDefinition extends WorkflowRow {
  definition: unknown;
}

const current = and(
  eq(workflowVersions.workflowId, workflows.id),
  eq(workflowVersions.version, workflows.version),
);

const withDefinition = { ...getTableColumns(workflows), definition: workflowVersions.definition };

export function listWorkflowRows(
  tx: Db,
  orgId: string,
  limit: number,
  after?: { createdAt: number; id: string },
): WorkflowWithDefinition[] {
  const older = after && sql`(${workflows.createdAt}, ${workflows.id}) < (${after.createdAt}, ${after.id})`;
  return tx
    .select(withDefinition)
    .from(workflows)
    .innerJoin(workflowVersions, current)
    .where(and(eq(workflows.orgId, orgId), older))
    .orderBy(desc(workflows.createdAt), desc(workflows.id))
    .limit(limit)
    .all();
}

const findStatement = prepared((db) =>
  db
    .select(withDefinition)
    .from(workflows)
    .innerJoin(workflowVersions, current)
    .where(and(eq(workflows.orgId, sql.placeholder("orgId")), eq(workflows.id, sql.placeholder("id"))))
    .prepare(),
);

export function findWorkflowRow(tx: Db, orgId: string, id: string): WorkflowWithDefinition | undefined {
  return findStatement(tx).get({ orgId, id });
}

const findByIdStatement = prepared((db) =>
  db
    .select()
    .from(workflows)
    .where(eq(workflows.id, sql.placeholder("id")))
    .prepare(),
);

/** Unscoped, for the engine. */
export function findWorkflowById(tx: Db, id: string): WorkflowRow | undefined {
  return findByIdStatement(tx).get({ id });
}

export function listWorkflowNameRows(tx: Db, orgId: string, limit: number): { id: string; name: string }[] {
  return tx
    .select({ id: workflows.id, name: workflows.name })
    .from(workflows)
    .where(eq(workflows.orgId, orgId))
    .orderBy(workflows.name)
    .limit(limit)
    .all();
}

/** Enabled ones whose definition may have a trigger of a type: a step's text can name it too. */
export function listTriggeredRows(tx: Db, orgId: string, type: string): { id: string; version: number }[] {
  return tx
    .select({ id: workflows.id, version: workflows.version })
    .from(workflows)
    .innerJoin(workflowVersions, current)
    .where(
      and(
        eq(workflows.orgId, orgId),
        eq(workflows.enabled, true),
        sql`instr(${workflowVersions.definition}, ${`"type":"${type}"`}) > 0`,
      ),
    )
    .all();
}

export function listWorkflowsRunAs(tx: Db, orgId: string, runsAs: string): { id: string; name: string }[] {
  return tx
    .select({ id: workflows.id, name: workflows.name })
    .from(workflows)
    .where(and(eq(workflows.orgId, orgId), eq(workflows.runsAs, runsAs), eq(workflows.enabled, true)))
    .orderBy(workflows.name)
    .all();
}

export function insertWorkflow(tx: Db, row: WorkflowRow): void {
  tx.insert(workflows).values(row).run();
}

export function updateWorkflowRow(tx: Db, id: string, change: Partial<WorkflowRow>): void {
  tx.update(workflows).set(change).where(eq(workflows.id, id)).run();
}

export function deleteWorkflowRow(tx: Db, id: string): void {
  tx.delete(workflows).where(eq(workflows.id, id)).run();
}

export function insertVersion(tx: Db, row: VersionRow): void {
  tx.insert(workflowVersions).values(row).run();
}

const findVersionStatement = prepared((db) =>
  db
    .select()
    .from(workflowVersions)
    .where(
      and(
        eq(workflowVersions.workflowId, sql.placeholder("id")),
        eq(workflowVersions.version, sql.placeholder("version")),
      ),
    )
    .prepare(),
);

export function findVersion(tx: Db, id: string, version: number): VersionRow | undefined {
  return findVersionStatement(tx).get({ id, version });
}

export function listVersionRows(tx: Db, workflowId: string, limit: number): VersionRow[] {
  return tx
    .select()
    .from(workflowVersions)
    .where(eq(workflowVersions.workflowId, workflowId))
    .orderBy(desc(workflowVersions.version))
    .limit(limit)
    .all();
}

export function listHooks(tx: Db, workflowId: string): HookRow[] {
  return tx.select().from(workflowHooks).where(eq(workflowHooks.workflowId, workflowId)).all();
}

const findHookStatement = prepared((db) =>
  db
    .select()
    .from(workflowHooks)
    .where(eq(workflowHooks.token, sql.placeholder("token")))
    .prepare(),
);

export function findHook(tx: Db, token: string): HookRow | undefined {
  return findHookStatement(tx).get({ token });
}

export function insertHook(tx: Db, row: HookRow): void {
  tx.insert(workflowHooks).values(row).run();
}

export function deleteHook(tx: Db, workflowId: string, triggerId: string): void {
  tx.delete(workflowHooks)
    .where(and(eq(workflowHooks.workflowId, workflowId), eq(workflowHooks.triggerId, triggerId)))
    .run();
}

export type HookCallRow = typeof workflowHookCalls.$inferSelect;

export function listHookCalls(tx: Db, workflowId: string, limit: number): HookCallRow[] {
  return tx
    .select()
    .from(workflowHookCalls)
    .where(eq(workflowHookCalls.workflowId, workflowId))
    .orderBy(desc(workflowHookCalls.createdAt))
    .limit(limit)
    .all();
}

const insertCall = preparedInsert(workflowHookCalls);

const forgetCalls = prepared((db) =>
  db
    .delete(workflowHookCalls)
    .where(
      sql`${workflowHookCalls.id} in (
        select id from workflow_hook_calls where workflow_id = ${sql.placeholder("workflowId")} and trigger_id = ${sql.placeholder("triggerId")}
        order by created_at desc limit -1 offset ${sql.placeholder("keep")})`,
    )
    .prepare(),
);

/** Keeps the newest `keep` calls per trigger. */
export function insertHookCall(tx: Db, row: HookCallRow, keep: number): void {
  insertCall(tx, row);
  forgetCalls(tx).run({ workflowId: row.workflowId, triggerId: row.triggerId, keep });
}

export type PollRow = typeof workflowPolls.$inferSelect;

const pollOf = (workflowId: string, triggerId: string) =>
  and(eq(workflowPolls.workflowId, workflowId), eq(workflowPolls.triggerId, triggerId));

export function findPoll(tx: Db, workflowId: string, triggerId: string): PollRow | undefined {
  return tx.select().from(workflowPolls).where(pollOf(workflowId, triggerId)).get();
}

export function listPollRows(tx: Db, workflowId: string): PollRow[] {
  return tx.select().from(workflowPolls).where(eq(workflowPolls.workflowId, workflowId)).all();
}

export function listDuePolls(tx: Db, at: number, limit: number): PollRow[] {
  const due = tx.select().from(workflowPolls).where(lte(workflowPolls.nextAt, at));
  return due.orderBy(asc(workflowPolls.nextAt)).limit(limit).all();
}

/** Replaces the row of the trigger, if there is one. */
export function putPoll(tx: Db, row: PollRow): void {
  const { workflowId, triggerId, ...values } = row;
  const target = [workflowPolls.workflowId, workflowPolls.triggerId];
  tx.insert(workflowPolls).values(row).onConflictDoUpdate({ target, set: values }).run();
}

/** @returns false if the trigger looks at another source by now, or is gone */
export function updatePoll(
  tx: Db,
  { workflowId, triggerId, source }: Pick<PollRow, "workflowId" | "triggerId" | "source">,
  patch: Partial<PollRow>,
): boolean {
  const same = and(pollOf(workflowId, triggerId), eq(workflowPolls.source, source));
  return tx.update(workflowPolls).set(patch).where(same).run().changes > 0;
}

export function deletePolls(tx: Db, workflowId: string, kept: readonly string[]): void {
  const gone = notInArray(workflowPolls.triggerId, [...kept]);
  tx.delete(workflowPolls)
    .where(and(eq(workflowPolls.workflowId, workflowId), gone))
    .run();
}
