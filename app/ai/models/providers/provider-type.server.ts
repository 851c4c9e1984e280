import type { KeyProvider } from "~/team/keys/keys.shared";
import type { ChatModel, ChatModelCall } from "../language-model";
import type { Effort } from "../model-picker.shared";
import type { ListedModel, ProviderConfig, ProviderTypeInfo } from "../models.schema";

export interface ProviderCall {
  baseUrl: string;
  apiKey: string | undefined;
  fetch: typeof globalThis.fetch;
  config: ProviderConfig;
}

/** Protocols of the gateway; a provider of the caller's protocol gets the bytes untranslated. */
type WireProtocol =
  | "openai-chat"
  | "openai-responses"
  | "openai-embeddings"
  | "anthropic-messages"
  | "rerank"
  | "openai-images"
  | "openai-image-edits"
  | "openai-transcription"
  | "openai-speech";

export interface ProviderType extends ProviderTypeInfo {
  keyKind: KeyProvider;
  keyRequired: boolean;
  /** Its price list in `@pydantic/genai-prices`; null to look it up by the address. */
  pricing: string | null;
  /** Runs on the user's own hardware, so calls cost nothing. */
  local?: boolean;
  /** Cuts off what goes beyond a model's context, without an error. */
  cutsPrompts?: boolean;
  /** Whether what it signed is understood with any key of it. */
  portableState?: boolean;
  /** Tokens of the output limit that thoughts of a model that reasons may take; as the effort says by default. */
  thinkingRoom?(effort: Effort | undefined, modelId: string): number;
  /** Path of each protocol that it serves. */
  wire: Partial<Record<WireProtocol, string>>;
  /** The same, where it depends on the settings. */
  wireFor?(config: ProviderConfig): ProviderType["wire"];
  normalizeBaseUrl?(baseUrl: string): string;
  /**
   * A call for which the provider itself searches the web; undefined if it can't with these settings. The pages are
   * `source` parts of the answer, or `sources` of its metadata.
   */
  searchingWeb?(config: ProviderConfig): ((call: ChatModelCall) => ChatModelCall) | undefined;
  /** Fills in what follows from the other settings. */
  completeConfig?(config: ProviderConfig): ProviderConfig;
  /**
   * Headers with the key, and others that the protocol requires.
   *
   * @param address the URL of the call, where it decides the headers
   */
  headers(apiKey: string | undefined, address?: string): Record<string, string>;
  /** Lists the provider's models in its own order. */
  listModels(call: ProviderCall): Promise<ListedModel[]>;
  /** A free request that shows availability; defaults to `listModels`. */
  probe?(call: ProviderCall): Promise<unknown>;
  /** Whether a model is in the server's memory, so that it needn't be loaded first. */
  isLoaded?(call: ProviderCall, modelId: string): Promise<boolean>;
  /** @param streams whether the model is called for streams (by default), or for answers in one piece */
  makeModel(call: ProviderCall, modelId: string, streams?: boolean): Promise<ChatModel>;
}
