import { z } from "zod";
import { type OwnedKind as Kind, OWNED_KINDS } from "~/platform/catalogue/ownership";

export const OwnedKind = z.enum(OWNED_KINDS);

const Decision = z
  .preprocess((value) => (value === "" ? undefined : value), z.string().max(64).optional())
  .describe(
    '"delete", or the ID of the member who receives them; required for each kind that the member owns',
  );

export const OffboardingInput = z.object(
  Object.fromEntries(OwnedKind.options.map((kind) => [kind, Decision])) as Record<Kind, typeof Decision>,
);
export type OffboardingInput = z.infer<typeof OffboardingInput>;

export const OwnedData = z.object({
  kind: OwnedKind,
  label: z.string(),
  hint: z.string().optional(),
  count: z.number().int(),
  noun: z.string().describe('As in "3 documents"'),
  recipients: z
    .array(z.object({ id: z.string(), name: z.string() }))
    .describe("Members who can receive them"),
});
export type OwnedData = z.infer<typeof OwnedData>;
