import type Database from "better-sqlite3";
import { indexTerms } from "~/core/language/analysis";
import { NO_LANGUAGE } from "~/core/language/language-codes";
import { disableAutomaticMerges, mergeTerms } from "~/work/index/stores/derived-tables.repo.server";
import {
  createTerms,
  createVectors,
  SCOPES,
  signBits,
  termsTable,
  toBlob,
  vectorsTable,
} from "~/work/index/stores/tables";

/** Mulberry32, deterministic. https://gist.github.com/tommyettinger/46a874533244883189143505d203312c */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

const WORDS = 60_000;
/** Questions skip the most common words. */
const ASKED_FROM = 150;

/** Zipf-Mandelbrot distribution. */
export function makeWords(random: () => number) {
  const sums = new Float64Array(WORDS);
  let sum = 0;
  for (let rank = 0; rank < WORDS; rank++) {
    sum += (rank + 2.7) ** -1.05;
    sums[rank] = sum;
  }
  const pick = (): number => {
    const target = random() * sum;
    let [low, high] = [0, WORDS - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? 0) < target) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const name = (rank: number) => `w${rank.toString(36)}q`;
  return {
    text: (length: number) => Array.from({ length }, () => name(pick())).join(" "),
    query(length: number): string {
      const words: string[] = [];
      while (words.length < length) {
        const rank = pick();
        if (rank >= ASKED_FROM) words.push(name(rank));
      }
      return words.join(" ");
    },
  };
}

/**
 * Like models' vectors: anisotropic with clusters. Cosines are about 0.1 between subjects, 0.6 within, 0.8 for question
 * and answer.
 */
export function makeVectors(random: () => number, dimensions: number) {
  const normal = (): Float32Array => {
    const vector = new Float32Array(dimensions);
    for (let index = 0; index < dimensions; index += 2) {
      const radius = Math.sqrt(-2 * Math.log(1 - random()));
      const angle = 2 * Math.PI * random();
      vector[index] = radius * Math.cos(angle);
      if (index + 1 < dimensions) vector[index + 1] = radius * Math.sin(angle);
    }
    return vector;
  };
  const mix = (...parts: [Float32Array, number][]): Float32Array => {
    const vector = new Float32Array(dimensions);
    for (const [part, weight] of parts) {
      const scale = weight / Math.hypot(...part);
      for (let index = 0; index < dimensions; index++) {
        vector[index] = (vector[index] ?? 0) + (part[index] ?? 0) * scale;
      }
    }
    const length = Math.hypot(...vector);
    return vector.map((value) => value / length);
  };
  const lean = normal();
  const subjects = Array.from({ length: 500 }, normal);
  const subject = () => subjects[Math.floor(random() * subjects.length)] ?? lean;
  return {
    document: () => mix([lean, 0.35], [subject(), 0.7], [normal(), 0.62]),
    question: (answer: Float32Array) => mix([answer, 0.8], [normal(), 0.6]),
  };
}

export interface Filled {
  index: { id: number; chunkSetId: number; space: { id: number; kind: "model" } };
  seconds: number;
}

/** Chunks per document. */
const CHUNKS = 20;

/**
 * Writes documents with their chunks, words, vectors and bits as ingestion does, without reading and embedding, into the
 * connection that is open.
 *
 * @param eachVector gets every chunk's vector as it is written
 */
export function fill(
  raw: Database.Database,
  { chunks, dimensions, orgId }: { chunks: number; dimensions: number; orgId: string },
  eachVector: (chunkId: number, vector: Float32Array) => void,
): Filled {
  const words = makeWords(randomFrom(chunks));
  const vectors = makeVectors(randomFrom(dimensions + chunks), dimensions);
  const insert = (sql: string) => raw.prepare(sql);
  const id = (sql: string, ...values: unknown[]) => Number(insert(sql).run(...values).lastInsertRowid);
  const key = `bench/${chunks}/${dimensions}`;
  const chunkSetId = id("INSERT INTO chunk_sets (org_id, key, created_at) VALUES (?, ?, 0)", orgId, key);
  const spaceId = id(
    "INSERT INTO embedding_spaces (org_id, key, kind, model, dimensions, created_at) VALUES (?, ?, 'model', 'bench', ?, 0)",
    orgId,
    key,
    dimensions,
  );
  const indexId = id(
    `INSERT INTO search_indexes (org_id, chunk_set_id, space_id, store, state, created_by, created_at)
     VALUES (?, ?, ?, 'sqlite', 'serving', 'system', 0)`,
    orgId,
    chunkSetId,
    spaceId,
  );
  raw.exec(createTerms(chunkSetId, NO_LANGUAGE));
  disableAutomaticMerges(termsTable(chunkSetId, NO_LANGUAGE));
  raw.exec(createVectors(indexId, dimensions));
  const document = insert(
    `INSERT INTO documents (id, org_id, name, type, source, category_id, status, created_by, created_at, updated_at)
     VALUES (?, ?, ?, 'text', '', 'cat_bench', 'ready', 'system', 0, 0)`,
  );
  const version = insert(
    "INSERT INTO document_versions (id, document_id, number, state, created_by, created_at) VALUES (?, ?, 1, 'served', 'system', 0)",
  );
  const serve = insert("UPDATE documents SET version_id = ? WHERE id = ?");
  const chunk = insert(
    `INSERT INTO chunks (chunk_set_id, document_id, version_id, position, text, headings, start, "end", tokens, hash)
     VALUES (?, ?, ?, ?, ?, '[]', ?, ?, 400, ?)`,
  );
  const term = insert(
    `INSERT INTO ${termsTable(chunkSetId, NO_LANGUAGE)} (rowid, title, headings, body) VALUES (?, ?, '', ?)`,
  );
  const embedding = insert("INSERT INTO embeddings (space_id, hash, vector) VALUES (?, ?, ?)");
  const bits = insert(
    `INSERT INTO ${vectorsTable(indexId)} (chunk_id, scope, bits) VALUES (?, ?, vec_bit(?))`,
  );
  const entry = insert("INSERT INTO index_entries (index_id, chunk_id) VALUES (?, ?)");
  const one = (documentId: string, versionId: string, name: string, position: number) => {
    const text = words.text(250);
    const hash = `${versionId}/${position}`;
    const vector = vectors.document();
    const start = position * 2000;
    const rowid = BigInt(
      chunk.run(chunkSetId, documentId, versionId, position, text, start, start + text.length, hash)
        .lastInsertRowid,
    );
    term.run(rowid, indexTerms(name, NO_LANGUAGE), indexTerms(text, NO_LANGUAGE));
    embedding.run(spaceId, hash, toBlob(vector));
    bits.run(rowid, SCOPES.open, signBits(vector));
    entry.run(indexId, rowid);
    eachVector(Number(rowid), vector);
  };
  const started = performance.now();
  for (let number = 0; number < chunks / CHUNKS; number++) {
    const documentId = `doc_${key}_${number}`;
    const versionId = `ver_${key}_${number}`;
    raw.transaction(() => {
      const name = words.text(4);
      document.run(documentId, orgId, name);
      version.run(versionId, documentId);
      serve.run(versionId, documentId);
      for (let position = 0; position < CHUNKS; position++) one(documentId, versionId, name, position);
    })();
    // As in ingestion, for a realistic number of segments.
    raw.transaction(() => mergeTerms(termsTable(chunkSetId, NO_LANGUAGE), 32))();
  }
  const seconds = (performance.now() - started) / 1000;
  return { index: { id: indexId, chunkSetId, space: { id: spaceId, kind: "model" } }, seconds };
}
