import {
  ownedDocuments,
  ownedRestrictedDocuments,
} from "~/features/knowledge/documents/access/document-readers.service.server";
import type { Ownership } from "~/platform/catalogue/ownership";
import { ownedConversations } from "../chat/owned-conversations.service.server";
import { ownedPersonas } from "../personas/owned-personas.service.server";
import { ownedPrompts } from "../prompts/owned-prompts.service.server";

export const OWNERSHIPS: readonly Ownership[] = [
  ownedDocuments,
  ownedRestrictedDocuments,
  ownedConversations,
  ownedPersonas,
  ownedPrompts,
];
