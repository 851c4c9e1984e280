import { z } from "zod";
import { allowedModels, canonicalId, listModelsForGateway } from "~/ai/models/models.service.server";
import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import type { Refuse } from "~/platform/endpoint/endpoint.shared";
import { authorise } from "~/platform/rights/authorization.server";
import { type ProtocolName, protocolOf } from "./protocols/index";

export const GatewayModel = z.object({
  id: z.string(),
  object: z.literal("model"),
  created: z.number().int().describe("Seconds since 1970"),
  owned_by: z.string().describe("Type of the first provider that serves it"),
});
export type GatewayModel = z.infer<typeof GatewayModel>;

export const GatewayModels = z.object({ object: z.literal("list"), data: z.array(GatewayModel) });
export type GatewayModels = z.infer<typeof GatewayModels>;

export function listGatewayModels(actor: Actor): GatewayModels {
  authorise(actor, "gateway.use");
  const isAllowed = allowedModels(actor);
  const models = listModelsForGateway(actor.orgId).filter(({ id }) => isAllowed(id));
  const data = models.map(({ id, ownedBy, createdAt }) => ({
    id,
    object: "model" as const,
    created: Math.floor(createdAt / 1000),
    owned_by: ownedBy,
  }));
  return { object: "list", data };
}

/** A model in Anthropic's form. */
export const AnthropicModel = z.object({
  type: z.literal("model"),
  id: z.string(),
  display_name: z.string(),
  created_at: z.string().describe("In ISO 8601"),
});

export const AnthropicModels = z.object({
  data: z.array(AnthropicModel),
  has_more: z.literal(false),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
});

export const toAnthropicModel = ({ id, created }: GatewayModel): z.infer<typeof AnthropicModel> => ({
  type: "model",
  id,
  display_name: id,
  created_at: new Date(created * 1000).toISOString(),
});

export function toAnthropicModels({ data }: GatewayModels): z.infer<typeof AnthropicModels> {
  const models = data.map(toAnthropicModel);
  return {
    data: models,
    has_more: false,
    first_id: models[0]?.id ?? null,
    last_id: models.at(-1)?.id ?? null,
  };
}

/** Whether a client of Anthropic's calls: each sends the version of the protocol. */
export const speaksAnthropic = (headers: Headers | undefined): boolean =>
  headers?.has("anthropic-version") ?? false;

/** @throws AppError `provider_model` */
export function readGatewayModel(actor: Actor, id: string): GatewayModel {
  const publicId = canonicalId(id);
  const model = listGatewayModels(actor).data.find((candidate) => candidate.id === publicId);
  if (!model) throw new AppError("provider_model", `Model "${id.slice(0, 200)}" not found.`);
  return model;
}

export const refusalsOf = (name: ProtocolName): Refuse => protocolOf(name).errors.refuse;

/** Refusals at addresses of both protocols. */
export const refuseByClient: Refuse = (error, requestId, headers) =>
  refusalsOf(speaksAnthropic(headers) ? "anthropic-messages" : "openai-chat")(error, requestId);

export {
  SpeechRequest,
  speakText,
  TranscriptionForm,
  TranscriptionUpload,
  transcribeUpload,
} from "./audio.server";
export { handleCall } from "./calls.server";
export { countMessageTokens } from "./count-tokens.server";
export { flushUsageLog as stopGateway } from "./usage-log.server";
