import { answerEmbeddings, refuseAsOpenAi } from "~/features/gateway/gateway.service.server";
import { EmbeddingsRequest } from "~/features/gateway/protocols/openai-embeddings.schema";
import { direct } from "~/http/direct.server";

const route = direct({
  path: "/v1/embeddings",
  tag: "Gateway",
  refuse: refuseAsOpenAi,
  POST: {
    summary: "Create embeddings (OpenAI format)",
    description: "If the model's provider supports OpenAI's protocol.",
    access: "gateway.use",
    body: EmbeddingsRequest,
    handle: answerEmbeddings,
  },
});
const loader = route.loader;
const action = route.action;

export { action, loader };
