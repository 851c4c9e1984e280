import type { Db } from "~/core/db.server";
import type { Ownership } from "~/platform/catalogue/ownership";
import { may } from "~/platform/rights/authorization.server";
import { roleOf } from "~/platform/rights/current-role.server";
import { ownedConversations } from "~/work/chat/owned-conversations.service.server";
import { ownedProjects } from "~/work/chat/projects/projects.service.server";
import {
  ownedDocuments,
  ownedRestrictedDocuments,
} from "~/work/documents/access/document-readers.service.server";
import { ownedRestrictedSources, ownedSources } from "~/work/documents/sources/owned-sources.service.server";
import { ownedEvaluations } from "~/work/evaluations/evaluations.service.server";
import { ownedPersonas } from "~/work/personas/personas.service.server";
import { ownedPrompts } from "~/work/prompts/prompts.service.server";
import { ownedSkills } from "~/work/skills/skills.service.server";

export const OWNERSHIPS: readonly Ownership[] = [
  ownedProjects,
  ownedDocuments,
  ownedRestrictedDocuments,
  ownedSources,
  ownedRestrictedSources,
  ownedConversations,
  ownedPersonas,
  ownedPrompts,
  ownedSkills,
  ownedEvaluations,
];

export function canReceive(
  tx: Db,
  orgId: string,
  { permission }: Pick<Ownership, "permission">,
  id: string,
): boolean {
  const role = roleOf(tx, orgId, id);
  return role !== undefined && may({ role }, permission);
}
