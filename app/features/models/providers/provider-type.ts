import type { KeyProvider } from "~/features/keys/key-providers.schema";
import type { ChatModel } from "../language-model";
import type { ProviderConfig, ProviderConfigField } from "../models.schema";

/** What a provider type gets to speak with its far end: everything is settled and guarded already. */
export interface ProviderCall {
  /** Without a trailing slash. */
  baseUrl: string;
  /** Read from the environment for this call; empty where the provider needs none. */
  apiKey: string | undefined;
  /** Guarded, timed and retried. */
  fetch: typeof globalThis.fetch;
  config: ProviderConfig;
}

/** A kind of provider: one file here and one line in index.server.ts. */
export interface ProviderType {
  value: string;
  label: string;
  description: string;
  /** The kind of key reference it uses. */
  keyKind: KeyProvider;
  /** Whether it can't be called without a key. */
  keyRequired: boolean;
  /** Null where the address must be given. */
  defaultBaseUrl: string | null;
  /** The settings it knows, in the order the form shows them; any other is refused. */
  fields: readonly ProviderConfigField[];
  /** Its price list in `@pydantic/genai-prices`; null to look it up by the address. */
  pricing: string | null;
  /** The ids of the models it can chat with. */
  listModels(call: ProviderCall): Promise<string[]>;
  makeModel(call: ProviderCall, modelId: string): ChatModel;
}
