import { strToU8, zipSync } from "fflate";
import { parseHTML } from "linkedom";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addConversation } from "../support/conversations";
import { type PlainPage, plainBrowser } from "../support/forms";
import { writeDatabase } from "../support/live-database";
import { startServer, type TestServer } from "../support/server";

let server: TestServer;
let open: (path: string) => Promise<PlainPage>;
beforeAll(async () => {
  server = await startServer();
  ({ open } = plainBrowser(server, "admin"));
});
afterAll(() => server.close());

function add(id: string, title: string, updatedAt = Date.now()): void {
  const more = { userId: "usr_admin", title, updatedAt };
  writeDatabase(server, () => addConversation(id, [{ role: "user", text: title }], more));
}

const rows = ({ document }: PlainPage, list = "Conversations") =>
  [...document.querySelectorAll(`main ul[aria-label="${list}"] > li`)].map((row) =>
    (row.textContent ?? "").replaceAll(/\s+/g, " "),
  );
const row = (page: PlainPage, title: string) => rows(page).find((text) => text.includes(title)) ?? "";

/** Submits a form that leads to a page with this toast. */
async function done(sent: Promise<PlainPage>, toast: string): Promise<PlainPage> {
  const { status, follow } = await sent;
  const page = await follow();
  expect([status, page.text]).toEqual([303, expect.stringContaining(toast)]);
  return page;
}

