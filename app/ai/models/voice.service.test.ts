import { finished } from "node:stream/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { saveGuardrails } from "~/ai/guardrails/guardrails.service.server";
import { db, transaction } from "~/core/db.server";
import { updateSettings } from "~/platform/settings/settings.service.server";
import { usageRecords } from "~db/schema";
import { type AudioServer, HEARD, silentWav, startAudioServer } from "../../../tests/support/audio-server";
import { openTestDatabase } from "../../../tests/support/database";
import { insertProviderRow } from "./models.repo.server";
import {
  type AudioCall,
  audioFormat,
  listAudioModels,
  speak,
  transcribe,
  withRecording,
} from "./voice.service.server";

let test: ReturnType<typeof openTestDatabase>;
let server: AudioServer;
let heard = HEARD;
/** Instead of the server's own answer. */
let instead: Parameters<typeof startAudioServer>[0] = {};
/** Health outlives a test. */
let order = 0;

beforeEach(async () => {
  test = openTestDatabase();
  heard = HEARD;
  instead = {};
  server = await startAudioServer({
    heard: () => heard,
    instead: (url, response) => instead?.instead?.(url, response) ?? false,
  });
  transaction((tx) =>
    insertProviderRow(tx, {
      id: `prv_voice_${++order}`,
      orgId: test.actors.member.orgId,
      type: "custom",
      displayName: "Voices",
      enabled: true,
      config: { baseUrl: `${server.origin}/v1`, models: ["whisper-1", "tts-1", "gpt-4o"] },
      models: [],
      modelsAt: null,
      priority: 1,
      createdAt: 1,
      updatedAt: 1,
    }),
  );
});
afterEach(async () => {
  await server.close();
  test.close();
});

const callOf = (model: string, signal = new AbortController().signal): AudioCall => ({
  actor: test.actors.member,
  model,
  signal,
  source: { source: "chat" },
});
const hear = (format: "json" | "verbose_json" | "srt" = "json", prompt?: string) =>
  transcribe(callOf("whisper-1"), {
    bytes: new Uint8Array(silentWav(3)),
    extension: "wav",
    mediaType: "audio/wav",
    format,
    prompt,
  });
const answerWith = (type: string, body: string | Buffer) => {
  instead = {
    instead: (_, response) => {
      response.writeHead(200, { "content-type": type }).end(body);
      return true;
    },
  };
};
const usage = () => db().select().from(usageRecords).all();

describe("a transcription", () => {
  it("is recorded for its person, and passes the guardrails with its hint", async () => {
    saveGuardrails(test.actors.admin, { maskPii: true, piiKinds: ["email"], blocked: "sea monster" });
    heard = "Ask [EMAIL_1] about the ships.";
    const { text, json } = await hear("verbose_json", "ada@example.org");
    expect(text).toBe("Ask ada@example.org about the ships.");
    expect(json).toMatchObject({ text, segments: [{ text }] });
    expect(server.forms[0]).toMatchObject({ prompt: "[EMAIL_1]" });
    expect(usage()).toMatchObject([{ userId: "usr_member", audioSeconds: 9, outcome: "ok", source: "chat" }]);
    heard = "A sea monster came.";
    for (const format of ["json", "srt"] as const)
      await expect(hear(format)).rejects.toMatchObject({ code: "guardrail" });
    // It was paid for.
    expect(usage()).toHaveLength(3);
  });

  it("repeats nothing word by word that a guardrail blanks out, and is estimated where nothing is reported", async () => {
    saveGuardrails(test.actors.admin, { maskAnswers: true, piiKinds: ["email"] });
    const said = "Write to ada@example.org.";
    const segments = [{ start: 0, end: 2, text: said, tokens: [50364, 16594] }];
    const words = said.split(" ").map((word) => ({ word }));
    const logprobs = [{ token: "ada@" }, { token: "example.org" }];
    answerWith("application/json", JSON.stringify({ text: said, duration: null, segments, words, logprobs }));
    const { json } = await hear("verbose_json");
    expect(json).toEqual({
      text: "Write to [EMAIL].",
      duration: null,
      segments: [{ start: 0, end: 2, text: "Write to [EMAIL]." }],
    });
    expect(usage()).toMatchObject([{ audioSeconds: 3, estimated: true, outcome: "ok" }]);
  });

  it("of a provider that sends a byte now and then ends with the time of such a call", async () => {
    updateSettings(test.actors.admin, "ai", { timeout: 100, retryAttempts: 0 });
    let timer: NodeJS.Timeout | undefined;
    instead = {
      instead: (_, response) => {
        response.writeHead(200, { "content-type": "application/json" });
        timer = setInterval(() => response.write(" "), 20);
        return true;
      },
    };
    await expect(hear()).rejects.toMatchObject({ code: "provider_timeout" });
    clearInterval(timer);
    expect(usage()).toMatchObject([{ outcome: "error", errorCode: "provider_timeout" }]);
  });

  it.each([
    ["no JSON", "text/html", "<p>", "provider_unavailable"],
    ["another shape", "application/json", '{"result":"x"}', "provider_unavailable"],
    ["deep JSON", "application/json", `{"text":${"[".repeat(100_000)}`, "provider_unavailable"],
    ["endless text", "application/json", `{"text":"${"x".repeat(2.2e6)}"}`, "provider_unavailable"],
  ])("says so if its provider answers %s", async (_, type, body, code) => {
    answerWith(type, body);
    await expect(hear()).rejects.toMatchObject({ code });
    expect(usage().every(({ outcome }) => outcome === "error")).toBe(true);
  });
});

