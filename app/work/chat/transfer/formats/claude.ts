import { z } from "zod";
import {
  count,
  type ExportedMessage,
  type ImportedConversation,
  LEFT_OUT,
  timeOf,
} from "../imported-conversation";
import { type ExportNode, keepTree } from "../keep-tree";
import { codeBlock } from "../markdown-text";
import { exportFormat, OptionalId, OptionalList, OptionalText } from "./format";

const Message = z.object({
  uuid: z.string().max(200),
  parent_message_uuid: OptionalId,
  sender: z.enum(["human", "assistant"]),
  text: z.string().catch("").default(""),
  content: OptionalList,
  attachments: OptionalList,
  files: OptionalList,
  created_at: z.unknown().optional(),
});
type Message = z.infer<typeof Message>;

const Conversation = z.object({
  uuid: z.string().max(200),
  name: OptionalText,
  model: OptionalId,
  created_at: z.unknown().optional(),
  updated_at: z.unknown().optional(),
  current_leaf_message_uuid: OptionalId,
  chat_messages: z.array(z.unknown()),
});

const TextBlock = z.object({ type: z.enum(["text", "voice_note"]), text: z.string() });

const ArtifactBlock = z.object({
  type: z.literal("tool_use"),
  name: z.literal("artifacts"),
  input: z.object({
    type: OptionalText,
    language: OptionalText,
    content: z.string(),
  }),
});

const CODE = "application/vnd.ant.code";

/** Text, and the artifacts that were written whole; other blocks are counted. */
function textOf(block: unknown, leftOut: Map<string, number>): string[] {
  const text = TextBlock.safeParse(block).data?.text;
  if (text !== undefined) return [text];
  const artifact = ArtifactBlock.safeParse(block).data?.input;
  if (!artifact) {
    count(leftOut, LEFT_OUT.tools);
    return [];
  }
  const { type, language, content } = artifact;
  if (!type || type === "text/markdown") return [content];
  return [codeBlock(content, (type === CODE ? language : type.split(/[/+]/)[1]) ?? "")];
}

function readMessage(message: Message, leftOut: Map<string, number>): ExportedMessage {
  const { sender, text, content, attachments, files, created_at } = message;
  count(leftOut, LEFT_OUT.attachments, attachments.length + files.length);
  // `text` has remarks in place of other blocks.
  const texts = content.length > 0 ? content.flatMap((block) => textOf(block, leftOut)) : [text];
  return {
    role: sender === "human" ? "user" : "assistant",
    text: texts.join("\n\n"),
    model: null,
    createdAt: timeOf(created_at),
  };
}

function readClaude(conversation: z.infer<typeof Conversation>): ImportedConversation {
  const leftOut = new Map<string, number>();
  const nodes = new Map<string, ExportNode>();
  let before: string | null = null;
  for (const value of conversation.chat_messages) {
    const { data } = Message.safeParse(value);
    if (!data) {
      count(leftOut, LEFT_OUT.tools);
      continue;
    }
    // Older exports are lists without parents.
    const parent: string | null = data.parent_message_uuid ?? before;
    nodes.set(data.uuid, { id: data.uuid, parent, message: readMessage(data, leftOut) });
    before = data.uuid;
  }
  const { uuid, name, model, created_at, updated_at, current_leaf_message_uuid: leaf } = conversation;
  return {
    source: `claude:${uuid}`,
    title: name ?? "",
    model: model ?? null,
    createdAt: timeOf(created_at),
    updatedAt: timeOf(updated_at),
    ...keepTree(nodes, leaf, leftOut),
    leftOut,
  };
}

export const claude = exportFormat(["chat_messages"], Conversation, readClaude);
