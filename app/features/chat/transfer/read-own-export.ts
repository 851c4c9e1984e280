import { z } from "zod";
import { EXPORT_VERSION } from "./export.schema";
import { count, type ImportedConversation, keepMessages, LEFT_OUT, timeOf } from "./imported-conversation";

const Part = z.object({ type: z.string().max(40), text: z.string().optional() });

/** A conversation of this console's own export. */
export const OwnExport = z.object({
  format: z.literal(EXPORT_VERSION),
  title: z.string(),
  model: z.string().max(200),
  createdAt: z.string().max(40),
  updatedAt: z.string().max(40),
  messages: z.array(
    z.object({
      id: z.string().max(100),
      role: z.enum(["user", "assistant"]),
      model: z.string().max(200).nullable(),
      timestamp: z.string().max(40),
      parts: z.array(Part),
    }),
  ),
});

/** Text alone: what tools returned is not evidence in another installation. */
export function readOwnExport(conversation: z.infer<typeof OwnExport>): ImportedConversation {
  const leftOut = new Map<string, number>();
  const messages = conversation.messages.map(({ role, model, timestamp, parts }) => {
    const texts = parts.flatMap(({ type, text }) => (type === "text" && text ? [text] : []));
    count(leftOut, LEFT_OUT.tools, parts.filter(({ type }) => type === "tool").length);
    return { role, model, text: texts.join("\n\n"), createdAt: timeOf(timestamp) };
  });
  const { title, model, createdAt, updatedAt } = conversation;
  return {
    source: undefined,
    title,
    model,
    createdAt: timeOf(createdAt),
    updatedAt: timeOf(updatedAt),
    messages: keepMessages(messages, leftOut),
    leftOut,
  };
}
