import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, it } from "vitest";
import { makeCertificate } from "../support/collector";
import { FOLDERS } from "../support/database";
import { killWhen, lookInto } from "../support/faults";
import { openQdrantFake, type QdrantFake } from "../support/qdrant";
import { startServer, type TestServer } from "../support/server";

// One console and one Qdrant: the fake, or with `npm run test:qdrant -- --url ADDRESS` a real one.

/** `npm run test:qdrant`; `npm test` leaves out kills and consoles whose kind another test shows. */
const isWhole = process.env.QDRANT_MATRIX === "all";

interface Relay {
  origin: string;
  /** Lets nothing through, like a stopped process, until it is called with false. */
  hold(isHeld?: boolean): void;
  close(): void;
}

async function startRelay(target: URL): Promise<Relay> {
  const sockets = new Set<Socket>();
  const pairs: [Socket, Socket][] = [];
  let isHeld = false;
  const server = createServer((near) => {
    const far = connect(Number(target.port || 6333), target.hostname);
    for (const one of [near, far]) {
      sockets.add(one);
      one.on("error", () => one.destroy());
    }
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
    pairs.push([near, far]);
    if (!isHeld) connectBoth(near, far);
  });
  const connectBoth = (near: Socket, far: Socket) => {
    near.pipe(far);
    far.pipe(near);
  };
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold(held = true) {
      isHeld = held;
      for (const [near, far] of pairs) {
        if (held) {
          near.unpipe(far);
          far.unpipe(near);
        } else connectBoth(near, far);
      }
    },
    close() {
      server.close();
      for (const one of sockets) one.destroy();
    },
  };
}

let fake: QdrantFake | undefined;
let address: string;
let relay: Relay;
let server: TestServer;
const documents: string[] = [];

beforeAll(async () => {
  if (!process.env.QDRANT_TEST_URL) fake = await openQdrantFake();
  address = process.env.QDRANT_TEST_URL ?? fake?.origin ?? "";
  relay = await startRelay(new URL(address));
  server = await startServer({ env: { QDRANT_URL: relay.origin } });
});
afterAll(async () => {
  for (const name of served) await qdrant("DELETE", `/collections/${name}`);
  await server?.close();
  relay?.close();
  await fake?.close();
});

async function qdrant(method: string, path: string, json?: object) {
  const response = await fetch(address + path, {
    method,
    ...(json ? { body: JSON.stringify(json), headers: { "content-type": "application/json" } } : {}),
  });
  return { status: response.status, body: (await response.json()) as { result: never } };
}

const read = async <T>(path: string, of = server): Promise<T> =>
  (await (await of.ask(path, { as: "owner" })).json()) as T;

interface Status {
  store: string;
  notices: string[];
  server: { state: string; error: string | null; lagMs: number } | null;
  indexes: { id: string; state: string; recall: number | null }[];
}
const status = (of = server) => read<Status>("/api/rag/status", of);
const readiness = () => read<{ ready: boolean; checks: { vectors: string } }>("/readyz");

/** What the database says that Qdrant should hold: ids with the document. */
function expected(of = server): [number, string][] {
  const database = new Database(join(of.dataDir, "quarterdeck.sqlite"), { readonly: true });
  try {
    return database
      .prepare(
        `SELECT c.id, c.document_id FROM index_entries e JOIN chunks c ON c.id = e.chunk_id
         JOIN search_indexes i ON i.id = e.index_id WHERE i.state = 'serving' ORDER BY c.id`,
      )
      .raw()
      .all() as [number, string][];
  } finally {
    database.close();
  }
}

/** Collections of this test's consoles. */
const served = new Set<string>();

async function collection(of = server): Promise<string> {
  const { indexes } = await status(of);
  const id = indexes.find(({ state }) => state === "serving")?.id;
  const database = new Database(join(of.dataDir, "quarterdeck.sqlite"), { readonly: true });
  const orgId = database.prepare("SELECT org_id FROM search_indexes LIMIT 1").pluck().get();
  database.close();
  const key = createHash("sha256").update(["", of.dataDir, orgId].join("\n"));
  const name = `quarterdeck-${key.digest("hex").slice(0, 12)}-${id}`;
  served.add(name);
  return name;
}

/** What Qdrant holds. */
async function held(name: string): Promise<[number, string][]> {
  const all: [number, string][] = [];
  for (let offset: number | null = 0; offset !== null; ) {
    const wanted = { offset, limit: 500, with_payload: true };
    const { status: code, body } = await qdrant("POST", `/collections/${name}/points/scroll`, wanted);
    if (code === 404) return [];
    const { points, next_page_offset } = body.result as {
      points: { id: number; payload: { documentId: string } }[];
      next_page_offset: number | null;
    };
    all.push(...points.map(({ id, payload }): [number, string] => [id, payload.documentId]));
    offset = next_page_offset;
  }
  return all;
}

