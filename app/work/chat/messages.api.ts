import { z } from "zod";
import { QuestionAnswer } from "~/ai/tools/question.schema";
import type { Actor } from "~/core/actor";
import { parseWith } from "~/core/parse";
import { CursorParam } from "~/platform/catalogue/fields.schema";
import {
  type Answer,
  created,
  endpoint,
  endpoints,
  events,
  nothing,
  page,
  text,
} from "~/platform/endpoint/endpoint.shared";
import type { AnswerListener, StartedGeneration } from "./answer/active-generation.server";
import { DecisionInput } from "./approvals/approvals.schema";
import { decideCall } from "./approvals/approvals.service.server";
import {
  branchConversation,
  continueAnswer,
  editMessage,
  regenerateAnswer,
  selectVariant,
} from "./branches.service.server";
import {
  ChatMessage,
  ChatRequest,
  ContinueRequest,
  Conversation,
  EditRequest,
  FeedbackInput,
  MessageTarget,
  RegenerateRequest,
} from "./chat.schema";
import { sendMessage, stopAnswer } from "./chat.service.server";
import {
  conversationOfMessage,
  followAnswer,
  hasEventsAfter,
  listOwnMessages,
  readConversation,
} from "./conversations.service.server";
import { answerQuestion } from "./questions/questions.service.server";
import { Rating, RatingsQuery } from "./ratings.schema";
import { listRatings, rateAnswer } from "./ratings.service.server";
import { askTemporarily } from "./temporary/temporary.service.server";

const params = z.object({ conversation: z.string().max(100) });

const Decided = z.object({
  message: ChatMessage,
  lastEventId: z.number().int().describe("Resume the stream after this event if the message is `streaming`"),
});

const EventId = z.coerce.number().int().min(0).catch(0);

export type Follow = (listener: AnswerListener) => (() => void) | undefined;

/** The AI SDK's protocol version (https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol). */
const STREAM_VERSION = { "x-vercel-ai-ui-message-stream": "v1" };

/** A stream's last event: without an id and [DONE] if a restart cut it off, so that a client resumes. */
const lastEvent = (interruption: string | undefined): string =>
  interruption === undefined ? "[DONE]" : JSON.stringify({ type: "error", errorText: interruption });

const namedBy = (conversationId: string | undefined): Record<string, string> =>
  conversationId === undefined ? {} : { "X-Conversation-Id": conversationId };

function follows(follow: Follow, listener: AnswerListener, close: () => void): () => void {
  const stop = follow(listener);
  if (!stop) close();
  return stop ?? (() => {});
}

/** The AI SDK's UI message stream (v1) as server-sent events. */
const answerEvents = (conversationId: string | undefined, follow: Follow): Answer =>
  events(
    (sink) => {
      const listener: AnswerListener = (event, interruption) => {
        if (event) return sink.send(event.json, event.id);
        sink.send(lastEvent(interruption));
        sink.close();
      };
      return follows(follow, listener, sink.close);
    },
    { ...STREAM_VERSION, ...namedBy(conversationId) },
  );

function textListener(write: (text: string) => void, end: () => void, breakOff: () => void): AnswerListener {
  let begun = false;
  return (event, interruption) => {
    if (!event) return interruption === undefined ? end() : breakOff();
    const { chunk } = event;
    if (chunk.type === "text-start" && begun) write("\n\n");
    if (chunk.type === "text-delta" && chunk.delta) {
      begun = true;
      write(chunk.delta);
    }
    // After the headers an error can only go into the text.
    if (chunk.type === "error") write(`${begun ? "\n\n" : ""}${chunk.errorText}`);
  };
}

/** The answer's bare text; one that is cut off breaks the connection off. */
const answerText = (conversationId: string | undefined, follow: Follow): Answer =>
  text(
    "text/plain",
    (sink) => follows(follow, textListener(sink.write, sink.close, sink.breakOff), sink.close),
    namedBy(conversationId),
  );

