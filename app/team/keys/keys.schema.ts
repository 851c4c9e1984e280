import { z } from "zod";
import { KEY_PROVIDERS } from "./keys.shared";

/** Reduced to scheme, host and port. */
const Origin = z
  .string()
  .trim()
  .max(500)
  .transform((value, context) => {
    const url = URL.canParse(value) ? new URL(value) : undefined;
    if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
      context.addIssue({
        code: "custom",
        message: "Enter an http or https address, such as https://example.com",
      });
      return z.NEVER;
    }
    return url.origin;
  });

const OptionalOrigin = z.preprocess(
  (value) => (typeof value === "string" && value.trim() === "" ? undefined : value),
  Origin.optional(),
);

export const KeyInput = z.strictObject({
  provider: z.enum(KEY_PROVIDERS).default("openai").describe("What the key is for"),
  alias: z
    .string({ error: "Enter the name of an environment variable" })
    .trim()
    .min(1, "Enter the name of an environment variable")
    .max(4096, "Enter the name of an environment variable")
    .describe("Name of the environment variable that holds the key; never the key itself"),
  origin: OptionalOrigin.describe("The one address the key may be sent to"),
});
export type KeyInput = z.infer<typeof KeyInput>;

export const KeyOriginInput = z.strictObject({ origin: Origin });
export type KeyOriginInput = z.infer<typeof KeyOriginInput>;

export const KeyRemoval = z.object({ confirm: z.literal("in-use").optional() });

/** A key as shown to clients; never has its value. */
export const KeyReference = z.object({
  id: z.string(),
  provider: z.enum(KEY_PROVIDERS),
  alias: z.string().describe("Name of the environment variable"),
  origins: z.array(z.string()).describe("The addresses the key may be sent to; no others"),
  present: z.boolean().describe("Whether the variable is set now"),
  source: z
    .enum(["reference", "environment"])
    .describe("`environment` for a provider's well-known variable that is set without a reference"),
  createdAt: z.iso.datetime().nullable().describe("Null without a reference"),
});
export type KeyReference = z.infer<typeof KeyReference>;
