import { z } from "zod";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { readInThread } from "~/core/read-pool.server";
import { inSlices } from "~/core/time-slices.server";
import { append } from "~/features/audit/audit.service.server";
import { authorise, may } from "~/features/members/authorisation.server";
import { hasLeft, listColleagues, roleOf } from "~/features/members/member.service.server";
import { changeCreator, hideNamed, leftQuery, ownNamedQuery } from "./former-members.repo.server";
import type { FormerMember, LeftDocumentsInput } from "./former-members.schema";
import { knowledgeChanged } from "./ingestion/changes.server";
import { stopWork } from "./work.service.server";

const LeftRow = z.tuple([z.string(), z.string(), z.number()]);

/** Who is no member any more and left documents that named members alone see: who decides on them learns their number. */
export async function listFormerMembers(actor: Actor): Promise<FormerMember[]> {
  authorise(actor, "members.manage");
  const [rows = []] = await readInThread([leftQuery(db(), actor.orgId)]);
  return rows.map((row) => {
    const [id, name, documents] = LeftRow.parse(row);
    return { id, name, documents };
  });
}

async function listOwnNamed(orgId: string, userId: string): Promise<string[]> {
  const [rows = []] = await readInThread([ownNamedQuery(db(), orgId, userId)]);
  return rows.map(([id]) => String(id));
}

/** How many documents somebody has that named members alone see: what would be left behind. */
export async function countNamedOf(actor: Actor, userId: string): Promise<number> {
  authorise(actor, "members.manage");
  return (await listOwnNamed(actor.orgId, userId)).length;
}

/** Who can be given documents: who may add some. Nobody takes them themselves, or removing would be reading. */
export function listHeirs(actor: Actor, except?: string): { id: string; name: string }[] {
  authorise(actor, "members.manage");
  return listColleagues(actor).filter(({ id }) => id !== except && mayTake(db(), actor, id));
}

function mayTake(tx: Db, actor: Actor, id: string): boolean {
  const role = roleOf(tx, actor.orgId, id);
  return id !== actor.userId && role !== undefined && may({ role }, "documents.write");
}

/** @throws AppError `not_found` for who is a member, or never was: theirs are nobody else's to decide on */
function assertLeft(tx: Db, actor: Actor, userId: string): void {
  if (!hasLeft(tx, actor.orgId, userId)) throw new AppError("not_found", "There is no such former member.");
}

/**
 * Deletes a former member's documents of named members, or hands them over: their new owner sees them and decides on
 * them, and so do their readers as before. One entry tells how many there were; each follows in a short transaction, and
 * what a stop leaves undone can be done again.
 *
 * @returns how many there were
 * @throws AppError `not_found`; `invalid` for who can't take them
 */
export async function settleLeftDocuments(
  actor: Actor,
  userId: string,
  choice: LeftDocumentsInput,
): Promise<{ documents: number }> {
  authorise(actor, "members.manage");
  const { orgId } = actor;
  assertLeft(db(), actor, userId);
  const ids = await listOwnNamed(orgId, userId);
  transaction((tx) => {
    assertLeft(tx, actor, userId);
    if (choice.action === "hand-over" && !mayTake(tx, actor, choice.to)) {
      const message = "Choose another member who may add documents";
      throw new AppError("invalid", `${message}.`, { fields: { to: [message] } });
    }
    if (ids.length === 0) return;
    append(tx, actor, {
      action: choice.action === "delete" ? "member.documents_deleted" : "member.documents_handed_over",
      resource: `user:${userId}`,
      details: { documents: ids.length, ...(choice.action === "hand-over" ? { to: choice.to } : {}) },
    });
  });
  await inSlices(ids, (tx, id) => {
    if (!hasLeft(tx, orgId, userId)) return;
    if (choice.action === "hand-over") changeCreator(tx, { orgId, id, from: userId, to: choice.to });
    else if (hideNamed(tx, { orgId, id, from: userId, at: now() })) setImmediate(stopWork(tx, id));
  });
  knowledgeChanged({ orgId });
  return { documents: ids.length };
}
