import type { z } from "zod";
import { MAX_LIST_VALUES, parseJson } from "~/core/parse";
import { clip } from "~/core/well-formed";
import type { KeyProvider } from "~/team/keys/keys.shared";
import type { ChatModel } from "../language-model";
import type { ListedModel, ProviderConfig, ProviderTypeInfo } from "../models.schema";
import { bearer } from "../provider-client.service.server";
import { MalformedResponse, ProviderHttpError } from "../provider-errors.server";

export interface ProviderCall {
  baseUrl: string;
  apiKey: string | undefined;
  fetch: typeof globalThis.fetch;
  config: ProviderConfig;
}

/** Protocols of the gateway; a provider of the caller's protocol gets the bytes untranslated. */
type WireProtocol = "openai-chat" | "openai-responses" | "openai-embeddings" | "anthropic-messages";

export interface ProviderType extends ProviderTypeInfo {
  keyKind: KeyProvider;
  keyRequired: boolean;
  /** Its price list in `@pydantic/genai-prices`; null to look it up by the address. */
  pricing: string | null;
  /** Runs on the user's own hardware, so calls cost nothing. */
  local?: boolean;
  /** Path of each protocol that it serves. */
  wire: Partial<Record<WireProtocol, string>>;
  normalizeBaseUrl?(baseUrl: string): string;
  /**
   * Headers with the key, and others that the protocol requires.
   *
   * @param address the URL of the call, where it decides the headers
   */
  headers(apiKey: string | undefined, address?: string): Record<string, string>;
  listModels(call: ProviderCall): Promise<ListedModel[]>;
  /** A free request that shows availability; defaults to `listModels`. */
  probe?(call: ProviderCall): Promise<unknown>;
  makeModel(call: ProviderCall, modelId: string): Promise<ChatModel>;
}

/** @throws ProviderHttpError, MalformedResponse, and errors of the fetch */
export async function readList<T extends z.ZodType>(
  call: ProviderCall,
  path: string,
  schema: T,
  headers = bearer(call.apiKey),
): Promise<z.infer<T>> {
  const response = await call.fetch(call.baseUrl + path, {
    headers: { accept: "application/json", ...headers },
  });
  const body = await response.text();
  if (!response.ok) throw new ProviderHttpError(response.status, body, response.headers);
  try {
    return schema.parse(parseJson(body, MAX_LIST_VALUES));
  } catch (error) {
    throw new MalformedResponse(error);
  }
}

/** A context length as lists state it, in tokens. */
export const contextTokens = (length: number | null | undefined) =>
  length && length >= 1 ? Math.floor(length) : undefined;

/** A text of a list, bounded; undefined if blank. */
export const shortText = (text: string | null | undefined, max: number) =>
  text ? clip(text, max) : undefined;

/**
 * A model of a server with OpenAI's chat completions API. Reasoning is a separate part.
 *
 * @param name of the provider type
 * @param pathPrefix the path between the base URL and `/chat/completions`
 */
export async function compatibleModel(
  call: ProviderCall,
  name: string,
  modelId: string,
  pathPrefix = "",
): Promise<ChatModel> {
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const provider = createOpenAICompatible({
    name,
    baseURL: call.baseUrl + pathPrefix,
    fetch: call.fetch,
    includeUsage: true,
    supportsStructuredOutputs: true,
    ...(call.apiKey ? { apiKey: call.apiKey } : {}),
  });
  return provider(modelId);
}
