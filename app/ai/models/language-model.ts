import type {
  JSONObject,
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
} from "@ai-sdk/provider";

export type ChatModel = LanguageModelV3;
export type ChatModelCall = LanguageModelV3CallOptions;
export type ChatModelPart = LanguageModelV3StreamPart;
export type ChatModelResult = LanguageModelV3GenerateResult;

/** A model whose calls are changed before its adapter sees them. */
export const withCalls = (model: ChatModel, change: (call: ChatModelCall) => ChatModelCall): ChatModel => ({
  specificationVersion: model.specificationVersion,
  provider: model.provider,
  modelId: model.modelId,
  supportedUrls: model.supportedUrls,
  doGenerate: (call) => model.doGenerate(change(call)),
  doStream: (call) => model.doStream(change(call)),
});

/** Gives a call a tool that the provider itself runs. @param id as the adapter names it */
export const withProviderTool =
  (id: `${string}.${string}`, name: string, args: Record<string, unknown> = {}) =>
  (call: ChatModelCall): ChatModelCall => ({
    ...call,
    tools: [...(call.tools ?? []), { type: "provider", id, name, args }],
  });

/** A call with an option of its adapter, or of the console's own. */
export const withOption = (call: ChatModelCall, adapter: string, own: JSONObject): ChatModelCall => ({
  ...call,
  providerOptions: { ...call.providerOptions, [adapter]: { ...call.providerOptions?.[adapter], ...own } },
});

/** A model whose calls have options of their adapter beside those that they bring. */
export const withOptions = (model: ChatModel, adapter: string, options: JSONObject): ChatModel =>
  withCalls(model, (call) => withOption(call, adapter, { ...options, ...call.providerOptions?.[adapter] }));

/** The raw reason of an answer whose server didn't say that it is whole. */
export const CUT = "cut";

/** Missing figures aren't guessed. */
export const UNKNOWN_USAGE: LanguageModelV3Usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

/** Marks an attached text. Providers ignore it; the built-in model reads requests only from the user's own words. */
export const ATTACHED = { console: { attached: true } } as const;

export const isAttached = ({ providerOptions }: { providerOptions?: unknown }): boolean =>
  (providerOptions as Partial<typeof ATTACHED> | undefined)?.console?.attached === true;
