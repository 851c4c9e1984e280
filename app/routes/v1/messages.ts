import { messages } from "~/ai/gateway/gateway.service.server";
import { MessagesRequest } from "~/ai/gateway/protocols/anthropic-messages.schema";
import { direct } from "~/http/direct.server";

const route = direct({
  path: messages.path,
  tag: "Gateway",
  refuse: messages.refuse,
  POST: {
    summary: "Create a message (Anthropic format)",
    description: "Streams if `stream` is set. Supports every provider.",
    access: "gateway.use",
    body: MessagesRequest,
    handle: messages.handle,
  },
});
const loader = route.loader;
const action = route.action;

export { action, loader };
