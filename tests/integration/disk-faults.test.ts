import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, describe, expect, it } from "vitest";
import { isWholeForm } from "../support/faults";
import { addPeople, people } from "../support/people";
import { type Ask, TestServer } from "../support/server";
import { mountDisk, type SmallDisk, whyNoDisk } from "../support/small-disk";

const reason = whyNoDisk();

let disk: SmallDisk | undefined;
let server: TestServer | undefined;
afterEach(async () => {
  await server?.kill();
  disk?.unmount();
  server = undefined;
  disk = undefined;
});

async function startOn(options: string): Promise<{ disk: SmallDisk; server: TestServer }> {
  disk = mountDisk(options);
  const dataDir = join(disk.folder, "data");
  const sessions = await addPeople(dataDir);
  server = new TestServer(dataDir, {}, sessions);
  await server.start();
  await expect.poll(() => readdirSync(join(dataDir, "reserve")).length).toBe(16);
  return { disk, server };
}

const persona = (name: string, length = 10) => ({
  name,
  systemPrompt: "x".repeat(length),
  defaultModel: "gpt-4o",
  mode: "default",
  tools: [],
});
const addPersona = (of: TestServer, name: string, length?: number) =>
  of.ask("/api/personas", { as: "owner", json: persona(name, length) });

/** @returns their ids */
async function addDocuments(to: TestServer): Promise<string[]> {
  const ids: string[] = [];
  for (const title of ["Harbour", "Lighthouse", "Pier", "Ferry", "Quay"]) {
    const json = { title, text: `About ${title}. `.repeat(8000) };
    const made = await to.ask("/api/rag/ingest", { as: "owner", json });
    ids.push(((await made.json()) as { id: string }).id);
  }
  return ids;
}

/** Frees the disk of a stopped server. @returns a function that counts its documents */
function letUndoTimePass(of: TestServer, disk: SmallDisk): () => unknown {
  const file = join(of.dataDir, "quarterdeck.sqlite");
  disk.free();
  const raw = new Database(file);
  raw.exec("update documents set deleted_at = 1 where deleted_at is not null");
  raw.close();
  return () => {
    const reader = new Database(file, { readonly: true });
    try {
      return reader.prepare("select count(*) from documents").pluck().get();
    } finally {
      reader.close();
    }
  };
}

const FULL = /^The disk is full: \d+ MB are free\.$/;

/** Writes until the disk is full: what is allocated already takes some writes. */
async function addUntilRefused(of: TestServer): Promise<Response> {
  for (;;) {
    const response = await addPersona(of, `Persona ${randomUUID()}`, 9000);
    if (response.status !== 201) return response;
    await response.body?.cancel();
  }
}

async function healthOf(of: TestServer) {
  const response = await of.ask("/api/health", { as: "owner" });
  const { status, problems = [] } = (await response.json()) as {
    status: string;
    problems?: { code: string; message: string }[];
  };
  return { status, codes: problems.map(({ code }) => code) };
}

