import { transaction } from "~/core/db.server";
import { insertMessage } from "~/work/chat/chat.repo.server";
import { conversations } from "~db/schema";
import { ORG_ID } from "./database";

interface Said {
  role: "user" | "assistant";
  text: string;
  parts?: unknown[];
  /** Defaults to the previous message. */
  parentId?: string;
}

/** Adds a conversation with messages `msg_<id>_0`, `msg_<id>_1` and so on. */
export function addConversation(
  id: string,
  said: readonly Said[],
  more: Partial<typeof conversations.$inferInsert> = {},
): void {
  transaction((tx) => {
    tx.insert(conversations)
      .values({
        id,
        orgId: ORG_ID,
        userId: "usr_member",
        title: id,
        model: "m",
        createdAt: 1,
        updatedAt: 1,
        ...more,
      })
      .run();
  });
  addMessages(id, said);
}

export function addMessages(id: string, said: readonly Said[], from = 0): void {
  transaction((tx) => {
    for (const [index, { role, text, parts = [], parentId }] of said.entries()) {
      const n = from + index;
      insertMessage(tx, {
        id: `msg_${id}_${n}`,
        conversationId: id,
        ...(parentId ? { parentId } : {}),
        position: n + 1,
        role,
        status: "complete",
        parts: [...parts, { type: "text", id: "0", text }],
        createdAt: 1_000 + n,
        finishedAt: 1_000 + n,
      });
    }
  });
}
