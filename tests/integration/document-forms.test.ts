import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startAimock } from "../support/aimock";
import { makePdf } from "../support/document-files";
import { type PlainPage, plainBrowser } from "../support/forms";
import { type Hubs, startHubs } from "../support/hubs";
import { startReadingServer } from "../support/reading-server";
import { startServer, type TestServer } from "../support/server";
import { batchEnded, readBatch, upload } from "../support/uploads";

const MODEL = "text-embedding-3-small";

const NOTE = [
  "# Handbook",
  "",
  "Everyone reads this first.",
  "",
  "## Holidays",
  "",
  "- Thirty days a year",
  "- Ask in good time",
  "",
  "## Prices",
  "",
  "| Thing | Price |",
  "| --- | --- |",
  "| Tea | 2 |",
  "| Coffee | 3 |",
  "",
  "<script>document.title = 'taken over'</script>",
].join("\n");

let server: TestServer;
let hubs: Hubs;
let member: ReturnType<typeof plainBrowser>;

beforeAll(async () => {
  hubs = await startHubs();
  const QUARTERDECK_KEY_SCANS = "the key of the server that reads scans";
  server = await startServer({ env: { ...hubs.env, EGRESS_ALLOW: "127.0.0.1", QUARTERDECK_KEY_SCANS } });
  member = plainBrowser(server, "member");
});
afterAll(async () => {
  await server?.close();
  await hubs?.close();
});

/** The words of these elements; the page's own, without its dialogs and toasts, by default. */
const words = ({ document }: PlainPage, selector = "main") =>
  [...document.querySelectorAll(selector)]
    .map(({ textContent }) => (textContent ?? "").replaceAll(/\s+/g, " ").trim())
    .join(" | ");
const toast = async (page: PlainPage) => words(await page.follow(), "[data-toast] p");
const links = ({ document }: PlainPage, label: RegExp) =>
  [...document.querySelectorAll("a")]
    .filter((link) => label.test(link.getAttribute("aria-label") ?? link.textContent ?? ""))
    .map((link) => link.getAttribute("href") ?? "");

/** What the page's buttons are called. */
const buttons = (page: PlainPage) => words(page, "main button").split(" | ");

async function addFile(name: string, content: string, category = "Finance"): Promise<string> {
  const { batchId, files } = await upload(server, [[name, content, "text/markdown"]], {
    fields: { category },
  });
  await batchEnded(server, batchId);
  return files[0]?.id ?? "";
}

async function addText(title: string, more: object = {}): Promise<string> {
  const json = { title, text: `About ${title}.`, ...more };
  const made = await server.ask("/api/rag/ingest", { as: "member", json });
  return ((await made.json()) as { id: string }).id;
}

async function settled(id: string): Promise<void> {
  const status = async () =>
    ((await (await server.ask(`/api/rag/documents/${id}`, { as: "member" })).json()) as { status: string })
      .status;
  await expect.poll(status).not.toBe("processing");
}

