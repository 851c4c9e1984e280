import { cpSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run } from "../../scripts/process.mjs";
import { makePdf } from "../support/document-files";
import { startServer, type TestServer } from "../support/server";
import { batchEnded, upload } from "../support/uploads";

/** What the Dockerfile's last stage copies: no package of this repository can be resolved. */
let folder: string;
let server: TestServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "quarterdeck-container-"));
  // The marks of other tests' consoles come and go.
  const filter = (path: string) => basename(path) !== "in-use";
  cpSync(dirname(realpathSync("build")), folder, { recursive: true, filter });
  server = await startServer({ folder });
});
afterAll(async () => {
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("what the container holds", () => {
  it("draws a page and reads a PDF", async () => {
    expect((await server.ask("/", { as: "owner" })).status).toBe(200);
    const { batchId } = await upload(server, [
      ["guide.pdf", new Uint8Array(makePdf([[{ text: "A guide", y: 700 }]]))],
    ]);
    const { documents } = await batchEnded(server, batchId);
    expect(documents).toMatchObject([{ status: "ready", error: null }]);
  });

  it("parses custom CSS", async () => {
    const before = (await (await server.ask("/api/branding", { as: "owner" })).json()) as object;
    const saved = await server.ask("/api/branding", {
      method: "PUT",
      as: "owner",
      json: { ...before, customCss: ".card { color: red; }" },
    });
    expect(saved.status, await saved.text()).toBe(200);
  });

  it("verifies the audit trail", async () => {
    const env = { NODE_ENV: "production", DATA_DIR: server.dataDir };
    const { output } = await run(process.execPath, [join(folder, "build/audit-verify.mjs")], { env });
    expect(output).toMatch(/^OK: /);
  });
});
