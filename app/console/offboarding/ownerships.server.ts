import type { Ownership } from "~/platform/catalogue/ownership";
import { ownedConversations } from "~/work/chat/owned-conversations.service.server";
import {
  ownedDocuments,
  ownedRestrictedDocuments,
} from "~/work/documents/access/document-readers.service.server";
import { ownedPersonas } from "~/work/personas/owned-personas.service.server";
import { ownedPrompts } from "~/work/prompts/owned-prompts.service.server";

export const OWNERSHIPS: readonly Ownership[] = [
  ownedDocuments,
  ownedRestrictedDocuments,
  ownedConversations,
  ownedPersonas,
  ownedPrompts,
];
