import { now } from "~/core/clock.server";
import { rawDatabase, transaction } from "~/core/db.server";
import { indexTerms } from "~/core/language/analysis";
import { detectLanguages } from "~/core/language/detect-language";
import { NO_LANGUAGE } from "~/core/language/language-codes";
import { embeddedText } from "~/work/index/chunking/chunk";
import { embedLexically, LEXICAL_DIMENSIONS } from "~/work/index/embedding/lexical-embedder";
import { insertTerms } from "~/work/index/stores/derived-tables.repo.server";
import { createVectors, SCOPES, signBits, toBlob, vectorsTable } from "~/work/index/stores/tables";
import { openTerms, openTermsTable } from "~/work/index/stores/terms-index.server";
import type { SearchTask } from "~/work/search/retrieval/search-task";
import { chunkSets, chunks, embeddingSpaces, embeddings, indexEntries, searchIndexes } from "~db/schema";
import { ORG_ID } from "./database";
import { addDocument, addVersion, type VersionOptions } from "./documents";
import type { PassageSet } from "./passage-sets";

interface SampleChunk {
  text: string;
  headings?: string[];
  language?: string;
  /** Offset in the document's text; after the chunk before it by default. */
  start?: number;
  /** Replaces the built-in embedding. */
  vector?: Float32Array;
}

interface SampleDocument {
  name: string;
  chunks: (string | SampleChunk)[];
  /** As in the documents table. */
  row?: Parameters<typeof addDocument>[1];
  texts?: VersionOptions["texts"];
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
  openTerms(index.chunkSetId);
  rawDatabase().exec(createVectors(index.id, dimensions));
  return { index, add: (document) => transaction(() => addTo(index, document)) };
}

let made = 0;

function addTo(index: SampleCollection["index"], { name, chunks: given, row, texts = [] }: SampleDocument) {
  const raw = rawDatabase();
  const documentId = addDocument(name, row);
  const versionId = addVersion(documentId, { texts });
  raw.prepare("UPDATE documents SET version_id = ? WHERE id = ?").run(versionId, documentId);
  const bits = raw.prepare(
    `INSERT INTO ${vectorsTable(index.id)} (chunk_id, scope, bits) VALUES (?, ?, vec_bit(?))`,
  );
  let start = 0;
  const chunkIds = given.map((item, position) => {
    const {
      text,
      headings = [],
      language = NO_LANGUAGE,
      vector,
      start: at = start,
    } = typeof item === "string" ? { text: item } : item;
    start = at;
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
          language,
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
    insertTerms(openTermsTable(index.chunkSetId, language), id, {
      title: indexTerms(name, language),
      headings: indexTerms(headings.join("\n"), language),
      body: indexTerms(text, language),
    });
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

/** Adds each passage as a document without a name, its language detected as in ingestion. */
export function addPassages(collection: SampleCollection, { language, passages }: PassageSet): void {
  transaction(() => {
    for (const [at, text] of passages.entries()) {
      const [detected = NO_LANGUAGE] = detectLanguages([text]);
      collection.add({ name: "", chunks: [{ text, language: detected }], row: { id: `${language}-${at}` } });
    }
  });
}
