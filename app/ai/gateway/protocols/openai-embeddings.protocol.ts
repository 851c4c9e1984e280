import { openAiErrors } from "./errors";
import { EmbeddingsRequest } from "./openai-embeddings.schema";
import { parseRequest } from "./parse-request";
import { type CheckedRequest, type Protocol, toChecked } from "./protocol";
import { countOpenAiTokens } from "./wire-usage";

function check(body: unknown): CheckedRequest {
  const request = parseRequest(EmbeddingsRequest, body);
  return toChecked(request, { stream: false, inBase64: request.encoding_format === "base64" });
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
