import { chatCompletions } from "~/ai/gateway/gateway.service.server";
import { ChatRequest } from "~/ai/gateway/protocols/openai-chat.schema";
import { direct } from "~/http/direct.server";

const route = direct({
  path: chatCompletions.path,
  tag: "Gateway",
  refuse: chatCompletions.refuse,
  POST: {
    summary: "Create a chat completion (OpenAI format)",
    description: "Streams if `stream` is set. Supports every provider.",
    access: "gateway.use",
    body: ChatRequest,
    handle: chatCompletions.handle,
  },
});
const loader = route.loader;
const action = route.action;

export { action, loader };
