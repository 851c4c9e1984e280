import { embeddings } from "~/ai/gateway/gateway.service.server";
import { EmbeddingsRequest } from "~/ai/gateway/protocols/openai-embeddings.schema";
import { direct } from "~/http/direct.server";

const route = direct({
  path: embeddings.path,
  tag: "Gateway",
  refuse: embeddings.refuse,
  POST: {
    summary: "Create embeddings (OpenAI format)",
    description: "If the model's provider supports OpenAI's protocol.",
    access: "gateway.use",
    body: EmbeddingsRequest,
    handle: embeddings.handle,
  },
});
const loader = route.loader;
const action = route.action;

export { action, loader };
