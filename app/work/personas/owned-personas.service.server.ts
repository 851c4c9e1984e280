import type { Ownership } from "~/platform/catalogue/ownership";
import { changePersonaCreator, countPersonasOf, deletePersonasOf } from "./personas.repo.server";

export const ownedPersonas: Ownership = {
  kind: "personas",
  noun: "personas",
  label: "Personas",
  hint: "Transfer to a member, who then decides who sees them, or delete.",
  permission: "personas.write",
  isPrivate: false,
  count: (tx, { orgId, userId }) => countPersonasOf(tx, orgId, userId),
  apply: (tx, { orgId, userId }, { recipient }) =>
    recipient === undefined
      ? deletePersonasOf(tx, orgId, userId)
      : changePersonaCreator(tx, orgId, userId, recipient),
};
