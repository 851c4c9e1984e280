import type { Db } from "~/core/db.server";
import type { Permission } from "./permissions";

/** Kinds of data that someone else must take over or that go when their owner leaves. */
export const OWNED_KINDS = [
  "projects",
  "documents",
  "restrictedDocuments",
  "sources",
  "restrictedSources",
  "conversations",
  "personas",
  "prompts",
  "skills",
  "evaluations",
] as const;
export type OwnedKind = (typeof OWNED_KINDS)[number];

export interface Owner {
  orgId: string;
  userId: string;
}

/** The recipient's id, or undefined to delete. */
export interface Decision {
  recipient?: string;
}

type AfterCommit = () => void;

/** Owned data that needs a decision on removal: one file and a line in the list. */
export interface Ownership {
  kind: OwnedKind;
  /** As in "3 documents". */
  noun: string;
  label: string;
  hint?: string;
  permission: Permission;
  /** The remover can't receive it: a removal must not be a way to read it. */
  isPrivate: boolean;
  count(tx: Db, owner: Owner): number;
  /**
   * Transfers or deletes some, at most about `limit`.
   * @param after collects what follows the commit
   * @returns how many; 0 when nothing more can be done now
   */
  apply(tx: Db, owner: Owner, decision: Decision, limit: number, after: AfterCommit[]): number;
}
