import { expect, it } from "vitest";
import { google } from "./google.provider.server";

it("offers for chat what answers with text", async () => {
  const listed = [
    ["gemini-2.5-flash", "generateContent"],
    ["gemini-2.5-flash-image", "generateContent"],
    ["gemini-2.5-flash-preview-tts", "generateContent"],
    ["gemini-2.5-pro-preview-tts", "countTokens", "generateContent"],
    ["gemini-embedding-001", "embedContent"],
    ["imagen-4.0-generate-001", "predict"],
    ["veo-3.0-generate-001", "predictLongRunning"],
  ];
  const models = listed.map(([id, ...can]) => ({ name: `models/${id}`, supportedGenerationMethods: can }));
  const fetch = async () => Response.json({ models });
  const call = { baseUrl: "http://a.example/v1beta", apiKey: "key", fetch, config: {} };
  expect((await google.listModels(call)).map(({ id, kind }) => [id, kind])).toEqual([
    ["gemini-2.5-flash", "chat"],
    ["gemini-2.5-flash-image", "chat"],
    ["gemini-embedding-001", "embedding"],
    ["imagen-4.0-generate-001", "image"],
  ]);
});
