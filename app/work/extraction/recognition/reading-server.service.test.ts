import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { listAudit } from "~/platform/audit/audit.service.server";
import { addKey, removeKey } from "~/team/keys/keys.service.server";
import { ORG_ID, openTestDatabase } from "../../../../tests/support/database";
import type { MockServer } from "../../../../tests/support/mock-server";
import { startReadingServer } from "../../../../tests/support/reading-server";
import type { RecognitionInput } from "./reading-server.schema";
import { readingServer } from "./reading-server.server";
import {
  readRecognition,
  recognitionKeyUses,
  saveRecognition,
  saveRecognitionForm,
  testReadingServer,
} from "./reading-server.service.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
  vi.stubEnv("QUARTERDECK_KEY_SCANS", "value-of-scans");
});
afterEach(() => {
  vi.unstubAllEnvs();
  test.close();
});

const save = (input: RecognitionInput) => saveRecognition(test.actors.admin, input);
const agreements = () =>
  listAudit(test.actors.admin, { limit: 50 })
    .entries.filter(({ action }) => action === "recognition.agreed")
    .map(({ details }) => details)
    .toReversed();
const DOCLING = { reader: "docling", address: "https://scans.example/docling/" } as const;

describe("a server for scanned pages", () => {
  it("is none until an admin names one", () => {
    expect(readingServer(ORG_ID)).toBeNull();
    save({ address: "https://scans.example" });
    expect([readingServer(ORG_ID), agreements()]).toEqual([null, []]);
    expect(() => saveRecognition(test.actors.member, DOCLING)).toThrow(
      expect.objectContaining({ code: "forbidden" }),
    );
    expect(readingServer(ORG_ID)).toBeNull();
  });

  it("is asked at its address without a last slash or version", () => {
    const addressOf = (address: string) => {
      save({ reader: "mistral", address });
      return readingServer(ORG_ID)?.address;
    };
    expect(addressOf("https://api.mistral.ai/v1/")).toBe("https://api.mistral.ai");
    expect(addressOf("https://scans.example/docling//")).toBe("https://scans.example/docling");
  });

  it("has an agreement in the audit trail for each kind and origin, whichever way it is named", () => {
    save(DOCLING);
    save({ address: "https://scans.example/other", model: "another" });
    save({ reader: "tika" });
    saveRecognitionForm(test.actors.admin, {
      ...readRecognition(test.actors.admin),
      address: "https://elsewhere.example",
    });
    save({ reader: "off" });
    expect(readingServer(ORG_ID)).toBeNull();
    save({ reader: "tika" });
    expect(agreements()).toEqual([
      { reader: "Docling", origin: "https://scans.example" },
      { reader: "Tika", origin: "https://scans.example" },
      { reader: "Tika", origin: "https://elsewhere.example" },
      { reader: "Tika", origin: "https://elsewhere.example" },
    ]);
  });

  it("is refused without an address, with a query, and with a key that it can't get", () => {
    const key = (provider: "other" | "qdrant", origin: string, alias = "QUARTERDECK_KEY_SCANS") =>
      addKey(test.actors.admin, { provider, alias, origin }).id;
    const elsewhere = key("other", "https://elsewhere.example");
    const ofQdrant = key("qdrant", "https://scans.example", "QDRANT_API_KEY");
    const refused: [input: RecognitionInput, field: string, message: RegExp][] = [
      [{ reader: "docling" }, "address", /Enter the server's address/],
      [{ ...DOCLING, address: "https://scans.example/?a=b" }, "address", /without a query/],
      [{ ...DOCLING, address: "ftp://scans.example" }, "address", /http or https/],
      [{ ...DOCLING, address: "https://me:secret@scans.example" }, "address", /without a password/],
      [{ ...DOCLING, keyId: "key_none" }, "keyId", /Choose a key reference/],
      [{ ...DOCLING, keyId: ofQdrant }, "keyId", /Choose a key reference/],
      [{ ...DOCLING, keyId: elsewhere }, "keyId", /can only be sent to https:\/\/elsewhere\.example/],
    ];
    for (const [input, field, message] of refused)
      expect(() => save(input)).toThrow(
        expect.objectContaining({ code: "invalid", fields: { [field]: [expect.stringMatching(message)] } }),
      );
    expect([readRecognition(test.actors.admin).reader, agreements()]).toEqual(["builtin", []]);
  });

  it("names the use of its key", () => {
    const keyId = addKey(test.actors.admin, {
      provider: "other",
      alias: "QUARTERDECK_KEY_SCANS",
      origin: "https://scans.example",
    }).id;
    save({ ...DOCLING, keyId });
    expect(recognitionKeyUses(ORG_ID)).toMatchObject([{ keyId, name: "scans.example" }]);
    save({ reader: "builtin" });
    expect(recognitionKeyUses(ORG_ID)).toEqual([]);
    removeKey(test.actors.admin, keyId);
    expect(() => save(DOCLING)).toThrow(/Choose a key reference/);
  });
});

describe("the test of a server", () => {
  let server: MockServer;
  let read: string;
  beforeEach(async () => {
    read = " Harbor\n42 ";
    server = await startReadingServer({ read: () => read });
  });
  afterEach(() => server.close());
  const run = () => testReadingServer(test.actors.admin);
  const choose = (reader: "docling" | "tika" | "mistral") =>
    save({ reader, address: `${server.origin}/${reader}` });

  it.each(["docling", "tika", "mistral"] as const)("shows what %s read", async (reader) => {
    choose(reader);
    expect(await run()).toEqual({
      ok: true,
      text: "Harbor\n42",
      message: expect.stringMatching(/ at 127\.0\.0\.1:\d+ read the test picture\.$/),
    });
  });

  it("says what is wrong", async () => {
    await expect(run()).rejects.toMatchObject({ code: "conflict" });
    choose("tika");
    read = "";
    expect(await run()).toMatchObject({ ok: false, text: "", message: expect.stringContaining("Tesseract") });
    read = `Herbal ${"x".repeat(1000)}`;
    const other = await run();
    expect(other).toMatchObject({ ok: false, message: expect.stringContaining('didn\'t read "Harbor 42"') });
    expect(other.text).toHaveLength(200);
    save({ address: server.origin });
    expect(await run()).toMatchObject({
      ok: false,
      text: null,
      message: expect.stringContaining("HTTP 404"),
    });
    await expect(testReadingServer(test.actors.member)).rejects.toMatchObject({ code: "forbidden" });
  });
});
