import { createHash } from "node:crypto";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { transaction } from "~/core/db.server";
import { newId } from "~/core/ids.server";
import { setActiveMessage } from "../branches.repo.server";
import { insertConversation, insertMessage } from "../chat.repo.server";
import { textPart, titleOf } from "../chat.service.server";
import type { ImportedConversation } from "./imported-conversation";
import { findImported, insertImported } from "./imports.repo.server";

/** Identifies a conversation without an id. */
function sourceOf({ source, title, messages }: ImportedConversation): string {
  if (source) return source;
  const hash = createHash("sha256").update(
    JSON.stringify([title, messages.map(({ role, text }) => [role, text])]),
  );
  return `content:${hash.digest("base64url")}`;
}

/** Stores a conversation once per person. @returns `already` if an earlier import stored it; retries count as stored */
export function storeConversation(
  actor: Actor,
  importId: string,
  conversation: ImportedConversation,
  defaultModel: string,
): "stored" | "already" {
  const source = sourceOf(conversation);
  return transaction(
    (tx) => {
      const present = findImported(tx, actor.userId, source);
      if (present) return present.importId === importId ? "stored" : "already";
      const { messages } = conversation;
      const created = conversation.createdAt ?? messages[0]?.createdAt ?? now();
      const updated = Math.max(created, conversation.updatedAt ?? messages.at(-1)?.createdAt ?? created);
      const id = newId("con");
      insertConversation(tx, {
        id,
        orgId: actor.orgId,
        userId: actor.userId,
        title: titleOf(conversation.title) || titleOf(messages[0]?.text ?? "") || "Imported conversation",
        model: conversation.model ?? defaultModel,
        settings: {},
        // A file's texts are a stranger's.
        outsideContentAt: now(),
        createdAt: created,
        updatedAt: updated,
      });
      const ids = messages.map(() => newId("msg"));
      const idOf = (index: number | null) => (index === null ? null : (ids[index] ?? null));
      let at = created;
      for (const [index, { role, text, model, createdAt, parent }] of messages.entries()) {
        at = createdAt ?? at;
        insertMessage(tx, {
          id: idOf(index) ?? newId("msg"),
          conversationId: id,
          parentId: idOf(parent),
          position: index + 1,
          role,
          status: "complete",
          parts: textPart(text),
          model: role === "assistant" ? model : null,
          createdAt: at,
          finishedAt: at,
        });
      }
      const shown = idOf(conversation.shown);
      if (shown) setActiveMessage(tx, id, shown);
      insertImported(tx, { userId: actor.userId, source, conversationId: id, importId });
      return "stored";
      // After a power loss the import stores it again: its checkpoint is later.
    },
    { durable: false },
  );
}
