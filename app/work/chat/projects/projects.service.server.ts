import { createHash } from "node:crypto";
import { groupsChanged } from "~/core/access-events.server";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { assertUnchangedSince } from "~/core/edits.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { append } from "~/platform/audit/audit.service.server";
import type { Owner, Ownership } from "~/platform/catalogue/ownership";
import { authorise, may } from "~/platform/rights/authorization.server";
import { isMember, requireMember } from "~/team/members/member.service.server";
import { nameOf } from "~/team/members/member-names.service.server";
import { listFolderDocuments } from "~/work/documents/documents.service.server";
import type { UploadPart } from "~/work/documents/ingestion/ingest.schema";
import { receiveUpload, type Upload } from "~/work/documents/ingestion/upload.service.server";
import {
  deleteDocument,
  deleteFilesOf,
  giveFilesOf,
} from "~/work/documents/removal/document-removal.service.server";
import { findPersona } from "~/work/personas/personas.service.server";
import { announceConversations } from "../list/announce.server";
import * as repo from "./projects.repo.server";
import type {
  ConversationFolder,
  FolderInput,
  FolderRole,
  MemberInput,
  Project,
  ProjectPatch,
} from "./projects.schema";

/** Folders that one person can own. */
const MAX_FOLDERS = 100;
const MAX_MEMBERS = 200;
const MAX_FILES = 200;
/** A last upload may add a hundred more. */
const FILES_LISTED = 300;

const RANK: Record<FolderRole, number> = { viewer: 0, editor: 1, owner: 2 };

const LABELS = { instructions: "Instructions", personaId: "Default persona" };

const versionOf = ({ instructions, personaId }: Pick<repo.FolderRow, "instructions" | "personaId">) =>
  createHash("sha256")
    .update(JSON.stringify([instructions, personaId]))
    .digest("base64url");

const toFolder = ({ folder: { id, name }, role }: repo.Membership): ConversationFolder => ({
  id,
  name,
  role,
});

/** Own folders, and projects of others that one is a member of. */
export function listFolders(actor: Actor): ConversationFolder[] {
  authorise(actor, "chat.use");
  return repo.listMemberships(db(), actor).map(toFolder);
}

/** @throws AppError `not_found` for others' folders, `forbidden` for a member with less than the role */
function requireMembership(tx: Db, actor: Actor, id: string, least: FolderRole = "viewer"): repo.Membership {
  const membership = repo.findMembership(tx, actor, id);
  if (!membership) throw new AppError("not_found", "Folder not found.");
  if (RANK[membership.role] >= RANK[least]) return membership;
  const message = `Only the project's ${least === "owner" ? "owner" : "owner and its editors"} can do this.`;
  throw new AppError("forbidden", message);
}

/** @throws AppError `not_found` unless it is the actor's or they are a member */
export const requireFolder = (tx: Db, actor: Actor, id: string): repo.FolderRow =>
  requireMembership(tx, actor, id).folder;

/** @throws AppError as `requireMembership`, for a viewer too */
export function assertEditor(tx: Db, actor: Actor, id: string): void {
  requireMembership(tx, actor, id, "editor");
}

export function isEditor(actor: Actor, id: string): boolean {
  const membership = repo.findMembership(db(), actor, id);
  return membership !== undefined && RANK[membership.role] >= RANK.editor;
}

/** What a conversation in a folder is answered with; undefined once its person isn't a member any more. */
export const findProject = (actor: Actor, folderId: string): repo.FolderRow | undefined =>
  repo.findMembership(db(), actor, folderId)?.folder;

/** The persona that a new conversation begins with, if the actor may use it. */
export const personaOf = (
  actor: Actor,
  { personaId }: Pick<repo.FolderRow, "personaId">,
): string | undefined => (personaId === null ? undefined : findPersona(actor, personaId)?.id);

export function readProject(actor: Actor, id: string): Project {
  authorise(actor, "chat.use");
  const membership = requireMembership(db(), actor, id);
  const { orgId, userId, instructions, personaId } = membership.folder;
  const members = repo.listMembers(db(), id).map((member) => ({ ...member, name: nameOf(orgId, member.id) }));
  return {
    ...toFolder(membership),
    owner: { id: userId, name: nameOf(orgId, userId) },
    instructions,
    personaId,
    version: versionOf(membership.folder),
    members: members.sort((a, b) => a.name.localeCompare(b.name, "en-US")),
    files: listFolderDocuments(actor, id, FILES_LISTED).map(({ id: fileId, name, status, error }) => ({
      id: fileId,
      name,
      status,
      error,
    })),
  };
}

