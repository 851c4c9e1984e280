import { loadavg } from "node:os";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import type { Actor } from "~/core/actor";
import { startCheckpoints } from "~/core/checkpoints.server";
import { onCommit, rawDatabase } from "~/core/db.server";
import { subscribe } from "~/platform/events/events.service.server";
import { startJobs } from "~/platform/jobs/dispatcher.service.server";
import { documentJobs, startKnowledge } from "~/work/documents/documents.jobs.server";
import { queueIngest } from "~/work/documents/ingestion/ingest.service.server";
import { receiveUpload, type UploadPart } from "~/work/documents/ingestion/upload.service.server";
import { indexJobs } from "~/work/index/index.jobs.server";
import { searchDocuments } from "~/work/search/search.service.server";
import { ORG_ID } from "../tests/support/database";
import { makeWords, randomFrom } from "../tests/support/rag-corpus";
import { IngestInput, SearchInput } from "../tests/support/search-thread";
import { ms, quantile } from "./statistics";

const INITIAL_DOCUMENTS = 60;
const FILES_PER_UPLOAD = 50;
/** Interval between searches (ms). */
const SEARCH_INTERVAL = 100;

type Words = ReturnType<typeof makeWords>;

const paragraph = (words: Words, length: number) => `${words.text(length)}.`;

function markdown(words: Words): string {
  const sections = Array.from(
    { length: 6 },
    () =>
      `## ${words.text(4)}\n\n${paragraph(words, 120)}\n\n- ${words.text(12)}\n- ${words.text(12)}\n\n${paragraph(words, 100)}`,
  );
  return `# ${words.text(5)}\n\n${sections.join("\n\n")}\n`;
}

const plain = (words: Words) => Array.from({ length: 12 }, () => paragraph(words, 120)).join("\n\n");

interface Sample {
  name: string;
  text: string;
}

async function* asParts(files: readonly Sample[]): AsyncGenerator<UploadPart> {
  for (const { name, text } of files) {
    const bytes = (async function* () {
      yield Buffer.from(text);
    })();
    yield { kind: "file", fileName: name, contentType: "text/markdown", bytes };
  }
}

function makeSamples(words: Words, count: number): Sample[] {
  return Array.from({ length: count }, (_, number) =>
    number % 2 === 0
      ? { name: `file ${number}.md`, text: markdown(words) }
      : { name: `Text ${number}`, text: plain(words) },
  );
}

/** One upload of files, then texts one by one. */
async function ingestSamples(actor: Actor, samples: readonly Sample[]): Promise<void> {
  for (let first = 0; first < samples.length; first += FILES_PER_UPLOAD) {
    const some = samples.slice(first, first + FILES_PER_UPLOAD);
    await receiveUpload(actor, asParts(some.filter(({ name }) => name.endsWith(".md"))));
    for (const { name: title, text } of some.filter(({ name }) => !name.endsWith(".md"))) {
      await pause(0);
      queueIngest(actor, IngestInput.parse({ title, text }));
    }
  }
}

async function waitForIngestion(): Promise<void> {
  const waiting = rawDatabase()
    .prepare(
      "SELECT EXISTS (SELECT 1 FROM jobs WHERE kind LIKE 'documents.%' AND state IN ('queued', 'running'))",
    )
    .pluck();
  while (waiting.get() === 1) await pause(50);
}

const count = (sql: string) => rawDatabase().prepare(sql).pluck().get() as number;

/** Searches continuously. @returns a stop function that resolves to the search times */
function keepSearching(actor: Actor): () => Promise<number[]> {
  const words = makeWords(randomFrom(7));
  const times: number[] = [];
  let stopping = false;
  const searching = (async () => {
    while (!stopping) {
      const started = performance.now();
      await searchDocuments(actor, SearchInput.parse({ query: words.query(4) }));
      times.push(performance.now() - started);
      await pause(SEARCH_INTERVAL);
    }
  })();
  return async () => {
    stopping = true;
    await searching;
    return times;
  };
}

function makeMember(): Actor {
  rawDatabase()
    .prepare(
      `INSERT INTO users (id, org_id, email, first_name, role, status, created_at, updated_at)
       VALUES ('usr_bench', ?, 'bench@example.org', 'Bench', 'member', 'active', 0, 0)`,
    )
    .run(ORG_ID);
  return { kind: "user", userId: "usr_bench", orgId: ORG_ID, role: "member" };
}

/**
 * Ingests documents through the real queue while users search and open the documents' screen.
 * @param documents half of them Markdown files, half plain texts
 */
export async function measureIngestion(documents: number): Promise<Record<string, string | number>> {
  const actor = makeMember();
  const stops: (() => unknown)[] = [
    startCheckpoints(),
    startKnowledge(),
    startJobs([...documentJobs, ...indexJobs]),
  ];
  const unsubscribe = subscribe(actor, { topics: ["documents"], isBehind: () => false }, () => undefined);
  const words = makeWords(randomFrom(documents));
  const [first, samples] = [makeSamples(words, INITIAL_DOCUMENTS), makeSamples(words, documents)];
  const delay = monitorEventLoopDelay({ resolution: 1 });
  try {
    await ingestSamples(actor, first);
    await waitForIngestion();
    const before = count("SELECT count(*) FROM chunks");
    const stopSearching = keepSearching(actor);
    let commits = 0;
    stops.push(
      onCommit("the bench", () => {
        commits += 1;
      }),
    );
    const cpu = process.cpuUsage();
    const started = performance.now();
    delay.enable();
    await ingestSamples(actor, samples);
    const acknowledged = (performance.now() - started) / 1000;
    await waitForIngestion();
    delay.disable();
    const seconds = (performance.now() - started) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    const searches = await stopSearching();
    const chunks = count("SELECT count(*) FROM chunks") - before;
    const failed = count("SELECT count(*) FROM documents WHERE status <> 'ready'");
    console.log(`${documents} documents taken in, ${chunks} chunks, load ${loadavg()[0]?.toFixed(1)}`);
    return {
      "documents a second": (documents / seconds).toFixed(1),
      "chunks a second": (chunks / seconds).toFixed(0),
      "acknowledged after": `${acknowledged.toFixed(1)} s`,
      "all found after": `${seconds.toFixed(1)} s`,
      "commits per document": (commits / documents).toFixed(1),
      "processor time per chunk": ms((user + system) / 1000 / chunks),
      "others' delay p50 / p99 / max": [delay.percentile(50), delay.percentile(99), delay.max]
        .map((nanoseconds) => ms(nanoseconds / 1e6))
        .join(" / "),
      "search p50 / p95": `${ms(quantile(searches, 0.5))} / ${ms(quantile(searches, 0.95))}`,
      "not ready": failed,
    };
  } finally {
    unsubscribe();
    await Promise.all(stops.map((stop) => stop()));
  }
}
