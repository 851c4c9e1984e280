import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { plainBrowser } from "../support/forms";
import { startServer, type TestServer } from "../support/server";
import { temporaryFolder, writeFiles } from "../support/source-servers";

interface Source {
  id: string;
  progress: unknown;
  files: { current: number };
  lastSync: { added: number; error: string | null } | null;
}

let server: TestServer;
let folder: string;

beforeAll(async () => {
  folder = temporaryFolder();
  server = await startServer({ env: { SOURCE_FOLDERS: `handbook=${folder}` } });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const sources = async () =>
  (await (await server.ask("/api/rag/sources", { as: "admin" })).json()) as Source[];
const whenSynced = () =>
  expect
    .poll(async () => (await sources())[0], { timeout: 90_000 })
    .toMatchObject({
      progress: null,
      lastSync: { error: null },
    });

describe("document sources", () => {
  it("are added, changed, synced and deleted by forms without script", async () => {
    writeFiles(folder, { "a.md": "# Anchors", "photo.png": "PNG" });
    const admin = plainBrowser(server, "admin");
    const form = await admin.open("/rag/sources?dialog=new&kind=folder");
    const refused = await form.submit("create", { name: "" });
    expect([refused.status, refused.described("name")]).toEqual([400, "Please enter a name"]);
    const marked = [...refused.document.querySelectorAll("[aria-invalid=true]")];
    expect(marked.map((field) => field.getAttribute("name"))).toEqual(["name"]);
    const made = await refused.submit("create", { name: "Handbook" });
    expect(made.status).toBe(303);
    await whenSynced();
    const [{ id = "" } = {}] = await sources();
    const here = `/rag/sources/${id}`;
    const page = await admin.open(here);
    expect(page.document.querySelector("main")?.textContent).toContain("File type not supported");
    const edit = await admin.open(`${here}?dialog=edit`);
    expect(edit.fields("save")).toMatchObject({ name: "Handbook", folder: "handbook", graceDays: "7" });
    expect((await edit.submit("save", { name: "Guides", graceDays: "0" })).status).toBe(303);
    await whenSynced();
    expect((await (await admin.open(here)).submit("sync")).status).toBe(303);
    await whenSynced();
    const gone = await (await admin.open(`${here}?dialog=delete`)).submit("delete", { documents: "delete" });
    expect(gone.status).toBe(303);
    expect(await sources()).toEqual([]);
  });

  it("go on after the process was killed, with each file once", async () => {
    const names = Array.from({ length: 150 }, (_, n) => `file-${n}.md`);
    writeFiles(
      folder,
      Object.fromEntries(names.map((name) => [name, `# ${name}\n\n${"Text. ".repeat(5000)}`])),
    );
    const json = { kind: "folder", name: "Many", folder: "handbook" };
    expect((await server.ask("/api/rag/sources", { as: "admin", json })).status).toBe(201);
    await expect.poll(async () => (await sources())[0]?.files.current, { interval: 5 }).toBeGreaterThan(3);
    await server.kill();
    await server.start();
    await whenSynced();
    expect((await sources())[0]?.files).toMatchObject({ current: 151, failed: 0 });
    const listed = await server.ask("/api/rag/documents?limit=500", { as: "viewer" });
    const documents = (await listed.json()) as { metadata: { source: string } }[];
    const found = documents.map(({ metadata }) => metadata.source).sort();
    expect(found).toEqual(["a.md", ...names].sort());
  });
});
