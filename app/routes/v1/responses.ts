import { answerResponses, refuseAsOpenAi } from "~/features/gateway/gateway.service.server";
import { ResponsesRequest } from "~/features/gateway/protocols/openai-responses.schema";
import { direct } from "~/http/direct.server";

const route = direct({
  path: "/v1/responses",
  tag: "Gateway",
  refuse: refuseAsOpenAi,
  POST: {
    summary: "Create a response (OpenAI format)",
    description: "If the model's provider supports the Responses API.",
    access: "gateway.use",
    body: ResponsesRequest,
    handle: answerResponses,
  },
});
const loader = route.loader;
const action = route.action;

export { action, loader };