describe.skipIf(reason !== undefined)(`a full disk${reason ? ` (skipped: ${reason})` : ""}`, () => {
  it("refuses writes in one sentence, reads on, lets an owner sign in, and heals without a restart", async () => {
    const { disk, server } = await startOn("size=60m");
    disk.fill();
    const refused = await addUntilRefused(server);
    expect([refused.status, await refused.json()]).toEqual([
      507,
      expect.objectContaining({ code: "disk_full", detail: expect.stringMatching(FULL) }),
    ]);
    const form = await server.ask("/personas?dialog=new", {
      as: "owner",
      form: { ...persona("By a form", 9000), intent: "create" },
    });
    expect([form.status, await form.text()]).toEqual([507, expect.stringContaining("The disk is full:")]);
    const upload = new FormData();
    upload.append("file", new Blob(["x".repeat(3_000_000)]), "large.txt");
    const attached = await server.ask("/api/attachments", { as: "owner", body: upload });
    expect([attached.status, await attached.json()]).toEqual([
      507,
      expect.objectContaining({ detail: expect.stringMatching(FULL) }),
    ]);

    expect((await server.ask("/api/personas", { as: "owner" })).status).toBe(200);
    expect(await healthOf(server)).toEqual({ status: "degraded", codes: ["disk_full"] });
    const home = await server.ask("/personas", { as: "owner" });
    expect(await home.text()).toContain("The disk is full");
    const ofMember = await server.ask("/personas", { as: "member" });
    expect(await ofMember.text()).not.toContain("The disk is full");

    expect(await server.signIn(people.owner.email, people.owner.password)).toContain("qd_session=");

    disk.free();
    await expect.poll(async () => (await addPersona(server, "Afterwards")).status).toBe(201);
  });

  it("takes new work into the room that the database's file has, although its log can't grow", async () => {
    const { disk, server } = await startOn("size=60m");
    await server.stop();
    const raw = new Database(join(server.dataDir, "quarterdeck.sqlite"));
    raw.exec("create table bulk (bytes blob); insert into bulk values (zeroblob(5000000)); drop table bulk");
    raw.close();
    await server.start();
    disk.fill(1_000_000);
    expect((await addUntilRefused(server)).status).toBe(507);
    await expect.poll(async () => (await addPersona(server, "Afterwards", 9000)).status).toBe(201);
  });

  it("gives its reserve back, so that an owner signs in and deletes a backup", async () => {
    const { disk, server } = await startOn("size=60m");
    mkdirSync(join(server.dataDir, "backups"), { recursive: true });
    writeFileSync(join(server.dataDir, "backups", "old.tar.gz"), "x".repeat(1000));
    disk.fill();
    await (await addUntilRefused(server)).body?.cancel();
    await server.kill();
    disk.fill();

    await server.start();
    expect(readdirSync(join(server.dataDir, "reserve")).length).toBeLessThan(16);
    const cookie = await server.signIn(people.owner.email, people.owner.password);
    const removed = await server.ask("/api/system/backups/old.tar.gz", {
      method: "DELETE",
      headers: { cookie, origin: server.baseUrl },
    });
    expect(removed.status).toBe(204);
    disk.free();
    await server.restart();
    await expect.poll(() => readdirSync(join(server.dataDir, "reserve")).length).toBe(16);
  });

  it("lets an owner delete documents and conversations, whose space new work then takes", async () => {
    const { disk, server } = await startOn("size=90m");
    const [first = "", second = "", ...rest] = await addDocuments(server);
    const conversation = { as: "owner", json: { messages: [{ role: "user", content: "Hello" }] } } as const;
    const chat = await server.ask("/api/ai/chat", conversation);
    const conversationId = chat.headers.get("x-conversation-id") ?? "";
    await chat.text();

    /** What is free, others use at once. */
    const fill = async () => {
      disk.fill();
      await (await addUntilRefused(server)).body?.cancel();
    };
    const statusOf = async (path: string, options: Ask) => {
      await fill();
      const response = await server.ask(path, { as: "owner", ...options });
      await response.body?.cancel();
      return response.status;
    };
    const remove = (id: string) => statusOf(`/api/rag/documents/${id}`, { method: "DELETE" });
    expect([await remove(first), await remove(second)]).toEqual([204, 204]);
    const bulk = { json: { action: "delete", ids: rest } };
    expect(await statusOf("/api/rag/documents/bulk", bulk)).toBe(200);
    expect(await statusOf("/chat/all", { form: { intent: "delete", ids: conversationId } })).toBe(303);

    await server.kill();
    const documents = letUndoTimePass(server, disk);
    disk.fill();
    await server.start();
    await expect.poll(documents).toBe(0);
    await expect.poll(async () => (await addPersona(server, "Afterwards", 9000)).status).toBe(201);
  });

  it.runIf(isWholeForm)(
    "removes what an owner deleted after three starts on a disk that others fill again",
    async () => {
      const { disk, server } = await startOn("size=90m");
      const ids = await addDocuments(server);
      const json = { action: "delete", ids };
      expect((await server.ask("/api/rag/documents/bulk", { as: "owner", json })).status).toBe(200);
      const pieces: number[] = [];
      for (let starts = 0; starts < 3; starts++) {
        await server.kill();
        disk.fill();
        await server.start();
        pieces.push(readdirSync(join(server.dataDir, "reserve")).length);
      }
      expect(pieces).toEqual([12, 8, 4]);
      await server.kill();
      const documents = letUndoTimePass(server, disk);
      // As little as lets it start.
      disk.fill(200_000);
      await server.start();
      await expect.poll(documents).toBe(0);
    },
  );

  it("without inodes says so, and starts", async () => {
    const { disk, server } = await startOn("size=60m,nr_inodes=200");
    disk.useFiles();
    const upload = new FormData();
    upload.append("file", new Blob(["a note"]), "note.txt");
    const attached = await server.ask("/api/attachments", { as: "owner", body: upload });
    expect([attached.status, await attached.json()]).toEqual([
      507,
      expect.objectContaining({
        detail: "The disk is full: it can't hold more files (0 inodes are free).",
      }),
    ]);
    expect((await server.ask("/readyz")).status).toBe(503);
    expect((await healthOf(server)).codes).toEqual(["disk_full"]);
    expect((await server.ask("/api/system/backups", { as: "owner", json: {} })).status).toBe(202);
    await expect
      .poll(
        async () => {
          const jobs = await server.ask("/api/system/jobs?state=failed", { as: "owner" });
          return ((await jobs.json()) as { kind: string; error: string }[]).map(({ error }) => error);
        },
        { timeout: 60_000 },
      )
      .toContain("The disk is full: it can't hold more files (0 inodes are free).");
    await server.kill();
    disk.useFiles();
    await server.start();
    expect(await server.signIn(people.owner.email, people.owner.password)).toContain("qd_session=");
    disk.free();
    await expect.poll(async () => (await addPersona(server, "Afterwards")).status).toBe(201);
  });
});
