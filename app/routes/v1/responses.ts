import { answerResponses, refuseAsOpenAi } from "~/features/gateway/gateway.service.server";
import { ResponsesRequest } from "~/features/gateway/protocols/openai-responses.schema";
import { direct } from "~/http/direct.server";

const route = direct({
  path: "/v1/responses",
  tag: "Gateway",
  refuse: refuseAsOpenAi,
  POST: {
    summary: "A response, in OpenAI's form",
    description: "Where the model's provider has the Responses API.",
    access: "gateway.use",
    body: ResponsesRequest,
    handle: answerResponses,
  },
});
const loader = route.loader;
const action = route.action;

export { action, loader };
