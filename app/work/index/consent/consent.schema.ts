import { z } from "zod";

/** A destination of document texts: provider, origin and model. A change of any requires consent again. */
export const Destination = z.object({
  providerId: z.string().max(100).describe("`litellm` for a LiteLLM with only a key reference"),
  origin: z.string().max(500).describe("Scheme, host and port"),
  model: z.string().max(200),
});
export type Destination = z.infer<typeof Destination>;

export type NamedDestination = Destination & { provider: string };

export const Consent = z.object({
  agreed: z.array(Destination).default([]),
  postponed: z.array(Destination).default([]),
});
export type Consent = z.infer<typeof Consent>;

export const EmbeddingOffer = Destination.extend({
  provider: z.string().describe("The provider's name"),
  host: z.string().describe("Origin that every document would be sent to"),
  local: z.boolean().describe("Whether it is on this machine"),
  chunks: z.number().int().describe("Chunks that would be sent"),
  tokens: z.number().int().describe("Estimated tokens"),
  costMicros: z
    .number()
    .nullable()
    .describe("Estimated cost in millionths of a dollar; null if the price is unknown"),
  postponed: z.boolean().describe("Whether an admin chose Not now"),
});
export type EmbeddingOffer = z.infer<typeof EmbeddingOffer>;

export const OfferDecision = Destination.extend({
  decision: z.enum(["rebuild", "postpone"]).describe("rebuild: agree and build. postpone: not now"),
});
export type OfferDecision = z.infer<typeof OfferDecision>;

export const OfferAnswer = z.object({
  offer: EmbeddingOffer.nullable().describe("Null if there is nothing better"),
});
export type OfferAnswer = z.infer<typeof OfferAnswer>;
