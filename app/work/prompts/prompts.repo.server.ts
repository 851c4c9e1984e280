import { and, asc, count, eq, inArray, or, sql } from "drizzle-orm";
import type { Actor } from "~/core/actor";
import { containsWords, type Db } from "~/core/db.server";
import { searchedWords } from "~/core/language/find-terms";
import { prompts } from "~db/schema";

export type PromptRow = typeof prompts.$inferSelect;

type Viewer = Pick<Actor, "orgId" | "userId">;

/** One's own and shared prompts. */
const isVisible = ({ orgId, userId }: Viewer) =>
  and(eq(prompts.orgId, orgId), or(eq(prompts.shared, true), eq(prompts.createdBy, userId)));

export function insertPrompt(tx: Db, row: PromptRow): void {
  tx.insert(prompts).values(row).run();
}

interface PromptRange {
  limit: number;
  after?: Pick<PromptRow, "name" | "id"> | undefined;
}

const isAfter = (after: PromptRange["after"]) =>
  after && sql`(${prompts.name}, ${prompts.id}) > (${after.name}, ${after.id})`;

/** By name. @param ids of those to list; without it, every prompt */
export function listPromptRows(
  tx: Db,
  viewer: Viewer,
  { ids, limit, after }: PromptRange & { ids?: string[] | undefined },
): PromptRow[] {
  return tx
    .select()
    .from(prompts)
    .where(and(isVisible(viewer), ids && inArray(prompts.id, ids), isAfter(after)))
    .orderBy(asc(prompts.name), asc(prompts.id))
    .limit(limit)
    .all();
}

/** Ids of prompts with every word in name or text, for a read process: folding all texts takes time. */
export const findPromptsQuery = (tx: Db, viewer: Viewer, find: string, { limit, after }: PromptRange) =>
  tx
    .select({ id: prompts.id })
    .from(prompts)
    .where(
      and(isVisible(viewer), isAfter(after), containsWords(searchedWords(find), prompts.name, prompts.text)),
    )
    .orderBy(asc(prompts.name), asc(prompts.id))
    .limit(limit)
    .toSQL();

export function findPromptRow(tx: Db, viewer: Viewer, id: string): PromptRow | undefined {
  return tx
    .select()
    .from(prompts)
    .where(and(isVisible(viewer), eq(prompts.id, id)))
    .get();
}

export function updatePromptRow(tx: Db, { id, orgId, ...change }: PromptRow): void {
  tx.update(prompts)
    .set(change)
    .where(and(eq(prompts.orgId, orgId), eq(prompts.id, id)))
    .run();
}

export function deletePromptRow(tx: Db, orgId: string, id: string): void {
  tx.delete(prompts)
    .where(and(eq(prompts.orgId, orgId), eq(prompts.id, id)))
    .run();
}

const createdBy = ({ orgId, userId }: Viewer) => and(eq(prompts.orgId, orgId), eq(prompts.createdBy, userId));

/** Whether someone has a prompt of this name and text. */
export const hasPrompt = (tx: Db, owner: Viewer, { name, text }: Pick<PromptRow, "name" | "text">): boolean =>
  tx
    .select({ id: prompts.id })
    .from(prompts)
    .where(and(createdBy(owner), eq(prompts.name, name), eq(prompts.text, text)))
    .get() !== undefined;

export const countPromptsOf = (tx: Db, owner: Viewer): number =>
  tx.select({ n: count() }).from(prompts).where(createdBy(owner)).get()?.n ?? 0;

/** @returns how many */
export const changePromptAuthor = (tx: Db, owner: Viewer, recipient: string): number =>
  tx.update(prompts).set({ createdBy: recipient }).where(createdBy(owner)).run().changes;

/** @returns how many */
export const deletePromptsOf = (tx: Db, owner: Viewer): number =>
  tx.delete(prompts).where(createdBy(owner)).run().changes;
