import { describe, expect, it, vi } from "vitest";
import { readMultipart } from "./multipart.server";

const LIMITS = { maxBytes: 1e9, fileBytes: 100_000, files: 5 };

function requestOf(body: BodyInit, headers: Record<string, string> = {}): Request {
  return new Request("http://localhost/", {
    method: "POST",
    body,
    headers,
    duplex: "half",
  } as RequestInit);
}

function formOf(...entries: [string, string | Blob, string?][]): Request {
  const form = new FormData();
  for (const [name, value, fileName] of entries)
    if (typeof value === "string") form.append(name, value);
    else form.append(name, value, fileName);
  return requestOf(form);
}

async function sizeOf(bytes: AsyncIterable<Uint8Array>): Promise<number> {
  let size = 0;
  for await (const chunk of bytes) size += chunk.byteLength;
  return size;
}

async function readAll(request: Request, limits = LIMITS): Promise<unknown[]> {
  const seen: unknown[] = [];
  for await (const part of readMultipart(request, limits))
    seen.push(
      part.kind === "field" ? [part.name, part.value] : [part.name, part.fileName, await sizeOf(part.bytes)],
    );
  return seen;
}

const blob = (size: number) => new Blob([new Uint8Array(size)]);

describe("a multipart form", () => {
  it("yields parts in the order sent", async () => {
    const request = formOf(
      ["category", "Größen"],
      ["files", blob(70_000), "größe 日本.txt"],
      ["files", blob(3), "b.bin"],
      ["files", blob(1), 'the "final" one, 100%25.txt'],
    );
    expect(await readAll(request)).toEqual([
      ["category", "Größen"],
      ["files", "größe 日本.txt", 70_000],
      ["files", "b.bin", 3],
      ["files", 'the "final" one, 100%25.txt', 1],
    ]);
  });

  it("continues after a file that wasn't read to its end", async () => {
    const request = formOf(
      ["files", blob(90_000), "a"],
      ["files", blob(90_000), "b"],
      ["files", blob(5), "c"],
    );
    const names: string[] = [];
    for await (const part of readMultipart(request, LIMITS)) {
      if (part.kind === "field") continue;
      names.push(part.fileName);
      if (part.fileName === "b") for await (const _ of part.bytes) break;
    }
    expect(names).toEqual(["a", "b", "c"]);
  });

  it("cuts a file at its limit and continues with the next one", async () => {
    const request = formOf(["files", blob(5_000_000), "large"], ["files", blob(3), "small"]);
    expect(await readAll(request)).toEqual([
      ["files", "large", 100_000],
      ["files", "small", 3],
    ]);
  });

  it("reads the body no faster than its parts are consumed", async () => {
    let sent = 0;
    const head = '--x\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n\r\n';
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(sent === 0 ? Buffer.from(head) : new Uint8Array(65_536));
        sent += 1;
        if (sent > 300) controller.close();
      },
    });
    const request = requestOf(body, { "content-type": "multipart/form-data; boundary=x" });
    const parts = readMultipart(request, { maxBytes: 1e9, fileBytes: 1e9, files: 1 });
    const { value } = await parts.next();
    const before = sent;
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(sent - before).toBeLessThan(10);
    expect(value).toMatchObject({ kind: "file" });
    await parts.return(undefined);
  });

  it.each([
    ["a field that is too long", [["readers", "x".repeat(5000)]]],
    ["too many fields", Array.from({ length: 600 }, () => ["readers", "x"])],
  ] as const)("refuses %s", async (_, fields) => {
    const request = formOf(...fields.map(([name, value]): [string, string] => [name ?? "", value ?? ""]));
    await expect(readAll(request)).rejects.toMatchObject({ code: "too_large" });
  });

  it("ends a body of which a byte comes now and then", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "setTimeout", "clearTimeout"] });
    try {
      let drop: () => void = () => undefined;
      const head = '--x\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n\r\n';
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(Buffer.from(head));
          drop = () => controller.enqueue(Buffer.from("x"));
        },
      });
      const request = requestOf(body, { "content-type": "multipart/form-data; boundary=x" });
      const reading = readAll(request).catch((error: unknown) => error);
      for (let second = 0; second < 120; second += 30) {
        drop();
        for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
        vi.advanceTimersByTime(30_000);
      }
      expect(await reading).toMatchObject({ message: "The upload was too slow. Send it again." });
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([
    ["in the middle of a file", '--x\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\nhalf'],
    ["before anything", ""],
    ["within a header", "--x\r\nContent-Disp"],
    ["behind a part", '--x\r\nContent-Disposition: form-data; name="f"\r\n\r\nvalue\r\n--x\r\n'],
  ])("refuses a body that ends %s", async (_, text) => {
    const request = requestOf(new Blob([text]).stream(), {
      "content-type": "multipart/form-data; boundary=x",
    });
    await expect(readAll(request)).rejects.toMatchObject({
      code: "invalid",
      message: "The form's body is incomplete. Send it again.",
    });
  });

  it.each(["readers[4294967294]", "__proto__[a]", "a".repeat(200)])(
    "refuses the field name %.20s",
    async (name) => {
      await expect(readAll(formOf([name, "x"]))).rejects.toMatchObject({
        code: "invalid",
        message: expect.stringContaining("The form has an unknown field"),
      });
    },
  );

  it.each([
    ["application/json", "unsupported_media"],
    ["multipart/form-data", "unsupported_media"],
    ["multipart/form-data; charset=utf-8", "invalid"],
  ])("refuses %s", async (type, code) => {
    await expect(readAll(requestOf("x", { "content-type": type }))).rejects.toMatchObject({ code });
  });
});
