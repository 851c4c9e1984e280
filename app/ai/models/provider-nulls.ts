/** What a model wrote for a tool: a null there is its own. */
const MODEL_VALUES: ReadonlySet<string> = new Set(["input", "args", "arguments"]);
/** Lists that the adapters require. */
const LISTS: ReadonlySet<string> = new Set(["choices"]);
const MAX_DEPTH = 32;

function dropNulls(value: unknown, depth = MAX_DEPTH): unknown {
  if (typeof value !== "object" || value === null || depth === 0) return value;
  if (Array.isArray(value)) return value.map((item) => dropNulls(item, depth - 1));
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
      if (member === null) return LISTS.has(name) ? [[name, []]] : [];
      return [[name, MODEL_VALUES.has(name) ? member : dropNulls(member, depth - 1)]];
    }),
  );
}

/** Unreadable JSON stays as it is, for the adapter to reject. */
function dropNullsIn(json: string): string {
  if (!json.includes("null")) return json;
  try {
    // Half a surrogate pair must stay one: the next event has the other half.
    return JSON.stringify(dropNulls(JSON.parse(json)));
  } catch {
    return json;
  }
}

/** Bytes of a line without its end, from which on it passes unread. */
const MAX_LINE = 1024 * 1024;
const NEWLINE = 10;
const DATA = "data:";

/** Rewrites the data of events; every other line stays as it is. */
class EventLines {
  #rest = Buffer.alloc(0);

  take(bytes: Uint8Array): Buffer {
    const all = Buffer.concat([this.#rest, bytes]);
    const end = all.lastIndexOf(NEWLINE) + 1;
    const isTooLong = all.length - end > MAX_LINE;
    this.#rest = isTooLong ? Buffer.alloc(0) : all.subarray(end);
    const lines = all.subarray(0, end);
    const whole = lines.includes("null") ? this.#rewrite(lines) : lines;
    return isTooLong ? Buffer.concat([whole, all.subarray(end)]) : whole;
  }

  end(): Buffer {
    return this.#rest;
  }

  #rewrite(lines: Buffer): Buffer {
    const rewritten = lines
      .toString("utf8")
      .split("\n")
      .map((line) => {
        const data = line.startsWith(DATA) ? line.slice(DATA.length) : "";
        const without = dropNullsIn(data);
        return without === data ? line : `${DATA} ${without}`;
      });
    return Buffer.from(rewritten.join("\n"));
  }
}

/** Reads by hand, since a failing pipe drops what is queued. */
function rewriteEvents(source: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  const lines = new EventLines();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          const { done, value } = await reader.read();
          const bytes = done ? lines.end() : lines.take(value);
          if (bytes.length > 0) controller.enqueue(bytes);
          if (done) return controller.close();
          if (bytes.length > 0) return;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/**
 * Drops members that are null from a provider's responses. Providers write null for "none" where the adapters' schemas
 * allow a member to be absent only, and an adapter refuses the whole response for it.
 */
export function withoutNulls(inner: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await inner(input, init);
    const { body, status, statusText, headers } = response;
    if (!response.ok || !body) return response;
    const head = { status, statusText, headers };
    const type = headers.get("content-type") ?? "";
    if (/^text\/event-stream\b/i.test(type)) return new Response(rewriteEvents(body), head);
    if (/^application\/([\w.-]+\+)?json\b/i.test(type)) {
      return new Response(dropNullsIn(await response.text()), head);
    }
    return response;
  };
}
