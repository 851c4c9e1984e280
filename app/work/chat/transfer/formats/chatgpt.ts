import { z } from "zod";
import { parseWellFormed } from "~/core/well-formed";
import {
  count,
  type ExportedMessage,
  type ImportedConversation,
  LEFT_OUT,
  modelOf,
  timeOf,
} from "../imported-conversation";
import { type ExportNode, keepTree } from "../keep-tree";
import { codeBlock } from "../markdown-text";
import { linkCitations } from "./chatgpt-citations";
import { exportFormat, OptionalId, OptionalList, OptionalText } from "./format";

const ChatGptMessage = z.object({
  author: z.object({ role: z.string() }),
  create_time: z.unknown().optional(),
  content: z.object({
    content_type: z.string(),
    parts: z.array(z.unknown()).optional(),
    text: z.string().optional().catch(undefined),
  }),
  metadata: z
    .object({
      model_slug: OptionalId,
      is_visually_hidden_from_conversation: z.boolean().optional().catch(undefined),
      content_references: OptionalList,
      citations: OptionalList,
    })
    .optional()
    .catch(undefined),
  recipient: z.string().optional().catch(undefined),
});
type ChatGptMessage = z.infer<typeof ChatGptMessage>;

const ChatGptNode = z.object({
  message: ChatGptMessage.nullable().optional().catch(null),
  parent: OptionalText,
});

const ChatGptConversation = z.object({
  title: OptionalText,
  create_time: z.unknown().optional(),
  update_time: z.unknown().optional(),
  mapping: z.record(z.string(), z.unknown()),
  current_node: OptionalText,
  conversation_id: OptionalId,
  id: OptionalId,
});

/** What a call of the canvas has written. */
const Created = z.object({ type: z.string().catch("document"), content: z.string() });

/** A rewrite of the whole document; others are patterns of a stranger, which aren't run. */
const Rewritten = z.object({
  updates: z.tuple([z.object({ pattern: z.literal(".*"), replacement: z.string() })]),
});

/** Whether a message goes to the canvas, such as to `canmore.create_textdoc`. */
const isCanvas = (recipient: string): boolean => recipient.startsWith("canmore.");

/** The document that a call wrote to the canvas; undefined for comments and partial edits. */
function readCanvas(call: unknown): string | undefined {
  if (typeof call !== "string") return undefined;
  let value: unknown;
  try {
    value = parseWellFormed(call);
  } catch {
    return undefined;
  }
  const created = Created.safeParse(value).data;
  const language = /^code\/(.+)$/.exec(created?.type ?? "")?.[1];
  if (created) return language === undefined ? created.content : codeBlock(created.content, language);
  return Rewritten.safeParse(value).data?.updates[0].replacement;
}

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

/** What was said in a voice talk is beside its recording. */
const Transcript = z.object({ content_type: z.literal("audio_transcription"), text: z.string() });

function textOf(part: unknown): string | undefined {
  return typeof part === "string" ? part : Transcript.safeParse(part).data?.text;
}

function readText({ content, metadata }: ChatGptMessage, leftOut: Map<string, number>): string {
  const parts = content.parts ?? [];
  const texts = parts.map(textOf).filter((text) => text !== undefined);
  count(leftOut, LEFT_OUT.attachments, parts.length - texts.length);
  const { content_references: references = [], citations = [] } = metadata ?? {};
  return linkCitations(texts.join("\n\n"), references, citations);
}

const Role = z.enum(["user", "assistant"]);

function readMessage(message: ChatGptMessage, leftOut: Map<string, number>): ExportedMessage | undefined {
  const { author, content, create_time, metadata, recipient = "all" } = message;
  const role = Role.safeParse(author.role).data;
  const isText = content.content_type === "text" || content.content_type === "multimodal_text";
  const skip = (reason: string) => void count(leftOut, reason);
  if (!role) return skip(LEFT_OUT.tools);
  if (metadata?.is_visually_hidden_from_conversation) return skip(LEFT_OUT.hidden);
  const said = { role, model: metadata?.model_slug ?? null, createdAt: timeOf(create_time) };
  if (isCanvas(recipient)) {
    const text = readCanvas(content.text ?? content.parts?.[0]);
    return text === undefined ? skip(LEFT_OUT.edits) : { ...said, text };
  }
  if (!isText || recipient !== "all") return skip(LEFT_OUT.tools);
  return { ...said, text: readText(message, leftOut) };
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
    { id, parent: parent ?? null, message: message ? readMessage(message, leftOut) : undefined },
  ]);
  const imported = keepTree(new Map(tree), last, leftOut);
  const id = conversation.conversation_id ?? conversation.id;
  return {
    source: id ? `chatgpt:${id}` : undefined,
    title: conversation.title ?? "",
    model: modelOf(imported.messages),
    createdAt: timeOf(conversation.create_time),
    updatedAt: timeOf(conversation.update_time),
    ...imported,
    leftOut,
  };
}

export const chatgpt = exportFormat(["mapping"], ChatGptConversation, readChatGpt);