describe("a document's page", () => {
  it("shows the text with its structure, and markup of the text as plain text", async () => {
    const id = await addFile("read.md", NOTE);
    const page = await member.open(`/rag/${id}`);
    expect(page.document.title).toBe("read.md · Quarterdeck");
    expect(words(page, "h1")).toBe("read.md");
    expect(words(page, "main h2, main h3")).toContain("Holidays");
    expect(words(page, "main article li, main li")).toContain("Thirty days a year");
    expect(words(page, "th")).toContain("Price");
    expect(words(page, "td")).toContain("Coffee");
    expect(page.document.querySelector("main script")).toBeNull();
    const chunks = await member.open(`/rag/${id}?tab=chunks`);
    expect(words(chunks, "article")).toContain("Everyone reads this first.");
    const [passage = ""] = links(chunks, /^Show in the text/);
    expect(passage).toMatch(/#passage$/);
    const marked = await member.open(passage);
    expect(marked.document.querySelector("mark#passage")).not.toBeNull();
    expect(words(marked, "[role=status]")).toContain("Cited passage");
  });

  it.each([
    ["search", "What are you looking for?"],
    ["chunks", "Chunk 1"],
    ["versions", "Current"],
    ["details", "Markdown"],
  ])("has the tab %s", async (tab, sentence) => {
    const id = await addFile("tabs.md", `${NOTE}\n\ntabs`);
    const page = await member.open(`/rag/${id}?tab=${tab}`);
    const placeholders = [...page.document.querySelectorAll("[placeholder]")].map((field) =>
      field.getAttribute("placeholder"),
    );
    expect([words(page), ...placeholders].join(" | ")).toContain(sentence);
    if (tab === "chunks") expect(words(page, "main h2")).toMatch(/^Chunk 1/);
    if (tab !== "versions") return;
    // Size and characters.
    expect(words(page, "main tbody td")).toMatch(/ \| \d+ B \| \d+ \| /);
    expect(links(page, /^Download version 1$/)).toHaveLength(1);
  });

  it("says when a cited passage is lost, and removes the highlight", async () => {
    const id = await addFile("cite.md", "# Deep\n\nThe needle is here.");
    const page = await member.open(`/rag/${id}?from=8&to=18`);
    expect(words(page, "mark")).not.toBe("");
    const [without = ""] = links(page, /^Remove highlight$/);
    expect((await member.open(without)).document.querySelector("mark")).toBeNull();
    const lost = await member.open(`/rag/${id}?from=900000&to=900010`);
    expect(words(lost)).toContain("The cited passage no longer exists: cite.md has changed since.");
  });

  it("searches in this document alone", async () => {
    const id = await addFile("find.md", `${NOTE}\n\nFind in this.`);
    await addFile("other.md", "# Other\n\nHolidays a year elsewhere");
    const page = await member.open(`/rag/${id}?tab=search&q=holidays+a+year`);
    expect(words(page, "main [role=status]")).toMatch(/Found \d+ results?/);
    const results = words(page, "section[aria-label=Results]");
    expect(results).toContain("Thirty days a year");
    expect(results).not.toContain("elsewhere");
    const [passage = ""] = links(page, /^Open the passage/);
    expect((await member.open(passage)).document.querySelector("mark#passage")).not.toBeNull();
  });

  it("has the pages of a long text", async () => {
    const sentence = "A sentence that goes on for a while. ";
    const parts = Array.from({ length: 60 }, (_, n) => `## Part ${n}\n\n${n}: ${sentence.repeat(40)}`);
    const id = await addFile("long.md", parts.join("\n\n"));
    const headings = (page: PlainPage) => words(page, "main h2, main h3").split(" | ");
    const first = await member.open(`/rag/${id}`);
    expect(headings(first)).toContain("Part 0");
    expect(words(first)).toMatch(/Characters [\d,]+ to [\d,]+ of [\d,]+/);
    const next = await member.open(links(first, /^Next Page$/)[0] ?? "");
    expect(headings(next)).not.toContain("Part 0");
    const back = await member.open(links(next, /^Previous Page$/)[0] ?? "");
    expect(headings(back)).toContain("Part 0");
  });
});

describe("a document", () => {
  it("is canceled from its page and from the list", async () => {
    const json = { urls: [`${hubs.endlessPage}/page`, `${hubs.endlessPage}/list`] };
    const batch = await server.ask("/api/rag/batches", { as: "member", json });
    const { documents } = await readBatch(server, ((await batch.json()) as { id: string }).id);
    const [{ id = "" } = {}] = documents;
    const canceled = await (await member.open(`/rag/${id}`)).submit("cancel");
    expect(await toast(canceled)).toMatch(/^Processing of ".+" was canceled/);
    const page = await member.open(`/rag/${id}`);
    expect(words(page)).toContain("It was canceled.");
    expect(page.fields("retry")).toMatchObject({ intent: "retry" });
    expect(await toast(await (await member.open("/rag?find=endless/list")).submit("cancel"))).toMatch(
      /^Processing of ".+" was canceled/,
    );
    expect(words(await member.open("/rag?find=endless/list"), "main li[data-row]")).toContain(
      "It was canceled.",
    );
  });

  it("is deleted and restored, from the toast and from its address", async () => {
    const id = await addFile("undo.md", "# Undo\n\nundo");
    const question = await member.open(`/rag/${id}?dialog=delete`);
    expect(words(question, "dialog h2")).toBe('Delete "undo.md"?');
    const deleted = await (await question.submit("delete")).follow();
    expect(words(deleted, "[data-toast] p")).toBe('"undo.md" deleted');
    const gone = await member.open(`/rag/${id}`);
    expect([gone.status, words(gone, "h1")]).toEqual([404, '"undo.md" was deleted']);
    const restored = await (await deleted.submit("restore")).follow();
    expect(words(restored, "[data-toast] p")).toBe('"undo.md" restored');
    expect(words(restored, "h1")).toBe("undo.md");

    await server.ask(`/api/rag/documents/${id}`, { as: "member", method: "DELETE" });
    expect(await toast(await (await member.open(`/rag/${id}`)).submit("restore"))).toBe('"undo.md" restored');
  });

  it("gets new versions, and the old ones back", async () => {
    const id = await addFile("version.md", "# First\n\nversion");
    const send = (file: Blob, name: string) => {
      const body = new FormData();
      body.append("intent", "version-file");
      body.append("file", file, name);
      return server.ask(`/rag/${id}/version?dialog=version`, { as: "member", body });
    };
    const refused = await send(new Blob([]), "");
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining("Please choose a file"),
    ]);
    const sent = await send(new Blob(["# Second\n\nversion"], { type: "text/markdown" }), "second.md");
    expect([sent.status, sent.headers.get("location")]).toEqual([303, `/rag/${id}`]);
    await settled(id);
    const versions = await member.open(`/rag/${id}?tab=versions`);
    expect(words(versions, "main td")).toContain("Replaced");
    const old = await member.open(links(versions, /^Text of version 1$/)[0] ?? "");
    expect(words(old)).toContain("This is version 1. The current version is 2.");
    expect(words(old, "main h2")).toContain("First");
    expect(await toast(await versions.submit("restore-version"))).toBe("Version 1 is being restored");
    await settled(id);
    expect(words(await member.open(`/rag/${id}`), "main h2")).toContain("First");
  });

  it("of a file whose name it has is offered as its new version, also several at once", async () => {
    const older = await addFile("berths.md", "Ten berths.", "Products");
    await addFile("ropes.md", "Old ropes.", "Products");
    const newer = await addFile("berths.md", "Twelve berths.", "Products");
    const page = await member.open(`/rag/${newer}`);
    expect(words(page)).toContain("Same file name as berths.md. Is it a new version?");
    const sent = await page.submit("new-versions");
    expect(sent.location).toBe(`/rag/${older}`);
    expect(await toast(sent)).toBe('"berths.md" gets a new version');
    await settled(older);
    expect(words(await member.open(`/rag/${older}`))).toContain("Twelve berths.");
    const files = [
      ["berths.md", "No berths."],
      ["ropes.md", "New ropes."],
    ] as const;
    const { batchId, files: sentFiles } = await upload(server, files, { fields: { category: "Products" } });
    await batchEnded(server, batchId);
    const list = await member.open(`/rag?batch=${batchId}`);
    expect(words(list)).toContain("2 files have the names of older documents. Are they new versions?");
    const ids = sentFiles.map(({ id }) => id);
    expect(await toast(await list.submit("Keep All", { ids }))).toBe("2 documents kept as well");
    expect(words(await member.open(`/rag?batch=${batchId}`))).not.toContain("Same file name");
  });

  it("gives the panel beside a conversation the text around a passage, and the reason where there is none", async () => {
    const id = await addText("Berths");
    const ask = async (document: string) => {
      const response = await server.ask(`/rag/${document}/passage?from=0&to=5`, { as: "viewer" });
      return { status: response.status, body: await response.json() };
    };
    expect(await ask(id)).toMatchObject({ status: 200, body: { document: { id }, text: { start: 0 } } });
    const detail = "Document not found. It was deleted, or you don't have access.";
    expect(await ask("doc_none")).toMatchObject({ status: 404, body: { detail } });
  });

  it("without a declared encoding is read again in the chosen one", async () => {
    const bytes = new Uint8Array(Buffer.from("Gr\x94\xe1e in \xf8C: sch\x94n", "latin1"));
    const { batchId, files } = await upload(server, [["dos.txt", bytes, "text/plain"]]);
    await batchEnded(server, batchId);
    const id = files[0]?.id ?? "";
    const details = await member.open(`/rag/${id}?tab=details`);
    expect(words(details)).toMatch(/EncodingWestern European .+, guessed.+ may be wrong\./);
    const dialog = await details.follow("Change the encoding");
    expect(words(dialog, "dialog label")).toContain("Western European (DOS 850)Größe in °C: schön");
    expect(await toast(await dialog.submit("encoding", { encoding: "cp850" }))).toBe(
      '"dos.txt" is being read again',
    );
    await settled(id);
    const read = await member.open(`/rag/${id}?tab=details`);
    expect(words(read)).toContain("Western European (DOS 850), chosen");
    expect(words(read)).not.toContain("may be wrong");
    expect(words(await member.open(`/rag/${id}`))).toContain("Größe in °C: schön");
    const same = await (await read.follow("Change the encoding")).submit("encoding", { encoding: "cp850" });
    expect(same.text).toContain("This document is read in that encoding already. Choose another one.");
  });

  it("that is a text has it in the form of a new version", async () => {
    const id = await addText("Tides");
    const dialog = await member.open(`/rag/${id}?dialog=version`);
    expect(dialog.fields("version-text").text).toBe("About Tides.");
    const sent = await dialog.submit("version-text", { text: "After the tides." });
    expect(await toast(sent)).toBe('The new version of "Tides" is being processed');
    await settled(id);
    expect(words(await member.open(`/rag/${id}`))).toContain("After the tides.");
  });

  it("says why it failed, is retried, and gets a schedule", async () => {
    const url = new URL("/missing/once", hubs.page).href;
    await server.ask("/api/rag/ingest", { as: "member", json: { url } });
    const found = await server.ask("/api/rag/documents?search=missing&status=failed", { as: "member" });
    const [{ id } = { id: "" }] = (await found.json()) as { id: string }[];
    const page = await member.open(`/rag/${id}`);
    expect(words(page)).toContain("This document couldn't be processed");
    expect(words(page)).toContain("HTTP 404");
    const link = page.document.querySelector(`a[href="${url}"]`);
    expect(link?.getAttribute("rel")).toBe("noopener noreferrer nofollow");
    expect(await toast(await page.submit("retry"))).toMatch(/is being processed again$/);
    await settled(id);
    const dialog = await member.open(`/rag/${id}?dialog=schedule`);
    const day = [...dialog.document.querySelectorAll("[name=refreshEvery] option")].find(
      ({ textContent }) => textContent === "Every day",
    );
    const saved = await (
      await dialog.submit("schedule", { refreshEvery: day?.getAttribute("value") ?? "" })
    ).follow();
    expect(words(saved, "[data-toast] p")).toBe("Schedule saved");
    expect(words(saved)).toMatch(/Every day.*Next refresh/);
  });

  it("is renamed, and moved to another category", async () => {
    const path = `/rag/${await addFile("name.md", "# Name", "Products")}`;
    const menu = await member.open(path);
    const refused = await (await menu.follow("Rename")).submit("rename", { name: "  " });
    expect(words(refused, "dialog [role=alert]")).toBe("Document name is required");
    const renamed = await (await refused.submit("rename", { name: "Named" })).follow();
    expect(words(renamed, "h1")).toBe("Named");
    expect(await toast(await renamed.submit("Save the category of Named", { category: "Service" }))).toBe(
      '"Named" moved to Service',
    );
  });

  it("without a text is refused beside its field, and the rest is kept", async () => {
    const form = await member.open("/rag?dialog=ingest&tab=text");
    const typed = { title: "Mooring rules", category: "Service" };
    const refused = await form.submit("ingest-text", typed);
    expect(refused.described("text")).toContain("Please enter text content");
    expect(refused.fields("ingest-text")).toMatchObject(typed);
    const text = "A ship is moored with two ropes at the northern quay.";
    expect(await toast(await refused.submit("ingest-text", { text }))).toMatch(
      /^Successfully processed "Mooring rules" into 1 chunks/,
    );
    expect((await member.open("/rag?dialog=ingest&tab=text")).fields("ingest-text").title).toBe("");
  });

  it("is hidden from everybody else by the form that adds it", async () => {
    const form = await member.open("/rag?dialog=ingest&tab=text");
    const reader = [...form.document.querySelectorAll("label")].find(({ textContent }) =>
      textContent?.includes("Admin Tester"),
    );
    const added = await form.submit("ingest-text", {
      title: "Crew's wages",
      text: "The mate earns more than the cook.",
      category: "Inventory",
      visibility: "named",
      readers: reader?.querySelector("input")?.getAttribute("value") ?? "",
    });
    const list = await added.follow();
    expect(words(list, "[data-toast] p")).toMatch(/^Successfully processed "Crew's wages"/);
    const card = [...list.document.querySelectorAll("main li[data-row]")].find(({ textContent }) =>
      textContent?.includes("Crew's wages"),
    );
    expect(card?.textContent).toContain("Visible to specific people");
    const seenBy = async (as: "admin" | "owner") =>
      words(await plainBrowser(server, as).open("/rag")).includes("Crew's wages");
    expect(await Promise.all([seenBy("admin"), seenBy("owner")])).toEqual([true, false]);
  });
});

