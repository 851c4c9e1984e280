import { spawnSync } from "node:child_process";
import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isWholeForm, killWhen, lookInto } from "../support/faults";
import { makeZip } from "../support/mail-files";
import { makeMixedFiles } from "../support/mixed-files";
import { logPlace, losePower } from "../support/power";
import { makeScan } from "../support/scans";
import { startServer, type TestServer } from "../support/server";
import { batchEnded, upload, uploadForm } from "../support/uploads";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server?.close());

/** A text of many chunks in which one word occurs nowhere else. */
function textWith(word: string): string {
  const paragraph = (index: number) =>
    `## Part ${index}\n\n${`Ropes of kind ${index} hold the sails in weather of force ${index % 12}. `.repeat(20)}`;
  const parts = Array.from({ length: isWholeForm ? 150 : 60 }, (_, index) => paragraph(index));
  return `# About ${word}\n\nThe word is ${word}.\n\n${parts.join("\n\n")}`;
}

async function documentsNamed(name: string) {
  const response = await server.ask(`/api/rag/documents?search=${name}`, { as: "member" });
  return (await response.json()) as { id: string; status: string; error: string | null; chunks: number }[];
}

async function found(word: string): Promise<string[]> {
  const response = await server.ask("/api/rag/search", { as: "member", json: { query: word, topK: 3 } });
  const { results } = (await response.json()) as {
    results: { content: string; metadata: { title: string } }[];
  };
  return results.filter(({ content }) => content.includes(word)).map(({ metadata }) => metadata.title);
}

/** On a busy machine a step may be over before anybody looks: the process is then killed after the work. */
const OR_IDLE =
  "UNION ALL SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE kind LIKE 'documents.%' AND state IN ('queued', 'running'))";

const ACTIVE_JOBS =
  "SELECT count(*) FROM jobs WHERE kind LIKE 'documents.%' AND state IN ('queued', 'running')";

/** Chunks of versions that aren't searched. */
const CHUNKS_LEFT =
  "SELECT count(*) FROM chunks c JOIN document_versions v ON v.id = c.version_id WHERE v.state <> 'served'";

/** Stages with the state in which the process is killed; in the short form those that lose most, and no other test is like. */
const STAGES: [stage: string, sql: string, isShort?: true][] = [
  ["reading", "SELECT 1 FROM jobs WHERE state = 'running' AND progress ->> '$.step' = 'reading'"],
  [
    "storing the text",
    "SELECT 1 FROM jobs j JOIN document_texts t ON t.version_id = j.input ->> '$.versionId' WHERE j.state = 'running'",
  ],
  ["chunking", "SELECT 1 FROM jobs WHERE state = 'running' AND progress ->> '$.step' = 'chunking'"],
  [
    "storing the chunks",
    "SELECT 1 FROM jobs j JOIN chunks c ON c.version_id = j.input ->> '$.versionId' WHERE j.state = 'running'",
  ],
  ["embedding", "SELECT 1 FROM jobs WHERE state = 'running' AND progress ->> '$.step' = 'embedding'"],
  ["indexing", "SELECT 1 FROM jobs WHERE state = 'running' AND progress ->> '$.step' = 'indexing'"],
  [
    "switching",
    `SELECT 1 FROM document_versions v JOIN documents d ON d.version_id = v.id JOIN jobs j ON j.subject = 'document:' || d.id
     WHERE d.name LIKE 'krakenswitching%' AND (SELECT count(*) FROM jobs WHERE kind LIKE 'documents.%' AND state IN ('queued', 'running')) > 0`,
    true,
  ],
];

