import type { Db } from "~/core/db.server";
import type { Permission } from "~/features/members/authorisation.server";
import type { OwnedKind } from "./offboarding.schema";

export interface Owner {
  orgId: string;
  userId: string;
}

/** A decision on owned data: the id of the member who receives it, or nothing for a deletion. */
export interface Decision {
  recipient?: string;
}

/** Called after the commit. */
type AfterCommit = () => void;

/** Something that members own and that needs a decision when they leave. Each kind is a file and a line in the list. */
export interface Ownership {
  kind: OwnedKind;
  /** As in "3 documents". */
  noun: string;
  /** Label of the decision. */
  label: string;
  /** Further effect of a decision, for a person. */
  hint?: string;
  /** The permission that a recipient needs. */
  permission: Permission;
  /** The person who removes the owner can't receive them: a removal would be a way to read them. */
  isPrivate: boolean;
  count(tx: Db, owner: Owner): number;
  /**
   * Transfers or deletes some, at most about `limit`.
   *
   * @param after collects what follows the commit
   * @returns how many; 0 when nothing more can be done now
   */
  apply(tx: Db, owner: Owner, decision: Decision, limit: number, after: AfterCommit[]): number;
}