describe("categories", () => {
  const HERE = "/rag/categories";

  it("are created, renamed and deleted, with their names once", async () => {
    const create = async (name: string) =>
      (await member.open(`${HERE}?dialog=new`)).submit("create", { name });
    const taken = await create("FINANCE");
    expect([taken.status, words(taken, "dialog [role=alert]"), taken.fields("create").name]).toEqual([
      409,
      'A category named "Finance" already exists',
      "FINANCE",
    ]);
    expect(await toast(await create("Recipes"))).toBe('Category "Recipes" created');
    await addFile("recipe.md", "# Soup\n\nsoup", "Recipes");
    const rename = links(await member.open(HERE), /^Rename Recipes$/)[0] ?? "";
    const renamed = await (await member.open(rename)).submit("rename", { name: "Food" });
    expect(await toast(renamed)).toBe('Category renamed to "Food"');
    const question = await member.open(links(await member.open(HERE), /^Delete Food$/)[0] ?? "");
    expect(words(question, "dialog")).toContain(
      "Its 1 document and any that you can't see move to Uncategorized.",
    );
    const after = await (await question.submit("delete")).follow();
    expect(words(after, "[data-toast] p")).toBe('Category "Food" deleted');
    expect(words(after, "tr")).not.toContain("Food");
  });
});

