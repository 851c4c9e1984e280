import { and, count, desc, eq, exists, inArray, or, sql } from "drizzle-orm";
import { containsWords, type Db } from "~/core/db.server";
import { searchedWords } from "~/core/language/find-terms";
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

export function insertPersona(tx: Db, row: PersonaRow): void {
  tx.insert(personas).values(row).run();
}

type Position = Pick<PersonaRow, "createdAt" | "id">;

const isAfter = (after: Position | undefined) =>
  after && sql`(${personas.createdAt}, ${personas.id}) < (${after.createdAt}, ${after.id})`;

/** Ids of personas with every word in name or system prompt, for a read process: folding all texts takes time. */
export const findPersonasQuery = (
  tx: Db,
  viewer: PersonaViewer,
  find: string,
  { limit, after }: { limit: number; after: Position | undefined },
) =>
  tx
    .select({ id: personas.id })
    .from(personas)
    .where(
      and(
        isVisible(tx, viewer),
        isAfter(after),
        containsWords(searchedWords(find), personas.name, personas.systemPrompt),
      ),
    )
    .orderBy(desc(personas.createdAt), desc(personas.id))
    .limit(limit)
    .toSQL();

/**
 * Newest first.
 * @param limit -1 for all
 * @param after the last row of the previous page
 * @param ids of those to list; without it, every persona
 */
export function listPersonaRows(
  tx: Db,
  viewer: PersonaViewer,
  limit: number,
  after?: Position,
  ids?: string[],
): PersonaRow[] {
  return tx
    .select()
    .from(personas)
    .where(and(isVisible(tx, viewer), ids && inArray(personas.id, ids), isAfter(after)))
    .orderBy(desc(personas.createdAt), desc(personas.id))
    .limit(limit)
    .all();
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

export function updatePersonaRow(tx: Db, { id, orgId, ...change }: PersonaRow): void {
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

type Owner = Pick<PersonaViewer, "orgId" | "userId">;

const createdBy = ({ orgId, userId }: Owner) =>
  and(eq(personas.orgId, orgId), eq(personas.createdBy, userId));

export const countPersonasOf = (tx: Db, owner: Owner): number =>
  tx.select({ n: count() }).from(personas).where(createdBy(owner)).get()?.n ?? 0;

export const listPersonaIdsOf = (tx: Db, owner: Owner): string[] =>
  tx
    .select({ id: personas.id })
    .from(personas)
    .where(createdBy(owner))
    .all()
    .map(({ id }) => id);

/** @returns how many */
export const changePersonaCreator = (tx: Db, owner: Owner, recipient: string): number =>
  tx.update(personas).set({ createdBy: recipient }).where(createdBy(owner)).run().changes;

/** @returns how many */
export const deletePersonasOf = (tx: Db, owner: Owner): number =>
  tx.delete(personas).where(createdBy(owner)).run().changes;
