import { Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { Busboy, type BusboyFileStream, type BusboyHeaders, type BusboyInstance } from "@fastify/busboy";
import { AppError } from "~/core/errors";
import { parseFieldName } from "~/core/form-fields";
import type { MultipartPart, UploadLimits } from "~/platform/endpoint/endpoint.shared";
import { formatLimit } from "./request-body.server";

const FIELDS = 550;
const FIELD_BYTES = 4000;
/** Minimum bytes per minute after the first: a slow drip would keep an upload open forever. */
const MIN_BYTES_PER_MINUTE = 60_000;
/** Time without data within a body, in ms. */
const SILENCE_TIMEOUT = 60_000;

interface QueuedPart {
  part: MultipartPart;
  stream: BusboyFileStream | undefined;
}

class Parts {
  readonly #waiting: QueuedPart[] = [];
  #wake: () => void = () => undefined;
  #end: { error?: unknown } | undefined;

  push(part: MultipartPart, stream?: BusboyFileStream): void {
    this.#waiting.push({ part, stream });
    this.#wake();
  }

  end(error?: unknown): void {
    this.#end ??= error === undefined ? {} : { error };
    this.#wake();
  }

  async *read(): AsyncGenerator<MultipartPart> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next) {
        yield next.part;
        next.stream?.resume();
      } else if (this.#end) {
        if ("error" in this.#end) throw this.#end.error;
        return;
      } else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}

/**
 * Browsers escape only quotes and line ends in file names.
 * https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#multipart-form-data
 */
const unescaped = (fileName: string) => fileName.replace(/%(?:22|0d|0a)/gi, decodeURIComponent);

function malformed(cause?: unknown): AppError {
  return new AppError("invalid", "The form's body is incomplete. Send it again.", { cause });
}

async function* bytesOf(stream: BusboyFileStream): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of stream.iterator({ destroyOnReturn: false })) yield chunk as Uint8Array;
  } catch (error) {
    throw error instanceof AppError ? error : malformed(error);
  } finally {
    stream.resume();
  }
}

const TOO_MUCH =
  "The form has too much text. Nothing was saved. Go back in your browser and shorten it, or upload the text as a file.";

/**
 * Streams a multipart form with backpressure.
 * @throws AppError `unsupported_media`, `too_large`; `invalid` if it is truncated or malformed
 */
export async function* readMultipart(request: Request, limits?: UploadLimits): AsyncGenerator<MultipartPart> {
  const type = request.headers.get("content-type") ?? "";
  if (!limits) throw new AppError("unsupported_media", "This address doesn't accept files.");
  if (!/^multipart\/form-data\s*;/i.test(type) || !request.body) {
    throw new AppError("unsupported_media", "Send the files as multipart/form-data.");
  }
  const { maxBytes } = limits;
  const tooLarge = () => new AppError("too_large", `The body is larger than ${formatLimit(maxBytes)}.`);
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw tooLarge();
  const parts = new Parts();
  let parser: BusboyInstance;
  try {
    const headers: BusboyHeaders = { "content-type": type };
    parser = new Busboy({
      headers,
      limits: {
        fileSize: limits.fileBytes,
        files: limits.files,
        fields: FIELDS,
        fieldSize: limits.fieldBytes ?? FIELD_BYTES,
      },
    });
  } catch (cause) {
    throw malformed(cause);
  }
  const body = Readable.fromWeb(request.body as NodeReadableStream);
  let open: BusboyFileStream | undefined;
  // Discards the rest: closing immediately would lose the response.
  const drainRest = () => {
    body.unpipe(parser);
    body.resume();
  };
  const fail = (error: unknown) => {
    const reason = error instanceof AppError ? error : malformed(error);
    parts.end(reason);
    open?.destroy(reason);
    drainRest();
  };
  const timer = setTimeout(() => {
    fail(new AppError("invalid", "The upload was interrupted. Send it again."));
    body.destroy();
  }, SILENCE_TIMEOUT);
  let minute = 0;
  let receivedThisMinute = MIN_BYTES_PER_MINUTE;
  let total = 0;
  const paceTimer = setInterval(() => {
    minute += 1;
    if (minute > 1 && receivedThisMinute < MIN_BYTES_PER_MINUTE) {
      fail(new AppError("invalid", "The upload was too slow. Send it again."));
      body.destroy();
    }
    receivedThisMinute = 0;
  }, SILENCE_TIMEOUT);
  const tooMuch = () => fail(new AppError("too_large", TOO_MUCH));
  parser.on("field", (name, value, nameCut, valueCut) => {
    if (nameCut || valueCut) return tooMuch();
    try {
      parseFieldName(name);
    } catch (error) {
      return fail(error);
    }
    parts.push({ kind: "field", name, value });
  });
  parser.once("fieldsLimit", tooMuch);
  parser.on("file", (name, stream, fileName, _encoding, contentType) => {
    open = stream;
    stream.once("error", () => undefined);
    const part = { fileName: unescaped(fileName ?? ""), contentType, bytes: bytesOf(stream) };
    parts.push({ kind: "file", name, ...part }, stream);
  });
  parser.once("finish", () => parts.end()).on("error", fail);
  body
    .on("data", (chunk: Uint8Array) => {
      receivedThisMinute += chunk.byteLength;
      total += chunk.byteLength;
      if (total > maxBytes && total - chunk.byteLength <= maxBytes) fail(tooLarge());
      timer.refresh();
    })
    .on("error", fail);
  body.pipe(parser as unknown as NodeJS.WritableStream);
  try {
    yield* parts.read();
  } finally {
    clearTimeout(timer);
    clearInterval(paceTimer);
    drainRest();
  }
}
