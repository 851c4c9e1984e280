import { z } from "zod";
import type { Program } from "~/platform/endpoint/program.shared";
import { GatewayModel, GatewayModels } from "./gateway.schema";
import {
  chatCompletions,
  embeddings,
  listGatewayModels,
  messages,
  readGatewayModel,
  responses,
} from "./gateway.service.server";
import { MessagesRequest } from "./protocols/anthropic-messages.schema";
import { ChatRequest } from "./protocols/openai-chat.schema";
import { EmbeddingsRequest } from "./protocols/openai-embeddings.schema";
import { ResponsesRequest } from "./protocols/openai-responses.schema";

const { refuse } = chatCompletions;

export const gatewayApi: readonly Program[] = [
  {
    path: "/v1/models",
    tag: "Gateway",
    refuse,
    GET: {
      summary: "List models the token can call",
      access: "gateway.use",
      response: GatewayModels,
      handle: ({ actor, response }) =>
        response.send("application/json", JSON.stringify(listGatewayModels(actor))),
    },
  },
  {
    path: "/v1/models/{id}",
    tag: "Gateway",
    refuse,
    GET: {
      summary: "Get a model",
      access: "gateway.use",
      params: z.object({ id: z.string().describe("Can contain slashes") }),
      response: GatewayModel,
      handle: ({ actor, rest, response }) =>
        response.send("application/json", JSON.stringify(readGatewayModel(actor, rest))),
    },
  },
  {
    path: chatCompletions.path,
    tag: "Gateway",
    refuse,
    POST: {
      summary: "Create a chat completion (OpenAI format)",
      description: "Streams if `stream` is set. Supports every provider.",
      access: "gateway.use",
      body: ChatRequest,
      handle: chatCompletions.handle,
    },
  },
  {
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
  },
  {
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
  },
  {
    path: messages.path,
    tag: "Gateway",
    refuse: messages.refuse,
    POST: {
      summary: "Create a message (Anthropic format)",
      description: "Streams if `stream` is set. Supports every provider.",
      access: "gateway.use",
      body: MessagesRequest,
      handle: messages.handle,
    },
  },
  // What isn't there is 404 in the caller's protocol.
  { path: "/v1/messages/*", tag: "Gateway", refuse: messages.refuse },
  { path: "/v1/*", tag: "Gateway", refuse },
];
