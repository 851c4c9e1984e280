import { z } from "zod";
import { clip } from "~/core/well-formed";
import type { Capability } from "../model-options.shared";
import type { ListedModel } from "../models.schema";

const Modalities = z.array(z.string()).nullish();

/** OpenRouter's list, including data that others lack. */
export const OpenRouterList = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      name: z.string().nullish(),
      description: z.string().nullish(),
      context_length: z.number().nullish(),
      architecture: z.object({ input_modalities: Modalities, output_modalities: Modalities }).nullish(),
      /** US dollars per token as text; -1 for auto-routing. */
      pricing: z.object({ prompt: z.string().nullish(), completion: z.string().nullish() }).nullish(),
      supported_parameters: z.array(z.string()).nullish(),
    }),
  ),
});
type Entry = z.infer<typeof OpenRouterList>["data"][number];

/** US dollars, rounded to drop binary noise. */
function perThousand(dollarsPerToken: number): number {
  return Number((dollarsPerToken * 1000).toPrecision(10));
}

function costOf({ pricing }: Entry): ListedModel["cost"] {
  const [input, output] = [Number(pricing?.prompt ?? Number.NaN), Number(pricing?.completion ?? Number.NaN)];
  return input >= 0 && output >= 0 ? { input: perThousand(input), output: perThousand(output) } : undefined;
}

function capabilitiesOf({ architecture, supported_parameters }: Entry): Capability[] {
  const can = (name: string) => supported_parameters?.includes(name) ?? false;
  const capabilities: [Capability, boolean][] = [
    ["text", true],
    ["vision", architecture?.input_modalities?.includes("image") ?? false],
    ["function-calling", can("tools")],
    ["reasoning", can("reasoning")],
    ["conversational", true],
  ];
  return capabilities.flatMap(([capability, has]) => (has ? [capability] : []));
}

/** Excludes models with only image or audio output. */
export function writesText({ architecture }: Entry): boolean {
  return architecture?.output_modalities?.includes("text") ?? true;
}

export function fromOpenRouter(entry: Entry, kind: "chat" | "embedding"): ListedModel {
  const { id, name, description, context_length } = entry;
  const cost = costOf(entry);
  return {
    id,
    kind,
    ...(name ? { name: clip(name, 200) } : {}),
    ...(description ? { description: clip(description, 500) } : {}),
    ...(context_length && context_length >= 1 ? { maxTokens: Math.floor(context_length) } : {}),
    ...(cost ? { cost } : {}),
    capabilities: kind === "embedding" ? [] : capabilitiesOf(entry),
  };
}
