import { z } from "zod";
import { parseWellFormed } from "~/core/well-formed";
import {
  count,
  type ExportedMessage,
  type ImportedConversation,
  LEFT_OUT,
  timeOf,
} from "./imported-conversation";
import { EXPORT_VERSION } from "./imports.schema";
import type { JsonElement } from "./json-elements";
import { type ExportNode, keepTree } from "./keep-tree";

const REFUSED = { "too-large": LEFT_OUT.large, "too-deep": LEFT_OUT.deep, "not-utf8": LEFT_OUT.encoding };

function parse(text: string): unknown {
  try {
    return parseWellFormed(text);
  } catch {
    return undefined;
  }
}

/** The conversation of an export's element, or why it is left out. */
export function readElement(element: JsonElement): ImportedConversation | { reason: string } {
  if ("refusal" in element) return { reason: REFUSED[element.refusal] };
  const value = parse(element.text);
  if (typeof value !== "object" || value === null) return { reason: LEFT_OUT.unreadable };
  const read = () => {
    if ("format" in value) {
      const own = OwnExport.safeParse(value);
      return own.success ? readOwnExport(own.data) : undefined;
    }
    if ("mapping" in value) {
      const chatGpt = ChatGptConversation.safeParse(value);
      return chatGpt.success ? readChatGpt(chatGpt.data) : undefined;
    }
    const libreChat = LibreChatConversation.safeParse(value);
    return libreChat.success ? readLibreChat(libreChat.data) : undefined;
  };
  const conversation = read();
  if (!conversation) {
    const isKnown = ["format", "mapping", "messages", "messagesTree"].some((member) => member in value);
    return { reason: isKnown ? LEFT_OUT.unreadable : LEFT_OUT.unknown };
  }
  return conversation.messages.length > 0 ? conversation : { reason: LEFT_OUT.none };
}

const ChatGptMessage = z.object({
  author: z.object({ role: z.string() }),
  create_time: z.unknown().optional(),
  content: z.object({ content_type: z.string(), parts: z.array(z.unknown()).optional() }),
  metadata: z
    .object({ model_slug: z.string().max(200).optional().catch(undefined) })
    .optional()
    .catch(undefined),
  recipient: z.string().optional().catch(undefined),
});
type ChatGptMessage = z.infer<typeof ChatGptMessage>;

const ChatGptNode = z.object({
  message: ChatGptMessage.nullable().optional().catch(null),
  parent: z.string().nullable().optional().catch(null),
});

const ChatGptConversation = z.object({
  title: z.string().nullable().optional().catch(null),
  create_time: z.unknown().optional(),
  update_time: z.unknown().optional(),
  mapping: z.record(z.string(), z.unknown()),
  current_node: z.string().nullable().optional().catch(null),
  conversation_id: z.string().max(200).optional().catch(undefined),
  id: z.string().max(200).optional().catch(undefined),
});

type Nodes = Map<string, z.infer<typeof ChatGptNode>>;

/** For exports that don't say which branch is shown. */
function newestLeaf(nodes: Nodes): string | undefined {
  const parents = new Set([...nodes.values()].map(({ parent }) => parent));
  let newest: { id: string; time: number } | undefined;
  for (const [id, { message }] of nodes) {
    const time = timeOf(message?.create_time) ?? 0;
    if (message && !parents.has(id) && (!newest || time >= newest.time)) newest = { id, time };
  }
  return newest?.id ?? [...nodes.keys()].at(-1);
}

function readChatGptMessage(
  { author, content, create_time, metadata, recipient }: ChatGptMessage,
  leftOut: Map<string, number>,
): ExportedMessage | undefined {
  const { role } = author;
  const isText = content.content_type === "text" || content.content_type === "multimodal_text";
  const isCall = recipient !== undefined && recipient !== "all";
  if ((role !== "user" && role !== "assistant") || !isText || isCall) {
    count(leftOut, LEFT_OUT.tools);
    return undefined;
  }
  const parts = content.parts ?? [];
  const texts = parts.filter((part) => typeof part === "string");
  count(leftOut, LEFT_OUT.attachments, parts.length - texts.length);
  return {
    role,
    text: texts.join("\n\n"),
    model: metadata?.model_slug ?? null,
    createdAt: timeOf(create_time),
  };
}

