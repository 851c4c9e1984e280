import { OUTPUT_LIMIT } from "~/ai/tools/output-bounds.shared";
import type { Tool } from "~/ai/tools/tool.shared";
import { KvInput } from "./kv.schema";
import { setValue } from "./kv.service.server";

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
