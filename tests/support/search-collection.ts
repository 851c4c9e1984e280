import { now } from "~/core/clock.server";
import { rawDatabase, transaction } from "~/core/db.server";
import { indexTerms } from "~/core/language/terms";
import { embeddedText } from "~/work/index/chunking/chunk";
import { embedLexically, LEXICAL_DIMENSIONS } from "~/work/index/embedding/lexical-embedder";
import {
  createTerms,
  createVectors,
  SCOPES,
  signBits,
  termsTable,
  toBlob,
  vectorsTable,
} from "~/work/index/stores/tables";
import type { SearchTask } from "~/work/search/retrieval/search-task";
import { chunkSets, chunks, embeddingSpaces, embeddings, indexEntries, searchIndexes } from "~db/schema";
import { ORG_ID } from "./database";
import { addDocument, addVersion } from "./documents";

interface SampleChunk {
  text: string;
  headings?: string[];
  /** Replaces the built-in embedding. */
  vector?: Float32Array;
}

interface SampleDocument {
  name: string;
  chunks: (string | SampleChunk)[];
  /** As in the documents table. */
  row?: Parameters<typeof addDocument>[1];
}

export interface SampleCollection {
  index: { id: number; chunkSetId: number; space: { id: number; kind: "lexical" | "model" } };
  add(document: SampleDocument): { documentId: string; chunkIds: number[] };
}

/** An empty active index; documents are inserted directly. */
export function makeCollection({
  dimensions = LEXICAL_DIMENSIONS,
  kind = "lexical",
}: {
  dimensions?: number;
  kind?: "lexical" | "model";
} = {}): SampleCollection {
  const at = now();
  const index = transaction((tx) => {
    const set = tx
      .insert(chunkSets)
      .values({ orgId: ORG_ID, key: `test/${dimensions}`, createdAt: at })
      .returning()
      .get();
    const space = tx
      .insert(embeddingSpaces)
      .values({ orgId: ORG_ID, key: `${kind}/1`, kind, model: kind, dimensions, createdAt: at })
      .returning()
      .get();
    const made = tx
      .insert(searchIndexes)
      .values({
        orgId: ORG_ID,
        chunkSetId: set.id,
        spaceId: space.id,
        store: "sqlite",
        state: "serving",
        createdBy: "system",
        createdAt: at,
        servedAt: at,
      })
      .returning()
      .get();
    return { id: made.id, chunkSetId: set.id, space: { id: space.id, kind } };
  });
  rawDatabase().exec(createTerms(index.chunkSetId));
  rawDatabase().exec(createVectors(index.id, dimensions));
  return { index, add: (document) => transaction(() => addTo(index, document)) };
}

let made = 0;

function addTo(index: SampleCollection["index"], { name, chunks: given, row }: SampleDocument) {
  const raw = rawDatabase();
  const documentId = addDocument(name, row);
  const versionId = addVersion(documentId, { texts: [] });
  raw.prepare("UPDATE documents SET version_id = ? WHERE id = ?").run(versionId, documentId);
  const terms = raw.prepare(
    `INSERT INTO ${termsTable(index.chunkSetId)} (rowid, title, headings, body) VALUES (?, ?, ?, ?)`,
  );
  const bits = raw.prepare(
    `INSERT INTO ${vectorsTable(index.id)} (chunk_id, scope, bits) VALUES (?, ?, vec_bit(?))`,
  );
  let start = 0;
  const chunkIds = given.map((item, position) => {
    const { text, headings = [], vector } = typeof item === "string" ? { text: item } : item;
    const full = embeddedText(name, { headings, text });
    const hash = `hash_${++made}_${vector ? "" : full.length}`;
    const found = vector ?? embedLexically(full);
    const id = transaction((tx) => {
      const chunk = tx
        .insert(chunks)
        .values({
          chunkSetId: index.chunkSetId,
          documentId,
          versionId,
          position,
          text,
          headings,
          start,
          end: start + text.length,
          page: null,
          tokens: Math.ceil(text.length / 4),
          hash,
        })
        .returning({ id: chunks.id })
        .get();
      tx.insert(embeddings)
        .values({ spaceId: index.space.id, hash, vector: toBlob(found) })
        .run();
      tx.insert(indexEntries).values({ indexId: index.id, chunkId: chunk.id }).run();
      return chunk.id;
    });
    start += text.length + 2;
    terms.run(BigInt(id), indexTerms(name), indexTerms(headings.join("\n")), indexTerms(text));
    bits.run(BigInt(id), row?.visibility === "named" ? SCOPES.named : SCOPES.open, signBits(found));
    return id;
  });
  return { documentId, chunkIds };
}

/** Defaults to a member and no filters. */
export function searchTask(
  { index }: SampleCollection,
  query: string,
  more: Partial<SearchTask> = {},
): SearchTask {
  return {
    database: rawDatabase().name,
    orgId: ORG_ID,
    userId: "usr_member",
    index,
    query,
    mode: "hybrid",
    vector: index.space.kind === "lexical" ? embedLexically(query) : undefined,
    filters: {},
    limit: 5,
    ...more,
  };
}
