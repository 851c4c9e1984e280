import { groupsChanged } from "~/core/access-events.server";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { append } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import * as repo from "./groups.repo.server";
import { listColleagues } from "./member-names.service.server";
import type { Group, GroupInput, GroupPatch } from "./members.schema";

const MAX_GROUPS = 200;

function toGroups(tx: Db, actor: Actor, rows: readonly repo.GroupRow[]): Group[] {
  const groupIds = rows.map(({ id }) => id);
  const memberships = repo.listMemberships(tx, groupIds);
  const colleagues = listColleagues(actor);
  return rows.map(({ id, name }) => {
    const ids = new Set(memberships.get(id));
    return { id, name, members: colleagues.filter((person) => ids.has(person.id)) };
  });
}

/** By name. Memberships are visible to every member, for sharing. */
export function listGroups(actor: Actor): Group[] {
  authorise(actor, "screens.read");
  return toGroups(db(), actor, repo.listGroupRows(db(), actor.orgId));
}

export function listGroupNames(actor: Actor): { id: string; name: string }[] {
  return repo.listGroupRows(db(), actor.orgId).map(({ id, name }) => ({ id, name }));
}

/** The groups that a person is in now. */
export const groupIdsOf = (userId: string): string[] => repo.listGroupIdsOf(db(), userId);

export function getGroup(actor: Actor, id: string): Group {
  authorise(actor, "screens.read");
  return groupOf(db(), actor, requireGroup(db(), actor, id));
}

const groupOf = (tx: Db, actor: Actor, row: repo.GroupRow): Group =>
  toGroups(tx, actor, [row])[0] ?? { id: row.id, name: row.name, members: [] };

function requireGroup(tx: Db, actor: Actor, id: string): repo.GroupRow {
  const row = repo.findGroup(tx, actor.orgId, id);
  if (!row) throw new AppError("not_found", "Group not found. It may have been deleted.");
  return row;
}

export const isGroup = (tx: Db, orgId: string, id: string): boolean =>
  repo.findGroup(tx, orgId, id) !== undefined;

function assertNameIsFree(tx: Db, actor: Actor, name: string, exceptId?: string): void {
  const isTaken = repo
    .listGroupRows(tx, actor.orgId)
    .some((row) => row.id !== exceptId && row.name.toLowerCase() === name.toLowerCase());
  if (!isTaken) return;
  const message = "Another group has this name. Enter a different name.";
  throw new AppError("conflict", message, { fields: { name: [message] } });
}

/** Replaces a group's members. @throws AppError `invalid` for a non-member */
function setMembers(tx: Db, actor: Actor, group: repo.GroupRow, memberIds: readonly string[]): boolean {
  const present = new Set(membersOf(tx, group.id));
  const next = new Set(memberIds);
  const added = [...next].filter((id) => !present.has(id));
  const removed = [...present].filter((id) => !next.has(id));
  const colleagues = new Set(listColleagues(actor).map(({ id }) => id));
  if (added.some((id) => !colleagues.has(id))) {
    const message = "Choose members of this organization only.";
    throw new AppError("invalid", message, { fields: { members: [message] } });
  }
  if (added.length + removed.length === 0) return false;
  for (const userId of added) repo.insertMembership(tx, { groupId: group.id, userId });
  for (const userId of removed) repo.deleteMembership(tx, group.id, userId);
  append(tx, actor, {
    action: "group.members_changed",
    resource: `group:${group.id}`,
    details: { name: group.name, added, removed },
    before: { members: [...present] },
    after: { members: [...next] },
  });
  return true;
}

export function createGroup(actor: Actor, { name, members }: GroupInput): Group {
  authorise(actor, "members.manage");
  return transaction((tx) => {
    assertNameIsFree(tx, actor, name);
    if (repo.listGroupRows(tx, actor.orgId).length >= MAX_GROUPS)
      throw new AppError("conflict", `You can have at most ${MAX_GROUPS} groups. Delete one first.`);
    const row = { id: newId("grp"), orgId: actor.orgId, name, createdAt: now() };
    repo.insertGroup(tx, row);
    append(tx, actor, {
      action: "group.created",
      resource: `group:${row.id}`,
      details: { name },
      after: { name },
    });
    setMembers(tx, actor, row, members);
    return groupOf(tx, actor, row);
  });
}

/** Document access changes with the commit. @throws AppError `not_found`, or as `createGroup` */
export function updateGroup(actor: Actor, id: string, { name, members }: GroupPatch): Group {
  return changeGroup(actor, id, (tx, row) => {
    if (name !== undefined && name !== row.name) {
      assertNameIsFree(tx, actor, name, id);
      repo.updateGroupRow(tx, id, { name });
      append(tx, actor, {
        action: "group.renamed",
        resource: `group:${id}`,
        details: { from: row.name, name },
        before: { name: row.name },
        after: { name },
      });
    }
    return members ? setMembers(tx, actor, { ...row, name: name ?? row.name }, members) : false;
  });
}

/** @throws AppError `not_found`, or `invalid` for a non-member */
export function addToGroup(actor: Actor, id: string, userId: string): Group {
  return changeGroup(actor, id, (tx, row) => setMembers(tx, actor, row, [...membersOf(tx, id), userId]));
}

export function removeFromGroup(actor: Actor, id: string, userId: string): Group {
  return changeGroup(actor, id, (tx, row) =>
    setMembers(
      tx,
      actor,
      row,
      membersOf(tx, id).filter((other) => other !== userId),
    ),
  );
}

const membersOf = (tx: Db, id: string): string[] => repo.listMemberships(tx, [id]).get(id) ?? [];

/** @param change returns whether its members changed */
function changeGroup(actor: Actor, id: string, change: (tx: Db, row: repo.GroupRow) => boolean): Group {
  authorise(actor, "members.manage");
  const { group, hasChangedMembers } = transaction((tx) => {
    const changed = change(tx, requireGroup(tx, actor, id));
    return { group: groupOf(tx, actor, requireGroup(tx, actor, id)), hasChangedMembers: changed };
  });
  if (hasChangedMembers) groupsChanged(actor.orgId);
  return group;
}

/** Documents shared with the group stay visible to its other readers. */
export function deleteGroup(actor: Actor, id: string): void {
  authorise(actor, "members.manage");
  transaction((tx) => {
    const { name } = requireGroup(tx, actor, id);
    const members = membersOf(tx, id);
    repo.deleteGroupRow(tx, id);
    append(tx, actor, {
      action: "group.deleted",
      resource: `group:${id}`,
      details: { name },
      before: { name, members },
    });
  });
  groupsChanged(actor.orgId);
}
