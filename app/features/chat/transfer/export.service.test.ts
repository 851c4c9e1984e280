import { afterEach, beforeEach, expect, it } from "vitest";
import { listAudit } from "~/features/audit/audit.service.server";
import { IngestInput } from "~/features/knowledge/ingestion/ingest.schema";
import { queueIngest } from "~/features/knowledge/ingestion/ingest.service.server";
import { addConversation } from "../../../../tests/support/conversations";
import { openTestDatabase } from "../../../../tests/support/database";
import type { ExportFormat } from "./export.schema";
import { exportConversation } from "./export.service.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
  addConversation(
    "con_1",
    [
      { role: "user", text: 'Say <img src=x onerror="alert(1)"> & "quote"' },
      { role: "assistant", text: "</div><script>alert(1)</script>" },
    ],
    { title: '# A <b>title</b>\n\nof "two" lines' },
  );
});
afterEach(() => test.close());

async function exported(format: ExportFormat, id = "con_1") {
  const { name, type, pieces } = exportConversation(test.actors.member, id, format);
  let text = "";
  for (let piece = await pieces.next(); !piece.done; piece = await pieces.next()) text += piece.value;
  return { name, type, text };
}

it("writes Markdown with the title on one line", async () => {
  const { name, text } = await exported("markdown");
  expect(name).toBe("a-b-title-b-of-two-lines.md");
  expect(text.split("\n")[0]).toBe('# \\# A \\<b\\>title\\</b\\> of "two" lines');
  expect(text).toContain("\n## You, 1970-01-01 00:00 UTC\n");
});

it("escapes everything in HTML", async () => {
  const { text } = await exported("html");
  expect(text).not.toMatch(/<script|<img|<b>/);
  expect(text).toContain("&lt;/div&gt;&lt;script&gt;alert(1)&lt;/script&gt;");
  expect(text).toContain("default-src 'none'");
});

it("writes JSON that names its format, with every message", async () => {
  const { text, type } = await exported("json");
  expect(type).toBe("application/json; charset=utf-8");
  const json = JSON.parse(text);
  expect(json.format).toBe("conversation/2");
  expect(json.messages.map(({ role }: { role: string }) => role)).toEqual(["user", "assistant"]);
});

it("marks a restricted conversation, and leaves out passages of documents that its owner can't see", async () => {
  const passage = (number: number, document: string) => ({
    number,
    title: "Plan",
    text: `Layoffs in ${document}.`,
    headings: [],
    page: null,
    url: `/rag/${document}?passage=1`,
    score: 1,
    scores: { keyword: 1, similarity: null, rerank: null },
  });
  const { id: own } = queueIngest(test.actors.member, IngestInput.parse({ text: "Plan", title: "Plan" }));
  const output = { passages: [passage(1, own), passage(2, "doc_gone")] };
  const tool = { type: "tool", toolCallId: "1", toolName: "qdrant.search", state: "done", input: {}, output };
  const said = [{ role: "assistant" as const, text: "Layoffs [1] [2]", parts: [tool] }];
  addConversation("con_2", said, { restrictedAt: 1 });
  for (const format of ["markdown", "html", "json"] as const) {
    const { text } = await exported(format, "con_2");
    expect(text).not.toContain("Layoffs in doc_gone");
    expect(text).toContain(format === "json" ? '"leftOut":true' : "Omitted");
    expect(text).toContain(
      format === "json" ? '"restricted":true' : "contains passages of restricted documents",
    );
  }
  expect((await exported("json", "con_2")).text).toContain(`Layoffs in ${own}`);
});

it("requires the owner and writes an audit entry", async () => {
  expect(() => exportConversation(test.actors.admin, "con_1", "json")).toThrow(
    expect.objectContaining({ code: "not_found" }),
  );
  await exported("json");
  expect(listAudit(test.actors.admin, { limit: 5 }).entries).toEqual([
    expect.objectContaining({ action: "conversation.exported", details: { format: "json" } }),
  ]);
});