describe("the list", () => {
  const rows = (page: PlainPage) => words(page, "main li[data-row] a[title]").split(" | ");
  it("moves a document down and up within its category", async () => {
    for (const title of ["Anchors", "Chains"]) await addText(title, { category: "Vendors" });
    const open = () => member.open("/rag?group=Vendors");
    const page = await open();
    const [first = "", second = ""] = rows(page);
    expect([first, second].sort()).toEqual(["Anchors", "Chains"]);
    const up = page.document.querySelector(`button[aria-label="Move ${first} up"]`);
    expect(up?.hasAttribute("disabled")).toBe(true);
    expect((await page.submit(`Move ${first} down`)).status).toBe(303);
    const swapped = await open();
    expect(rows(swapped)).toEqual([second, first]);
    await swapped.submit(`Move ${first} up`);
    expect(rows(await open())).toEqual([first, second]);
  });

  it("moves, retries, deletes and restores the selected documents", async () => {
    const ids = [await addText("Harbor"), await addText("Lantern")];
    const list = await member.open("/rag");
    const boxes = [...list.document.querySelectorAll("input[data-select]")].map((box) => [
      box.getAttribute("name"),
      box.getAttribute("value"),
    ]);
    expect(boxes).toEqual(expect.arrayContaining(ids.map((id) => ["ids", id])));
    const change = async (intent: string, more = {}) =>
      (await list.submit(intent, { ids, ...more })).follow();
    const said = (page: PlainPage) => words(page, "[data-toast] p");
    expect(said(await change("move-selected", { category: "Finance" }))).toBe("2 documents moved to Finance");
    expect(said(await change("retry-selected"))).toBe("These documents can't be retried");
    const deleted = await change("delete-selected");
    expect(said(deleted)).toBe("2 documents deleted");
    expect(rows(deleted)).not.toContain("Harbor");
    expect(said(await (await deleted.submit("restore-deletion")).follow())).toBe("2 documents restored");
    expect(rows(await member.open("/rag"))).toEqual(expect.arrayContaining(["Harbor", "Lantern"]));
  });
});