describe("kill -9 in the middle of ingestion", () => {
  const acknowledged: string[] = [];
  const batches: string[] = [];

  async function add(...words: string[]): Promise<void> {
    const { files, batchId } = await upload(
      server,
      words.map((word) => [`${word}.md`, textWith(word)] as const),
    );
    expect(files.map(({ error }) => error)).toEqual(words.map(() => null));
    acknowledged.push(...words);
    batches.push(batchId);
  }

  it.each(STAGES.filter(([, , isShort]) => isWholeForm || isShort))(
    "while %s: the work continues after the restart",
    async (step, sql) => {
      const word = `kraken${step.replace(/\W/g, "")}`;
      // More than are worked on at a time: all of those may be switched to in the same moment.
      const endings = step === "switching" ? ["a", "b", "c", "d", "e"] : ["a", "b"];
      await add(...endings.map((ending) => word + ending));
      await killWhen(server, `${sql} ${OR_IDLE}`);
      await server.start();
    },
  );

  it.runIf(isWholeForm)(
    "while an archive is unpacked: the rest of its files is added, and none twice",
    async () => {
      const names = Array.from({ length: 30 }, (_, index) => `page ${String(index).padStart(2, "0")}.txt`);
      const archive = makeZip(
        Object.fromEntries(names.map((name) => [name, `About ${name}. `.repeat(2000)])),
      );
      const { batchId } = await upload(server, [["krakenfolder.zip", Uint8Array.from(archive)]]);
      await killWhen(server, "SELECT 1 FROM documents WHERE source LIKE 'krakenfolder.zip/page 1%'");
      await server.start();
      const { counts, documents } = await batchEnded(server, batchId, 60_000);
      expect(counts).toMatchObject({ total: names.length, ready: names.length });
      expect(documents.map(({ name }) => name).sort()).toEqual(names);
    },
    120_000,
  );

  const languages = process.env.OCR_DATA ?? "";
  it.skipIf(!existsSync(join(languages, "eng.traineddata.gz")))(
    "while scanned pages are recognized: those that were aren't again (needs OCR_DATA, a folder with data of English)",
    async () => {
      cpSync(languages, join(server.dataDir, "ocr"), { recursive: true });
      const texts = Array.from({ length: 6 }, (_, at) => `This scan tells of tides on page ${at + 1}.`);
      const scan = await makeScan(texts.map((text) => [{ text, y: 700, size: 16 }]));
      const { batchId } = await upload(server, [["krakenscan.pdf", scan]]);
      await killWhen(server, "SELECT 1 FROM recognized_pages WHERE page = 2");
      const stored = () =>
        lookInto(server, (raw) => raw.prepare("SELECT rowid, page, text FROM recognized_pages").all());
      const before = stored();
      expect(before.length).toBeLessThan(texts.length);
      await server.start();
      const { documents } = await batchEnded(server, batchId, 120_000);
      expect(documents).toMatchObject([{ status: "ready" }]);
      expect(stored().slice(0, before.length)).toEqual(before);
      expect(stored()).toMatchObject(texts.map((text, at) => ({ page: at + 1, text })));
    },
    180_000,
  );

  it("while a file comes: it is marked as failed, and can be uploaded again", async () => {
    const boundary = "between";
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="files"; filename="krakenhalf.md"\r\n\r\n`;
    let begun = false;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(Buffer.from(begun ? "half and half ".repeat(1000) : head));
        begun = true;
        return new Promise((resolve) => setTimeout(resolve, 5));
      },
    });
    const sending = fetch(`${server.baseUrl}/api/rag/upload`, {
      method: "POST",
      body,
      duplex: "half",
      headers: {
        cookie: server.cookieOf("member"),
        origin: server.baseUrl,
        "content-type": `multipart/form-data; boundary=${boundary}`,
      },
    } as RequestInit).catch((error: unknown) => error);
    await killWhen(
      server,
      "SELECT 1 FROM document_parts p JOIN document_versions v ON v.id = p.version_id WHERE v.state = 'receiving'",
    );
    await sending;
    await server.start();
    const [half] = await documentsNamed("krakenhalf");
    expect(half).toMatchObject({
      status: "failed",
      error: "The upload was interrupted. Upload the file again.",
    });
    await server.ask(`/api/rag/documents/${half?.id}`, { as: "member", method: "DELETE" });
    await add("krakenhalf");
  });

  const ofVersions: [step: string, sql: string][] = [
    [
      "reading a new version",
      // A short text may be read before its step is stored.
      `SELECT 1 FROM jobs j JOIN document_versions v ON v.id = j.input ->> '$.versionId' LEFT JOIN document_texts t ON t.version_id = v.id
       WHERE v.number = 2 AND j.state = 'running' AND t.version_id IS NULL`,
    ],
    [
      "storing a new version's chunks",
      "SELECT 1 FROM chunks c JOIN document_versions v ON v.id = c.version_id WHERE v.number = 2 AND v.state = 'read'",
    ],
    [
      "removing what a new version replaced",
      // The purge is written with the switch, and may be over before anybody can look.
      `SELECT 1 FROM jobs j JOIN documents d ON j.subject = 'document:' || d.id
       WHERE j.kind = 'documents.purge' AND d.name LIKE 'krakenremoving%'`,
    ],
  ];
  it.each(isWholeForm ? ofVersions : ofVersions.slice(1, 2))(
    "while %s: what was searched is, and then what is new",
    async (step, sql) => {
      const word = `kraken${step.replace(/\W/g, "")}`;
      const { files } = await upload(server, [[`${word}.md`, textWith(`old${word.slice(6)}`)]]);
      const id = files[0]?.id ?? "";
      const status = async () => {
        const [document] = await documentsNamed(`${word}.md`);
        return document?.status;
      };
      await expect.poll(status).toBe("ready");
      // Watched from before the call, since reading may be over soon after it.
      const replaced = `SELECT 1 FROM documents d JOIN document_versions v ON v.id = d.version_id
      WHERE d.name = '${word}.md' AND v.number = 2`;
      const killed = killWhen(server, `${sql} UNION ALL ${replaced}`);
      const response = await server
        .ask(`/api/rag/documents/${id}/versions`, {
          as: "member",
          body: uploadForm([[`${word}.md`, textWith(word)]]),
        })
        .catch(() => undefined);
      await killed;
      // A kill that cuts off the response has seen the version in the database.
      if (response) expect(response.status).toBeLessThan(300);
      await server.start();
      await expect.poll(status).toBe("ready");
      await expect.poll(() => found(word)).toEqual([`${word}.md`]);
      expect(await found(`old${word.slice(6)}`)).toEqual([]);
      await expect.poll(() => lookInto(server, (raw) => raw.prepare(CHUNKS_LEFT).pluck().get())).toBe(0);
      acknowledged.push(word);
    },
  );

  const ofPower: [step: string, share: number, sql: string][] = [
    [
      "storing the text",
      0,
      "SELECT 1 FROM jobs WHERE state = 'running' AND progress ->> '$.step' = 'chunking'",
    ],
    [
      "storing the chunks",
      0.5,
      "SELECT 1 FROM jobs WHERE state = 'running' AND progress ->> '$.step' = 'embedding'",
    ],
    ["indexing", 0.9, "SELECT 1 FROM jobs WHERE state = 'running' AND progress ->> '$.step' = 'indexing'"],
  ];
  it.each(isWholeForm ? ofPower : ofPower.slice(1, 2))(
    "with the power lost after %s: the work resumes from what was on the disk",
    async (step, share, sql) => {
      let lost = 0;
      // On a busy machine all may be written, and promised, before anybody looks: there is nothing to lose then.
      for (let attempt = 0; lost === 0 && attempt < 10; attempt++) {
        const word = `kraken${step.replace(/\W/g, "")}unpowered${attempt}`;
        await add(`${word}a`, `${word}b`);
        const promised = logPlace(server);
        await killWhen(server, `${sql} ${OR_IDLE}`);
        lost = losePower(server, promised, share);
        await server.start();
      }
      expect(lost).toBeGreaterThan(0);
    },
  );

  it.runIf(isWholeForm)(
    "at ten random moments of 300 files of all kinds: each is ready once, or refused",
    async () => {
      const files = makeMixedFiles(300);
      const KILLS = 10;
      let restarted = Promise.resolve();
      const ended =
        "SELECT count(*) FROM documents WHERE name LIKE 'medley%' AND status IN ('ready', 'failed')";
      const killing = (async () => {
        for (let kill = 0; kill < KILLS; kill++) {
          const least = Math.floor(((kill + Math.random()) * (files.length - 20)) / KILLS);
          restarted = killWhen(server, `SELECT (${ended}) >= ${least}`).then(() => server.start());
          await restarted;
        }
      })();
      for (let from = 0; from < files.length; from += 20) {
        const part = files.slice(from, from + 20).map(({ name, bytes }) => [name, bytes] as const);
        // A request that is cut off is repeated whole, as a person would.
        while (!(await upload(server, part).catch(() => undefined))) await restarted;
      }
      await killing;
      await expect.poll(() => lookInto(server, (raw) => raw.prepare(ACTIVE_JOBS).pluck().get())).toBe(0);
      for (const { name, word, reason } of files) {
        const documents = await documentsNamed(word);
        const whole = documents.filter(({ error }) => !error?.startsWith("The upload was interrupted."));
        expect(whole.map(({ status }) => `${name} ${status}`)).toEqual([
          `${name} ${reason ? "failed" : "ready"}`,
        ]);
        if (reason) expect(whole[0]?.error).toMatch(reason);
        else expect((await found(word))[0]).toBe(name);
      }
    },
    300_000,
  );

  it("has lost and doubled nothing in the end", async () => {
    for (const id of batches) {
      const batch = await batchEnded(server, id, 50_000);
      const failed = lookInto(server, (raw) =>
        raw
          .prepare("SELECT kind, error FROM jobs WHERE input ->> '$.batchId' = ? AND state = 'failed'")
          .all(id),
      );
      expect(failed).toEqual([]);
      expect(batch.counts.ready).toBe(batch.counts.total);
    }
    for (const word of acknowledged) {
      const documents = await documentsNamed(`${word}.md`);
      expect(documents.map(({ status, error }) => [status, error])).toEqual([["ready", null]]);
      expect(await found(word)).toEqual([`${word}.md`]);
    }
    await server.stop();
    const verified = spawnSync(process.execPath, ["build/audit-verify.mjs"], {
      env: { NODE_ENV: "production", DATA_DIR: server.dataDir },
      encoding: "utf8",
    });
    expect(verified.stdout + verified.stderr).toMatch(/^OK: /);
    lookInto(server, (raw) => {
      const list = (sql: string) => raw.prepare(sql).all();
      // Every version's chunks are there once, without a gap, and stand in the index.
      expect(
        list(`SELECT d.name FROM documents d JOIN chunks c ON c.version_id = d.version_id WHERE d.deleted_at IS NULL
          GROUP BY d.id HAVING count(*) <> max(c.position) + 1 OR count(*) <> d.chunk_count`),
      ).toEqual([]);
      const chunks = raw.prepare("SELECT count(*) FROM chunks").pluck().get();
      expect(chunks).toBeGreaterThan(500);
      expect(
        list(`SELECT s.id, count(e.chunk_id) AS entries FROM search_indexes s LEFT JOIN index_entries e ON e.index_id = s.id
          WHERE s.state = 'serving' AND s.space_id IS NOT NULL GROUP BY s.id`),
      ).toEqual([{ id: expect.any(Number), entries: chunks }]);
      expect(
        list("SELECT id FROM document_versions WHERE state NOT IN ('served', 'replaced', 'failed')"),
      ).toEqual([]);
      expect(raw.prepare(ACTIVE_JOBS).pluck().get()).toBe(0);
      expect(
        list(
          "SELECT json_extract(details, '$.filename') AS name FROM audit_entries WHERE action = 'document.uploaded' GROUP BY name HAVING count(*) > 1",
        ),
      ).toEqual([]);
    });
    await server.start();
  });
});
