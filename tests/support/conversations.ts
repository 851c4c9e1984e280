import { transaction } from "~/core/db.server";
import { insertMessage, updateMessage } from "~/work/chat/chat.repo.server";
import { putSummary } from "~/work/chat/context/summaries.repo.server";
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

/** Has a summary stand for messages of `addConversation` up to one of them. */
export function addSummary(id: string, upTo: number, text: string): void {
  const messageId = `msg_${id}_${upTo}`;
  const times = { createdAt: 1, editedAt: null, undoneAt: null };
  const row = { messageId, conversationId: id, text, model: "m", tokens: 9_870, documents: [] };
  transaction((tx) => putSummary(tx, { ...row, ...times }));
}

/** Has the answer of `addConversation` at a place say how full its model's context is. */
export function fillContext(id: string, at: number): void {
  const context = {
    length: 128_000,
    system: 412,
    tools: 2_310,
    passages: 8_950,
    summary: 640,
    turns: 61_200,
  };
  const metrics = {
    inputTokens: 1,
    outputTokens: 1,
    costMicros: 0,
    firstTokenMs: 1,
    durationMs: 1,
    steps: 1,
  };
  transaction((tx) =>
    updateMessage(tx, `msg_${id}_${at}`, { model: "gpt-4o", metrics: { ...metrics, context } }),
  );
}
