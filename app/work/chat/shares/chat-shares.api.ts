import { z } from "zod";
import { CursorParam } from "~/platform/catalogue/fields.schema";
import { created, endpoint, endpoints, nothing, page } from "~/platform/endpoint/endpoint.shared";
import { getSharedConversation, listSharedConversations } from "./shared-conversations.service.server";
import {
  LinkInput,
  NewShareLink,
  OrganizationLink,
  SharedConversation,
  SharedQuery,
  SharedSummary,
  ShareInput,
  Sharing,
} from "./shares.schema";
import {
  createShareLink,
  listOrganizationLinks,
  readSharing,
  revokeOrganizationLink,
  revokeShareLink,
  shareConversation,
} from "./shares.service.server";

const params = z.object({ conversation: z.string().max(100) });

export const chatSharesApi = endpoints("Chat", [
  endpoint({
    method: "DELETE",
    path: "/api/ai/conversations/{conversation}/links/{link}",
    summary: "Revoke a read-only link",
    access: "chat.use",
    params: z.object({ conversation: z.string().max(100), link: z.string().max(64) }),
    status: 204,
    handle: ({ actor, params: { conversation, link } }) => {
      revokeShareLink(actor, conversation, link);
      return nothing();
    },
  }),
  endpoint({
    method: "POST",
    path: "/api/ai/conversations/{conversation}/links",
    summary: "Create a read-only link to a conversation",
    description:
      "Anyone with the link can read the conversation up to now, without messages that may quote restricted documents. " +
      "403 unless an admin allows links.",
    access: "chat.use",
    params,
    body: LinkInput,
    response: NewShareLink,
    status: 201,
    handle: ({ actor, params: { conversation }, body, origin }) => {
      const { link, secret } = createShareLink(actor, conversation, body);
      return created(
        { ...link, url: `${origin}/shared/${secret}` },
        `/api/ai/conversations/${conversation}/links/${link.id}`,
      );
    },
  }),
  endpoint({
    method: "GET",
    path: "/api/ai/conversations/{conversation}/sharing",
    summary: "Get a conversation's readers and links",
    access: "chat.use",
    params,
    response: Sharing,
    handle: ({ actor, params: { conversation } }) => readSharing(actor, conversation),
  }),
  endpoint({
    method: "PUT",
    path: "/api/ai/conversations/{conversation}/sharing",
    summary:
      "Share a conversation with members and groups, with everyone in the organization, or with no one",
    description:
      "Readers see the messages up to the last one at this moment, read-only. Messages that may quote documents a reader " +
      "can't see are left out for that reader.",
    access: "chat.use",
    params,
    body: ShareInput,
    response: Sharing,
    handle: ({ actor, params: { conversation }, body }) => shareConversation(actor, conversation, body),
  }),
  endpoint({
    method: "DELETE",
    path: "/api/ai/share-links/{link}",
    summary: "Revoke anybody's read-only link",
    access: "members.manage",
    params: z.object({ link: z.string().max(64) }),
    status: 204,
    handle: ({ actor, params: { link } }) => {
      revokeOrganizationLink(actor, link);
      return nothing();
    },
  }),
  endpoint({
    method: "GET",
    path: "/api/ai/share-links",
    summary: "List everybody's read-only links, newest first",
    description: "With their owners. Titles and texts of the conversations stay private.",
    access: "members.manage",
    query: z.object({
      limit: z.coerce.number().int().min(1).max(500).default(500),
      cursor: CursorParam,
    }),
    response: OrganizationLink.array(),
    handle: ({ actor, query }) => {
      const { links, next } = listOrganizationLinks(actor, query);
      return page(links, next);
    },
  }),
  endpoint({
    method: "GET",
    path: "/api/ai/shared-conversations/{conversation}",
    summary: "Get a conversation that someone shares with you",
    description: "Text only. Messages that may quote documents you can't see are marked as omitted.",
    access: "screens.read",
    params,
    response: SharedConversation,
    handle: ({ actor, params }) => getSharedConversation(actor, params.conversation),
  }),
  endpoint({
    method: "GET",
    path: "/api/ai/shared-conversations",
    summary: "List conversations that others share with you, last shared first",
    access: "screens.read",
    query: SharedQuery,
    response: z.array(SharedSummary),
    handle: ({ actor, query }) => {
      const { conversations, next } = listSharedConversations(actor, query);
      return page(conversations, next);
    },
  }),
]);
