import { buffer } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { insertProviderRow } from "~/ai/models/models.repo.server";
import { transaction } from "~/core/db.server";
import type { MultipartPart } from "~/platform/endpoint/endpoint.shared";
import { updateSettings } from "~/platform/settings/settings.service.server";
import { type AudioServer, HEARD, silentWav, startAudioServer } from "../../../../tests/support/audio-server";
import { addConversation } from "../../../../tests/support/conversations";
import { openTestDatabase } from "../../../../tests/support/database";
import { listUnsentAttachments, uploadAttachments } from "../attachments/attachments.service.server";
import { sendWithFiles } from "../attachments/send-with-files.service.server";
import { dictate, offeredVoice, readAloud } from "./voice.service.server";

let test: ReturnType<typeof openTestDatabase>;
let server: AudioServer;
let order = 0;
beforeEach(async () => {
  test = openTestDatabase();
  server = await startAudioServer();
});
afterEach(async () => {
  await server.close();
  test.close();
});

const addProvider = (models: string[]) =>
  transaction((tx) =>
    insertProviderRow(tx, {
      id: `prv_read_${++order}`,
      orgId: test.actors.member.orgId,
      type: "custom",
      displayName: "Voices",
      enabled: true,
      config: { baseUrl: `${server.origin}/v1`, models },
      models: [],
      modelsAt: null,
      priority: 1,
      createdAt: 1,
      updatedAt: 1,
    }),
  );

async function* of<T>(...items: T[]) {
  yield* items;
}
const file = (content: Uint8Array, fileName = "note.wav") => ({
  kind: "file" as const,
  name: "file",
  fileName,
  contentType: "audio/wav",
  bytes: of(content),
});
const { signal } = new AbortController();
const read = (messageId: string, part?: number, actor = test.actors.member) =>
  readAloud(actor, { conversationId: "con_a", messageId, part }, signal);

describe("dictation", () => {
  it("returns what is said, and stores nothing", async () => {
    addProvider(["whisper-1"]);
    expect(await dictate(test.actors.member, of(file(silentWav(1))), signal)).toEqual({ text: HEARD });
    expect(listUnsentAttachments(test.actors.member)).toEqual([]);
  });

  it("is for those who may chat, with a model, and of a recording", async () => {
    const send = (actor = test.actors.member, content: Uint8Array = silentWav(1)) =>
      (async () => dictate(actor, of(file(content)), signal))();
    await expect(send()).rejects.toMatchObject({ code: "provider_model" });
    addProvider(["whisper-1"]);
    await expect(send(test.actors.viewer)).rejects.toMatchObject({ code: "forbidden" });
    const page = Buffer.from("<p>not a sound</p>");
    await expect(send(test.actors.member, page)).rejects.toMatchObject({ code: "unsupported_media" });
    expect(server.requests).toHaveLength(0);
  });
});

describe("an attached recording", () => {
  it("is read as its words, which a form without script can have as its text", async () => {
    addProvider(["whisper-1"]);
    const [uploaded] = await uploadAttachments(test.actors.member, of(file(silentWav(1))));
    expect(uploaded?.attachment).toMatchObject({ mediaType: "audio/wav", name: "note.wav", tokens: 8 });
    const field = (name: string, value: string) => ({ kind: "field" as const, name, value });
    const parts = of<MultipartPart>(
      field("content", "Summarize:"),
      field("attachments", uploaded?.attachment?.id ?? ""),
      file(silentWav(2)),
      field("intent", "transcribe"),
    );
    expect(await sendWithFiles(test.actors.member, { conversationId: undefined }, parts)).toMatchObject({
      content: `Summarize:\n\n${HEARD}\n\n${HEARD}`,
      attachments: [],
      error: undefined,
    });
    expect(listUnsentAttachments(test.actors.member)).toEqual([]);
  });

  it("is refused with the reason without a model for it", async () => {
    const refused = uploadAttachments(test.actors.member, of(file(silentWav(1))));
    await expect(refused).rejects.toThrow("No model transcribes recordings");
  });
});

describe("reading aloud", () => {
  const LONG = "The ships bring rope. ".repeat(100);
  beforeEach(() =>
    addConversation("con_a", [
      { role: "user", text: "What do they bring?" },
      { role: "assistant", text: `# Cargo\n\n${LONG}` },
      { role: "user", text: "And?" },
      { role: "assistant", text: "$$" },
    ]),
  );

  it("comes in pieces, or as a whole, of what is said of the Markdown", async () => {
    addProvider(["tts-1"]);
    const first = await read("msg_con_a_1", 0);
    expect(first).toMatchObject({ mediaType: "audio/wav", pieces: 3 });
    expect(await buffer(first.bytes)).toEqual(silentWav(1));
    expect(server.spoken[0]?.input).toMatch(/^Cargo\nThe ships bring rope\. .*rope\.$/);
    const whole = await buffer((await read("msg_con_a_1")).bytes);
    expect(whole.length).toBe(3 * silentWav(1).length);
    await expect(read("msg_con_a_1", 3)).rejects.toMatchObject({ code: "not_found" });
  });

  it("is of one's own answers, for those who may chat, and with a model", async () => {
    await expect(read("msg_con_a_1")).rejects.toMatchObject({ code: "provider_model" });
    addProvider(["tts-1"]);
    for (const message of ["msg_con_a_0", "msg_other", ""])
      await expect(read(message)).rejects.toMatchObject({ code: "not_found" });
    await expect(read("msg_con_a_1", 0, test.actors.owner)).rejects.toMatchObject({ code: "not_found" });
    await expect(read("msg_con_a_1", 0, test.actors.viewer)).rejects.toMatchObject({ code: "forbidden" });
    expect(server.requests).toHaveLength(0);
  });

  it("has the model and the voice that an admin chose", async () => {
    addProvider(["tts-1", "kokoro"]);
    updateSettings(test.actors.admin, "ai", { speechModel: "kokoro", speechVoice: "nova" });
    expect(offeredVoice(test.actors.member)).toEqual({ dictates: false, speaks: true });
    (await read("msg_con_a_1", 0)).bytes.resume();
    expect(server.spoken).toMatchObject([{ model: "kokoro", voice: "nova", response_format: "mp3" }]);
  });
});