describe("recently deleted documents", () => {
  it("are listed with the time that is left, and restored one by one and together", async () => {
    const ids = [];
    for (const title of ["Berth 1", "Berth 2", "Berth 3"]) ids.push(await addText(title));
    await server.ask("/api/rag/documents/bulk", { as: "member", json: { action: "delete", ids } });
    const open = () => member.open("/rag?status=deleted");
    const rows = (page: PlainPage) =>
      words(page, "main li[data-row]")
        .split(" | ")
        .filter((row) => row.includes("Berth"));
    const list = await open();
    expect(rows(list)).toHaveLength(3);
    expect(rows(list)[0]).toMatch(/^.*Berth \d.*Deleted .+ · \d+ minutes? left/);
    expect((await list.submit("Restore Berth 1")).status).toBe(303);
    const rest = await open();
    expect(rows(rest)).toHaveLength(2);
    const restored = await rest.submit("restore-selected", { ids: ids.slice(1) });
    expect(await toast(restored)).toBe("2 documents restored");
    const none = await open();
    expect(words(none)).toContain("No recently deleted documents");
    expect(
      words(await member.open(links(none, /^Show All Documents$/)[0] ?? ""), "main li[data-row]"),
    ).toMatch(/Berth 1.*Berth 2.*Berth 3|Berth 3.*Berth 2.*Berth 1/);
  });
});

