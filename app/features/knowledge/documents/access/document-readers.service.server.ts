import type { Actor } from "~/core/actor";
import type { Db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { isGroup, listGroupNames } from "~/features/members/groups.service.server";
import { isMember, listColleagues } from "~/features/members/member.service.server";
import type { Reader } from "../document-view.schema";

export function listPossibleReaders(actor: Actor): Reader[] {
  return [
    ...listGroupNames(actor).map((group) => ({ ...group, kind: "group" as const })),
    ...listColleagues(actor).map((person) => ({ ...person, kind: "member" as const })),
  ];
}

/** @throws AppError `invalid` for an unknown member or group */
export function knownReaders(actor: Actor, ids: readonly string[]): string[] {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return [];
  const known = new Set(listPossibleReaders(actor).map(({ id }) => id));
  if (wanted.every((id) => known.has(id))) return wanted;
  const message = "Choose members and groups of this organization only";
  throw new AppError("invalid", `${message}.`, { fields: { readers: [message] } });
}

export const isReaderStill = (tx: Db, orgId: string, id: string): boolean =>
  isMember(tx, orgId, id) || isGroup(tx, orgId, id);
