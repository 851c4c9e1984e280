import { createParser } from "eventsource-parser";

/** Reads server-sent events as they arrive, until the stream ends or `isOver`. */
export async function readServerEvents(
  body: ReadableStream<Uint8Array>,
  onEvent: (event: { id: string | undefined; data: string }) => void,
  isOver: () => boolean = () => false,
): Promise<void> {
  const parser = createParser({ onEvent: ({ id, data }) => onEvent({ id, data }) });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    parser.feed(decoder.decode(value, { stream: true }));
    if (isOver()) return reader.cancel();
  }
}
