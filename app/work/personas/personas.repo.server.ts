import { and, count, desc, eq, exists, inArray, lt, or } from "drizzle-orm";
import { containsText, type Db } from "~/core/db.server";
import { groupMembers, personaGroups, personas } from "~db/schema";

export type PersonaRow = typeof personas.$inferSelect;

export interface PersonaViewer {
  orgId: string;
  userId: string;
  /** For admins. */
  seesAll: boolean;
}

/** The rule for visibility. */
function isVisible(tx: Db, { orgId, userId, seesAll }: PersonaViewer) {
  if (seesAll) return eq(personas.orgId, orgId);
  const throughGroup = tx
    .select({ id: personaGroups.personaId })
    .from(personaGroups)
    .innerJoin(groupMembers, eq(groupMembers.groupId, personaGroups.groupId))
    .where(and(eq(personaGroups.personaId, personas.id), eq(groupMembers.userId, userId)));
  return and(
    eq(personas.orgId, orgId),
    or(
      eq(personas.visibility, "everyone"),
      eq(personas.createdBy, userId),
      and(eq(personas.visibility, "groups"), exists(throughGroup)),
    ),
  );
}

/** Sort key of the last row. */
interface PersonaPosition {
  createdAt: number;
  id: string;
}

export function insertPersona(tx: Db, row: PersonaRow): void {
  tx.insert(personas).values(row).run();
}

/**
 * Newest first.
 * @param limit -1 for all
 * @param find part of the name or the system prompt, in any case; empty for every persona
 */
export function listPersonaRows(
  tx: Db,
  viewer: PersonaViewer,
  limit: number,
  after?: PersonaPosition,
  find = "",
): PersonaRow[] {
  return tx
    .select()
    .from(personas)
    .where(
      and(
        isVisible(tx, viewer),
        find ? or(containsText(personas.name, find), containsText(personas.systemPrompt, find)) : undefined,
        after
          ? or(
              lt(personas.createdAt, after.createdAt),
              and(eq(personas.createdAt, after.createdAt), lt(personas.id, after.id)),
            )
          : undefined,
      ),
    )
    .orderBy(desc(personas.createdAt), desc(personas.id))
    .limit(limit)
    .all();
}

export function countPersonaRows(tx: Db, viewer: PersonaViewer): number {
  return tx.select({ n: count() }).from(personas).where(isVisible(tx, viewer)).get()?.n ?? 0;
}

export function findPersonaRow(tx: Db, viewer: PersonaViewer, id: string): PersonaRow | undefined {
  return tx
    .select()
    .from(personas)
    .where(and(isVisible(tx, viewer), eq(personas.id, id)))
    .get();
}

export function findPersonaRowByName(tx: Db, viewer: PersonaViewer, name: string): PersonaRow | undefined {
  return tx
    .select()
    .from(personas)
    .where(and(isVisible(tx, viewer), eq(personas.name, name)))
    .get();
}

/** Includes hidden personas: names are unique. */
export function isNameTaken(tx: Db, orgId: string, name: string): boolean {
  const row = tx
    .select({ id: personas.id })
    .from(personas)
    .where(and(eq(personas.orgId, orgId), eq(personas.name, name)))
    .get();
  return row !== undefined;
}

export function listPersonaGroups(tx: Db, ids: readonly string[]): Map<string, string[]> {
  const rows = tx
    .select()
    .from(personaGroups)
    .where(inArray(personaGroups.personaId, [...ids]))
    .orderBy(personaGroups.groupId)
    .all();
  const groups = new Map<string, string[]>();
  for (const { personaId, groupId } of rows)
    groups.set(personaId, [...(groups.get(personaId) ?? []), groupId]);
  return groups;
}

export function replacePersonaGroups(tx: Db, personaId: string, groupIds: readonly string[]): void {
  tx.delete(personaGroups).where(eq(personaGroups.personaId, personaId)).run();
  const rows = [...new Set(groupIds)].map((groupId) => ({ personaId, groupId }));
  if (rows.length > 0) tx.insert(personaGroups).values(rows).run();
}

export function updatePersonaRow(tx: Db, row: Pick<PersonaRow, "id" | "orgId"> & Partial<PersonaRow>): void {
  const { id, orgId, ...change } = row;
  tx.update(personas)
    .set(change)
    .where(and(eq(personas.orgId, orgId), eq(personas.id, id)))
    .run();
}

export function deletePersonaRow(tx: Db, orgId: string, id: string): void {
  tx.delete(personas)
    .where(and(eq(personas.orgId, orgId), eq(personas.id, id)))
    .run();
}

const createdBy = (orgId: string, userId: string) =>
  and(eq(personas.orgId, orgId), eq(personas.createdBy, userId));

export function countPersonasOf(tx: Db, orgId: string, userId: string): number {
  return tx.select({ n: count() }).from(personas).where(createdBy(orgId, userId)).get()?.n ?? 0;
}

export function changePersonaCreator(tx: Db, orgId: string, userId: string, recipient: string): number {
  return tx.update(personas).set({ createdBy: recipient }).where(createdBy(orgId, userId)).run().changes;
}

export function deletePersonasOf(tx: Db, orgId: string, userId: string): number {
  return tx.delete(personas).where(createdBy(orgId, userId)).run().changes;
}
