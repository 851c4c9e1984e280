import { type ZodType, z } from "zod";
import { untilAborted } from "~/core/abort";
import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import { clip } from "~/core/well-formed";
import { sendMessage } from "~/work/chat/chat.service.server";
import {
  followAnswer,
  listOwnConversations,
  readConversation,
} from "~/work/chat/conversations.service.server";
import { SearchInput } from "~/work/search/search.schema";
import { searchDocuments } from "~/work/search/search.service.server";
import { runWorkflow } from "~/work/workflows/runs.service.server";

/** In characters. */
const TEXT_LIMIT = 60_000;
const MESSAGE_LIMIT = 8000;

interface ConsoleTool<Input extends ZodType = ZodType> {
  name: string;
  title: string;
  description: string;
  readOnly: boolean;
  input: Input;
  run(actor: Actor, input: z.output<Input>, signal: AbortSignal): Promise<unknown>;
}

const define = <Input extends ZodType>(tool: ConsoleTool<Input>) => tool as unknown as ConsoleTool;

/** Resolves when the answer has ended. */
function untilAnswered(
  actor: Actor,
  conversationId: string,
  after: number,
  signal: AbortSignal,
): Promise<void> {
  const answered = new Promise<void>((resolve, reject) => {
    const unsubscribe = followAnswer(actor, conversationId, after, (event, interruption) => {
      if (interruption !== undefined) reject(new AppError("unavailable", interruption));
      else if (event === undefined) resolve();
    });
    if (!unsubscribe) resolve();
  });
  return untilAborted(answered, signal).catch((error: unknown) => {
    throw signal.aborted ? new AppError("cancelled", "The call was stopped. The answer continues.") : error;
  });
}

/** Services check rights and scopes, and audit. */
export const consoleTools: readonly ConsoleTool[] = [
  define({
    name: "search_documents",
    title: "Search documents",
    description: "Searches the organization's documents and returns the best passages with their sources.",
    readOnly: true,
    input: z.object({ query: SearchInput.shape.query, topK: z.number().int().min(1).max(20).default(5) }),
    async run(actor, input, signal) {
      const { results } = await searchDocuments(actor, SearchInput.parse(input), signal);
      return results.map(({ score, content, metadata }) => ({
        score,
        content,
        title: metadata.title,
        source: metadata.source,
      }));
    },
  }),
  define({
    name: "ask_persona",
    title: "Ask a persona",
    description:
      "Sends a message to a persona, or without one to the default model, and returns the whole answer.",
    readOnly: false,
    input: z.object({
      message: z.string().trim().min(1).max(20_000),
      persona: z.string().max(200).optional().describe("Name or id of the persona"),
      conversationId: z.string().max(100).optional().describe("Continues a conversation"),
    }),
    async run(actor, { message, persona, conversationId }, signal) {
      const begun = await sendMessage(actor, {
        messages: [{ role: "user", content: message }],
        maxSteps: 5,
        ...(persona && { persona }),
        ...(conversationId && { conversationId }),
      });
      await untilAnswered(actor, begun.conversationId, begun.lastEventId, signal);
      const answer = readConversation(actor, begun.conversationId).messages.at(-1);
      if (!answer?.content)
        throw new AppError(
          "unprocessable",
          answer?.error ??
            `The answer is empty. Read the conversation ${begun.conversationId} for the reason.`,
        );
      return { conversationId: begun.conversationId, answer: answer.content };
    },
  }),
  define({
    name: "run_workflow",
    title: "Run a workflow",
    description:
      "Starts a workflow by its id with a JSON payload and returns the run, which continues by itself.",
    readOnly: false,
    input: z.object({
      id: z.string().min(1).max(64),
      payload: z.record(z.string(), z.unknown()).default({}),
    }),
    run: (actor, { id, payload }) => runWorkflow(actor, id, payload),
  }),
  define({
    name: "list_conversations",
    title: "List conversations",
    description: "Lists the token owner's own conversations, the last used first.",
    readOnly: true,
    input: z.object({ limit: z.number().int().min(1).max(50).default(20) }),
    run: async (actor, { limit }) => listOwnConversations(actor, { limit }).conversations,
  }),
  define({
    name: "read_conversation",
    title: "Read a conversation",
    description: "Reads one of the token owner's own conversations by its id.",
    readOnly: true,
    input: z.object({ id: z.string().min(1).max(64) }),
    async run(actor, { id }) {
      const { title, messages } = readConversation(actor, id);
      const texts = messages.map(({ role, content }) => ({ role, content: clip(content, MESSAGE_LIMIT) }));
      return { title, messages: texts };
    },
  }),
];

/** Bounded JSON for a model. */
export const toText = (value: unknown): string => clip(JSON.stringify(value, null, 2) ?? "null", TEXT_LIMIT);
