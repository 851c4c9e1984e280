// Sentences of the specification that the server and the screen both say; without zod, which is heavy in the browser.

/** Result of an ingest. */
export function processedSentence(title: string, chunks: number, hasEmbeddings: boolean): string {
  return `Successfully processed "${title}" into ${chunks} chunks${hasEmbeddings ? " with embeddings" : ""}`;
}

export const INGESTION_FAILED = "Ingestion Failed";
