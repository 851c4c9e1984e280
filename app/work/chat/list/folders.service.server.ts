import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { append } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import {
  deleteFolderRow,
  findFolderRow,
  insertFolder,
  listFolderRows,
  renameFolderRow,
} from "./list.repo.server";
import type { ConversationFolder, FolderInput } from "./list.schema";

/** Folders that one person can have. */
const MAX_FOLDERS = 100;

export function listFolders(actor: Actor): ConversationFolder[] {
  authorise(actor, "chat.use");
  return listFolderRows(db(), actor);
}

export function requireFolder(tx: Db, actor: Actor, id: string): ConversationFolder {
  const row = findFolderRow(tx, actor, id);
  if (!row) throw new AppError("not_found", "Folder not found.");
  return row;
}

function assertNameIsFree(tx: Db, actor: Actor, name: string, exceptId?: string): void {
  const isTaken = listFolderRows(tx, actor).some(
    (folder) => folder.id !== exceptId && folder.name.toLowerCase() === name.toLowerCase(),
  );
  if (!isTaken) return;
  const message = `You already have a folder "${name}". Enter another name.`;
  throw new AppError("conflict", message, { fields: { name: [message] } });
}

export function createFolder(actor: Actor, { name }: FolderInput): ConversationFolder {
  authorise(actor, "chat.use");
  return transaction((tx) => {
    if (listFolderRows(tx, actor).length >= MAX_FOLDERS) {
      throw new AppError("conflict", `You already have ${MAX_FOLDERS} folders. Delete one first.`);
    }
    assertNameIsFree(tx, actor, name);
    const id = newId("fld");
    insertFolder(tx, { id, orgId: actor.orgId, userId: actor.userId, name, createdAt: now() });
    append(tx, actor, { action: "conversation_folder.created", resource: `conversation_folder:${id}` });
    return { id, name };
  });
}

export function renameFolder(actor: Actor, id: string, { name }: FolderInput): ConversationFolder {
  authorise(actor, "chat.use");
  return transaction((tx) => {
    requireFolder(tx, actor, id);
    assertNameIsFree(tx, actor, name, id);
    renameFolderRow(tx, id, name);
    append(tx, actor, { action: "conversation_folder.updated", resource: `conversation_folder:${id}` });
    return { id, name };
  });
}

/** Deletes a folder; its conversations stay, without a folder. */
export function deleteFolder(actor: Actor, id: string): ConversationFolder {
  authorise(actor, "chat.use");
  return transaction((tx) => {
    const folder = requireFolder(tx, actor, id);
    deleteFolderRow(tx, id);
    append(tx, actor, { action: "conversation_folder.deleted", resource: `conversation_folder:${id}` });
    return folder;
  });
}