describe("a conversation with a restricted document", () => {
  it("offers to allow tools its content, and withdraws that", async () => {
    const text = "The layoffs are announced in May.";
    await settled(await addText("Plan", { text, visibility: "named", readers: [] }));
    const ask = (json: object) =>
      server.ask("/api/ai/chat", { as: "member", json: { model: "quarterdeck-offline", ...json } });
    const tools = ["qdrant.search", "kv.set"];
    const begun = await ask({
      messages: [{ role: "user", content: "When are the layoffs announced?" }],
      tools,
    });
    await begun.text();
    const conversationId = begun.headers.get("x-conversation-id") ?? "";
    const say = async (content: string) =>
      (await ask({ conversationId, tools, messages: [{ role: "user", content }] })).text();
    const open = () => member.open(`/chat/${conversationId}`);
    await say("kv.set key=plan value=first");
    const page = await open();
    expect(words(page)).toContain("Not run: this conversation contains passages");
    expect((await page.submit("Allow for This Conversation")).status).toBe(303);
    const allowed = await open();
    expect(words(allowed)).toContain("Now allowed. Regenerate the answer, or ask again.");
    expect(buttons(allowed)).not.toContain("Allow for This Conversation");
    await say("kv.set key=plan value=second");
    const waiting = await open();
    expect(buttons(waiting)).toContain("Approve");
    expect((await waiting.submit("Withdraw")).status).toBe(303);
    const withdrawn = await open();
    expect(buttons(withdrawn)).not.toContain("Withdraw");
    expect(buttons(withdrawn)).toContain("Allow for This Conversation");
  });
});

it("a store that isn't set up is chosen with what it needs", async () => {
  const page = await member.open("/rag?panel=settings");
  expect(words(page)).toContain("Vector storeSQLite");
  expect(words(page)).toContain("Vector storeQdrant (once QDRANT_URL is set)");
});

it("a server for scanned pages is named, shown and tested", async () => {
  const reading = await startReadingServer({ key: "the key of the server that reads scans" });
  const key = { provider: "other", alias: "QUARTERDECK_KEY_SCANS", origin: reading.origin };
  const added = await server.ask("/api/keys", { as: "owner", json: key });
  const { id: keyId } = (await added.json()) as { id: string };
  const admin = plainBrowser(server, "admin");
  const open = () => admin.open("/rag?panel=settings");
  const card = (page: PlainPage) => words(page, "#scanned-pages");
  expect(words(await member.open("/rag?panel=settings"))).not.toContain("Scanned Pages");
  expect(buttons(await open())).not.toContain("Test Docling");

  const dialog = await (await open()).follow("Change what reads scanned pages");
  const refused = await dialog.submit("save-recognition", { reader: "docling" });
  expect([refused.status, refused.described("address")]).toEqual([
    400,
    expect.stringContaining("Enter the server's address."),
  ]);
  // The form beneath the dialog isn't the one that was refused.
  expect(words(refused, "#rag-embedding-settings")).not.toContain("Settings not saved");
  const address = `${reading.origin}/docling`;
  const saved = await refused.submit("save-recognition", { reader: "docling", address, keyId });
  const shown = await saved.follow();
  expect(words(shown, "[data-toast] p")).toBe("Settings of scanned pages saved");
  for (const part of ["Docling server", `Sent to${reading.origin}`, "QUARTERDECK_KEY_SCANS", "restricted"])
    expect(card(shown)).toContain(part);
  expect(reading.requests).toEqual([]);

  expect(card(await shown.submit("test-recognition"))).toContain("read the test picture.");
  await (await admin.open("/rag?panel=settings&dialog=scanned-pages")).submit("save-recognition", {
    keyId: "",
  });
  expect(card(await (await open()).submit("test-recognition"))).toContain("needs a key");
  await reading.close();
});

