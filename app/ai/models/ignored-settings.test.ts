import { expect, it } from "vitest";
import { effortOptions } from "./effort";
import { answerNothing, ignoredSettings } from "./ignored-settings.server";
import { findProviderType } from "./providers/index.server";

const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Hi" }] }];
const schema = { type: "object" as const, properties: {}, additionalProperties: false };

async function ignoredBy(type: string, modelId: string, settings: object) {
  const config = { baseUrl: "http://a.example" };
  const call = { baseUrl: config.baseUrl, apiKey: undefined, fetch: answerNothing, config };
  const model = await findProviderType(type)?.makeModel(call, modelId);
  if (!model) throw new Error(`No ${type}`);
  return ignoredSettings(model, { prompt, ...settings });
}

it.each([
  ["anthropic", "claude-opus-4-1", { presencePenalty: 1, frequencyPenalty: 1, seed: 1 }],
  ["anthropic", "claude-opus-4-1", { temperature: 1.6 }],
  ["openai", "gpt-4o", { topK: 4 }],
  ["google", "gemini-2.5-flash", { presencePenalty: 1 }],
  ["openai", "gpt-4o", { presencePenalty: 1, seed: 1 }],
])("%s's adapter says what it leaves out of a call with %s: %s", async (type, modelId, settings) => {
  const { seed: _, ...expected } = settings as Record<string, unknown>;
  expect((await ignoredBy(type, modelId, settings)).sort()).toEqual(Object.keys(expected).sort());
});

it.each([
  ["anthropic", "claude-opus-4-1", { topK: 4, stopSequences: ["END"], responseFormat: { type: "json" } }],
  ["anthropic", "claude-opus-4-1", { responseFormat: { type: "json", schema }, temperature: 0.5, topP: 1 }],
  ["openai", "gpt-4o", { stopSequences: ["END"], responseFormat: { type: "json" }, temperature: 1.6 }],
  ["openai", "gpt-5", { temperature: 0.5, topP: 0.5, maxOutputTokens: 9 }],
  ["openai", "gpt-4o", { providerOptions: effortOptions("high") }],
  ["google", "gemini-2.5-flash", { topK: 4, stopSequences: ["END"], seed: 1 }],
  ["custom", "m", { topK: 4, stopSequences: ["END"], presencePenalty: 1, responseFormat: { type: "json" } }],
  ["huggingface", "m", { topK: 4, responseFormat: { type: "json", schema } }],
  ["openrouter", "m", { topK: 4, responseFormat: { type: "json", schema } }],
  ["local-ollama", "m", { topK: 4, responseFormat: { type: "json", schema } }],
])("%s's adapter takes all that matters of %s: %s", async (type, modelId, settings) => {
  expect(await ignoredBy(type, modelId, settings)).toEqual([]);
});
