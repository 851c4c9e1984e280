import { readSettings } from "~/features/settings/read-settings.service.server";
import type { ChatModelCall } from "./language-model";

/** Its API rejects other temperatures. */
const FIXED_TEMPERATURE = /(^|\/)(gpt-[5-9]|o[1-9])/i;

/**
 * A call with the organization's length and temperature where it names none: chat, personas, comparisons and workflow
 * steps go through here, a program's own call to `/v1` doesn't.
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