async function expectWhole(of = server): Promise<void> {
  const isServing = async () => {
    const { store, notices } = await status(of);
    return store === "qdrant" && notices.length === 0;
  };
  await expect.poll(isServing).toBe(true);
  const name = await collection(of);
  const isHeld = async () => {
    const wanted = expected(of);
    return wanted.length > 0 && JSON.stringify(await held(name)) === JSON.stringify(wanted);
  };
  await expect.poll(isHeld).toBe(true);
}

const textOf = (title: string) =>
  Array.from(
    { length: 60 },
    (_, line) =>
      `${title} ${line}: ships, anchors and harbors of the ${line}th kind, with cargo ${line * 7}.`,
  ).join("\n\n");

async function ingest(title: string, of = server): Promise<string> {
  const text = textOf(title);
  const made = await of.ask("/api/rag/ingest", { as: "owner", json: { title, text } });
  const body = (await made.json()) as { documentId?: string; id?: string };
  expect([200, 201, 202], JSON.stringify(body)).toContain(made.status);
  return body.documentId ?? body.id ?? "";
}

let searches = 0;
async function search() {
  // Answers are cached by their query.
  const query = `anchors of ships ${searches++}`;
  const response = await server.ask("/api/rag/search", { as: "owner", json: { query } });
  const body = (await response.json()) as {
    notice: string | null;
    store: string;
    results: { scores: { vector: object | null } }[];
  };
  expect(response.status, JSON.stringify(body)).toBe(200);
  // Keywords find these texts too: only a vector's score shows that Qdrant was asked, and answered.
  const hasVectors = body.results.some(({ scores }) => scores.vector !== null);
  expect([body.results.length > 0, hasVectors]).toEqual([true, body.store === "qdrant"]);
  return body;
}

it("moves the vectors to Qdrant, each with its document", async () => {
  for (const title of ["Ships", "Harbors", "Cargo"]) documents.push(await ingest(title));
  await expectWhole();
  expect(await search()).toMatchObject({ store: "qdrant", notice: null });
  await expect.poll(async () => (await status()).indexes[0]?.recall).toBe(1);
});

it("says at once that a collection is gone, and makes it whole again", async () => {
  await qdrant("DELETE", `/collections/${await collection()}`);
  const lost = await search();
  expect(lost).toMatchObject({ store: "none", notice: expect.stringContaining("has lost its vectors") });
  documents.push(await ingest("Lighthouses"));
  await expectWhole();
  expect(await search()).toMatchObject({ store: "qdrant", notice: null });
});

it.runIf(isWhole)("finds what was lost and added while it was killed", async () => {
  const name = await collection();
  const [first] = expected();
  await server.kill();
  await qdrant("POST", `/collections/${name}/points/delete?wait=true`, { points: [first?.[0]] });
  await server.start();
  await expectWhole();
});

