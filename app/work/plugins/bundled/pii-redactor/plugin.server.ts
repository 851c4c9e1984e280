import { z } from "zod";
import { findPii, PII_KINDS, type PiiMatch } from "~/core/find-pii";
import { definePlugin, definePluginTool } from "../../plugin";

/** Replaces matches with `[EMAIL]` and the like. */
function redact(text: string, matches: readonly PiiMatch[]): string {
  let result = "";
  let at = 0;
  for (const { kind, start, end } of matches) {
    result += `${text.slice(at, start)}[${kind.toUpperCase()}]`;
    at = end;
  }
  return result + text.slice(at);
}

const Input = z.object({
  text: z.string().min(1).max(50_000),
  kinds: z
    .array(z.enum(PII_KINDS))
    .min(1)
    .default([...PII_KINDS])
    .describe("Kinds of data to find; all by default"),
});

function countKinds(matches: readonly { kind: string }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind } of matches) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

export const piiRedactor = definePlugin(
  {
    id: "pii-redactor",
    title: "PII Redactor",
    icon: "EyeOff",
    description:
      "Finds and blanks out email addresses, phone numbers, card numbers, IBANs, IP addresses, US social security numbers and API keys before text leaves the console. Checksums keep false matches rare. Names and street addresses aren't recognized.",
    tags: ["privacy", "redaction", "compliance"],
    version: "1.0.0",
    released: "2026-11-20",
    featured: true,
    categories: ["security"],
    requests: { effects: ["reads"] },
  },
  [
    definePluginTool({
      name: "redact",
      title: "Redact personal data",
      description:
        "Replaces email addresses, phone, card and account numbers, IP addresses and API keys in text with placeholders such as [EMAIL], and counts them.",
      effect: "reads",
      input: Input,
      async run({ text, kinds }) {
        const matches = findPii(text, kinds);
        return { text: redact(text, matches), found: countKinds(matches) };
      },
    }),
    definePluginTool({
      name: "check",
      title: "Check for personal data",
      description: "Counts personal data in text by kind, without repeating any of it.",
      effect: "reads",
      input: Input,
      async run({ text, kinds }) {
        const counts = countKinds(findPii(text, kinds));
        return { clean: Object.keys(counts).length === 0, found: counts };
      },
    }),
  ],
);
