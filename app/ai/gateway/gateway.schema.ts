import { z } from "zod";

export const GatewayModel = z.object({
  id: z.string(),
  object: z.literal("model"),
  created: z.number().int().describe("Seconds since 1970"),
  owned_by: z.string().describe("Type of the first provider that serves it"),
});
export type GatewayModel = z.infer<typeof GatewayModel>;

export const GatewayModels = z.object({ object: z.literal("list"), data: z.array(GatewayModel) });
export type GatewayModels = z.infer<typeof GatewayModels>;
