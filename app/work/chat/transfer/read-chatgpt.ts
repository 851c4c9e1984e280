import { z } from "zod";
import {
  count,
  type ExportedMessage,
  type ImportedConversation,
  LEFT_OUT,
  timeOf,
} from "./imported-conversation";
import { type ExportNode, keepTree } from "./keep-tree";

const Message = z.object({
  author: z.object({ role: z.string() }),
  create_time: z.unknown().optional(),
  content: z.object({ content_type: z.string(), parts: z.array(z.unknown()).optional() }),
  metadata: z
    .object({ model_slug: z.string().max(200).optional().catch(undefined) })
    .optional()
    .catch(undefined),
  recipient: z.string().optional().catch(undefined),
});
type Message = z.infer<typeof Message>;

const Node = z.object({
  message: Message.nullable().optional().catch(null),
  parent: z.string().nullable().optional().catch(null),
});

export const ChatGptConversation = z.object({
  title: z.string().nullable().optional().catch(null),
  create_time: z.unknown().optional(),
  update_time: z.unknown().optional(),
  mapping: z.record(z.string(), z.unknown()),
  current_node: z.string().nullable().optional().catch(null),
  conversation_id: z.string().max(200).optional().catch(undefined),
  id: z.string().max(200).optional().catch(undefined),
});

type Nodes = Map<string, z.infer<typeof Node>>;

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

function toMessage(
  { author, content, create_time, metadata, recipient }: Message,
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

export function readChatGpt(conversation: z.infer<typeof ChatGptConversation>): ImportedConversation {
  const leftOut = new Map<string, number>();
  const nodes: Nodes = new Map();
  for (const [id, value] of Object.entries(conversation.mapping)) {
    const node = Node.safeParse(value);
    if (node.success) nodes.set(id, node.data);
    else count(leftOut, LEFT_OUT.tools);
  }
  const { current_node: current } = conversation;
  const last = current && nodes.has(current) ? current : newestLeaf(nodes);
  const tree = [...nodes].map(([id, { message, parent }]): [string, ExportNode] => [
    id,
    { id, parent: parent ?? null, message: message ? toMessage(message, leftOut) : undefined },
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