function assertNameIsFree(tx: Db, owner: Owner, name: string, exceptId?: string): void {
  const isTaken = repo
    .listOwnFolders(tx, owner)
    .some((folder) => folder.id !== exceptId && folder.name.toLowerCase() === name.toLowerCase());
  if (!isTaken) return;
  const message = `You already have a folder "${name}". Enter another name.`;
  throw new AppError("conflict", message, { fields: { name: [message] } });
}

export function createFolder(actor: Actor, { name }: FolderInput): ConversationFolder {
  authorise(actor, "chat.use");
  return transaction((tx) => {
    if (repo.listOwnFolders(tx, actor).length >= MAX_FOLDERS) {
      throw new AppError("conflict", `You already have ${MAX_FOLDERS} folders. Delete one first.`);
    }
    assertNameIsFree(tx, actor, name);
    const id = newId("fld");
    repo.insertFolder(tx, { id, orgId: actor.orgId, userId: actor.userId, name, createdAt: now() });
    append(tx, actor, { action: "conversation_folder.created", resource: `conversation_folder:${id}` });
    return { id, name, role: "owner" };
  });
}

/** Runs after the change of who sees what. */
function announce(orgId: string, people: readonly string[]): void {
  groupsChanged(orgId);
  for (const userId of people) announceConversations({ orgId, userId });
}

const peopleOf = (tx: Db, { id, userId }: repo.FolderRow): string[] => [
  userId,
  ...repo.listMembers(tx, id).map((member) => member.id),
];

/** @throws AppError `forbidden` for a viewer, and for a name unless by its owner; `conflict` if it changed since `version` */
export function updateFolder(
  actor: Actor,
  id: string,
  { version, ...patch }: ProjectPatch,
): ConversationFolder {
  authorise(actor, "chat.use");
  const { people, ...changed } = transaction((tx) => {
    const membership = requireMembership(tx, actor, id, patch.name === undefined ? "editor" : "owner");
    const { folder } = membership;
    if (patch.name !== undefined) assertNameIsFree(tx, actor, patch.name, id);
    const saved = { ...folder, version: versionOf(folder) };
    assertUnchangedSince(version, { noun: "project", labels: LABELS, saved, entered: patch });
    const { personaId } = patch;
    if (personaId && personaId !== folder.personaId && !findPersona(actor, personaId)) {
      const message = "Choose a persona that you can see";
      throw new AppError("invalid", `${message}.`, { fields: { personaId: [message] } });
    }
    const fields = Object.entries(patch).flatMap(([name, value]) =>
      value === undefined || value === folder[name as keyof typeof patch] ? [] : [name],
    );
    if (fields.length > 0) {
      repo.updateFolder(tx, id, patch);
      append(tx, actor, {
        action: "conversation_folder.updated",
        resource: `conversation_folder:${id}`,
        details: { fields },
      });
    }
    return {
      ...toFolder({ ...membership, folder: { ...folder, ...(patch.name && { name: patch.name }) } }),
      people: peopleOf(tx, folder),
    };
  });
  for (const userId of people) announceConversations({ orgId: actor.orgId, userId });
  return changed;
}

/** Everyone's conversations in it stay with them. @param keepFiles leaves its files to its owner alone */
export function deleteFolder(actor: Actor, id: string, { keepFiles = false } = {}): ConversationFolder {
  authorise(actor, "chat.use");
  const { membership, people, ended } = transaction((tx) => {
    const membership = requireMembership(tx, actor, id, "owner");
    const people = peopleOf(tx, membership.folder);
    const ended = keepFiles ? () => {} : deleteFilesOf(tx, actor.orgId, id);
    repo.deleteFolderRow(tx, id);
    append(tx, actor, {
      action: "conversation_folder.deleted",
      resource: `conversation_folder:${id}`,
      details: { keepFiles },
    });
    return { membership, people, ended };
  });
  ended();
  announce(actor.orgId, people);
  return toFolder(membership);
}

/** Adds a member or changes what one may do. @throws AppError `forbidden` unless by its owner, `invalid` for a stranger */
export function putMember(actor: Actor, id: string, { userId, role }: MemberInput): void {
  authorise(actor, "chat.use");
  transaction((tx) => {
    const { folder } = requireMembership(tx, actor, id, "owner");
    const refuse = (message: string): never => {
      throw new AppError("invalid", `${message}.`, { fields: { userId: [message] } });
    };
    if (!isMember(tx, actor.orgId, userId)) refuse("Choose a member of this organization");
    if (!may({ role: requireMember(tx, actor, userId).role }, "chat.use"))
      refuse("Choose someone who can use the chat: viewers can't");
    if (userId === folder.userId) refuse("The owner is no member");
    const others = repo.listMembers(tx, id).filter((member) => member.id !== userId);
    if (others.length >= MAX_MEMBERS) refuse(`A project can have ${MAX_MEMBERS} members`);
    repo.putMember(tx, { folderId: id, userId, role });
    append(tx, actor, {
      action: "conversation_folder.member_added",
      resource: `conversation_folder:${id}`,
      details: { member: userId, role },
    });
  });
  announce(actor.orgId, [userId]);
}

