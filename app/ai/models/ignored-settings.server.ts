import type { ChatModel, ChatModelCall } from "./language-model";

/** Answers with an empty stream: adapters report what they leave out before they read any of it. */
export const answerNothing: typeof fetch = async () =>
  new Response("", { headers: { "content-type": "text/event-stream" } });

/** Settings that may be left out: a seed is best effort, and reasoning models choose the others themselves. */
const HARMLESS: ReadonlySet<string> = new Set(["seed", "temperature", "topP", "maxOutputTokens"]);

/** Whether the adapter would change the value, such as a temperature above the provider's highest. */
const isChanged = (details: string | undefined) => /\bclamped\b/.test(details ?? "");

/**
 * The settings of a call that its adapter would leave out or change, by the adapter's own warnings. Prompt and tools
 * aren't settings.
 *
 * @param adapter whose fetch is `answerNothing`
 */
export async function ignoredSettings(adapter: ChatModel, call: ChatModelCall): Promise<string[]> {
  const { prompt: _, tools: __, toolChoice: ___, abortSignal: ____, ...settings } = call;
  const { stream } = await adapter.doStream({
    ...settings,
    prompt: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
  });
  const reader = stream.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return (value?.type === "stream-start" ? value.warnings : []).flatMap((warning) => {
    if (warning.type !== "unsupported" || !Object.hasOwn(settings, warning.feature)) return [];
    return HARMLESS.has(warning.feature) && !isChanged(warning.details) ? [] : [warning.feature];
  });
}
