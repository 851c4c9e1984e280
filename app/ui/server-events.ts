import { createParser } from "eventsource-parser";

/** Reads server-sent events as they arrive, until the stream ends, its connection is lost, or `isOver`. */
export async function readServerEvents(
  body: ReadableStream<Uint8Array>,
  onEvent: (event: { id: string | undefined; data: string }) => void,
  isOver: () => boolean = () => false,
): Promise<void> {
  const parser = createParser({ onEvent: ({ id, data }) => onEvent({ id, data }) });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (;;) {
    // Rejects when the connection is lost.
    const chunk = await reader.read().catch(() => undefined);
    if (!chunk || chunk.done) return;
    parser.feed(decoder.decode(chunk.value, { stream: true }));
    if (isOver()) return reader.cancel();
  }
}
