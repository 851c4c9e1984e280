import { canonicalId, type GatewayModelFacts, listModelsForGateway } from "~/ai/models/models.service.server";
import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import { authorise } from "~/platform/rights/authorization.server";
import { allowedModels } from "./allowed-models.server";
import { handleCall } from "./calls.server";
import type { GatewayModel, GatewayModels } from "./gateway.schema";
import type { GatewayCall } from "./gateway-call";
import { type ProtocolName, protocolOf } from "./protocols/index";
import { flushUsageLog } from "./usage-log.server";

function toModel({ id, ownedBy, createdAt }: GatewayModelFacts): GatewayModel {
  return { id, object: "model", created: Math.floor(createdAt / 1000), owned_by: ownedBy };
}

export function listGatewayModels(actor: Actor): GatewayModels {
  authorise(actor, "gateway.use");
  const isAllowed = allowedModels(actor);
  const models = listModelsForGateway(actor.orgId).filter(({ id }) => isAllowed(id));
  return { object: "list", data: models.map(toModel) };
}

/** @throws AppError `provider_model` */
export function readGatewayModel(actor: Actor, id: string): GatewayModel {
  const publicId = canonicalId(id);
  const model = listGatewayModels(actor).data.find((candidate) => candidate.id === publicId);
  if (!model) throw new AppError("provider_model", `Model "${id.slice(0, 200)}" not found.`);
  return model;
}

/** A protocol's path, handler and error format. */
function endpointOf(name: ProtocolName) {
  const { path, errors } = protocolOf(name);
  return { path, refuse: errors.refuse, handle: (call: GatewayCall) => handleCall(name, call) };
}

export const chatCompletions = endpointOf("openai-chat");
export const responses = endpointOf("openai-responses");
export const embeddings = endpointOf("openai-embeddings");
export const messages = endpointOf("anthropic-messages");

export { flushUsageLog as stopGateway };
