import { readSettings } from "~/platform/settings/read-settings.service.server";
import type { ChatModelCall } from "./language-model";

/** OpenAI's API rejects other temperatures for these models. */
const FIXED_TEMPERATURE = /(^|\/)(gpt-[5-9]|o[1-9])/i;

/**
 * Applies the organization's default length and temperature to a call. Used by chat, personas, comparisons and workflow
 * steps; calls to `/v1` keep their own.
 *
 * @param modelId the provider's id of the model, since a fallback may be of another family
 */
export function withGenerationDefaults(orgId: string, modelId: string, call: ChatModelCall): ChatModelCall {
  const { maxTokens, temperature } = readSettings(orgId, "ai");
  return {
    ...call,
    maxOutputTokens: call.maxOutputTokens ?? maxTokens,
    ...(FIXED_TEMPERATURE.test(modelId) ? {} : { temperature: call.temperature ?? temperature }),
  };
}
