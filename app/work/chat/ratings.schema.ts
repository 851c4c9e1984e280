import { z } from "zod";
import { CursorParam } from "~/platform/catalogue/fields.schema";

export const RatingsQuery = z.object({
  rating: z.enum(["up", "down"]).optional(),
  model: z.string().max(200).optional().describe("ID of the model that answered"),
  person: z.string().max(64).optional().describe("ID of who rated; below admin your own are listed only"),
  limit: z.coerce.number().int().min(1).max(50).default(20),
  cursor: CursorParam,
});
export type RatingsQuery = z.infer<typeof RatingsQuery>;

export const Rating = z.object({
  messageId: z.string(),
  person: z.object({ id: z.string(), name: z.string() }),
  rating: z.enum(["up", "down"]),
  model: z.string().nullable(),
  readable: z.boolean().describe("Whether it is yours, or its author lets admins read it"),
  comment: z.string().nullable(),
  question: z.string().nullable().describe("Its first 4,000 characters, as of the answer"),
  answer: z.string().nullable(),
  ratedAt: z.iso.datetime(),
});
export type Rating = z.infer<typeof Rating>;
