import type { Actor } from "~/core/actor";
import { findConversationsByTitle } from "~/features/chat/conversation-titles.service.server";
import { findDocumentsByName } from "~/features/knowledge/document-names.service.server";
import { authorise, may } from "~/features/members/authorisation.server";
import { listModels } from "~/features/models/models.service.server";
import { listPersonas } from "~/features/personas/personas.service.server";
import { SETTINGS_TABS } from "~/features/settings/settings-tabs.schema";
import { commands, type Permission, screens } from "../index.schema";
import type { Found } from "./find.schema";

/** How many of each kind are found. */
const MOST = 5;

/**
 * What a person may open and whose name contains every word of a query, last used first within its kind. Nothing for an
 * empty query.
 */
export async function findByName(actor: Actor, query: string): Promise<Found[]> {
  authorise(actor, "screens.read");
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, 8);
  if (words.length === 0) return [];
  const holds = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  const [conversations, documents] = await Promise.all([
    may(actor, "chat.use") ? findConversationsByTitle(actor, words, MOST) : [],
    findDocumentsByName(actor, words, MOST),
  ]);
  const personas = listPersonas(actor).filter(({ name }) => holds(name));
  const models = listModels(actor).filter(({ id, name }) => holds(`${name} ${id}`));
  const tabs = SETTINGS_TABS.filter(({ label, needs }) => may(actor, needs) && holds(`${label} settings`));
  const canEdit = may(actor, "personas.write");
  return [
    ...conversations.map(({ id, title }) => ({
      kind: "conversation" as const,
      id,
      title,
      to: `/chat/${id}`,
    })),
    ...documents.map(({ id, name }) => ({ kind: "document" as const, id, title: name, to: `/rag/${id}` })),
    ...personas.slice(0, MOST).map(({ id, name }) => ({
      kind: "persona" as const,
      id,
      title: name,
      to: canEdit ? `/personas?dialog=edit&id=${id}` : "/personas",
    })),
    ...models.slice(0, MOST).map(({ id, name }) => ({
      kind: "model" as const,
      id,
      title: name,
      to: may(actor, "providers.manage") ? `/settings/providers?q=${encodeURIComponent(id)}` : "/chat",
    })),
    ...tabs.slice(0, MOST).map(({ id, label }) => ({
      kind: "setting" as const,
      id,
      title: label,
      to: `/settings/${id}`,
    })),
  ];
}

/** The permissions of commands that a person doesn't have: those aren't offered. */
export function missingFor(actor: Actor): Permission[] {
  const needed = [...commands, ...screens].flatMap((one) => ("needs" in one ? [one.needs] : []));
  return [...new Set<Permission>(needed)].filter((permission) => !may(actor, permission));
}
