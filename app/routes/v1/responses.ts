import { responses } from "~/ai/gateway/gateway.service.server";
import { ResponsesRequest } from "~/ai/gateway/protocols/openai-responses.schema";
import { direct } from "~/http/direct.server";

const route = direct({
  path: responses.path,
  tag: "Gateway",
  refuse: responses.refuse,
  POST: {
    summary: "Create a response (OpenAI format)",
    description: "If the model's provider supports the Responses API.",
    access: "gateway.use",
    body: ResponsesRequest,
    handle: responses.handle,
  },
});
const loader = route.loader;
const action = route.action;

export { action, loader };
