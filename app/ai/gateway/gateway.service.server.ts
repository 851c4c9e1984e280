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

/** @throws AppError `provider_model` */
export function readGatewayModel(actor: Actor, id: string): GatewayModel {
  const publicId = canonicalId(id);
  const model = listGatewayModels(actor).data.find((candidate) => candidate.id === publicId);
  if (!model) throw new AppError("provider_model", `Model "${id.slice(0, 200)}" not found.`);
  return model;
}

export const refusalsOf = (name: ProtocolName): Refuse => protocolOf(name).errors.refuse;

export { handleCall } from "./calls.server";
export { flushUsageLog as stopGateway } from "./usage-log.server";