describe("the list of conversations", () => {
  it("renames, pins, files, archives, deletes and restores", async () => {
    add("con_tides", "Tide table");
    const renaming = await (await open("/chat/all")).follow("Rename Tide table");
    const blank = await renaming.submit("rename", { title: "" });
    expect(blank.status).toBe(400);
    const title = blank.document.querySelector('dialog [name="title"]');
    expect(title?.getAttribute("aria-invalid")).toBe("true");
    let page = await done(blank.submit("rename", { title: "Ebb and flow" }), "Conversation renamed");

    page = await done(page.submit("Pin Ebb and flow"), "1 conversation pinned");
    expect(page.document.querySelector('main li [aria-label="Pinned"]')).not.toBeNull();
    page = await done(page.submit("Unpin Ebb and flow"), "1 conversation unpinned");
    expect(page.document.querySelector('main li [aria-label="Pinned"]')).toBeNull();

    const naming = await page.follow("New Folder");
    page = await done(naming.submit("create-folder", { name: "Sea" }), 'Folder "Sea" created');
    const moving = await (await open("/chat/all")).follow("Move Ebb and flow to a folder");
    const choice = [...moving.document.querySelectorAll("dialog option")].find(
      ({ textContent }) => textContent === "Sea",
    );
    const folderId = choice?.getAttribute("value") ?? "none";
    page = await done(moving.submit("Move", { folderId, ids: "con_tides" }), "1 conversation moved");
    expect(row(page, "Ebb and flow")).toContain("Sea");
    const opened = await (await open("/chat/con_tides")).follow("Move to Folder");
    expect(opened.document.querySelector('dialog a[href="/chat/con_tides"]')).not.toBeNull();
    const moved = await (await opened.submit("Move", { folderId, ids: "con_tides" })).follow();
    expect(moved.document.title).toContain("Ebb and flow");
    const hostile = await open("/chat/all?dialog=move&id=con_tides&returnTo=//example.com");
    expect(hostile.document.querySelector('dialog a[href*="example.com"]')).toBeNull();
    const filed = await page.follow("Sea");
    expect(rows(filed)).toHaveLength(1);
    const asked = await filed.follow("Delete Folder");
    page = await done(asked.submit("delete-folder"), 'Folder "Sea" deleted');
    expect(row(page, "Ebb and flow")).not.toContain("Sea");

    page = await done(page.submit("Archive Ebb and flow"), "1 conversation archived");
    expect(row(page, "Ebb and flow")).toBe("");
    const archived = await page.follow("Archived");
    await done(archived.submit("Unarchive Ebb and flow"), "1 conversation unarchived");
    page = await open("/chat/all");
    page = await done(page.submit("Delete Ebb and flow"), "1 conversation deleted");
    expect(row(page, "Ebb and flow")).toBe("");
    page = await done(page.submit("Undo"), "1 conversation restored");
    expect(row(page, "Ebb and flow")).not.toBe("");
  });

  it("makes a workflow that asks its last question on weekdays", async () => {
    const question = "What is {{ trigger.secret }} in today's news?";
    const said = [
      { role: "user", text: "Hello" },
      { role: "assistant", text: "Hello!" },
      { role: "user", text: question },
      { role: "assistant", text: "Nothing." },
    ] as const;
    const model = "quarterdeck-offline";
    const more = { userId: "usr_admin", title: "News", model, updatedAt: Date.now() };
    writeDatabase(server, () => addConversation("con_news", said, more));
    const sent = await (await open("/chat/con_news")).submit("Ask Every Weekday");
    const id = new URLSearchParams(sent.location?.split("?")[1]).get("id");
    expect((await sent.follow()).text).toContain("Workflow created.");
    const made = await (await server.ask(`/api/workflows/${id}`, { as: "admin" })).json();
    expect(made).toMatchObject({
      name: "News",
      enabled: false,
      triggers: [{ type: "schedule", config: { cron: "0 9 * * 1-5" } }],
    });
    const enabled = { as: "admin", method: "PATCH", json: { enabled: true } } as const;
    expect((await server.ask(`/api/workflows/${id}`, enabled)).status).toBe(200);
    const run = await server.ask(`/api/workflows/run/${id}`, { as: "admin", method: "POST" });
    const { id: runId } = (await run.json()) as { id: string };
    const readRun = async () => (await server.ask(`/api/runs/${runId}`, { as: "admin" })).json();
    await expect.poll(readRun).toMatchObject({ state: "succeeded" });
    expect(JSON.stringify(await readRun()), "the question is no template").toContain("{{ trigger.secret }}");

    writeDatabase(server, () => addConversation("con_mute", [{ role: "assistant", text: "Hi" }], more));
    const refused = await (await open("/chat/con_mute")).submit("Ask Every Weekday");
    expect((await refused.follow()).text).toContain("This conversation has no question in text.");
  });

  it("changes a conversation from its own page, which stays", async () => {
    add("con_almanac", "The keeper's almanac");
    let page = await open("/chat/con_almanac");
    page = await done(page.submit("rename", { title: "Almanac" }), "Conversation renamed");
    expect(page.document.querySelector("h2")?.textContent).toBe("Almanac");
    page = await done(page.submit("Pin"), "1 conversation pinned");
    expect(page.document.querySelector('nav[aria-label="Conversations"]')?.textContent).toContain("Pinned");
    await done(page.submit("Archive"), "1 conversation archived");
    expect(rows(await open("/chat/all?archived=true"))).toEqual([expect.stringContaining("Almanac")]);
    page = await open("/chat/con_almanac");
    await done(page.submit("Delete"), "1 conversation deleted");
    expect(rows(await open("/chat/all?archived=true"))).toEqual([]);
  });

  it("comes in pages, whose conversations are filed, archived and deleted several at once", async () => {
    for (let n = 0; n < 33; n++) add(`con_watch_${n}`, `Watch ${n}.`, 1_000_000 + n);
    const made = await server.ask("/api/ai/folders", { as: "admin", json: { name: "Logs" } });
    const { id: folderId } = (await made.json()) as { id: string };
    const first = await open("/chat/all");
    expect(rows(first)).toHaveLength(30);
    const second = await first.follow("Next Page");
    expect(row(second, "Watch 0.")).not.toBe("");
    const ids = ["con_watch_0", "con_watch_1", "con_watch_2"];
    const bar = second.document.querySelector('form[aria-label="Selected conversations"]');
    for (const id of ids)
      expect(second.document.querySelector(`[type="checkbox"][value="${id}"]`)?.getAttribute("form")).toBe(
        bar?.id,
      );
    await done(second.submit("move", { ids, folderId }), "3 conversations moved");
    const filed = await open(`/chat/all?folder=${folderId}`);
    expect(rows(filed)).toHaveLength(3);
    const two = ids.slice(0, 2);
    const left = await done(filed.submit("archive", { ids: two }), "2 conversations archived");
    expect(rows(left)).toHaveLength(1);
    const archived = await open("/chat/all?archived=true");
    const deleted = await done(archived.submit("delete", { ids: two }), "2 conversations deleted");
    expect(row(deleted, "Watch 0.")).toBe("");
    await done(deleted.submit("Undo"), "2 conversations restored");
  });

  it("keeps deleted conversations, which are listed and restored", async () => {
    add("con_gone", "Deleted by hand");
    await server.ask("/api/ai/conversations/con_gone", { as: "admin", method: "DELETE" });
    const page = await open("/chat/all");
    expect(row(page, "Deleted by hand")).toBe("");
    const deleted = await page.follow("Recently Deleted");
    expect(row(deleted, "Deleted by hand")).not.toBe("");
    await done(deleted.submit("Restore", { ids: "con_gone" }), "1 conversation restored");
    expect(row(await open("/chat/all"), "Deleted by hand")).not.toBe("");
  });
});

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

