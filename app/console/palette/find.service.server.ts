import { listModels } from "~/ai/models/models.service.server";
import { findSettings } from "~/console/settings/find-settings.service.server";
import type { Actor } from "~/core/actor";
import { searchedWords, searchMatcher } from "~/core/language/find-terms";
import type { Permission } from "~/platform/catalogue/permissions";
import { commands, screens } from "~/platform/catalogue/screens";
import { authorise, may } from "~/platform/rights/authorization.server";
import { readSetting } from "~/platform/settings/settings.service.server";
import { listOwnConversations } from "~/work/chat/conversations.service.server";
import { findConversations } from "~/work/chat/list/search.service.server";
import { findDocumentsByName } from "~/work/documents/documents.service.server";
import { listPersonas } from "~/work/personas/personas.service.server";
import type { FoundItem } from "./find.schema";

/** Per kind. */
const MAX_RESULTS = 5;

const MAX_RECENT = 4;

/** Visible items that match every word, most recent first within a kind. */
export async function findItems(actor: Actor, query: string): Promise<FoundItem[]> {
  authorise(actor, "screens.read");
  const words = searchedWords(query);
  if (words.length === 0) return [];
  const matches = searchMatcher(query);
  const [conversations, documents] = await Promise.all([
    may(actor, "chat.use") ? findConversations(actor, words, MAX_RESULTS) : [],
    findDocumentsByName(actor, words, MAX_RESULTS),
  ]);
  const personas = listPersonas(actor).filter(({ name }) => matches(name));
  const models = listModels(actor).filter(({ id, name }) => matches(`${name} ${id}`));
  const canEdit = may(actor, "personas.write");
  return [
    ...conversations.map(conversationFound),
    ...documents.map(({ id, name }) => ({ kind: "document" as const, id, title: name, to: `/rag/${id}` })),
    ...personas.slice(0, MAX_RESULTS).map(({ id, name }) => ({
      kind: "persona" as const,
      id,
      title: name,
      to: canEdit ? `/personas?dialog=edit&id=${id}` : "/personas",
    })),
    ...models.slice(0, MAX_RESULTS).map(({ id, name }) => ({
      kind: "model" as const,
      id,
      title: name,
      to: may(actor, "providers.manage") ? `/settings/providers?q=${encodeURIComponent(id)}` : "/chat",
    })),
    ...findSettings(actor, query, MAX_RESULTS).map(({ label, to }) => ({
      kind: "setting" as const,
      id: `${to} ${label}`,
      title: label,
      to,
    })),
  ];
}

const conversationFound = ({ id, title }: { id: string; title: string }): FoundItem => ({
  kind: "conversation",
  id,
  title,
  to: `/chat/${id}`,
});

export function findRecent(actor: Actor): FoundItem[] {
  if (!may(actor, "chat.use")) return [];
  return listOwnConversations(actor, { limit: MAX_RECENT }).conversations.map(conversationFound);
}

/** Of what commands and screens need, the permissions that the actor lacks and the settings that are turned off. */
export function listMissingNeeds(actor: Actor): string[] {
  const entries = [...commands, ...screens];
  const permissions = entries.flatMap((one) => ("needs" in one ? [one.needs] : []));
  const settings = entries.flatMap((one) => ("setting" in one ? [one.setting] : []));
  return [
    ...[...new Set<Permission>(permissions)].filter((permission) => !may(actor, permission)),
    ...settings.filter((setting) => !readSetting(actor.orgId, setting)),
  ];
}
