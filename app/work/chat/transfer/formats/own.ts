import { z } from "zod";
import { count, type ImportedConversation, LEFT_OUT, timeOf } from "../imported-conversation";
import { EXPORT_VERSION } from "../imports.schema";
import { type ExportNode, keepTree } from "../keep-tree";
import { exportFormat } from "./format";

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
    count(leftOut, LEFT_OUT.attachments, parts.filter(({ type }) => type === "file").length);
    const message = { role, model, text: texts.join("\n\n"), createdAt: timeOf(timestamp) };
    return { id, parent, message };
  });
  return {
    source: undefined,
    title,
    model,
    createdAt: timeOf(createdAt),
    updatedAt: timeOf(updatedAt),
    ...keepTree(new Map(nodes.map((node) => [node.id, node])), active, leftOut),
    leftOut,
  };
}

export const own = exportFormat(["format"], OwnExport, readOwnExport);
