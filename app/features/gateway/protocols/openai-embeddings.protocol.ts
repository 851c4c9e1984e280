import { openAiErrors } from "./errors";
import { EmbeddingsRequest } from "./openai-embeddings.schema";
import { parseRequest } from "./parse-request";
import type { CheckedRequest, Protocol } from "./protocol";
import { countOpenAiTokens } from "./wire-usage";

function check(body: unknown): CheckedRequest {
  const request = parseRequest(EmbeddingsRequest, body);
  const inBase64 = request.encoding_format === "base64";
  return {
    request,
    envelope: { model: request.model, stream: false, showsUsage: true, inBase64, changes: {} },
  };
}

export const openAiEmbeddings: Protocol = {
  path: "/v1/embeddings",
  kind: "embedding",
  check,
  resultMember: "data",
  countTokens: (usage) => ({ ...countOpenAiTokens(usage), outputTokens: 0 }),
  errors: openAiErrors,
  passedHeaders: [],
};