it("isn't held up by a Qdrant that hangs, and makes up for it after a kill", async () => {
  const token = await server.createToken("owner", ["metrics.read"]);
  const gauges = async () => {
    const text = await (await server.ask("/metrics", { token })).text();
    return [...text.matchAll(/^(quarterdeck_vector_server_\w+?)(?:\{.*\})? (\S+)$/gm)].map(
      ([, name, value]) => [name, Number(value)],
    );
  };
  expect(Object.fromEntries(await gauges())).toEqual({
    quarterdeck_vector_server_up: 1,
    quarterdeck_vector_server_lag_seconds: 0,
    quarterdeck_vector_server_recall: 1,
  });
  relay.hold();
  await search();
  await search();
  expect(await search()).toMatchObject({ store: "none", notice: expect.stringContaining("doesn't answer") });
  expect(await readiness()).toMatchObject({ ready: true, checks: { vectors: "degraded" } });
  expect((await status()).server).toMatchObject({ state: "paused" });
  expect(Object.fromEntries(await gauges())).toMatchObject({ quarterdeck_vector_server_up: 0 });
  expect(await read("/api/health")).toMatchObject({ status: "degraded", problems: [{ code: "vectors" }] });
  const page = await (await server.ask("/settings/system", { as: "owner" })).text();
  // Escaped as React escapes an apostrophe.
  expect(page).toMatch(/Doesn(?:'|&#x27;)t answer and isn/);
  const replaced = await server.ask(`/api/rag/documents/${documents[0]}/versions`, {
    as: "owner",
    json: { text: "Sails and rigging.\n\nOnly a few words are left of the ships." },
  });
  expect(replaced.ok, await replaced.text()).toBe(true);
  expect((await server.ask(`/api/rag/documents/${documents[1]}`, { method: "DELETE", as: "owner" })).ok).toBe(
    true,
  );
  const readLag = async () => Object.fromEntries(await gauges()).quarterdeck_vector_server_lag_seconds;
  await expect.poll(readLag).toBeGreaterThan(0);
  await server.kill();
  relay.hold(false);
  await server.start();
  await expectWhole();
  expect(await readiness()).toMatchObject({ ready: true, checks: { vectors: "ok" } });
});

it.runIf(isWhole)(
  "loses a document that is removed for good after its undo, also if that is killed",
  async () => {
    const name = await collection();
    const id = await ingest("Wrecks");
    await expectWhole();
    const points = async () => (await held(name)).filter(([, document]) => document === id).length;
    expect(await points()).toBeGreaterThan(0);
    expect((await server.ask(`/api/rag/documents/${id}`, { method: "DELETE", as: "owner" })).ok).toBe(true);
    await server.kill();
    // As if the ten minutes were over.
    lookInto(server, (raw) => {
      raw.prepare("UPDATE documents SET deleted_at = 1 WHERE id = ?").run(id);
      raw.prepare("UPDATE jobs SET run_at = 1 WHERE kind = 'documents.purge'").run();
    });
    await server.start();
    await killWhen(server, "SELECT 1 FROM jobs WHERE kind = 'documents.purge' AND state != 'scheduled'");
    await server.start();
    await expect.poll(points).toBe(0);
    const row = "SELECT count(*) FROM documents WHERE id = ?";
    await expect.poll(() => lookInto(server, (raw) => raw.prepare(row).pluck().get(id))).toBe(0);
    await expectWhole();
  },
);

it.runIf(isWhole)("trusts a private certificate authority that NODE_EXTRA_CA_CERTS names", async () => {
  const folder = mkdtempSync(join(FOLDERS, "qdrant-tls-"));
  const files = makeCertificate(folder);
  const target = new URL(address);
  const tls = createTlsServer({ key: readFileSync(files.key), cert: readFileSync(files.cert) }, (near) => {
    const far = connect(Number(target.port || 6333), target.hostname);
    for (const one of [near, far]) one.on("error", () => one.destroy());
    near.on("close", () => far.destroy());
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((ready) => tls.listen(0, "127.0.0.1", ready));
  const env = { QDRANT_URL: `https://localhost:${(tls.address() as AddressInfo).port}` };
  const other = await startServer({ env });
  let trusting: TestServer | undefined;
  try {
    await ingest("Elsewhere", other);
    await expect.poll(async () => JSON.stringify(await status(other))).toMatch(/couldn't be reached/);
    await other.stop();
    trusting = await startServer({ env: { ...env, NODE_EXTRA_CA_CERTS: files.cert } });
    await ingest("Elsewhere", trusting);
    await expectWhole(trusting);
  } finally {
    await other.close();
    await trusting?.close();
    tls.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

it("builds a collection of its own for other chunks, beside the old one", async () => {
  const before = await collection();
  const changed = await server.ask("/api/user/settings", {
    method: "PUT",
    as: "owner",
    json: { chunkTokens: 120 },
  });
  expect(changed.ok, await changed.text()).toBe(true);
  await expect.poll(collection).not.toBe(before);
  await expectWhole();
});

it.runIf(isWhole)(
  "has what a restored backup has, though it has as many passages as what it replaces",
  async () => {
    const other = await startServer({ env: { QDRANT_URL: relay.origin } });
    try {
      const id = await ingest("Old rigging", other);
      await ingest("Lanterns", other);
      await expectWhole(other);
      const name = await collection(other);
      const token = await other.createToken("owner");
      const before = expected(other);
      expect((await other.ask("/api/system/backups", { token, json: {} })).status).toBe(202);
      const backups = async () =>
        (await (await other.ask("/api/system/backups", { token })).json()) as { name: string }[];
      await expect.poll(async () => (await backups()).length).toBe(1);
      const [backup] = await backups();
      const text = textOf("New rigging");
      const version = await other.ask(`/api/rag/documents/${id}/versions`, { token, json: { text } });
      expect(version.ok, await version.text()).toBe(true);
      const isReplaced = () =>
        JSON.stringify(expected(other).map(([chunk]) => chunk)) !==
        JSON.stringify(before.map(([chunk]) => chunk));
      await expect.poll(() => isReplaced() && expected(other).length).toBe(before.length);
      await expectWhole(other);
      const restoring = await other.ask(`/api/system/backups/${backup?.name}/restore`, { token, json: {} });
      expect(restoring.status).toBe(202);
      await expect.poll(() => JSON.stringify(expected(other))).toBe(JSON.stringify(before));
      await expect.poll(async () => JSON.stringify(await held(name))).toBe(JSON.stringify(before));
      const find = async () => {
        const json = { query: "old rigging and anchors" };
        const answer = await other.ask("/api/rag/search", { token, json });
        return (await answer.json()) as { store: string; results: { scores: { vector: object | null } }[] };
      };
      await expect.poll(async () => (await find()).store).toBe("qdrant");
      expect((await find()).results.some(({ scores }) => scores.vector !== null)).toBe(true);
    } finally {
      await other.close();
    }
  },
);

it.runIf(isWhole)("shares a Qdrant with another console", async () => {
  const other = await startServer({ env: { QDRANT_URL: relay.origin } });
  try {
    await ingest("Elsewhere", other);
    await expectWhole(other);
    expect(await collection(other)).not.toBe(await collection());
    await expectWhole();
  } finally {
    await other.close();
  }
});
