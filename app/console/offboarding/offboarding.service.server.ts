import type { Actor } from "~/core/actor";
import { type Db, db, transaction } from "~/core/db.server";
import { AppError, type FieldErrors } from "~/core/errors";
import { append } from "~/platform/audit/audit.service.server";
import type { Decision, OwnedKind, Owner, Ownership } from "~/platform/catalogue/ownership";
import { enqueue } from "~/platform/jobs/enqueue.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { removeMemberWithin } from "~/team/members/member.service.server";
import { listColleagues } from "~/team/members/member-names.service.server";
import { requirePerson } from "~/team/members/session.service.server";
import { deleteMemoriesWithin } from "~/work/chat/memories/memories.service.server";
import { leaveProjects } from "~/work/chat/projects/projects.service.server";
import { forgetAccountsOf } from "~/work/plugins/mcp/oauth/connect.service.server";
import { offboardingJob } from "./offboarding.jobs.server";
import type { OffboardingInput, OwnedData } from "./offboarding.schema";
import { canReceive, OWNERSHIPS } from "./ownerships.server";

/** Items per kind within the removing transaction; a job does the rest. */
const AT_ONCE = 200;

function isPossibleRecipient(tx: Db, actor: Actor, ownership: Ownership, id: string): boolean {
  return canReceive(tx, actor.orgId, ownership, id) && !(ownership.isPrivate && id === actor.userId);
}

export function listOwnedData(actor: Actor, userId: string): OwnedData[] {
  if (userId !== actor.userId) authorise(actor, "members.manage");
  const owner = { orgId: actor.orgId, userId };
  const others = listColleagues(actor).filter(({ id }) => id !== userId);
  return OWNERSHIPS.flatMap((ownership) => {
    const { kind, label, hint, noun } = ownership;
    const count = ownership.count(db(), owner);
    if (count === 0) return [];
    const recipients = others.filter(({ id }) => isPossibleRecipient(db(), actor, ownership, id));
    return [{ kind, label, ...(hint ? { hint } : {}), noun, count, recipients }];
  });
}

/** @throws AppError `invalid` if missing, or for an unsuitable recipient */
function decisionOn(tx: Db, actor: Actor, ownership: Ownership, chosen: string | undefined): Decision {
  if (chosen === "delete") return {};
  if (chosen !== undefined && isPossibleRecipient(tx, actor, ownership, chosen)) return { recipient: chosen };
  const message = chosen ? "Choose another member" : "Choose a member or Delete";
  const fields: FieldErrors = { [ownership.kind]: [message] };
  throw new AppError("invalid", `${ownership.label}: ${message.toLowerCase()}.`, { fields });
}

interface Decided extends Decision {
  kind: OwnedKind;
}

function decideWithin(
  tx: Db,
  actor: Actor,
  owner: Owner,
  input: OffboardingInput,
  after: (() => void)[],
): Decided[] {
  return OWNERSHIPS.flatMap((ownership) => {
    const { kind, noun } = ownership;
    const count = ownership.count(tx, owner);
    if (count === 0) return [];
    const decision = decisionOn(tx, actor, ownership, input[kind]);
    append(tx, actor, {
      action: decision.recipient ? "member.data_transferred" : "member.data_deleted",
      resource: `user:${owner.userId}`,
      details: { count, what: noun, ...(decision.recipient ? { to: decision.recipient } : {}) },
    });
    ownership.apply(tx, owner, decision, AT_ONCE, after);
    return [{ kind, ...decision }];
  });
}

/**
 * Removes a member or invitation and transfers or deletes their data in one transaction, and large amounts in a job.
 * @throws AppError as `removeMemberWithin`; `invalid` for missing decisions or unsuitable recipients
 */
export function removeMember(actor: Actor, userId: string, input: OffboardingInput): void {
  authorise(actor, "members.manage");
  offboard(actor, userId, input);
}

/**
 * As `removeMember`, for oneself.
 * @throws AppError `forbidden` for tokens, `conflict` for the last owner, `invalid` for missing decisions
 */
export function leaveOrganisation(actor: Actor, input: OffboardingInput): void {
  requirePerson(actor);
  offboard(actor, actor.userId, input);
}

function offboard(actor: Actor, userId: string, input: OffboardingInput): void {
  const { orgId } = actor;
  const after: (() => void)[] = [];
  transaction((tx) => {
    after.push(removeMemberWithin(tx, actor, userId));
    after.push(forgetAccountsOf(tx, { orgId, userId }));
    deleteMemoriesWithin(tx, { orgId, userId });
    leaveProjects(tx, { orgId, userId });
    const decisions = decideWithin(tx, actor, { orgId, userId }, input, after);
    if (decisions.length > 0)
      enqueue(tx, offboardingJob, { userId, decisions }, { orgId, subject: `user:${userId}` });
  });
  for (const call of after) call();
}
