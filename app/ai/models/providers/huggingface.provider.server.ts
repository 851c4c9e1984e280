import { z } from "zod";
import type { CallFeature } from "../call-features";
import { capabilitiesOf } from "../model-families.server";
import type { Capability } from "../model-options.shared";
import type { ListedModel } from "../models.schema";
import { bearer, compatibleModel, readList } from "./adapter-parts.server";
import type { ProviderType } from "./provider-type.server";

const RouterList = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      architecture: z.object({ input_modalities: z.array(z.string()).nullish() }).nullish(),
      providers: z
        .array(
          z.object({
            status: z.string().nullish(),
            context_length: z.number().nullish(),
            pricing: z.object({ input: z.number().nullish(), output: z.number().nullish() }).nullish(),
            supports_tools: z.boolean().nullish(),
            supports_structured_output: z.boolean().nullish(),
          }),
        )
        .nullish(),
    }),
  ),
});
type Entry = z.infer<typeof RouterList>["data"][number];

/** The router picks a provider, so the worst values apply: shortest context, highest price. */
function toListed({ id, architecture, providers }: Entry): ListedModel {
  const live = (providers ?? []).filter(({ status }) => status == null || status === "live");
  const lengths = live.flatMap(({ context_length }) => (context_length ? [context_length] : []));
  const prices = live.flatMap(({ pricing }) =>
    pricing?.input != null && pricing.output != null
      ? [{ input: pricing.input, output: pricing.output }]
      : [],
  );
  const highestPrice = (of: (price: (typeof prices)[number]) => number) => Math.max(...prices.map(of)) / 1000;
  const declared: [Capability, boolean][] = [
    ["vision", architecture?.input_modalities?.includes("image") ?? false],
    ["function-calling", live.some(({ supports_tools }) => supports_tools)],
  ];
  const takenByNone = (of: (provider: (typeof live)[number]) => boolean | null | undefined) =>
    live.length > 0 && live.every((provider) => of(provider) === false);
  const lacks: CallFeature[] = [
    ...(takenByNone(({ supports_tools }) => supports_tools) ? ["tools" as const] : []),
    ...(takenByNone((one) => one.supports_structured_output) ? ["responseSchema" as const] : []),
  ];
  const guessed = capabilitiesOf(id).filter((can) => !declared.some(([capability]) => capability === can));
  return {
    id,
    kind: "chat",
    maxTokens: lengths.length > 0 ? Math.floor(Math.min(...lengths)) : undefined,
    cost:
      prices.length > 0
        ? { input: highestPrice(({ input }) => input), output: highestPrice(({ output }) => output) }
        : undefined,
    capabilities: [...guessed, ...declared.flatMap(([capability, has]) => (has ? [capability] : []))],
    ...(lacks.length > 0 ? { lacks } : {}),
  };
}

export const huggingface: ProviderType = {
  value: "huggingface",
  label: "Hugging Face",
  description: "Open models through Hugging Face's Inference Providers",
  keyKind: "huggingface",
  keyRequired: true,
  defaultBaseUrl: "https://router.huggingface.co/v1",
  pricing: null,
  abilities: ["Vision", "Tools", "Reasoning"],
  listing: "Models and prices are discovered automatically",
  wire: { "openai-chat": "/chat/completions" },
  headers: bearer,
  async listModels(call) {
    const { data } = await readList(call, "/models", RouterList);
    return data.map(toListed);
  },
  makeModel: (call, modelId, streams) => compatibleModel(call, modelId, streams),
};