function dropMember(tx: Db, owner: Owner, folderId: string): void {
  repo.deleteMember(tx, folderId, owner.userId);
  repo.takeOut(tx, owner, folderId);
}

/** Removes a member, or leaves. Their conversations stay with them, without the folder. */
export function removeMember(actor: Actor, id: string, userId: string): ConversationFolder {
  authorise(actor, "chat.use");
  const membership = transaction((tx) => {
    const isLeaving = userId === actor.userId;
    const found = requireMembership(tx, actor, id, isLeaving ? "viewer" : "owner");
    if (!repo.listMembers(tx, id).some((member) => member.id === userId))
      throw new AppError("not_found", "Member not found. They may have left the project.");
    dropMember(tx, { orgId: actor.orgId, userId }, id);
    append(tx, actor, {
      action: isLeaving ? "conversation_folder.left" : "conversation_folder.member_removed",
      resource: `conversation_folder:${id}`,
      details: { member: userId },
    });
    return found;
  });
  announce(actor.orgId, [userId]);
  return toFolder(membership);
}

/** The parts of an upload for as long as its person may add files: a removed editor's last file isn't taken either. */
async function* whileEditor(
  parts: AsyncIterable<UploadPart>,
  assertMayAdd: () => void,
): AsyncGenerator<UploadPart> {
  async function* checked(bytes: AsyncIterable<Uint8Array>) {
    yield* bytes;
    assertMayAdd();
  }
  for await (const part of parts) {
    assertMayAdd();
    yield part.kind === "file" ? { ...part, bytes: checked(part.bytes) } : part;
  }
}

/** Stores and queues files that only the project's conversations find. @throws AppError as `receiveUpload` */
export async function addFiles(
  actor: Actor,
  id: string,
  parts: AsyncIterable<UploadPart>,
  signal?: AbortSignal,
): Promise<Upload> {
  authorise(actor, "chat.use");
  const { folder } = requireMembership(db(), actor, id, "editor");
  if (listFolderDocuments(actor, id, MAX_FILES).length >= MAX_FILES)
    throw new AppError("conflict", `A project can have ${MAX_FILES} files. Delete some first.`);
  const allowed = whileEditor(parts, () => assertEditor(db(), actor, id));
  return receiveUpload(actor, allowed, signal, { id, ownerId: folder.userId });
}

/** It can be restored by the project's owner for ten minutes. */
export function deleteFile(actor: Actor, id: string, documentId: string): { name: string } {
  authorise(actor, "chat.use");
  requireMembership(db(), actor, id, "editor");
  return deleteDocument(actor, documentId, now(), (_, { folderId }) => {
    if (folderId !== id) throw new AppError("not_found", "File not found in this project.");
  });
}

/** Ends the memberships of one who leaves the organization. */
export function leaveProjects(tx: Db, owner: Owner): void {
  for (const { folder, role } of repo.listMemberships(tx, owner)) {
    if (role !== "owner") dropMember(tx, owner, folder.id);
  }
}

function freeName(tx: Db, owner: Owner, name: string): string {
  const taken = new Set(repo.listOwnFolders(tx, owner).map((folder) => folder.name.toLowerCase()));
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name} (${number})`;
    if (!taken.has(candidate.toLowerCase())) return candidate;
  }
}

export const ownedProjects: Ownership = {
  kind: "projects",
  noun: "projects",
  label: "Projects in the chat",
  hint: "Transfer to a member other than yourself, with instructions, files and members, or delete with their files. Conversations stay with those who began them.",
  permission: "chat.use",
  isPrivate: true,
  count: (tx, owner) => repo.listProjects(tx, owner).length,
  apply(tx, owner, { recipient }, _, after) {
    const projects = repo.listProjects(tx, owner);
    for (const { id, name } of projects) {
      if (recipient === undefined) {
        after.push(deleteFilesOf(tx, owner.orgId, id));
        repo.deleteFolderRow(tx, id);
      } else {
        const to = { orgId: owner.orgId, userId: recipient };
        repo.takeOut(tx, owner, id);
        repo.deleteMember(tx, id, recipient);
        repo.updateFolder(tx, id, { userId: recipient, name: freeName(tx, to, name) });
        giveFilesOf(tx, id, recipient);
      }
    }
    if (projects.length > 0) after.push(() => groupsChanged(owner.orgId));
    return projects.length;
  },
};
