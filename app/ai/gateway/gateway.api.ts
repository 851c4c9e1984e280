import { z } from "zod";
import { endpoint, endpoints, type Program } from "~/platform/endpoint/endpoint.shared";
import {
  AnthropicModel,
  AnthropicModels,
  countMessageTokens,
  GatewayModel,
  GatewayModels,
  handleCall,
  listGatewayModels,
  readGatewayModel,
  refusalsOf,
  refuseByClient,
  SpeechRequest,
  speaksAnthropic,
  speakText,
  TranscriptionForm,
  TranscriptionUpload,
  toAnthropicModel,
  toAnthropicModels,
  transcribeUpload,
} from "./gateway.service.server";
import { CountTokensRequest, MessagesRequest, TokenCount } from "./protocols/anthropic-messages.schema";
import { ChatRequest } from "./protocols/openai-chat.schema";
import { EmbeddingsRequest } from "./protocols/openai-embeddings.protocol";
import {
  IMAGE_UPLOAD,
  ImageEditsForm,
  ImageEditsRequest,
  ImagesRequest,
  readImageForm,
} from "./protocols/openai-images.protocol";
import { ResponsesRequest } from "./protocols/openai-responses.schema";
import { RerankRequest } from "./protocols/rerank.protocol";

/** Of a call's body, in bytes. */
const maxBytes = 16 * 1024 * 1024;

const BUDGET_USED_UP = 402;

/** In the provider's own words, if it speaks the caller's protocol. */
const Generated = z.record(z.string(), z.unknown());