function readChatGpt(conversation: z.infer<typeof ChatGptConversation>): ImportedConversation {
  const leftOut = new Map<string, number>();
  const nodes: Nodes = new Map();
  for (const [id, value] of Object.entries(conversation.mapping)) {
    const node = ChatGptNode.safeParse(value);
    if (node.success) nodes.set(id, node.data);
    else count(leftOut, LEFT_OUT.tools);
  }
  const { current_node: current } = conversation;
  const last = current && nodes.has(current) ? current : newestLeaf(nodes);
  const tree = [...nodes].map(([id, { message, parent }]): [string, ExportNode] => [
    id,
    { id, parent: parent ?? null, message: message ? readChatGptMessage(message, leftOut) : undefined },
  ]);
  const imported = keepTree(new Map(tree), last, leftOut);
  const id = conversation.conversation_id ?? conversation.id;
  return {
    source: id ? `chatgpt:${id}` : undefined,
    title: conversation.title ?? "",
    model: imported.messages.findLast(({ model }) => model)?.model ?? null,
    createdAt: timeOf(conversation.create_time),
    updatedAt: timeOf(conversation.update_time),
    ...imported,
    leftOut,
  };
}

const LibreChatMessage = z.object({
  messageId: z.string().max(200),
  parentMessageId: z.string().max(200).nullable().optional().catch(null),
  text: z.string().nullable().optional().catch(null),
  content: z.array(z.unknown()).optional().catch(undefined),
  isCreatedByUser: z.boolean(),
  createdAt: z.unknown().optional(),
  model: z.string().max(200).nullable().optional().catch(null),
  files: z.array(z.unknown()).optional().catch(undefined),
});
type LibreChatMessage = z.infer<typeof LibreChatMessage>;

/** Messages in a list with parents, or nested as `children`; a recursive export calls them `messagesTree`. */
export const LibreChatConversation = z
  .object({
    conversationId: z.string().max(200),
    title: z.string().nullable().optional().catch(null),
    createdAt: z.unknown().optional(),
    updatedAt: z.unknown().optional(),
    options: z
      .object({ model: z.string().max(200).nullable().optional().catch(null) })
      .optional()
      .catch(undefined),
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
  const parts = (content ?? []).map((part) => TextPart.safeParse(part));
  count(leftOut, LEFT_OUT.tools, parts.filter(({ success }) => !success).length);
  return parts.flatMap(({ data }) => (data ? [data.text] : [])).join("\n\n");
}

export function readLibreChat(conversation: z.infer<typeof LibreChatConversation>): ImportedConversation {
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
    count(leftOut, LEFT_OUT.attachments, message.files?.length ?? 0);
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
    model: conversation.options?.model ?? messages.findLast(({ model }) => model)?.model ?? null,
    createdAt: timeOf(conversation.createdAt) ?? messages[0]?.createdAt ?? null,
    updatedAt: timeOf(conversation.updatedAt) ?? messages.at(-1)?.createdAt ?? null,
    ...imported,
    leftOut,
  };
}

const OwnPart = z.object({ type: z.string().max(40), text: z.string().optional() });

const OwnExport = z.object({
  format: z.literal(EXPORT_VERSION),
  title: z.string(),
  model: z.string().max(200),
  createdAt: z.string().max(40),
  updatedAt: z.string().max(40),
  active: z.string().max(100).nullish(),
  messages: z.array(
    z.object({
      id: z.string().max(100),
      parent: z.string().max(100).nullable(),
      role: z.enum(["user", "assistant"]),
      model: z.string().max(200).nullable(),
      timestamp: z.string().max(40),
      parts: z.array(OwnPart),
    }),
  ),
});

/** Text only: tool results aren't evidence in another installation. */
function readOwnExport(conversation: z.infer<typeof OwnExport>): ImportedConversation {
  const { title, model, createdAt, updatedAt, active, messages } = conversation;
  const leftOut = new Map<string, number>();
  const nodes = messages.map(({ id, parent, role, model, timestamp, parts }): ExportNode => {
    const texts = parts.flatMap(({ type, text }) => (type === "text" && text ? [text] : []));
    count(leftOut, LEFT_OUT.tools, parts.filter(({ type }) => type === "tool").length);
    const message = { role, model, text: texts.join("\n\n"), createdAt: timeOf(timestamp) };
    return { id, parent, message };
  });
  return {
    source: undefined,
    title,
    model,
    createdAt: timeOf(createdAt),
    updatedAt: timeOf(updatedAt),
    ...keepTree(new Map(nodes.map((node) => [node.id, node])), active ?? nodes.at(-1)?.id, leftOut),
    leftOut,
  };
}