describe("the import of conversations", () => {
  /** Uploads by the page's own form. @returns its row in the list, once it has ended */
  async function upload(name: string, content: string | Uint8Array<ArrayBuffer>): Promise<string> {
    const { document } = await open("/chat/import");
    const form = document.querySelector('main input[type="file"]')?.closest("form");
    const body = new FormData();
    body.set(form?.querySelector('[type="file"]')?.getAttribute("name") ?? "none", new Blob([content]), name);
    const sent = await server.ask(form?.getAttribute("action") ?? "none", { as: "admin", body });
    expect(sent.status).toBe(303);
    let shown = "";
    await expect
      .poll(
        async () => {
          shown = rows(await open("/chat/import"), "Imports").find((text) => text.includes(name)) ?? "";
          return shown;
        },
        { timeout: 60_000 },
      )
      .toMatch(/^(?!.*Importing…)./);
    return shown;
  }

  it("takes an export in, which is exported again with all versions of its answers", async () => {
    expect(await upload("chatgpt.json", JSON.stringify(EXPORT))).toContain("1 conversation, 3 messages");
    const page = await (await open("/chat/all")).follow("Harbor plan");
    const answer = (of: PlainPage) =>
      of.document.querySelector('article[aria-label="Assistant"]')?.textContent;
    expect(answer(page)).toContain("Oslo");
    expect(answer(await (await page.submit("Previous version")).follow())).toContain("Bergen");
    const exported = page.document.querySelector('a[href$="/export?format=json"]')?.getAttribute("href");
    const file = await (await server.ask(exported ?? "none", { as: "admin" })).text();
    for (const text of ["Which harbor?", "Bergen", "Oslo"]) expect(file).toContain(text);
  });

  it.each([
    ["packed.zip", zipSync({ "notes.txt": strToU8("[]") }), "The archive has no JSON files."],
    ["none.json", "[]", "The file has no conversations. Choose another file."],
    ["other.json", '[{"name": "Ada"}]', "Conversations of an unknown format: 1"],
  ])("that takes in nothing of %s says so, and why", async (name, content, reason) => {
    const shown = await upload(name, content);
    expect(shown).toContain("Nothing imported");
    expect(shown).toContain(reason);
  });
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

it("a conversation is exported as Markdown, HTML and JSON with all it shows, and hostile text stays text", async () => {
  const id = "con_wind";
  const call = { toolCallId: "1", toolName: "qdrant.search", state: "done", input: { query: "gale" } };
  const made = await server.ask("/api/rag/ingest", { as: "admin", json: SCALE });
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
      { userId: "usr_admin", title: `Wind & weather: <b>"gales"</b>` },
    ),
  );
  const page = await open(`/chat/${id}`);
  const exportAs = async (format: string, extension: string) => {
    const link = [...page.document.querySelectorAll("a")].find(
      ({ textContent }) => textContent === `Export as ${format}`,
    );
    const response = await server.ask(link?.getAttribute("href") ?? "none", { as: "admin" });
    expect(response.headers.get("content-disposition")).toContain(`wind-weather-b-gales-b.${extension}`);
    return response.text();
  };
  const markdown = await exportAs("Markdown", "md");
  expect(markdown).toContain(RICH);
  const passageUrl = new RegExp(`^http://[^/]+/rag/${document}\\?about=gale&passage=1$`);
  const [, linked = ""] = /> Sources: \[\\\[1\\\] Beaufort \\\[scale\\\]\]\(<(.+)>\)/.exec(markdown) ?? [];
  expect(linked).toMatch(passageUrl);
  expect(markdown).not.toContain("A first version");

  const json = JSON.parse(await exportAs("JSON", "json")) as {
    active: string;
    messages: { parts: unknown[] }[];
  };
  expect(json.active).toBe(`msg_${id}_2`);
  expect(json.messages).toHaveLength(3);
  expect(JSON.stringify(json)).toContain("A first version");
  expect(json.messages[2]?.parts).toContainEqual({ type: "text", id: "0", text: RICH });

  const { document: html } = parseHTML(await exportAs("HTML", "html"));
  const text = html.body.textContent ?? "";
  const find = (selector: string, words: string) =>
    [...html.querySelectorAll(selector)].find(({ textContent }) => textContent?.trim() === words);
  expect(html.querySelectorAll("script, img")).toHaveLength(0);
  expect(text).toContain("document.title");
  expect(find("td", "34")).toBeDefined();
  expect(html.querySelector("math msup")?.textContent).toBe("v2");
  expect(html.querySelector("pre")?.textContent?.trim()).toBe("const knots = 34 < 40;");
  expect(text).toContain("Sources: [1] Beaufort [scale]");
  const source = find("a", "[1] Beaufort [scale]");
  expect(source?.getAttribute("href")).toMatch(passageUrl);
  const target = find("a", "[1]")?.getAttribute("href") ?? "none";
  expect(html.getElementById(target.slice(1))?.textContent).toBe("[1] Beaufort [scale]");
  expect(text).not.toContain("A first version");
});
