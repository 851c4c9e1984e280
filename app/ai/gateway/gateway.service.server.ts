import { canonicalId, type GatewayModelFacts, listModelsForGateway } from "~/ai/models/models.service.server";
import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import type { Refuse } from "~/platform/endpoint/endpoint.shared";
import { authorise } from "~/platform/rights/authorization.server";
import { allowedModels } from "./allowed-models.server";
import type { GatewayModel, GatewayModels } from "./gateway.schema";
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

/** The error format of a protocol. */
export const refusalsOf = (name: ProtocolName): Refuse => protocolOf(name).errors.refuse;

export { handleCall } from "./calls.server";
export { flushUsageLog as stopGateway };
