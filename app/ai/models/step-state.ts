import type { LanguageModelV3Message, SharedV3ProviderMetadata } from "@ai-sdk/provider";
import { type ChatModel, withCalls } from "./language-model";

export type ProviderMetadata = SharedV3ProviderMetadata;
type AssistantMessage = Extract<LanguageModelV3Message, { role: "assistant" }>;

/** What the adapters say of parts and want to see again, by adapter. Everything else is for reading alone. */
const RETURNED: Readonly<Record<string, readonly string[]>> = {
  anthropic: ["signature", "redactedData"],
  google: ["thoughtSignature"],
  openai: ["itemId", "reasoningEncryptedContent", "phase"],
  openaiCompatible: ["thoughtSignature", "reasoningField", "reasoningDetails"],
};

/** The part of a provider's metadata that it wants to see again; undefined without any. */
export function toReturn(metadata: ProviderMetadata | undefined): ProviderMetadata | undefined {
  const returned = Object.entries(metadata ?? {}).flatMap(([name, values]) => {
    const own = Object.entries(values).filter(
      ([key, value]) => RETURNED[name]?.includes(key) && value != null,
    );
    return own.length > 0 ? [[name, Object.fromEntries(own)]] : [];
  });
  return returned.length > 0 ? Object.fromEntries(returned) : undefined;
}

/** Marks a message of a prompt with who wrote it (`RouteTarget.writtenBy`). */
export const writtenBy = (name: string, metadata: ProviderMetadata = {}): ProviderMetadata => ({
  ...metadata,
  console: { writtenBy: name },
});

/** A message as any model takes it: text, files and calls. */
function plain({ role, content }: AssistantMessage): AssistantMessage[] {
  const parts = content.flatMap((part) => {
    if (part.type === "reasoning") return [];
    const { providerOptions: _, ...rest } = part;
    return [rest as typeof part];
  });
  return parts.length > 0 ? [{ role, content: parts }] : [];
}

/**
 * Gives a model back what it wrote itself, reasoning and signatures, and of other models' messages text and calls alone:
 * providers refuse what they haven't signed.
 * @param name `RouteTarget.writtenBy`
 */
export const withOwnSteps = (model: ChatModel, name: string): ChatModel =>
  withCalls(model, (call) => ({
    ...call,
    prompt: call.prompt.flatMap((message): LanguageModelV3Message[] => {
      if (message.role !== "assistant") return [message];
      return message.providerOptions?.console?.writtenBy === name ? [message] : plain(message);
    }),
  }));