it("a better embedding model is offered with where documents would be sent", async () => {
  const mock = await startAimock({ embeds: true });
  const config = { baseUrl: `${mock.url}/v1`, models: [MODEL] };
  const provider = { provider: "custom", displayName: "Lab", config };
  const made = await server.ask("/api/providers", { as: "owner", json: provider });
  expect(made.status, await made.clone().text()).toBe(201);
  const embedded = () => mock.getRequests().filter(({ path }) => path?.endsWith("/embeddings"));
  const admin = plainBrowser(server, "admin");
  const open = () => admin.open("/rag?panel=settings");
  const offerOf = (page: PlainPage) => words(page, "[aria-labelledby=embedding-offer]");
  const decide = async (label: string) => expect((await (await open()).submit(label)).status).toBe(303);
  const offer = offerOf(await open());
  for (const part of [
    MODEL,
    `${new URL(mock.url).host}, on this machine`,
    "Free, on this machine",
    "Not Now",
  ])
    expect(offer).toContain(part);
  await decide("Not Now");
  const postponed = offerOf(await open());
  expect(postponed).toContain(MODEL);
  expect(postponed).not.toContain("Not Now");
  expect(embedded()).toEqual([]);
  await decide("Rebuild");
  expect(offerOf(await open())).toBe("");
  const inEffect = async () => words(await open(), "[aria-label='In effect']");
  await expect.poll(inEffect).not.toContain("after the rebuild");
  expect(await inEffect()).toContain(MODEL);
  expect(JSON.stringify(embedded())).toContain("layoffs");
  // A rebuild is confirmed with what it sends, and embeds everything again.
  const sent = embedded().length;
  const dialog = await admin.open("/rag?panel=settings&dialog=rebuild");
  for (const part of ["sent to the embedding model again", MODEL, "on this machine", "Free"])
    expect(words(dialog, "[role=alertdialog]")).toContain(part);
  expect(await toast(await dialog.submit("Rebuild Index"))).toBe("A new index is being built");
  await expect.poll(() => embedded().length).toBeGreaterThan(sent);
  await mock.stop();
}, 60_000);

describe("a document with pages that are pictures", () => {
  it("is recognized on request, where that is installed", async () => {
    await server.ask("/api/rag/recognition", { as: "admin", method: "PUT", json: { reader: "builtin" } });
    const drawn = { dictionary: "", data: Buffer.from("0 0 595 842 re f") };
    const typed = { dictionary: "", data: Buffer.from("BT /F1 11 Tf 72 700 Td (Typed text) Tj ET") };
    const pdf = makePdf([[], []], { content: (at) => (at === 0 ? typed : drawn) });
    const { batchId, files } = await upload(server, [["mixed.pdf", Uint8Array.from(pdf)]]);
    await batchEnded(server, batchId);
    const address = `/rag/${files[0]?.id}`;
    const without = await member.open(address);
    expect(words(without)).toContain("Page 2 is a picture without text. Install text recognition");
    expect(words(without)).not.toContain("Recognize Text");
    const reader = async () =>
      words(await plainBrowser(server, "admin").open("/rag?panel=settings"), "#scanned-pages dl");
    expect(await reader()).toContain("LanguagesNone: run npm run install:ocr -- eng");
    const folder = join(server.dataDir, "ocr");
    mkdirSync(folder);
    writeFileSync(join(folder, "eng.traineddata.gz"), gzipSync("broken"));
    expect(await reader()).toContain("Languageseng");
    const sent = await (await member.open(address)).submit("recognize");
    expect(await toast(sent)).toBe('The text of "mixed.pdf" is being recognized');
    await settled(files[0]?.id ?? "");
    expect(words(await member.open(address))).toContain(
      "The last update failedThe installed data of eng can't be used. Run npm run install:ocr again.",
    );
    rmSync(folder, { recursive: true });
  });
});
