import { z } from "zod";
import { endpoint, resource } from "~/http/resource.server";
import { DecisionInput } from "~/work/chat/approvals/approvals.schema";
import { decideCall } from "~/work/chat/approvals/approvals.service.server";
import { ChatMessage } from "~/work/chat/chat.schema";

const Decided = z.object({
  message: ChatMessage,
  lastEventId: z.number().int().describe("Resume the stream after this event if the message is `streaming`"),
});

const route = resource({
  path: "/api/ai/chat/{conversation}/approvals",
  tag: "Chat",
  POST: endpoint({
    summary: "Approve or refuse a tool call that waits",
    description:
      "A message has the status `waiting` and its calls the state `waiting` until each is decided. The answer then " +
      "continues in the same message: resume its stream. `input` replaces the call's arguments and must fit the " +
      "tool's schema. 409 if the call isn't waiting any more.",
    access: "chat.use",
    params: z.object({ conversation: z.string().max(100) }),
    body: DecisionInput,
    response: Decided,
    handle: ({ actor, params, body }) => decideCall(actor, params.conversation, body),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
