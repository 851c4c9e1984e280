import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rawDatabase } from "~/core/db.server";
import { closeWorkerPools } from "~/core/worker-pool.server";
import { readInnerFiles, readVersion } from "~/work/extraction/read-document.service.server";
import { isWholeMatrix } from "../support/attack";
import { openTestDatabase } from "../support/database";
import { HOSTILE_ARCHIVES, HOSTILE_FILES } from "../support/hostile-files";

let test: ReturnType<typeof openTestDatabase>;
let documents = 0;

beforeAll(() => {
  test = openTestDatabase();
});
afterAll(async () => {
  await closeWorkerPools();
  test.close();
});

function store(bytes: Uint8Array): string {
  const id = `hostile_${++documents}`;
  rawDatabase().pragma("foreign_keys = OFF");
  rawDatabase()
    .prepare("INSERT INTO document_parts (version_id, position, bytes) VALUES (?, 0, ?)")
    .run(id, Buffer.from(bytes));
  return id;
}
const read = (name: string, bytes: Uint8Array) =>
  readVersion({ versionId: store(bytes), name, contentType: "" });

/** Each takes seconds to reach a limit that others reach at once. */
const SLOW = ["an Excel file of 2003 with a text without end", "an archive of 20,000 files"];

describe("a hostile document", () => {
  it.each(HOSTILE_FILES.filter(({ what }) => isWholeMatrix || !SLOW.includes(what)))(
    "such as $what is refused with the reason, and the next one is read",
    async ({ name, make, code, message }) => {
      const bytes = make();
      const before = process.memoryUsage.rss();
      let max = before;
      const watch = setInterval(() => {
        max = Math.max(max, process.memoryUsage.rss());
      }, 20);
      const result = read(name, bytes).then(
        () => ({ code: "ok", message: "read" }),
        (error: { code: string; message: string }) => error,
      );
      expect(await result).toMatchObject({ code, message: expect.stringMatching(message) });
      clearInterval(watch);
      // The file itself is stored in the meantime.
      expect(max - before).toBeLessThan(100_000_000);
      expect(await read("b.txt", Buffer.from("The lamp is lit at dusk."))).toMatchObject({ textLength: 24 });
    },
    120_000,
  );

  it.each(HOSTILE_ARCHIVES)(
    "such as $what gives reasons, and no files",
    async ({ name, make, reasons }) => {
      const bytes = make();
      const { files, next } = await readInnerFiles({
        versionId: store(bytes),
        name,
        contentType: "",
        from: 0,
        offset: 0,
      });
      expect(next).toBeNull();
      expect(files.length).toBeGreaterThan(0);
      for (const { problem, bytes: taken } of files) {
        expect(taken).toBeUndefined();
        expect(problem).toMatch(reasons);
      }
    },
    120_000,
  );

  it("of Markdown marks only becomes text, with a note", async () => {
    const { facts } = await read("a.md", Buffer.from(`# Title\n\n${"_a".repeat(100_000)}`));
    expect(facts).toMatchObject({
      format: "Text",
      notes: ["A paragraph has too many emphasis marks for Markdown, so the file was read as plain text."],
    });
  });

  it.each([">".repeat(100_000), "- ".repeat(50_000), `${" ".repeat(200)}- a`])(
    "such as Markdown of quotes and lists in one another is refused (%#)",
    async (text) => {
      await expect(read("a.md", Buffer.from(`# Title\n\n${text} x`))).rejects.toMatchObject({
        code: "invalid",
        message: "This Markdown file is nested too deeply. Simplify it and try again.",
      });
    },
  );
});
