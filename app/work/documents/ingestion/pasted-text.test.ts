import { afterAll, afterEach, beforeEach, expect, it } from "vitest";
import { closeWorkerPools } from "~/core/worker-pool.server";
import { updateUserSettings } from "~/team/members/preferences.service.server";
import { openTestDatabase } from "../../../../tests/support/database";
import { startIngestion, whenIdle } from "../../../../tests/support/ingestion";
import { DocumentScreenQuery } from "../screens/document-screen.schema";
import { readDocumentScreen } from "../screens/document-screen.service.server";
import {
  listDocumentChunks,
  listVersions,
  readOriginal,
  readText,
} from "../versions/document-parts.service.server";
import { ingestSteps } from "./context.server";
import { addDocumentVersion } from "./document-versions.service.server";
import { IngestInput } from "./ingest.schema";
import { ingest } from "./ingest.service.server";

let test: ReturnType<typeof openTestDatabase>;
let stop: () => Promise<void>;
beforeEach(() => {
  test = openTestDatabase();
  updateUserSettings(test.actors.admin, { ragVectorMode: "sqlite" });
  stop = startIngestion(ingestSteps);
});
afterEach(async () => {
  await stop();
  test.close();
});
afterAll(closeWorkerPools);

const add = async (text: string, format?: "text" | "markdown") => {
  const input = IngestInput.parse({ title: "Handbook", text, format });
  const { document } = await ingest(test.actors.member, input);
  await whenIdle();
  return document.id;
};
const change = async (id: string, text: string, format: "text" | "markdown") => {
  await addDocumentVersion(test.actors.member, id, { text, format });
  await whenIdle();
};
const kinds = (id: string) => readText(test.actors.viewer, id, { from: 0 }).blocks.map(({ kind }) => kind);
const original = (id: string) => Buffer.concat([...readOriginal(test.actors.viewer, id).pieces]).toString();
const prefilled = async (id: string) =>
  (await readDocumentScreen(test.actors.member, id, DocumentScreenQuery.parse({ dialog: "version" })))
    .present;

const ROWS = Array.from({ length: 200 }, (_, row) => `| Thing ${row} | ${row * 3} |\n`).join("");
const MARKDOWN = `# Leave\n\nEveryone has **28 days** a year.\n\n## Prices\r\n\n| Thing | Price |\n| --- | --- |\n${ROWS}`;
const SCRIPT = "# Backup\n\nrsync -a /home /mnt/backup\n\n# Report\n\necho done\n";

it("reads a pasted text as Markdown if selected, and stores it unchanged", async () => {
  const id = await add(MARKDOWN, "markdown");
  expect(kinds(id)).toEqual(["heading", "paragraph", "heading", "table"]);
  const { chunks } = listDocumentChunks(test.actors.viewer, id, { limit: 9 });
  expect(chunks.at(-1)?.headings).toEqual(["Leave", "Prices"]);
  expect(chunks.map(({ text }) => text).join()).not.toMatch(/[#*]/);
  expect(original(id)).toBe(MARKDOWN);
  expect(await prefilled(id)).toBe(MARKDOWN);
  const { versions } = listVersions(test.actors.viewer, id, { limit: 1 });
  expect(versions[0]).toMatchObject({
    contentType: "text/markdown; charset=utf-8",
    facts: { format: "Markdown" },
  });
});

it("leaves plain text as it is", async () => {
  const id = await add(SCRIPT);
  expect(kinds(id)).toEqual(["paragraph", "paragraph", "paragraph", "paragraph"]);
  expect(readText(test.actors.viewer, id, { from: 0 }).text).toContain("# Backup");
  expect(original(id)).toBe(SCRIPT);
});

it("reads the next version in the format chosen for it", async () => {
  const id = await add("# Leave\n\nEveryone has 28 days of leave a year.");
  expect(kinds(id)).toEqual(["paragraph", "paragraph"]);
  await change(id, "# Leave\n\nEveryone has 28 days of leave every year.", "markdown");
  expect(kinds(id)).toEqual(["heading", "paragraph"]);
  expect(original(id)).toMatch(/^# Leave/);
  await change(id, SCRIPT, "text");
  expect(kinds(id)).not.toContain("heading");
});
