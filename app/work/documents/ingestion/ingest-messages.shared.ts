// Sentences shared by server and screen; without zod, to keep the bundle small.

export function processedSentence(title: string, chunks: number, hasEmbeddings: boolean): string {
  return `Successfully processed "${title}" into ${chunks} chunks${hasEmbeddings ? " with embeddings" : ""}`;
}
