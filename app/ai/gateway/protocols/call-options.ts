import type { LanguageModelV3CallOptions, SharedV3ProviderOptions } from "@ai-sdk/provider";
import { effortOfThinking, effortOptions, readEffort } from "~/ai/models/models.service.server";
import { invalidField } from "./content";
import { asJsonSchema, type Path, present } from "./prompt";

// What the protocols say alike beside the prompt.

/** A member that isn't translated, when it asks for something, and why it is refused. */
export type Untranslatable = readonly [
  field: string,
  isRequested: (value: unknown) => boolean,
  message: string,
];

export const isAny = () => true;
export const isList = (value: unknown) => Array.isArray(value) && value.length > 0;
export const unsupported = (feature: string) => `This model's provider doesn't support ${feature}.`;

/** @throws AppError `invalid` with the first member that can't be translated */
export function refuseUntranslatable(
  request: Readonly<Record<string, unknown>>,
  list: readonly Untranslatable[],
): void {
  for (const [field, isRequested, message] of list) {
    const value = request[field];
    if (value !== undefined && value !== null && isRequested(value)) throw invalidField([field], message);
  }
}

interface OpenAiOptions {
  effort: string | null | undefined;
  /** Anthropic's, which programs send to Claude by this protocol too. */
  thinking?: unknown;
  user?: string | null | undefined;
  parallel: boolean | null | undefined;
  /** Whether the answer must match its schema exactly. Undefined leaves it to the adapters, which say that it must. */
  strictSchema?: boolean | undefined;
}

/** Anthropic's maximum (https://platform.claude.com/docs/en/api/messages/create). */
const MAX_USER_LENGTH = 256;

/** Options of a call by adapter. */
export function openAiOptions({
  effort,
  thinking,
  user,
  parallel,
  strictSchema,
}: OpenAiOptions): SharedV3ProviderOptions {
  const isSequential = parallel === false;
  const strictness = present({ strictJsonSchema: strictSchema });
  return {
    ...effortOptions(readEffort(effort) ?? effortOfThinking(thinking)),
    anthropic: {
      ...(user && user.length <= MAX_USER_LENGTH ? { metadata: { userId: user } } : {}),
      ...(isSequential ? { disableParallelToolUse: true } : {}),
    },
    openai: {
      ...(user ? { user } : {}),
      ...(isSequential ? { parallelToolCalls: false } : {}),
      ...strictness,
    },
    openaiCompatible: { ...(isSequential ? { parallel_tool_calls: false } : {}), ...strictness },
  };
}

/** A format with the members of its `json_schema`, which the protocols nest differently. */
export interface OpenAiFormat {
  type: string;
  schema?: Record<string, unknown> | null | undefined;
  name?: string | null | undefined;
  description?: string | null | undefined;
}

export function openAiResponseFormat(
  format: OpenAiFormat | null | undefined,
  path: Path,
): LanguageModelV3CallOptions["responseFormat"] {
  if (!format || format.type === "text") return undefined;
  if (format.type === "json_object") return { type: "json" };
  if (format.type !== "json_schema")
    throw invalidField(path, `This model's provider doesn't support the format ${format.type}.`);
  const { name, description, schema } = format;
  return { type: "json", ...present({ name, description, schema: schema && asJsonSchema(schema) }) };
}
