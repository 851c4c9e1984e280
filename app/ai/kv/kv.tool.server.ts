import { z } from "zod";
import { boundText, OUTPUT_LIMIT, TEXT_LIMIT } from "~/ai/tools/output-bounds.shared";
import type { Tool } from "~/ai/tools/tool.shared";
import { getValue, KvInput, KvKey, setValue } from "./kv.service.server";

const Input = z.object({
  key: KvKey,
  offset: z
    .number()
    .int()
    .min(0)
    .max(1_000_000)
    .default(0)
    .describe("Characters to skip in a long value; 0 by default"),
});

export const kvGet: Tool<typeof Input> = {
  name: "kv.get",
  title: "Read a value",
  description: `Reads what kv.set stored under a key, at most ${TEXT_LIMIT} characters from the offset. The result's "found" is false if there is none.`,
  effect: "reads",
  // Anybody's text, also a workflow's that a stranger sent.
  hasOutsideContent: (output) => (output as { found: boolean }).found,
  input: Input,
  timeoutMs: 5000,
  outputLimit: OUTPUT_LIMIT,
  async run({ key, offset }, { actor }) {
    const entry = getValue(actor, key);
    if (!entry) return { key, found: false };
    const { text, truncated } = boundText(entry.value, offset);
    return { key, found: true, value: text, truncated, updatedAt: entry.updatedAt };
  },
};

export const kvSet: Tool<typeof KvInput> = {
  name: "kv.set",
  title: "Store a value",
  description:
    "Stores text under a key in the key-value store that everybody in the organization shares, and replaces what was there. Read it with kv.get.",
  effect: "writes",
  input: KvInput,
  timeoutMs: 5000,
  outputLimit: OUTPUT_LIMIT,
  async run(input, { actor }) {
    const { key, updatedAt } = setValue(actor, input);
    return { key, stored: true, updatedAt };
  },
};
