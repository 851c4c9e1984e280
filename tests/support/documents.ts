import { eq } from "drizzle-orm";
import { now } from "~/core/clock.server";
import { transaction } from "~/core/db.server";
import { categoryNamed } from "~/work/documents/categories/categories.service.server";
import { documentParts, documents, documentTexts, documentVersions } from "~db/schema";
import { ORG_ID } from "./database";

type Row = typeof documents.$inferInsert;

let made = 0;

/** Inserts a document as ingested. @returns its id */
export function addDocument(
  name: string,
  { category, ...more }: Partial<Row> & { category?: string } = {},
): string {
  const id = more.id ?? `doc_${String(++made).padStart(6, "0")}`;
  const at = now();
  const categoryId = categoryNamed(ORG_ID, category).id;
  transaction((tx) => {
    tx.insert(documents)
      .values({
        id,
        orgId: ORG_ID,
        name,
        type: "text",
        source: "",
        categoryId,
        status: "ready",
        createdBy: "usr_member",
        createdAt: at,
        updatedAt: at,
        ...more,
      })
      .run();
  });
  return id;
}

export interface VersionOptions extends Partial<typeof documentVersions.$inferInsert> {
  /** Stored pieces of the bytes. */
  parts?: Buffer[];
  /** Stored pieces of the text, a paragraph each unless `blocks` is given. */
  texts?: { text: string; blocks?: unknown[] }[];
}

/** Adds an active version. @returns its id */
export function addVersion(documentId: string, { parts, texts, ...more }: VersionOptions = {}): string {
  const number = more.number ?? 1;
  const id = more.id ?? `${documentId.replace("doc", "ver")}_${number}`;
  transaction((tx) => {
    const length = (texts ?? []).reduce((sum, { text }) => sum + text.length, 0);
    tx.insert(documentVersions)
      .values({
        id,
        documentId,
        number,
        state: "served",
        size: (parts ?? []).reduce((sum, part) => sum + part.length, 0),
        textLength: length,
        createdBy: "usr_member",
        createdAt: now(),
        ...more,
      })
      .run();
    for (const [position, bytes] of (parts ?? []).entries()) {
      tx.insert(documentParts).values({ versionId: id, position, bytes }).run();
    }
    let start = 0;
    for (const [position, { text, blocks }] of (texts ?? []).entries()) {
      const own = blocks ?? [{ kind: "paragraph", start, end: start + text.length }];
      tx.insert(documentTexts)
        .values({ versionId: id, position, start, text, blocks: JSON.stringify(own) })
        .run();
      start += text.length;
    }
    if ((more.state ?? "served") === "served") {
      tx.update(documents).set({ versionId: id }).where(eq(documents.id, documentId)).run();
    }
  });
  return id;
}
