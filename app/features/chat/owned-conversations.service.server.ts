import type { Ownership } from "~/features/offboarding/ownership.service.server";
import {
  changeOwner,
  countOwned,
  deleteConversations,
  deleteEmptyComparisons,
  deleteRestricted,
} from "./owned-conversations.repo.server";

/** Deleted in one transaction: each has its messages and their events. */
const DELETED_AT_ONCE = 10;

export const ownedConversations: Ownership = {
  kind: "conversations",
  noun: "conversations",
  label: "Conversations and comparisons",
  hint: "Those that hold passages of restricted documents are deleted in any case. You can't choose yourself.",
  permission: "chat.use",
  isPrivate: true,
  count: countOwned,
  apply(tx, owner, { recipient }, limit) {
    if (recipient === undefined)
      return deleteConversations(tx, owner, DELETED_AT_ONCE) + deleteEmptyComparisons(tx, owner);
    return (
      deleteRestricted(tx, owner, DELETED_AT_ONCE) +
      changeOwner(tx, owner, recipient, limit) +
      deleteEmptyComparisons(tx, owner)
    );
  },
};
