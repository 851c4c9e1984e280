import { answerMessages, refuseAsAnthropic } from "~/features/gateway/gateway.service.server";
import { MessagesRequest } from "~/features/gateway/protocols/anthropic-messages.schema";
import { direct } from "~/http/direct.server";

const route = direct({
  path: "/v1/messages",
  tag: "Gateway",
  refuse: refuseAsAnthropic,
  POST: {
    summary: "A message, in Anthropic's form",
    description: "Streams where `stream` is set. Every provider can be asked.",
    access: "gateway.use",
    body: MessagesRequest,
    handle: answerMessages,
  },
});
const loader = route.loader;
const action = route.action;

export { action, loader };
