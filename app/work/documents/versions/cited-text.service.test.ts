import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rawDatabase } from "~/core/db.server";
import { openTestDatabase } from "../../../../tests/support/database";
import { addDocument, addVersion } from "../../../../tests/support/documents";
import { DocumentScreenQuery } from "../screens/document-screen.schema";
import { readDocumentScreen } from "../screens/document-screen.service.server";

const OLD = "Holidays are 25 days. Rooms are booked by phone.";
const NEW = "This is the second edition. Holidays are 28 days. Rooms are booked by phone.";
const ROOMS = "Rooms are booked by phone.";

describe("a citation's location", () => {
  let test: ReturnType<typeof openTestDatabase>;
  let id: string;
  beforeEach(() => {
    test = openTestDatabase();
    id = addDocument("Handbook");
    addVersion(id, { number: 1, state: "replaced", texts: [{ text: OLD }] });
    addVersion(id, { number: 2, texts: [{ text: NEW }] });
  });
  afterEach(() => test.close());

  const read = (address: Record<string, unknown>) =>
    readDocumentScreen(test.actors.viewer, id, DocumentScreenQuery.parse(address));

  it("is in the version that was cited", async () => {
    const from = OLD.indexOf(ROOMS);
    const screen = await read({ from, to: OLD.length, version: 1 });
    expect(screen.text?.text).toBe(OLD);
    expect(screen.query).toMatchObject({ from, to: OLD.length, version: 1 });
    expect(screen.lostVersion).toBeUndefined();
  });

  it("is in the current version, with or without its number in the link", async () => {
    for (const version of [2, undefined]) {
      const screen = await read({ from: 28, to: 49, version });
      expect(screen).toMatchObject({ text: { text: NEW }, query: { from: 28, to: 49, version } });
      expect(screen).not.toHaveProperty("lostVersion");
    }
  });

  it("marks nothing once its version is no longer kept", async () => {
    rawDatabase().exec("DELETE FROM document_versions WHERE number = 1");
    const screen = await read({ from: 22, to: 40, version: 1 });
    expect(screen).toMatchObject({ text: { text: NEW, start: 0 }, lostVersion: 1 });
    expect(screen.query).toMatchObject({ from: undefined, to: undefined, version: undefined });
  });

  it("marks nothing while its version is being removed", async () => {
    rawDatabase().exec("DELETE FROM document_texts WHERE version_id LIKE '%_1'");
    expect(await read({ from: 22, to: 40, version: 1 })).toMatchObject({
      text: { text: NEW },
      lostVersion: 1,
    });
  });

  it("is on the page of the sentence that answers the question, not where its passage begins", async () => {
    const pages = ["Invoice RE-1001. Total due: 119 EUR.", "Invoice RE-1002. Total due: 219 EUR."];
    const text = pages.join("\n\n");
    const blocks = pages.map((page, at) => {
      const start = text.indexOf(page);
      return { kind: "paragraph", start, end: start + page.length, page: at + 1 };
    });
    addVersion(id, { number: 3, texts: [{ text, blocks }] });
    const passage = { from: 0, to: text.length };
    const pageFor = async (about?: string) => (await read({ ...passage, about })).citedPage;
    expect(await pageFor("What is the total of invoice RE-1002?")).toBe(2);
    expect(await pageFor("What is the total of invoice RE-1001?")).toBe(1);
    expect(await pageFor()).toBe(1);
  });

  it("is empty in a version that hasn't been read yet", async () => {
    addVersion(id, { number: 3, state: "received" });
    const screen = await read({ version: 3 });
    expect(screen).toMatchObject({ text: { length: 0 }, query: { version: 3 } });
    expect(screen).not.toHaveProperty("lostVersion");
  });

  it("requires access to the document", async () => {
    rawDatabase().exec("UPDATE documents SET visibility = 'named'");
    await expect(read({ from: 0, to: 5, version: 1 })).rejects.toThrow(/not found/);
    await expect(read({ from: 0, to: 5, version: 9 })).rejects.toThrow(/not found/);
  });
});