export const gatewayApi = endpoints("Gateway", [
  endpoint({
    method: "GET",
    path: "/v1/models",
    summary: "List models the token can call",
    access: "gateway.use",
    description: "In Anthropic's form to clients that send `anthropic-version`.",
    response: z.union([GatewayModels, AnthropicModels]),
    handle: ({ actor, headers }) => {
      const models = listGatewayModels(actor);
      return speaksAnthropic(headers) ? toAnthropicModels(models) : models;
    },
  }),
  endpoint({
    method: "GET",
    path: "/v1/models/{id}",
    takesRest: true,
    summary: "Get a model",
    access: "gateway.use",
    params: z.object({ id: z.string().describe("Can contain slashes") }),
    response: z.union([GatewayModel, AnthropicModel]),
    handle: ({ actor, params, headers }) => {
      const model = readGatewayModel(actor, params.id);
      return speaksAnthropic(headers) ? toAnthropicModel(model) : model;
    },
  }),
  endpoint({
    method: "POST",
    path: "/v1/chat/completions",
    summary: "Create a chat completion (OpenAI format)",
    description: "Streams if `stream` is set. Supports every provider.",
    access: "gateway.use",
    refusals: [BUDGET_USED_UP],
    rawBody: ChatRequest,
    maxBytes,
    response: Generated,
    produces: "text/event-stream",
    handle: (call) => handleCall("openai-chat", call),
  }),
  endpoint({
    method: "POST",
    path: "/v1/responses",
    summary: "Create a response (OpenAI format)",
    description: "Streams if `stream` is set. Supports every provider; nothing is stored.",
    access: "gateway.use",
    refusals: [BUDGET_USED_UP],
    rawBody: ResponsesRequest,
    maxBytes,
    response: Generated,
    produces: "text/event-stream",
    handle: (call) => handleCall("openai-responses", call),
  }),
  endpoint({
    method: "POST",
    path: "/v1/embeddings",
    summary: "Create embeddings (OpenAI format)",
    description: "If the model's provider supports OpenAI's protocol.",
    access: "gateway.use",
    refusals: [BUDGET_USED_UP],
    rawBody: EmbeddingsRequest,
    maxBytes,
    response: Generated,
    handle: (call) => handleCall("openai-embeddings", call),
  }),
  endpoint({
    method: "POST",
    path: "/v1/rerank",
    summary: "Rank documents by a query (Cohere and Jina format)",
    description: "Supports every provider that reranks.",
    access: "gateway.use",
    refusals: [BUDGET_USED_UP],
    rawBody: RerankRequest,
    maxBytes,
    response: Generated,
    handle: (call) => handleCall("rerank", call),
  }),
  endpoint({
    method: "POST",
    path: "/v1/images/generations",
    summary: "Make images (OpenAI format)",
    description: "Supports every provider with models for images. They are returned as `b64_json`.",
    access: "gateway.use",
    refusals: [BUDGET_USED_UP],
    rawBody: ImagesRequest,
    maxBytes,
    response: Generated,
    handle: (call) => handleCall("openai-images", call),
  }),
  endpoint({
    method: "POST",
    path: "/v1/images/edits",
    summary: "Edit images (OpenAI format)",
    description: "A multipart form, or JSON with `images`. They are returned as `b64_json`.",
    access: "gateway.use",
    refusals: [BUDGET_USED_UP],
    rawBody: ImageEditsRequest,
    form: ImageEditsForm,
    upload: IMAGE_UPLOAD,
    maxBytes,
    response: Generated,
    handle: (call) =>
      handleCall(
        "openai-image-edits",
        call.headers.get("content-type")?.startsWith("multipart/form-data")
          ? { ...call, raw: () => readImageForm(call.parts(), call.hold) }
          : call,
      ),
  }),
  endpoint({
    method: "POST",
    path: "/v1/audio/transcriptions",
    summary: "Transcribe a recording (OpenAI format)",
    description: "If the model's provider supports OpenAI's protocol. Further fields are sent on.",
    access: "gateway.use",
    refusals: [BUDGET_USED_UP],
    form: TranscriptionForm,
    upload: TranscriptionUpload,
    response: Generated,
    produces: "text/plain",
    handle: transcribeUpload,
  }),
  endpoint({
    method: "POST",
    path: "/v1/audio/speech",
    summary: "Read a text aloud (OpenAI format)",
    description: "If the model's provider supports OpenAI's protocol. The sound comes as it is made.",
    access: "gateway.use",
    refusals: [BUDGET_USED_UP],
    body: SpeechRequest,
    produces: "audio/mpeg",
    handle: speakText,
  }),
  endpoint({
    method: "POST",
    path: "/v1/messages",
    summary: "Create a message (Anthropic format)",
    description: "Streams if `stream` is set. Supports every provider.",
    access: "gateway.use",
    refusals: [BUDGET_USED_UP],
    rawBody: MessagesRequest,
    maxBytes,
    response: Generated,
    produces: "text/event-stream",
    handle: (call) => handleCall("anthropic-messages", call),
  }),
  endpoint({
    method: "POST",
    path: "/v1/messages/count_tokens",
    summary: "Count a message's tokens (Anthropic format)",
    description:
      "By the provider if it is Anthropic; else estimated, which `x-gateway-count: estimated` says.",
    access: "gateway.use",
    rawBody: CountTokensRequest,
    maxBytes,
    response: TokenCount,
    handle: countMessageTokens,
  }),
]);

const OpenAiError = z.object({
  error: z.object({
    message: z.string(),
    type: z.string(),
    param: z.string().nullable(),
    code: z.string().nullable(),
  }),
});

const AnthropicError = z.object({
  type: z.literal("error"),
  error: z.object({
    type: z.string(),
    message: z.string(),
    details: z.record(z.string(), z.unknown()).optional(),
  }),
  request_id: z.string().nullable(),
});

export const gatewayPrograms: readonly Program[] = [
  {
    under: "/v1/messages",
    callers: "tokens",
    refuse: refusalsOf("anthropic-messages"),
    refusal: AnthropicError,
  },
  {
    under: "/v1",
    callers: "tokens",
    refuse: refuseByClient,
    refusal: z.union([OpenAiError, AnthropicError]),
  },
];
