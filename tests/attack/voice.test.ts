import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AttackedServer, type Cost, isWholeMatrix, PAGE_MS, startAttacked } from "../support/attack";
import { type AudioServer, HEARD, silentWav, startAudioServer } from "../support/audio-server";
import { uploadForm } from "../support/uploads";

/** What a provider may say, below the limit of 2 MB. */
const TRANSCRIPTS: Record<string, string> = {
  brackets: "[".repeat(1_900_000),
  "quotes and escapes": '"\\'.repeat(450_000),
  "addresses for the masking": "a@b.example ".repeat(150_000),
  blanks: " \n".repeat(600_000),
};

let attacked: AttackedServer;
let audio: AudioServer;
let heard = HEARD;
beforeAll(async () => {
  audio = await startAudioServer({ heard: () => heard });
  attacked = await startAttacked({ EGRESS_ALLOW: `127.0.0.1:${audio.port}` });
  const config = { baseUrl: `${audio.origin}/v1`, models: ["whisper-1", "tts-1"] };
  const json = { provider: "custom", displayName: "Voices", enabled: true, config };
  expect((await attacked.server.ask("/api/providers", { as: "owner", json })).status).toBe(201);
});
afterAll(async () => {
  await attacked.server.close();
  await audio.close();
});

const seen = ({ used, longest }: Cost) => `${used.toFixed(0)} ms, longest turn ${longest.toFixed(0)} ms`;
const send = (bytes: Uint8Array<ArrayBuffer>) =>
  attacked.server.ask("/api/ai/transcriptions", { as: "member", body: uploadForm([["a.wav", bytes]]) });

describe("a transcript", () => {
  it.each(Object.keys(TRANSCRIPTS))("of %s is read beside other requests", async (name) => {
    const given = { settings: { maskAnswers: true, blocked: "sea monster" } };
    await attacked.server.ask("/api/guardrails", { as: "owner", method: "PATCH", json: given.settings });
    heard = HEARD;
    expect((await send(silentWav(1))).status).toBe(200);
    heard = TRANSCRIPTS[name] ?? "";
    const cost = await attacked.cost(async () => {
      expect([200, 502]).toContain((await send(silentWav(1))).status);
    });
    expect(cost.longest, seen(cost)).toBeLessThan(PAGE_MS);
  });
});

describe("a recording", () => {
  it.each([
    ["of 24 MB that says nothing of itself", Buffer.alloc(24_000_000, 0x41), 415],
    [
      "whose head promises a second of gigabytes",
      Buffer.concat([silentWav(1).subarray(0, 28), Buffer.alloc(1e6)]),
      200,
    ],
    ["that is only its head", silentWav(0).subarray(0, 12), 200],
  ])("%s costs little", async (_, bytes, status) => {
    heard = HEARD;
    let answered = 0;
    const cost = await attacked.cost(async () => {
      answered = (await send(new Uint8Array(bytes))).status;
    });
    expect(answered).toBe(status);
    expect(cost.longest, seen(cost)).toBeLessThan(PAGE_MS);
  });
});

it.runIf(isWholeMatrix)("many recordings at once are refused, and the console answers", async () => {
  const all = Array.from({ length: 12 }, () => send(silentWav(3000)));
  const statuses = (await Promise.all(all)).map(({ status }) => status);
  expect(statuses.every((status) => [200, 429, 503].includes(status))).toBe(true);
  expect((await attacked.server.ask("/readyz")).status).toBe(200);
});
