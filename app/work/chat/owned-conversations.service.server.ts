import { now } from "~/core/clock.server";
import type { Ownership } from "~/platform/catalogue/ownership";
import { areVisibleToAll } from "~/work/documents/documents.service.server";
import { documentsIn } from "./answer/prompt.server";
import { sweepAfterCommit } from "./attachments/blobs.server";
import {
  changeOwner,
  countOwned,
  deleteConversations,
  deleteEmptyComparisons,
  deleteFolders,
  listParts,
  listUnmarked,
  markRestricted,
} from "./owned-conversations.repo.server";

const DELETED_AT_ONCE = 10;
/** Conversations searched for quotes per transaction. */
const READ_AT_ONCE = 20;

export const ownedConversations: Ownership = {
  kind: "conversations",
  noun: "conversations",
  label: "Conversations and comparisons",
  hint: "Transfer to a member other than yourself, or delete. Conversations with passages from restricted documents are always deleted.",
  permission: "chat.use",
  isPrivate: true,
  count: countOwned,
  apply(tx, owner, { recipient }) {
    sweepAfterCommit(tx);
    deleteFolders(tx, owner);
    if (recipient === undefined)
      return deleteConversations(tx, owner, DELETED_AT_ONCE) + deleteEmptyComparisons(tx, owner);
    const ids = listUnmarked(tx, owner, READ_AT_ONCE);
    // A quoted document may have been restricted or deleted since.
    const closed = ids.filter((id) => !areVisibleToAll(owner, documentsIn(listParts(tx, id))));
    markRestricted(tx, closed, now());
    const open = ids.filter((id) => !closed.includes(id));
    return (
      deleteConversations(tx, owner, DELETED_AT_ONCE, true) +
      changeOwner(tx, owner, recipient, open) +
      deleteEmptyComparisons(tx, owner)
    );
  },
};
