import { z } from "zod";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { readInThread } from "~/core/read-pool.server";
import { inSlices } from "~/core/time-slices.server";
import { append } from "~/features/audit/audit.service.server";
import { authorise, may } from "~/features/members/authorisation.server";
import {
  hasLeft,
  listColleagues,
  removeMember,
  removeMemberWithin,
  roleOf,
} from "~/features/members/member.service.server";
import { changeCreator, hideNamed, leftQuery, ownNamedQuery } from "./former-members.repo.server";
import type { FormerMember, LeftDocumentsInput } from "./former-members.schema";
import { knowledgeChanged } from "./ingestion/changes.server";
import { findDocument } from "./ingestion/versions.repo.server";
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

/** Settled in the commit of the decision, so that both are or neither; of more the rest follows in short ones. */
const AT_ONCE = 1000;
const IN_A_SLICE = 100;

function assertMayTake(tx: Db, actor: Actor, choice: LeftDocumentsInput): void {
  if (choice.action === "delete" || mayTake(tx, actor, choice.to)) return;
  const message = "Choose another member who may add documents";
  throw new AppError("invalid", `${message}.`, { fields: { to: [message] } });
}

function settle(tx: Db, { orgId }: Actor, from: string, ids: readonly string[], choice: LeftDocumentsInput) {
  if (choice.action === "delete") hideNamed(tx, { orgId, from, ids }, now());
  else changeCreator(tx, { orgId, from, ids }, choice.to);
}

/** The decision with its entry in the audit trail, and what of it fits into one commit. */
function decide(
  tx: Db,
  actor: Actor,
  from: string,
  ids: readonly string[],
  choice: LeftDocumentsInput,
): void {
  assertLeft(tx, actor, from);
  assertMayTake(tx, actor, choice);
  if (ids.length === 0) return;
  append(tx, actor, {
    action: choice.action === "delete" ? "member.documents_deleted" : "member.documents_handed_over",
    resource: `user:${from}`,
    details: { documents: ids.length, ...(choice.action === "hand-over" ? { to: choice.to } : {}) },
  });
  settle(tx, actor, from, ids.slice(0, AT_ONCE), choice);
}

/** What didn't fit into the commit of the decision, or came just before it; and the work on what was deleted. */
async function settleRest(
  actor: Actor,
  from: string,
  ids: readonly string[],
  choice: LeftDocumentsInput,
): Promise<void> {
  const { orgId } = actor;
  const rest = await listOwnNamed(orgId, from);
  const parts = Array.from({ length: Math.ceil(rest.length / IN_A_SLICE) }, (_, part) =>
    rest.slice(part * IN_A_SLICE, (part + 1) * IN_A_SLICE),
  );
  await inSlices(parts, (tx, part) => {
    if (hasLeft(tx, orgId, from)) settle(tx, actor, from, part, choice);
  });
  // The queue would find by itself that they are deleted; this ends what runs.
  if (choice.action === "delete")
    await inSlices(new Set([...ids, ...rest]), (tx, id) => {
      if (findDocument(tx, id)?.deletedAt != null) setImmediate(stopWork(tx, id));
    });
  knowledgeChanged({ orgId });
}

/**
 * Deletes a former member's documents of named members, or hands them over: their new owner sees them and decides on
 * them, and so do their readers as before. One entry tells how many there were. Up to 1,000 are settled with it in one
 * commit; of more the rest follows in short ones, and what a stop leaves undone can be done again.
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
  assertLeft(db(), actor, userId);
  const ids = await listOwnNamed(actor.orgId, userId);
  transaction((tx) => decide(tx, actor, userId, ids, choice));
  await settleRest(actor, userId, ids, choice);
  return { documents: ids.length };
}

/**
 * Removes a member, and in the same commit decides on the documents that they leave.
 *
 * @param choice nothing leaves the documents as they are, to be decided on later
 * @throws AppError as `removeMember` and `settleLeftDocuments`; then they stay a member
 */
export async function removeMemberDeciding(
  actor: Actor,
  userId: string,
  choice: LeftDocumentsInput | undefined,
): Promise<void> {
  authorise(actor, "members.manage");
  if (!choice) return removeMember(actor, userId);
  const ids = await listOwnNamed(actor.orgId, userId);
  const afterwards = transaction((tx) => {
    const tellRemoved = removeMemberWithin(tx, actor, userId);
    decide(tx, actor, userId, ids, choice);
    return tellRemoved;
  });
  afterwards();
  await settleRest(actor, userId, ids, choice);
}
