import { z } from "zod";

const KEY_LENGTH = 200;
const VALUE_BYTES = 64 * 1024;
/** Maximum per organization. */
export const MAX_KEYS = 10_000;

const bytes = (text: string) => new TextEncoder().encode(text).byteLength;

export const KvKey = z
  .string()
  .min(1, "Enter a key")
  .max(KEY_LENGTH, `Use at most ${KEY_LENGTH} characters in a key`)
  .regex(/^[^\p{Cc}]*$/u, "Remove control characters from the key")
  .describe(`Name of the value, at most ${KEY_LENGTH} characters`);

export const KvInput = z.object({
  key: KvKey,
  value: z
    .string()
    .max(VALUE_BYTES, "Use at most 64 KB in a value")
    .refine((value) => bytes(value) <= VALUE_BYTES, "Use at most 64 KB in a value")
    .describe("The text to store, at most 64 KB; write anything else as JSON"),
});
export type KvInput = z.infer<typeof KvInput>;

export interface KvEntry {
  key: string;
  value: string;
  updatedAt: string;
  updatedBy: string;
}
