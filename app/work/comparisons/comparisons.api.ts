import { z } from "zod";
import { CursorParam } from "~/platform/catalogue/fields.schema";
import { created, endpoint, endpoints, events, nothing, page } from "~/platform/endpoint/endpoint.shared";
import { Conversation } from "~/work/chat/chat.schema";
import { readConversation } from "~/work/chat/conversations.service.server";
import {
  Comparison,
  ComparisonInput,
  ComparisonSummary,
  ContinueInput,
  Difference,
} from "./comparisons.schema";
import {
  continueInChat,
  createComparison,
  deleteComparison,
  followComparison,
  hasMore,
  listComparisons,
  readComparison,
  stopComparison,
} from "./comparisons.service.server";
import { findDifferences } from "./differences.service.server";

const params = z.object({ comparison: z.string().max(100) });
const Position = z.string().max(100);

export const comparisonsApi = endpoints("Comparisons", [
  endpoint({
    method: "POST",
    path: "/api/ai/comparisons/{comparison}/continue",
    summary: "Continue one of its answers as a chat conversation",
    description: "The conversation is a copy: the comparison stays as it is.",
    access: "chat.use",
    params,
    body: ContinueInput,
    response: Conversation,
    status: 201,
    handle: async ({ actor, params, body }) => {
      const id = await continueInChat(actor, params.comparison, body.conversationId);
      return created(readConversation(actor, id), `/api/ai/conversations/${id}`);
    },
  }),
  endpoint({
    method: "POST",
    path: "/api/ai/comparisons/{comparison}/stop",
    summary: "Stop its running answers, also at the providers",
    description: "Stop a single answer like a conversation's answer.",
    access: "chat.use",
    params,
    status: 204,
    handle: ({ actor, params: { comparison } }) => stopComparison(actor, comparison),
  }),
  endpoint({
    method: "GET",
    path: "/api/ai/comparisons/{comparison}/differences",
    summary: "How the texts of its other answers differ from one of them, by words",
    description: "Lists the answers that have ended with a text. 409 if the base hasn't.",
    access: "chat.use",
    params,
    query: z.object({ base: z.string().max(100).describe("The base's `conversationId`") }),
    response: z.array(Difference),
    handle: ({ actor, params: { comparison }, query: { base } }) => findDifferences(actor, comparison, base),
  }),
  endpoint({
    method: "GET",
    path: "/api/ai/comparisons/{comparison}/stream",
    summary: "Stream all of its answers",
    description:
      "Server-sent events `{ column, chunk }`: `column` counts from 0, `chunk` is one of the chat's stream. Each " +
      "event's id is a position, the last event of every column joined by dots; the stream resumes after " +
      "`Last-Event-ID`, or after the query's `after` if a first request has no header. 204 when nothing " +
      "comes after it.",
    access: "chat.use",
    params,
    query: z.object({ after: Position.default("").describe("The columns' last event ids, joined by dots") }),
    otherStatuses: [204],
    produces: "text/event-stream",
    handle: ({ actor, params, query, headers }) => {
      const after = headers.get("last-event-id") ?? query.after;
      const { comparison } = params;
      // Before the stream begins, which can't become a 204.
      if (!hasMore(actor, comparison, after)) return nothing();
      return events((sink) => {
        const leave = followComparison(actor, comparison, after, (event, interruption) => {
          if (event) return sink.send(`{"column":${event.column},"chunk":${event.json}}`, event.position);
          if (interruption === undefined) sink.send("[DONE]");
          sink.close();
        });
        if (!leave) sink.close();
        return leave ?? (() => {});
      });
    },
  }),
  endpoint({
    method: "GET",
    path: "/api/ai/comparisons/{comparison}",
    summary: "Get a comparison with its answers, including the text of running ones so far",
    access: "chat.use",
    params,
    response: Comparison,
    handle: ({ actor, params: { comparison } }) => readComparison(actor, comparison),
  }),
  endpoint({
    method: "DELETE",
    path: "/api/ai/comparisons/{comparison}",
    summary: "Delete a comparison and its answers",
    description: "Running answers are stopped. Conversations continued in the chat are kept.",
    access: "chat.use",
    params,
    status: 204,
    handle: ({ actor, params: { comparison } }) => deleteComparison(actor, comparison),
  }),
  endpoint({
    method: "GET",
    path: "/api/ai/comparisons",
    summary: "List your comparisons, newest first",
    access: "chat.use",
    query: z.object({
      limit: z.coerce.number().int().min(1).max(200).default(50),
      cursor: CursorParam,
    }),
    response: z.array(ComparisonSummary),
    handle: ({ actor, query }) => {
      const { comparisons, next } = listComparisons(actor, query);
      return page(comparisons, next);
    },
  }),
  endpoint({
    method: "POST",
    path: "/api/ai/comparisons",
    summary: "Run one prompt on two to four models",
    description:
      "Returns at once while the models keep writing. Each answer is its own conversation, which the chat " +
      "doesn't list. Get the comparison or its stream for the answers.",
    access: "chat.use",
    body: ComparisonInput,
    response: Comparison,
    status: 201,
    handle: async ({ actor, body }) => {
      const comparison = await createComparison(actor, body);
      return created(comparison, `/api/ai/comparisons/${comparison.id}`);
    },
  }),
]);