/** Whether `Accept` prefers plain text. */
export function prefersText(accept: string | null): boolean {
  const weight = (type: string) => {
    for (const item of (accept ?? "").toLowerCase().split(",")) {
      const [name, ...parameters] = item.split(";").map((part) => part.trim());
      if (name !== type) continue;
      const quality = parameters.find((parameter) => parameter.startsWith("q="));
      return quality ? Number(quality.slice(2)) || 0 : 1;
    }
    return 0;
  };
  return weight("text/plain") > weight("text/event-stream");
}

/**
 * An answer as its reader prefers it by `Accept`: events, or bare text.
 * @param conversationId undefined for a temporary chat
 */
export function streamAnswer(
  conversationId: string | undefined,
  follow: Follow,
  accept: string | null,
): Answer {
  return prefersText(accept) ? answerText(conversationId, follow) : answerEvents(conversationId, follow);
}

/** @param started events after its last one are sent */
const resumeEvents = (
  actor: Actor,
  { conversationId, lastEventId }: Pick<StartedGeneration, "conversationId" | "lastEventId">,
): Answer =>
  answerEvents(conversationId, (listener) => followAnswer(actor, conversationId, lastEventId, listener));

export const messagesApi = endpoints("Chat", [
  endpoint({
    method: "POST",
    path: "/api/ai/chat",
    summary: "Send a message and stream the answer",
    description:
      "The answer is the AI SDK's UI message stream (v1) as server-sent events, or bare text where `Accept` prefers " +
      "text/plain. `X-Conversation-Id` is the conversation's id; a `temporary` chat has none. Disconnecting stops the " +
      "answer of a temporary chat, and no other.",
    access: "chat.use",
    body: ChatRequest,
    produces: "text/event-stream",
    handle: async ({ actor, body, headers }) => {
      const accept = headers.get("accept");
      if (body.temporary) return streamAnswer(undefined, await askTemporarily(actor, body), accept);
      // The response to the first request was lost.
      const sentIn = body.messageId && conversationOfMessage(actor, body.messageId);
      if (sentIn) return streamAnswer(sentIn, (listener) => followAnswer(actor, sentIn, 0, listener), accept);
      const { conversationId, lastEventId } = await sendMessage(actor, body);
      const follow: Follow = (listener) => followAnswer(actor, conversationId, lastEventId, listener);
      return streamAnswer(conversationId, follow, accept);
    },
  }),
  endpoint({
    method: "POST",
    path: "/api/ai/chat/{conversation}/answers",
    summary: "Answer or decline a question of a tool call",
    description:
      "A call that runs may ask you for values, or to open a link: its part has `questions`, and the stream the event " +
      "`data-tool-question`. The answer goes on as soon as you answer. 400 names the fields that don't fit by `content` " +
      "and their name; 409 if the question isn't open any more.",
    access: "chat.use",
    params,
    body: QuestionAnswer,
    status: 204,
    handle: async ({ actor, params, body }) => {
      await answerQuestion(actor, params.conversation, body);
      return nothing();
    },
  }),
  endpoint({
    method: "POST",
    path: "/api/ai/chat/{conversation}/approvals",
    summary: "Approve or refuse a tool call that waits",
    description:
      "A message has the status `waiting` and its calls the state `waiting` until each is decided. The answer then " +
      "continues in the same message: resume its stream. `input` replaces the call's arguments and must fit the " +
      "tool's schema. 409 if the call isn't waiting any more.",
    access: "chat.use",
    params,
    body: DecisionInput,
    response: Decided,
    handle: ({ actor, params, body }) => decideCall(actor, params.conversation, body),
  }),
  endpoint({
    method: "POST",
    path: "/api/ai/chat/{conversation}/continue",
    summary: "Go on with an answer that was cut off",
    description:
      "The stream begins with what there is of the answer, as another variant. 409 for one that is whole, or without " +
      "text and calls.",
    access: "chat.use",
    params,
    body: ContinueRequest,
    produces: "text/event-stream",
    handle: async ({ actor, params, body }) =>
      resumeEvents(actor, await continueAnswer(actor, params.conversation, body)),
  }),
  endpoint({
    method: "POST",
    path: "/api/ai/chat/{conversation}/edit",
    summary: "Change a user's message and stream its answer",
    description: "The message and what followed it are kept as a branch of their own.",
    access: "chat.use",
    params,
    body: EditRequest,
    produces: "text/event-stream",
    handle: async ({ actor, params, body }) =>
      resumeEvents(actor, await editMessage(actor, params.conversation, body)),
  }),
  endpoint({
    method: "POST",
    path: "/api/ai/chat/{conversation}/regenerate",
    summary: "Generate an answer again",
    description:
      "The answer there is stays as a variant. It is the last one unless `messageId` names another.",
    access: "chat.use",
    params,
    body: RegenerateRequest,
    produces: "text/event-stream",
    handle: async ({ actor, params, body }) =>
      resumeEvents(actor, await regenerateAnswer(actor, params.conversation, body)),
  }),
  endpoint({
    method: "POST",
    path: "/api/ai/chat/{conversation}/stop",
    summary: "Stop the running answer, also at the provider",
    access: "chat.use",
    params,
    status: 204,
    handle: async ({ actor, params }) => {
      await stopAnswer(actor, params.conversation);
      return nothing();
    },
  }),
  endpoint({
    method: "GET",
    path: "/api/ai/chat/{conversation}/stream",
    summary: "Resume a stream after `Last-Event-ID`",
    description:
      "Sends missed events, then new ones. 204 if there are none after that event: the answer is complete " +
      "and stored in the conversation.",
    access: "chat.use",
    params,
    otherStatuses: [204],
    produces: "text/event-stream",
    handle: ({ actor, params, headers }) => {
      const header = headers.get("last-event-id");
      const lastEventId = parseWith(EventId, header ?? 0, "Last-Event-ID");
      const { conversation: conversationId } = params;
      if (!hasEventsAfter(actor, conversationId, lastEventId)) return nothing();
      return resumeEvents(actor, { conversationId, lastEventId });
    },
  }),
  endpoint({
    method: "POST",
    path: "/api/ai/conversations/{conversation}/branch",
    summary: "Copy a conversation up to a message into a new one",
    access: "chat.use",
    params,
    body: MessageTarget,
    response: Conversation,
    status: 201,
    handle: async ({ actor, params, body }) => {
      const id = await branchConversation(actor, params.conversation, body.messageId);
      return created(readConversation(actor, id), `/api/ai/conversations/${id}`);
    },
  }),
  endpoint({
    method: "GET",
    path: "/api/ratings",
    summary: "List ratings of answers, newest first",
    description:
      "Admins list everybody's, others their own. Another's has comment, question and answer if its author lets admins read them.",
    access: "usage.own",
    query: RatingsQuery,
    response: z.array(Rating),
    handle: async ({ actor, query }) => {
      const { ratings, next } = await listRatings(actor, query);
      return page(ratings, next);
    },
  }),
  endpoint({
    method: "PUT",
    path: "/api/ai/conversations/{conversation}/feedback",
    summary: "Rate an answer, or remove the rating",
    access: "chat.use",
    params,
    body: FeedbackInput,
    status: 204,
    handle: ({ actor, params, body }) => {
      rateAnswer(actor, params.conversation, body);
      return nothing();
    },
  }),
  endpoint({
    method: "GET",
    path: "/api/ai/conversations/{conversation}/messages",
    summary: "List the messages of a conversation's active branch, newest first",
    access: "chat.use",
    params,
    query: z.object({
      limit: z.coerce.number().int().min(1).max(200).default(50),
      cursor: CursorParam,
    }),
    response: z.array(ChatMessage),
    handle: ({ actor, params, query }) => {
      const { messages, next } = listOwnMessages(actor, params.conversation, query);
      return page(messages, next);
    },
  }),
  endpoint({
    method: "POST",
    path: "/api/ai/conversations/{conversation}/variant",
    summary: "Make the branch of a message the active one",
    description:
      "`variants` of a message names its other versions. The active branch is shown, sent to models and continued " +
      "by further messages. 409 while an answer is being written.",
    access: "chat.use",
    params,
    body: MessageTarget,
    response: Conversation,
    handle: ({ actor, params, body }) => {
      selectVariant(actor, params.conversation, body.messageId);
      return readConversation(actor, params.conversation);
    },
  }),
]);
