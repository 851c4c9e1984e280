import { readFileSync } from "node:fs";
import { strToU8, zipSync } from "fflate";
import { addConversation } from "../support/conversations";
import { expect, expectAccessible, test } from "../support/fixtures";
import { writeDatabase } from "../support/live-database";

test.use({ role: "member" });

const said = (role: string, text: string) => ({
  author: { role },
  content: { content_type: "text", parts: [text] },
});
const EXPORT = [
  {
    conversation_id: "harbor",
    title: "Harbor plan",
    mapping: {
      q: { parent: null, message: said("user", "Which harbor?") },
      a: { parent: "q", message: said("assistant", "Bergen") },
      b: { parent: "q", message: said("assistant", "Oslo") },
    },
    current_node: "b",
  },
];

test("a ChatGPT export is imported and exported again with all versions of its answers", {
  tag: "@no-javascript",
}, async ({ page, open, javaScriptEnabled }) => {
  await open("/chat/import");
  const buffer = Buffer.from(JSON.stringify(EXPORT));
  await page
    .getByLabel("Export")
    .setInputFiles({ name: "conversations.json", mimeType: "application/json", buffer });
  await page.getByRole("button", { name: "Import", exact: true }).click();
  const imported = page.getByRole("list", { name: "Imports" }).getByRole("listitem").first();
  await expect(async () => {
    if (javaScriptEnabled === false) await open("/chat/import");
    // The other project may have imported it.
    await expect(imported).toContainText(/1 conversation, 3 messages|1 imported before/, { timeout: 1_000 });
  }).toPass();
  await expectAccessible(page);
  await open("/chat/all");
  await page
    .getByRole("list", { name: "Conversations" })
    .getByRole("link", { name: "Harbor plan", exact: true })
    .click();
  const answer = page.getByRole("article", { name: "Assistant" });
  await expect(answer).toContainText("Oslo");
  await answer.getByRole("button", { name: "Previous version" }).click();
  await expect(answer).toContainText("Bergen");
  await page.getByLabel("More actions for this conversation").click();
  const downloading = page.waitForEvent("download");
  await page.getByRole("link", { name: "Export as JSON" }).click();
  const exported = readFileSync(await (await downloading).path(), "utf8");
  for (const text of ["Which harbor?", "Bergen", "Oslo"]) expect(exported).toContain(text);
});

test("an import that takes in nothing says so, and why", { tag: "@no-javascript" }, async ({
  page,
  open,
  javaScriptEnabled,
}) => {
  const nothing = async (name: string, content: string | Uint8Array, reason: string) => {
    await open("/chat/import");
    await page
      .getByLabel("Export")
      .setInputFiles({ name, mimeType: "application/json", buffer: Buffer.from(content) });
    await page.getByRole("button", { name: "Import", exact: true }).click();
    const row = page.getByRole("list", { name: "Imports" }).getByRole("listitem").filter({ hasText: name });
    await expect(async () => {
      if (javaScriptEnabled === false) await open("/chat/import");
      await expect(row).toContainText("Nothing imported", { timeout: 1_000 });
    }).toPass();
    await expect(row.getByText(reason)).toBeVisible();
  };
  const archive = zipSync({ "conversations.json": strToU8("[]") });
  await nothing("packed.json", archive, "The file is not a JSON export of conversations.");
  await nothing("none.json", "[]", "The file has no conversations. Choose another file.");
  await nothing("other.json", '[{"name": "Ada"}]', "Conversations of an unknown format: 1");
  await expectAccessible(page);
});

const HOSTILE = `</div><script>document.title = "run"</script><img src=x onerror="document.title = 'run'">`;
const RICH = `## Wind

| Force | Knots |
|---|---:|
| 8 | 34 |

The pressure is $p = \\frac{1}{2} \\rho v^2$.

\`\`\`js
const knots = 34 < 40;
\`\`\`

A gale is force 8 [1]. ${HOSTILE}`;
const SCALE = { title: "Beaufort [scale]", text: "Gale: 34 to 40 knots." };

test(
  "a conversation is exported as Markdown, HTML and JSON with all it shows, and hostile text stays text",
  {
    tag: "@no-javascript",
  },
  async ({ page, open, server, browser }, { project }) => {
    const id = `con_wind_${project.name.replace("-", "_")}`;
    const call = { toolCallId: "1", toolName: "qdrant.search", state: "done", input: { query: "gale" } };
    const made = await server.ask("/api/rag/ingest", { as: "member", json: SCALE });
    const { id: document } = (await made.json()) as { id: string };
    const passage = {
      ...SCALE,
      number: 1,
      headings: [],
      page: null,
      url: `/rag/${document}?passage=1`,
      score: 1,
      scores: { keyword: 1, similarity: null, rerank: null },
    };
    const search = { type: "tool", ...call, output: { passages: [passage] } };
    writeDatabase(server, () =>
      addConversation(
        id,
        [
          { role: "user", text: `What is a gale? ${HOSTILE}` },
          { role: "assistant", text: "A first version" },
          { role: "assistant", text: RICH, parts: [search], parentId: `msg_${id}_0` },
        ],
        { title: `Wind & weather: <b>"gales"</b>` },
      ),
    );
    const exportAs = async (format: string) => {
      await open(`/chat/${id}`);
      await page.getByLabel("More actions for this conversation").click();
      const downloading = page.waitForEvent("download");
      await page.getByRole("link", { name: `Export as ${format}` }).click();
      const file = await downloading;
      expect(file.suggestedFilename()).toMatch(/^wind-weather-b-gales-b\.(md|json|html)$/);
      return readFileSync(await file.path(), "utf8");
    };
    const markdown = await exportAs("Markdown");
    expect(markdown).toContain(RICH);
    const passageUrl = new RegExp(`^http://[^/]+/rag/${document}\\?about=gale&passage=1$`);
    const [, linked = ""] = /> Sources: \[\\\[1\\\] Beaufort \\\[scale\\\]\]\(<(.+)>\)/.exec(markdown) ?? [];
    expect(linked).toMatch(passageUrl);
    expect(markdown).not.toContain("A first version");

    const json = JSON.parse(await exportAs("JSON")) as { active: string; messages: { parts: unknown[] }[] };
    expect(json.active).toBe(`msg_${id}_2`);
    expect(json.messages).toHaveLength(3);
    expect(JSON.stringify(json)).toContain("A first version");
    expect(json.messages[2]?.parts).toContainEqual({ type: "text", id: "0", text: RICH });

    const html = await exportAs("HTML");
    const context = await browser.newContext({ javaScriptEnabled: true });
    const reader = await context.newPage();
    await reader.setContent(html);
    await expect(reader).toHaveTitle(`Wind & weather: <b>"gales"</b>`);
    await expect(reader.locator("script, img")).toHaveCount(0);
    await expect(reader.getByText("document.title").first()).toBeVisible();
    await expect(reader.getByRole("cell", { name: "34" })).toBeVisible();
    await expect(reader.locator("math msup")).toHaveText("v2");
    await expect(reader.locator("pre")).toHaveText("const knots = 34 < 40;");
    await expect(reader.getByText("Sources: [1] Beaufort [scale]")).toBeVisible();
    const source = reader.getByRole("link", { name: "[1] Beaufort [scale]" });
    expect(await source.getAttribute("href")).toMatch(passageUrl);
    await reader.getByRole("link", { name: "[1]", exact: true }).click();
    await expect(reader.locator(":target")).toHaveText("[1] Beaufort [scale]");
    await expect(reader.getByText("A first version")).toHaveCount(0);
    await context.close();
  },
);
