import { afterEach, beforeEach, expect, it } from "vitest";
import { listAudit } from "~/platform/audit/audit.service.server";
import { IngestInput } from "~/work/documents/ingestion/ingest.schema";
import { queueIngest } from "~/work/documents/ingestion/ingest.service.server";
import { addConversation } from "../../../../tests/support/conversations";
import { openTestDatabase } from "../../../../tests/support/database";
import { exportConversation } from "./export.service.server";
import type { ExportFormat } from "./imports.schema";

const ORIGIN = "https://console.example";

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
  const { name, type, pieces } = exportConversation(test.actors.member, id, { format, origin: ORIGIN });
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

it("links citations to the passages and names the pages that were read", async () => {
  const passage = (number: number) => ({
    number,
    title: "Harbor <rules>",
    text: "Moor at the pier.",
    headings: ["Mooring"],
    page: null,
    url: `/rag/${id}?passage=${number}`,
    score: 1,
    scores: { keyword: 1, similarity: null, rerank: null },
  });
  const { id } = queueIngest(test.actors.member, IngestInput.parse({ text: "Moor", title: "Harbor" }));
  const call = { type: "tool", state: "done", input: { query: "moor" } };
  const search = { ...call, toolCallId: "1", toolName: "qdrant.search" };
  const page = { url: "https://example.org/tides?a=1&b=(2)", title: "Tides", text: "High at noon." };
  const fetched = { ...call, toolCallId: "2", toolName: "web.fetch", output: page };
  const parts = [{ ...search, output: { passages: [passage(1), passage(2)] } }, fetched];
  addConversation("con_3", [
    {
      role: "assistant",
      text: `Moor [1], at the pier [2](/rag/${id}?passage=2), not \`a[1]\`.\n\n\`[2](/rag/${id}?passage=2)\``,
      parts,
    },
    { role: "assistant", text: "As said [1]." },
  ]);
  const address = `${ORIGIN}/rag/${id}?about=moor&passage=`;
  const { text: markdown } = await exported("markdown", "con_3");
  expect(markdown).toContain(`at the pier [2](${address}2), not`);
  expect(markdown).toContain(`\n\n\`[2](/rag/${id}?passage=2)\`\n`);
  expect(markdown).toContain(`> Sources: [\\[1\\] Harbor \\<rules\\>, Mooring](<${address}1>); [`);
  expect(markdown).toContain("> Pages read: [Tides](<https://example.org/tides?a=1&b=(2)>)");
  const { text: html } = await exported("html", "con_3");
  expect(html).toContain(
    'Moor <a href="#answer-1-source-1">[1]</a>, at the pier <a href="#answer-1-source-2">[2]</a>, not <code dir="ltr">a[1]</code>.',
  );
  const escaped = address.replace("&", "&amp;");
  expect(html).toContain(`<a id="answer-1-source-2" href="${escaped}2" rel`);
  expect(html).toContain(`As said <a href="#answer-2-source-1">[1]</a>.`);
  expect(html).toContain(`<a id="answer-2-source-1" href="${escaped}1" rel`);
  expect(html).toContain('href="https://example.org/tides?a=1&amp;b=(2)"');
});

it("requires the owner and writes an audit entry", async () => {
  expect(() => exportConversation(test.actors.admin, "con_1", { format: "json", origin: ORIGIN })).toThrow(
    expect.objectContaining({ code: "not_found" }),
  );
  await exported("json");
  expect(listAudit(test.actors.admin, { limit: 5 }).entries).toEqual([
    expect.objectContaining({ action: "conversation.exported", details: { format: "json" } }),
  ]);
});
