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

const Message = z.object({
  id: z.string().max(200),
  parentId: OptionalId,
  role: z.string(),
  content: z.union([z.string(), z.array(z.unknown())]).catch(""),
  model: OptionalId,
  timestamp: z.unknown().optional(),
  files: OptionalList,
});
type Message = z.infer<typeof Message>;

/** A chat's messages by id; `messages` beside them has the shown branch again. */
const Chat = z.object({
  id: OptionalId,
  title: OptionalText,
  created_at: z.unknown().optional(),
  updated_at: z.unknown().optional(),
  chat: z.object({
    title: OptionalText,
    models: z.array(z.string().max(200)).catch([]).default([]),
    history: z.object({
      messages: z.record(z.string(), z.unknown()),
      currentId: OptionalId,
    }),
  }),
});

const TextPart = z.object({ type: z.literal("text"), text: z.string() });

/** Thoughts, calls of tools and their results are folded into the answer's text. */
const DETAILS = /<details type="(?:reasoning|tool_calls|code_interpreter)"/g;
const END = "</details>";

function withoutDetails(content: string, leftOut: Map<string, number>): string {
  const kept: string[] = [];
  let from = 0;
  for (const { index } of content.matchAll(DETAILS)) {
    if (index < from) continue;
    const end = content.indexOf(END, index);
    if (end < 0) break;
    count(leftOut, LEFT_OUT.tools);
    kept.push(content.slice(from, index));
    from = end + END.length;
  }
  return kept.join("") + content.slice(from);
}

function readMessage(message: Message, leftOut: Map<string, number>): ExportedMessage | undefined {
  const { role, content, model, timestamp, files } = message;
  if (role !== "user" && role !== "assistant") return void count(leftOut, LEFT_OUT.tools);
  count(leftOut, LEFT_OUT.attachments, files.length);
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const texts = parts.flatMap((part) => TextPart.safeParse(part).data?.text ?? []);
  count(leftOut, LEFT_OUT.attachments, parts.length - texts.length);
  return {
    role,
    text: withoutDetails(texts.join("\n\n"), leftOut),
    model: role === "assistant" ? (model ?? null) : null,
    createdAt: timeOf(timestamp),
  };
}

function readChat({ id: source, title, created_at, updated_at, chat }: z.infer<typeof Chat>) {
  const leftOut = new Map<string, number>();
  const nodes = new Map<string, ExportNode>();
  for (const value of Object.values(chat.history.messages)) {
    const { data } = Message.safeParse(value);
    if (data) {
      const message = readMessage(data, leftOut);
      nodes.set(data.id, { id: data.id, parent: data.parentId ?? null, message });
    } else count(leftOut, LEFT_OUT.tools);
  }
  const imported = keepTree(nodes, chat.history.currentId, leftOut);
  return {
    source: source ? `open-webui:${source}` : undefined,
    title: title || chat.title || "",
    model: modelOf(imported.messages) ?? chat.models[0] ?? null,
    createdAt: timeOf(created_at),
    updatedAt: timeOf(updated_at),
    ...imported,
    leftOut,
  } satisfies ImportedConversation;
}

export const openWebui = exportFormat(["chat"], Chat, readChat);
