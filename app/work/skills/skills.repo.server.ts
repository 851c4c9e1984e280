import { and, asc, count, eq, getTableColumns, or } from "drizzle-orm";
import type { Actor } from "~/core/actor";
import type { Db } from "~/core/db.server";
import { skills } from "~db/schema";

export type SkillRow = typeof skills.$inferSelect;

type Viewer = Pick<Actor, "orgId" | "userId">;

const createdBy = ({ orgId, userId }: Viewer) => and(eq(skills.orgId, orgId), eq(skills.createdBy, userId));

/** One's own and shared ones. */
const isVisible = (viewer: Viewer) =>
  and(eq(skills.orgId, viewer.orgId), or(eq(skills.shared, true), createdBy(viewer)));

const { markdown: _, ...listed } = getTableColumns(skills);

export type ListedSkillRow = Omit<SkillRow, "markdown">;

/** By name, without their texts. */
export const listSkillRows = (tx: Db, viewer: Viewer): ListedSkillRow[] =>
  tx.select(listed).from(skills).where(isVisible(viewer)).orderBy(asc(skills.name)).all();

export const findSkillRow = (tx: Db, viewer: Viewer, id: string): SkillRow | undefined =>
  tx
    .select()
    .from(skills)
    .where(and(isVisible(viewer), eq(skills.id, id)))
    .get();

/** By name, also one that is hidden from the viewer. */
export const findSkillNamed = (tx: Db, orgId: string, name: string): SkillRow | undefined =>
  tx
    .select()
    .from(skills)
    .where(and(eq(skills.orgId, orgId), eq(skills.name, name)))
    .get();

export function insertSkill(tx: Db, row: SkillRow): void {
  tx.insert(skills).values(row).run();
}

export function updateSkillRow(tx: Db, { id, ...change }: SkillRow): void {
  tx.update(skills).set(change).where(eq(skills.id, id)).run();
}

export function deleteSkillRow(tx: Db, id: string): void {
  tx.delete(skills).where(eq(skills.id, id)).run();
}

export const countSkillsOf = (tx: Db, owner: Viewer): number =>
  tx.select({ n: count() }).from(skills).where(createdBy(owner)).get()?.n ?? 0;

export const countSkills = (tx: Db, orgId: string): number =>
  tx.select({ n: count() }).from(skills).where(eq(skills.orgId, orgId)).get()?.n ?? 0;

/** @returns how many */
export const changeSkillAuthor = (tx: Db, owner: Viewer, recipient: string): number =>
  tx.update(skills).set({ createdBy: recipient }).where(createdBy(owner)).run().changes;

/** @returns how many */
export const deleteSkillsOf = (tx: Db, owner: Viewer): number =>
  tx.delete(skills).where(createdBy(owner)).run().changes;
