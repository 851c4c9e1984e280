import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { collectFields, decompressBody, readHookBody } from "./hook-body.server";

const read = (body: string | Buffer, contentType: string) => readHookBody(Buffer.from(body), contentType);
const hex = (bytes: string) => Buffer.from(bytes, "hex");

describe("a webhook's JSON", () => {
  it.each([
    ["with a byte order mark", hex("efbbbf7b2261223a317d"), "application/json", { a: 1 }],
    ["in Latin-1", hex("7b2261223a224772f6dfe5227d"), "application/json; charset=iso-8859-1", { a: "Größå" }],
    ["in UTF-16", Buffer.from('\ufeff{"a":1}', "utf16le"), "application/json", { a: 1 }],
    ["of a type of its own", '{"a":1}', "application/cloudevents+json", { a: 1 }],
  ])("is parsed %s", async (_, body, type, expected) => {
    expect(await read(body, type)).toEqual(expected);
  });

  it("keeps ids of 64 bits as text, and other numbers as numbers", async () => {
    const body = '{"id":9007199254740993,"ids":[-9223372036854775808],"n":9007199254740991,"f":1.5,"e":1e21}';
    expect(await read(body, "application/json")).toEqual({
      id: "9007199254740993",
      ids: ["-9223372036854775808"],
      n: 9_007_199_254_740_991,
      f: 1.5,
      e: 1e21,
    });
  });

  it("is refused if it is broken", async () => {
    await expect(read("{", "application/json")).rejects.toMatchObject({ code: "invalid" });
  });
});

describe("a webhook's form", () => {
  const part = (disposition: string, content: string) =>
    `--x\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`;
  const multipart = "multipart/form-data; boundary=x";

  it("has its fields by name, several of one name as a list", async () => {
    expect(await read(`${part('name="name"', "Zoë")}--x--\r\n`, multipart)).toEqual({ name: "Zoë" });
    const encoded = "tag=a&tag=b+c&%5B0%5D.x=1&__proto__=2";
    const body = await read(encoded, "application/x-www-form-urlencoded");
    expect(Object.entries(body as object)).toEqual([
      ["tag", ["a", "b c"]],
      ["[0].x", "1"],
      ["__proto__", "2"],
    ]);
  });

  it("has files with their text or their bytes", async () => {
    const png = Buffer.from([0x89, 0x50, 0, 0, 1, 255]);
    const body = Buffer.concat([
      Buffer.from(part('name="file"; filename="a.csv"', "n;1")),
      Buffer.from(part('name="file"; filename="b.png"', "").slice(0, -2)),
      png,
      Buffer.from("\r\n--x--\r\n"),
    ]);
    expect(await read(body, multipart)).toMatchObject({
      file: [
        { name: "a.csv", text: "n;1" },
        { name: "b.png", base64: png.toString("base64"), bytes: 6 },
      ],
    });
  });

  it("isn't taken for JSON by its boundary, nor is a text by a parameter", async () => {
    const body = part('name="a"', "1").replace("--x", "--a-json-b");
    const type = "multipart/form-data; boundary=a-json-b";
    expect(await read(`${body}--a-json-b--\r\n`, type)).toEqual({ a: "1" });
    expect(await read("{", "text/plain; name=json")).toBe("{");
  });

  it("cuts a file's long name between characters", async () => {
    const name = `${"a".repeat(299)}😀.txt`;
    const body = part(`name="file"; filename="${name}"`, "n");
    expect(await read(`${body}--x--\r\n`, multipart)).toMatchObject({ file: { name: "a".repeat(299) } });
  });

  it("in another charset is decoded", async () => {
    const type = "application/x-www-form-urlencoded; charset=windows-1252";
    expect(await read("name=Zo%EB&price=5+%80", type)).toEqual({ name: "Zoë", price: "5 €" });
  });

  it("with too many fields or a missing end is refused", async () => {
    await expect(read("a&".repeat(3000), "application/x-www-form-urlencoded")).rejects.toThrow("too many");
    await expect(read(part('name="a"', "b"), multipart)).rejects.toThrow("malformed");
  });
});

it("keeps text in its charset, and the bytes of what isn't text", async () => {
  expect(await read(hex("4772f6df65"), "text/plain; charset=iso-8859-1")).toBe("Größe");
  const bytes = Buffer.from([0, 1, 2, 250, 251, 252]);
  expect(await read(bytes, "application/octet-stream")).toEqual({
    base64: bytes.toString("base64"),
    bytes: 6,
  });
});

describe("a compressed body", () => {
  const text = Buffer.from('{"a":1}');

  it.each([
    ["gzip", gzipSync(text)],
    ["X-GZIP", gzipSync(text)],
    ["deflate", deflateSync(text)],
    ["br", brotliCompressSync(text)],
    ["identity", text],
    [undefined, text],
  ])("in %s is decompressed", async (encoding, bytes) => {
    expect(await decompressBody(bytes, encoding)).toEqual(text);
  });

  it.each([
    ["more than 1 MB", gzipSync(Buffer.alloc(1024 * 1024 + 1)), "gzip", "too_large"],
    ["broken bytes", text, "gzip", "invalid"],
    ["another encoding", text, "zstd", "unsupported_media"],
    ["two encodings", text, "gzip, gzip", "unsupported_media"],
  ])("with %s is refused", async (_, bytes, encoding, code) => {
    await expect(decompressBody(bytes, encoding)).rejects.toMatchObject({ code });
  });
});

it("collects a query's repeated parameters", () => {
  expect(collectFields(new URLSearchParams("a=1&b=2&a=3"))).toEqual({ a: ["1", "3"], b: "2" });
});
