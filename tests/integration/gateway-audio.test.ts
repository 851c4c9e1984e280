import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AudioServer, HEARD, silentWav, startAudioServer } from "../support/audio-server";
import { type Gateway, openGateway } from "../support/gateway";

let gateway: Gateway;
let audio: AudioServer;

beforeAll(async () => {
  audio = await startAudioServer();
  gateway = await openGateway({ retryAttempts: 0 });
  const models = ["whisper-1", "gpt-4o-transcribe", "tts-1", "gpt-4o-mini-tts"];
  await gateway.addProvider({ provider: "openai", baseUrl: `${audio.origin}/v1`, models });
  await gateway.server.ask("/api/models?id=tts-1", {
    as: "admin",
    method: "PATCH",
    json: { cost: { input: 0, output: 0, characters: 15 } },
  });
});
afterAll(async () => {
  await gateway?.close();
  await audio?.close();
});

const recording = () => toFile(silentWav(3), "my voice.wav", { type: "audio/wav" });
const lastUsage = async (model: string) => {
  await expect.poll(() => gateway.usage().at(-1)?.model).toBe(model);
  return gateway.usage().at(-1);
};

describe("transcriptions by OpenAI's client", () => {
  it.each([
    ["whisper-1", { audio_seconds: 9, input_tokens: 0, cost_micros: 900, estimated: 0 }],
    ["gpt-4o-transcribe", { audio_seconds: 3, input_tokens: 150, output_tokens: 10, cost_micros: 1000 }],
  ])("are counted and priced as %s charges", async (model, recorded) => {
    const { text } = await gateway.openai().audio.transcriptions.create({ file: await recording(), model });
    expect(text).toBe(HEARD);
    expect(await lastUsage(model)).toMatchObject({ source: "gateway", outcome: "ok", ...recorded });
    // The name of a file says more than the provider must know.
    expect(audio.forms.at(-1)?.file).toMatchObject({ name: "recording.wav", size: 24_044 });
  });

  it("come in the format that was asked for, with what the console doesn't know sent on", async () => {
    const { transcriptions } = gateway.openai().audio;
    const file = await recording();
    const model = "whisper-1";
    expect(await transcriptions.create({ file, model, response_format: "text" })).toBe(`${HEARD}\n`);
    expect(await transcriptions.create({ file, model, response_format: "srt" })).toContain("-->");
    const verbose = await transcriptions.create({
      file,
      model,
      response_format: "verbose_json",
      timestamp_granularities: ["segment"],
      language: "en",
    });
    expect(verbose).toMatchObject({ duration: 8.47, segments: [{ text: HEARD }] });
    expect(audio.forms.at(-1)).toMatchObject({ "timestamp_granularities[]": "segment", language: "en" });
  });

  it.each([
    [{ model: "" }, 400, "model"],
    [{ model: "no-such-model" }, 404, "model"],
    [{ response_format: "html" }, 400, "response_format"],
    [{ stream: "true" }, 400, "stream"],
    [{ file: undefined }, 400, null],
    [{ file: new Blob([]) }, 400, null],
    [{ other: new Blob(["x"]) }, 400, "file"],
    [{ "a b": "c" }, 400, null],
    // In the provider's own words.
    [{ file: new Blob(["not a sound"]) }, 400, "file"],
  ] as [Record<string, string | Blob | undefined>, number, string | null][])(
    "are refused in OpenAI's form: %j",
    async (given, status, param) => {
      const form = new FormData();
      const wav = new Blob([silentWav(1)], { type: "audio/wav" });
      const fields = { model: "whisper-1", file: wav, ...given };
      for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.append(name, value);
      const response = await fetch(`${gateway.server.baseUrl}/v1/audio/transcriptions`, {
        method: "POST",
        headers: { authorization: `Bearer ${gateway.token}` },
        body: form,
      });
      expect(await response.json()).toMatchObject({ error: { param, type: "invalid_request_error" } });
      expect(response.status).toBe(status);
    },
  );

  it("are no larger than 25 MB", async () => {
    const file = await toFile(Buffer.alloc(25_000_001), "long.wav");
    const refused = gateway.openai().audio.transcriptions.create({ file, model: "whisper-1" });
    await expect(refused).rejects.toMatchObject({ status: 413 });
  });
});

describe("speech by OpenAI's client", () => {
  const speak = (input: string, token = gateway.token, model = "tts-1") =>
    gateway.openai(token).audio.speech.create({ model, input, voice: "alloy", speed: 1.5 });

  it("is the provider's sound, counted and priced by characters or tokens", async () => {
    const response = await speak("Hello there");
    expect(response.headers.get("content-type")).toBe("audio/wav");
    expect(response.headers.get("x-gateway-model")).toBe("tts-1");
    expect(Buffer.from(await response.arrayBuffer())).toEqual(silentWav(1));
    expect(audio.spoken.at(-1)).toEqual({ model: "tts-1", input: "Hello there", voice: "alloy", speed: 1.5 });
    expect(await lastUsage("tts-1")).toMatchObject({ characters: 11, input_tokens: 0, cost_micros: 165 });
    await (await speak("Hello there", gateway.token, "gpt-4o-mini-tts")).arrayBuffer();
    const usage = await lastUsage("gpt-4o-mini-tts");
    expect(usage).toMatchObject({ characters: 11, input_tokens: 3, output_tokens: 16, estimated: 1 });
    expect(usage?.cost_micros).toBe(194);
    const report = await gateway.server.ask("/api/usage?model=tts-1", { as: "admin" });
    expect(await report.json()).toMatchObject({ totals: { characters: 11, audioSeconds: 0 } });
  });

  it("is for the token's models, within its rate and its budget", async () => {
    const limited = await gateway.newToken({ models: ["gpt-4o"] });
    await expect(speak("x", limited)).rejects.toMatchObject({ status: 404, code: "model_not_found" });
    const slow = await gateway.newToken({ requestsPerMinute: 1 });
    await speak("x", slow);
    await expect(speak("x", slow)).rejects.toMatchObject({ status: 429 });
    const made = await gateway.server.ask("/api/tokens", { as: "member", json: { name: "poor" } });
    const { id, token: poor } = (await made.json()) as { id: string; token: string };
    await gateway.created("/api/budgets", { target: `token:${id}`, unit: "money", period: "day", limit: 0 });
    await expect(speak("A text that costs more than the budget has.", poor)).rejects.toMatchObject({
      status: 402,
    });
  });

  it.each([
    [{ input: "" }, "input"],
    [{ input: "x".repeat(20_001) }, "input"],
    [{ voice: undefined }, "voice"],
    [{ stream_format: "sse" }, "stream_format"],
  ])("is refused in OpenAI's form: %#", async (given, param) => {
    const response = await gateway.server.ask("/v1/audio/speech", {
      headers: { authorization: `Bearer ${gateway.token}` },
      json: { model: "tts-1", input: "Hello", voice: "alloy", ...given },
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { param } });
  });

  it("passes on what the provider refuses", async () => {
    const refused = speak("x".repeat(5000));
    await expect(refused).rejects.toBeInstanceOf(OpenAI.BadRequestError);
    await expect(refused).rejects.toMatchObject({ param: "input" });
  });
});
