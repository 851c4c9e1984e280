import {
  ownedDocuments,
  ownedRestrictedDocuments,
} from "~/features/knowledge/documents/access/document-readers.service.server";
import { ownedConversations } from "../chat/owned-conversations.service.server";
import { ownedPersonas } from "../personas/owned-personas.service.server";
import { ownedPrompts } from "../prompts/owned-prompts.service.server";
import type { Ownership } from "./ownership.service.server";

export const OWNERSHIPS: readonly Ownership[] = [
  ownedDocuments,
  ownedRestrictedDocuments,
  ownedConversations,
  ownedPersonas,
  ownedPrompts,
];
