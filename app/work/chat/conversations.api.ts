import { z } from "zod";
import { CursorParam } from "~/platform/catalogue/fields.schema";
import { created, endpoint, endpoints, nothing, page } from "~/platform/endpoint/endpoint.shared";
import { Conversation, ConversationPatch, ConversationSummary } from "./chat.schema";
import { SummaryEdit } from "./context/context.schema";
import { editSummary, undoSummary } from "./context/summaries.service.server";
import { listOwnConversations, openConversation, readConversation } from "./conversations.service.server";
import { MessageHit } from "./list/list.schema";
import { changeConversation, deleteConversations, restoreConversation } from "./list/list.service.server";
import { searchMessages } from "./list/search.service.server";
import { KeptChat } from "./temporary/temporary.schema";
import { keepChat } from "./temporary/temporary.service.server";

const params = z.object({ conversation: z.string().max(100) });
const SummaryOf = params.extend({ message: z.string().max(100) });

export const conversationsApi = endpoints("Chat", [
  endpoint({
    method: "POST",
    path: "/api/ai/conversations",
    summary: "Store a chat as a conversation",
    description:
      "Keeps a temporary chat: its texts are stored as they are, and the conversation goes on with the options. " +
      "It counts as content from outside, and as restricted if it names a restricted document.",
    access: "chat.use",
    body: KeptChat,
    response: Conversation,
    status: 201,
    handle: ({ actor, body }) => {
      const id = keepChat(actor, body);
      return created(readConversation(actor, id), `/api/ai/conversations/${id}`);
    },
  }),
  endpoint({
    method: "POST",
    path: "/api/ai/conversations/{conversation}/restore",
    summary: "Restore a deleted conversation",
    description: "410 once it was deleted more than ten minutes ago.",
    access: "chat.use",
    params,
    response: Conversation,
    handle: ({ actor, params }) => restoreConversation(actor, params.conversation),
  }),
  endpoint({
    method: "GET",
    path: "/api/ai/conversations/{conversation}",
    summary: "Get a conversation, including the text of a running answer so far",
    access: "chat.use",
    params,
    response: Conversation,
    handle: ({ actor, params }) => openConversation(actor, params.conversation),
  }),
  endpoint({
    method: "PATCH",
    path: "/api/ai/conversations/{conversation}",
    summary: "Rename, pin, archive or move a conversation, or let tools share its restricted content",
    description:
      "`sharingAllowed` applies to kv.set, http.request, web.fetch and ingest.queue with an address, from the next " +
      "call on.",
    access: "chat.use",
    params,
    body: ConversationPatch,
    response: Conversation,
    handle: ({ actor, params, body }) => changeConversation(actor, params.conversation, body),
  }),
  endpoint({
    method: "DELETE",
    path: "/api/ai/conversations/{conversation}",
    summary: "Delete a conversation",
    description: "It can be restored for ten minutes, then it is removed with its messages.",
    access: "chat.use",
    params,
    status: 204,
    handle: ({ actor, params }) => {
      deleteConversations(actor, [params.conversation]);
      return nothing();
    },
  }),
  endpoint({
    method: "PUT",
    path: "/api/ai/conversations/{conversation}/summary/{message}",
    summary: "Edit what models are sent in place of a conversation's older messages",
    access: "chat.use",
    params: SummaryOf,
    body: SummaryEdit,
    status: 204,
    handle: ({ actor, params, body }) => {
      editSummary(actor, params.conversation, params.message, body);
      return nothing();
    },
  }),
  endpoint({
    method: "DELETE",
    path: "/api/ai/conversations/{conversation}/summary/{message}",
    summary: "Undo a summary",
    description: "The messages are sent again as long as they fit into the model's context.",
    access: "chat.use",
    params: SummaryOf,
    status: 204,
    handle: ({ actor, params }) => {
      undoSummary(actor, params.conversation, params.message);
      return nothing();
    },
  }),
  endpoint({
    method: "GET",
    path: "/api/ai/conversations/search",
    summary: "Search your messages and their answers, newest first",
    description: "Finds messages that contain every word. Words match by prefix.",
    access: "chat.use",
    query: z.object({
      q: z.string().trim().min(1, "Enter a word").max(200),
      limit: z.coerce.number().int().min(1).max(100).default(20),
      cursor: CursorParam,
    }),
    response: z.array(MessageHit),
    handle: async ({ actor, query }) => {
      const { hits, next } = await searchMessages(actor, query);
      return page(hits, next);
    },
  }),
  endpoint({
    method: "GET",
    path: "/api/ai/conversations",
    summary: "List your conversations, last used first",
    access: "chat.use",
    query: z.object({
      limit: z.coerce.number().int().min(1).max(200).default(50),
      cursor: CursorParam,
      archived: z.stringbool().default(false).describe("Lists the archived ones instead"),
      deleted: z.stringbool().default(false).describe("Lists those deleted within ten minutes instead"),
      folderId: z.string().max(100).optional().describe("Lists one folder's"),
    }),
    response: z.array(ConversationSummary),
    handle: ({ actor, query }) => {
      const { conversations, next } = listOwnConversations(actor, query);
      return page(conversations, next);
    },
  }),
]);
