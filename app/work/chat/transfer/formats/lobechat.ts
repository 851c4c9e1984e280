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

const id = z.string().max(200);

const Message = z.object({
  id,
  role: z.string(),
  content: OptionalText,
  parentId: OptionalId,
  sessionId: OptionalId,
  topicId: OptionalId,
  model: OptionalId,
  fromModel: OptionalId,
  createdAt: z.unknown().optional(),
});
type Message = z.infer<typeof Message>;

const Titled = z.object({
  id,
  title: OptionalText,
  meta: z.object({ title: OptionalText }).optional().catch(undefined),
});

const State = z.object({ messages: z.array(z.unknown()), sessions: OptionalList, topics: OptionalList });

/** Everything in one object: `state` of the browser's version, `data` of the server's. */
const Export = z.union([
  z.object({ exportType: z.string(), state: State }).transform(({ state }) => state),
  z.object({ mode: z.string(), data: State }).transform(({ data }) => data),
]);

function titlesOf(values: readonly unknown[]): Map<string, string> {
  const titled = values.flatMap((value) => Titled.safeParse(value).data ?? []);
  return new Map(titled.map(({ id, title, meta }) => [id, title || meta?.title || ""]));
}

function readMessage(message: Message, leftOut: Map<string, number>): ExportedMessage | undefined {
  const { role, content, createdAt, model, fromModel } = message;
  if (role !== "user" && role !== "assistant") return void count(leftOut, LEFT_OUT.tools);
  return {
    role,
    text: content ?? "",
    model: role === "assistant" ? (model ?? fromModel ?? null) : null,
    createdAt: timeOf(createdAt),
  };
}

/** A message without a known parent follows the one before it. */
function readTopic(
  source: string,
  title: string,
  messages: readonly Message[],
  leftOut: Map<string, number>,
) {
  const sorted = messages.toSorted((a, b) => (timeOf(a.createdAt) ?? 0) - (timeOf(b.createdAt) ?? 0));
  const nodes = new Map<string, ExportNode>();
  let before: string | null = null;
  for (const message of sorted) {
    const { id, parentId } = message;
    const parent: string | null = parentId && nodes.has(parentId) ? parentId : before;
    nodes.set(id, { id, parent, message: readMessage(message, leftOut) });
    before = id;
  }
  const imported = keepTree(nodes, before, leftOut);
  return {
    source,
    title,
    model: modelOf(imported.messages),
    createdAt: timeOf(sorted[0]?.createdAt),
    updatedAt: timeOf(sorted.at(-1)?.createdAt),
    ...imported,
    leftOut,
  } satisfies ImportedConversation;
}

function readLobeChat({ messages, sessions, topics }: z.infer<typeof State>): ImportedConversation[] {
  const unread = new Map<string, number>();
  const groups = new Map<string, { topic: string | null; session: string | null; messages: Message[] }>();
  for (const value of messages) {
    const { data } = Message.safeParse(value);
    if (!data) {
      count(unread, LEFT_OUT.tools);
      continue;
    }
    const { topicId: topic = null, sessionId: session = null } = data;
    // A session's messages outside of topics are a conversation of their own.
    const key = JSON.stringify(topic === null ? ["session", session ?? ""] : ["topic", topic]);
    const group = groups.get(key) ?? { topic, session, messages: [] };
    group.messages.push(data);
    groups.set(key, group);
  }
  const topicTitles = titlesOf(topics);
  const sessionTitles = titlesOf(sessions);
  return [...groups].map(([key, { topic, session, messages }], index) => {
    const title = topicTitles.get(topic ?? "") || sessionTitles.get(session ?? "") || "";
    return readTopic(`lobechat:${key}`, title, messages, index === 0 ? unread : new Map());
  });
}

export const lobechat = exportFormat(["exportType", "schemaHash"], Export, readLobeChat);