describe("speech", () => {
  it("counts its characters also if it is stopped, and ends the provider's call", async () => {
    let closed = false;
    instead = {
      instead: (_, response) => {
        response.writeHead(200, { "content-type": "audio/mpeg" }).write("ID3 and so on");
        response.on("close", () => {
          closed = true;
        });
        return true;
      },
    };
    const controller = new AbortController();
    const { bytes, mediaType } = await speak(callOf("tts-1", controller.signal), {
      input: "Hello",
      voice: "a",
    });
    expect(mediaType).toBe("audio/mpeg");
    bytes.resume();
    controller.abort(new Error("The listener has gone"));
    await expect(finished(bytes)).rejects.toThrow("gone");
    await expect.poll(() => closed).toBe(true);
    expect(usage()).toMatchObject([{ characters: 5, outcome: "stopped", inputTokens: 0 }]);
  });

  it.each([
    ["a page", "text/html", "<script>alert(1)</script>"],
    ["a picture with a script", "image/svg+xml", "<svg/>"],
    ["nothing", "audio/mpeg", ""],
  ])("isn't %s", async (_, type, body) => {
    answerWith(type, body);
    const spoken = speak(callOf("tts-1"), { input: "Hello", voice: "a" });
    await expect(spoken).rejects.toMatchObject({ code: "provider_unavailable" });
  });

  it("isn't made of a text that a guardrail refuses, and masks what it sends", async () => {
    saveGuardrails(test.actors.admin, { maskPii: true, piiKinds: ["email"], blocked: "sea monster" });
    const say = (input: string) => speak(callOf("tts-1"), { input, voice: "a" });
    await expect(say("A sea monster")).rejects.toMatchObject({ code: "guardrail" });
    (await say("To ada@example.org")).bytes.resume();
    expect(server.spoken).toMatchObject([{ input: "To [EMAIL_1]", voice: "a" }]);
  });
});

it("lists models by kind, without chat models", () => {
  expect(listAudioModels(test.actors.member, "transcription")).toEqual(["whisper-1"]);
  expect(listAudioModels(test.actors.member, "speech")).toEqual(["tts-1"]);
});

it.each([
  ["RIFF\0\0\0\0WAVEfmt ", "wav"],
  ["RIFF\0\0\0\0WEBPVP8 ", undefined],
  ["OggS\0", "ogg"],
  ["\x1aE\xdf\xa3", "webm"],
  ["\0\0\0\x20ftypM4A ", "m4a"],
  ["\0\0\0\x20ftypheic", undefined],
  ["ID3\x04", "mp3"],
  ["ID3,Name\n1,Ada\n", undefined],
  ["\xff\xfb\x90", "mp3"],
  // UTF-16, and AAC, which providers don't read.
  ["\xff\xfeH\0i\0", undefined],
  ["\xff\xf1\x50", undefined],
  ["", undefined],
])("knows a recording by its first bytes: %j", (start, extension) => {
  expect(audioFormat(Buffer.from(start, "latin1"))?.extension).toBe(extension);
});

it("holds no more than some recordings in memory, and lets go of those that failed", async () => {
  const megabytes = (count: number) =>
    (async function* () {
      for (let n = 0; n < count; n++) yield new Uint8Array(1_000_000);
    })();
  await expect(withRecording(megabytes(26), async () => 1)).rejects.toMatchObject({ code: "too_large" });
  await expect(withRecording(megabytes(0), async () => 1)).rejects.toMatchObject({ code: "invalid" });
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const held = Array.from({ length: 8 }, () => withRecording(megabytes(25), () => released));
  const refusal = () => withRecording(megabytes(1), async () => 1).catch(({ code }) => code);
  await expect.poll(refusal).toBe("unavailable");
  release();
  await Promise.all(held);
  expect(await withRecording(megabytes(1), async ({ length }) => length)).toBe(1_000_000);
});
