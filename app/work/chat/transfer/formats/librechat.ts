import { z } from "zod";
import {
  count,
  type ExportedMessage,
  type ImportedConversation,
  LEFT_OUT,
  modelOf,
  timeOf,
} from "../imported-conversation";
import { type ExportNode, keepTree } from "../keep-tree";
import { exportFormat, OptionalId, OptionalList, OptionalText } from "./format";

const LibreChatMessage = z.object({
  messageId: z.string().max(200),
  parentMessageId: OptionalId,
  text: OptionalText,
  content: OptionalList,
  isCreatedByUser: z.boolean(),
  createdAt: z.unknown().optional(),
  model: OptionalId,
  files: OptionalList,
});
type LibreChatMessage = z.infer<typeof LibreChatMessage>;

/** Messages in a list with parents, or nested as `children`; a recursive export calls them `messagesTree`. */
const LibreChatConversation = z
  .object({
    conversationId: z.string().max(200),
    title: OptionalText,
    createdAt: z.unknown().optional(),
    updatedAt: z.unknown().optional(),
    options: z.object({ model: OptionalId }).optional().catch(undefined),
    messages: z.array(z.unknown()).optional(),
    messagesTree: z.array(z.unknown()).optional(),
  })
  .refine(({ messages, messagesTree }) => messages ?? messagesTree);

interface Listed {
  message: unknown;
  within: string | undefined;
}

const Nested = z.object({
  messageId: z.string().optional().catch(undefined),
  children: z.array(z.unknown()),
});

/** Flattens without recursion: nesting is unbounded. */
function flatten(messages: readonly unknown[]): Listed[] {
  const listed = (all: readonly unknown[], within?: string) =>
    all.toReversed().map((message): Listed => ({ message, within }));
  const waiting = listed(messages);
  const flat: Listed[] = [];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    flat.push(next);
    const { data } = Nested.safeParse(next.message);
    for (const child of listed(data?.children ?? [], data?.messageId)) waiting.push(child);
  }
  return flat;
}

const TextPart = z.object({
  type: z.literal("text"),
  text: z.union([z.string(), z.object({ value: z.string() }).transform(({ value }) => value)]),
});

function libreChatText({ text, content }: LibreChatMessage, leftOut: Map<string, number>): string {
  if (text?.trim()) return text;
  const parts = content.map((part) => TextPart.safeParse(part));
  count(leftOut, LEFT_OUT.tools, parts.filter(({ success }) => !success).length);
  return parts.flatMap(({ data }) => (data ? [data.text] : [])).join("\n\n");
}

function readLibreChat(conversation: z.infer<typeof LibreChatConversation>): ImportedConversation {
  const leftOut = new Map<string, number>();
  const byId = new Map<string, LibreChatMessage>();
  for (const { message: value, within } of flatten(
    conversation.messagesTree ?? conversation.messages ?? [],
  )) {
    const message = LibreChatMessage.safeParse(value);
    if (message.success)
      byId.set(message.data.messageId, {
        ...message.data,
        parentMessageId: within ?? message.data.parentMessageId,
      });
    else count(leftOut, LEFT_OUT.tools);
  }
  const parents = new Set([...byId.values()].map(({ parentMessageId }) => parentMessageId));
  const ids = [...byId.keys()];
  const last = ids.findLast((id) => !parents.has(id)) ?? ids.at(-1);
  const tree = [...byId].map(([id, message]): [string, ExportNode] => {
    count(leftOut, LEFT_OUT.attachments, message.files.length);
    const said: ExportedMessage = {
      role: message.isCreatedByUser ? "user" : "assistant",
      text: libreChatText(message, leftOut),
      model: message.isCreatedByUser ? null : (message.model ?? null),
      createdAt: timeOf(message.createdAt),
    };
    return [id, { id, parent: message.parentMessageId ?? null, message: said }];
  });
  const imported = keepTree(new Map(tree), last, leftOut);
  const { messages } = imported;
  return {
    source: `librechat:${conversation.conversationId}`,
    title: conversation.title ?? "",
    model: conversation.options?.model ?? modelOf(messages),
    createdAt: timeOf(conversation.createdAt) ?? messages[0]?.createdAt ?? null,
    updatedAt: timeOf(conversation.updatedAt) ?? messages.at(-1)?.createdAt ?? null,
    ...imported,
    leftOut,
  };
}

export const librechat = exportFormat(["messages", "messagesTree"], LibreChatConversation, readLibreChat);
