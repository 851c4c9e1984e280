import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { rawDatabase } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { closeWorkerPools } from "~/core/worker-pool.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import type { RecognizePage } from "~/work/extraction/recognition/recognize.service.server";
import { openTestDatabase } from "../../../../tests/support/database";
import { makePdf } from "../../../../tests/support/document-files";
import { startIngestion, whenIdle } from "../../../../tests/support/ingestion";
import { getDocument } from "../documents.service.server";
import { retryDocument } from "../jobs/work.service.server";
import { readText } from "../versions/document-parts.service.server";
import { type IngestSteps, ingestSteps } from "./context.server";
import { recognizeText } from "./document-versions.service.server";
import { receiveUpload } from "./upload.service.server";

const drawn = { dictionary: "", data: Buffer.from("0 0 595 842 re f") };
const typed = { dictionary: "", data: Buffer.from("BT /F1 11 Tf 72 700 Td (Typed text) Tj ET") };

describe("pages that are pictures", () => {
  let test: ReturnType<typeof openTestDatabase>;
  let stop: () => Promise<void>;
  let recognizer: RecognizePage | undefined;
  /** Names of the files that were read, in order. */
  let read: string[];
  const recognize = vi.fn<RecognizePage>();
  beforeEach(() => {
    test = openTestDatabase();
    recognizer = recognize;
    recognize.mockReset().mockImplementation(async ({ page }) => `Words of page ${page}.`);
    const indexVersion = async () => undefined;
    read = [];
    const readVersion: IngestSteps["readVersion"] = (version, signal) => {
      read.push(version.name);
      return ingestSteps.readVersion(version, signal);
    };
    stop = startIngestion({ ...ingestSteps, readVersion, indexVersion, pageRecognizer: () => recognizer });
  });
  afterEach(async () => {
    await stop();
    test.close();
  });
  afterAll(closeWorkerPools);

  async function addPdfs(...documents: (typeof drawn)[][]): Promise<string[]> {
    async function* parts() {
      for (const [number, contents] of documents.entries()) {
        const pages = contents.map(() => []);
        const bytes = makePdf(pages, { content: (at) => contents[at] ?? typed });
        const body = (async function* () {
          yield bytes;
        })();
        const fileName = `scan${number || ""}.pdf`;
        yield { kind: "file" as const, fileName, contentType: "application/pdf", bytes: body };
      }
    }
    const { files } = await receiveUpload(test.actors.member, parts());
    return files.map(({ id }) => id ?? "");
  }
  async function addPdf(...contents: (typeof drawn)[]): Promise<string> {
    const [id = ""] = await addPdfs(contents);
    await whenIdle();
    return id;
  }
  const asked = () => recognize.mock.calls.map(([{ page }]) => page);
  const text = (id: string) => readText(test.actors.member, id, { from: 0 }).text;

  it("get the text that is recognized, each in its place", async () => {
    const id = await addPdf(typed, drawn, typed);
    expect(asked()).toEqual([2]);
    expect(text(id)).toBe("Typed text\n\nWords of page 2.\n\nTyped text");
    expect(getDocument(test.actors.viewer, id)).toMatchObject({
      status: "ready",
      notes: ["Page 2 is a picture whose text was recognized: it may have errors."],
    });
  });

  it("that were recognized aren't recognized again after a failure, nor those that can't be", async () => {
    const unable = new AppError("rate_limited", "The server has too much to do.");
    recognize
      .mockImplementationOnce(async () => "One.")
      .mockImplementationOnce(async () => null)
      .mockRejectedValueOnce(unable)
      .mockImplementationOnce(async () => "Three.");
    const id = await addPdf(drawn, drawn, drawn);
    expect(asked()).toEqual([1, 2, 3, 3]);
    expect(text(id)).toBe("One.\n\nThree.");
    expect(getDocument(test.actors.member, id).version?.facts).toMatchObject({
      recognizedPages: [1, 3],
      imagePages: [2],
    });
  });

  it("are recognized up to 500 of a document", async () => {
    const id = await addPdf(...Array.from({ length: 501 }, () => drawn));
    expect(asked()).toEqual(Array.from({ length: 500 }, (_, at) => at + 1));
    expect(getDocument(test.actors.viewer, id).notes.at(-1)).toMatch(/^Page 501 is a picture .+ At most 500/);
  });

  it("alone are refused without recognition, and read by a retry once it is there", async () => {
    recognizer = undefined;
    const id = await addPdf(drawn);
    expect(getDocument(test.actors.member, id)).toMatchObject({
      status: "failed",
      canRetry: true,
      error:
        "Page 1 is a picture without text. Install text recognition (npm run install:ocr) or name a server in the settings of scanned pages, and have the document read again.",
    });
    recognizer = recognize;
    retryDocument(test.actors.member, id);
    await whenIdle();
    expect(text(id)).toBe("Words of page 1.");
  });

  it("alone without any text are refused, and read by a retry with another reader or language", async () => {
    recognize.mockImplementation(async ({ page }) => (page === 1 ? "" : null));
    const id = await addPdf(drawn, drawn);
    expect(getDocument(test.actors.member, id)).toMatchObject({
      status: "failed",
      canRetry: true,
      error:
        "Page 1 is a picture in which no text was recognized. Page 2 is a picture that couldn't be recognized.",
    });
    recognize.mockImplementation(async ({ page }) => `Found on ${page}.`);
    retryDocument(test.actors.member, id);
    await whenIdle();
    expect(text(id)).toBe("Found on 1.\n\nFound on 2.");
  });

  it("stay as they are from the page on at which an admin chose no reader", async () => {
    recognize.mockImplementation(async () => {
      recognizer = undefined;
      return "One.";
    });
    const id = await addPdf(drawn, drawn);
    expect(asked()).toEqual([1]);
    expect(text(id)).toBe("One.");
    expect(getDocument(test.actors.member, id).version?.facts).toMatchObject({ imagePages: [2] });
  });

  it("give way to documents that wait, and go on after them", async () => {
    let time = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => time);
    recognize.mockImplementation(async ({ page }) => {
      await adding;
      time += 130_000;
      return `Words of page ${page}.`;
    });
    const adding = addPdfs([drawn, drawn], [drawn, drawn, typed], [typed]);
    const ids = await adding;
    const statuses = () => ids.map((id) => getDocument(test.actors.member, id).status);
    await expect.poll(() => statuses()).toEqual(["ready", "ready", "ready"]);
    clock.mockRestore();
    // The first two had taken both places.
    expect(read.slice(0, 3)).toEqual(["scan.pdf", "scan1.pdf", "scan2.pdf"]);
    expect(asked().sort()).toEqual([1, 1, 2, 2]);
    expect(text(ids[0] ?? "")).toBe("Words of page 1.\n\nWords of page 2.");
  });

  it("have at most 50,000 characters each", async () => {
    recognize.mockImplementation(async () => "x".repeat(60_000));
    expect(text(await addPdf(drawn))).toHaveLength(50_000);
  });

  it("of an older document are recognized on request, as a new version", async () => {
    const { member, viewer, owner } = test.actors;
    recognizer = undefined;
    const id = await addPdf(typed, drawn);
    await expect(recognizeText(viewer, id)).rejects.toThrow(/Only members, admins/);
    await expect(recognizeText(member, id)).rejects.toThrow(/No text recognition is installed or chosen/);
    mkdirSync(join(test.folder, "ocr"));
    writeFileSync(join(test.folder, "ocr", "eng.traineddata.gz"), "");
    recognizer = recognize;
    recognize.mockImplementation(async () => "");
    expect((await recognizeText(member, id)).status).toBe("processing");
    await whenIdle();
    // Also where it found nothing, which the document then says.
    expect(getDocument(member, id)).toMatchObject({
      version: { number: 2 },
      notes: ["Page 2 is a picture in which no text was recognized."],
    });
    recognize.mockImplementation(async () => "Now it has.");
    await recognizeText(member, id);
    await whenIdle();
    expect(text(id)).toBe("Typed text\n\nNow it has.");
    const { entries } = listAudit(owner, { limit: 20 });
    const requested = entries.filter(({ action }) => action === "document.recognition_requested");
    expect(requested).toMatchObject([{ details: { name: "scan.pdf" } }, { details: { name: "scan.pdf" } }]);
    const count = "SELECT count(DISTINCT version_id) FROM recognized_pages";
    expect(rawDatabase().prepare(count).pluck().get()).toBe(2);

    const plain = await addPdf(typed);
    await expect(recognizeText(member, plain)).rejects.toThrow(/has no pages that are pictures/);
  });
});
