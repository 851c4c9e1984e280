import { describe, expect, it } from "vitest";
import { z } from "zod";
import { KeyId, KeyNumber, keyset } from "./cursor";
import { AppError } from "./errors";

const pages = keyset(z.object({ at: KeyNumber, id: KeyId }));
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

describe("the pages of a list", () => {
  const rows = [
    { id: "c", at: 2, name: "C" },
    { id: "b", at: 2, name: "B" },
    { id: "a", at: 1, name: "A" },
  ];
  const keyOf = ({ at, id }: { at: number; id: string }) => ({ at, id });

  it("end where there is no further row", () => {
    expect(pages.page(rows, 3, keyOf)).toEqual({ rows });
    expect(pages.page([], 3, keyOf)).toEqual({ rows: [] });
  });

  it("continue after the last row's key", () => {
    const { rows: page, next } = pages.page(rows, 2, keyOf);
    expect(page.map(({ name }) => name)).toEqual(["C", "B"]);
    expect(pages.decode(next)).toEqual({ at: 2, id: "b" });
    expect(next).toMatch(/^[\w-]+$/);
  });

  it("begin at the front without a cursor", () => {
    expect(pages.decode(undefined)).toBeUndefined();
  });

  it("keep any id and any safe number", () => {
    const key = { at: Number.MAX_SAFE_INTEGER, id: 'ü"\\😀\u0000' };
    expect(pages.decode(pages.encode(key))).toEqual(key);
  });
});

describe("a cursor from outside", () => {
  const odd: [what: string, cursor: string][] = [
    ["nothing", ""],
    ["no base64", "!?%"],
    ["no JSON", "zzzz"],
    ["bytes that are no text", Buffer.from([0xff, 0xfe, 0]).toString("base64url")],
    ["another list's key", encoded({ position: 3 })],
    ["null", encoded(null)],
    ["an array", encoded([1, "a"])],
    ["a text for a number", encoded({ at: "1", id: "a" })],
    ["a negative number", encoded({ at: -1, id: "a" })],
    ["a fraction", encoded({ at: 1.5, id: "a" })],
    ["a number beyond numbers", Buffer.from('{"at":1e999,"id":"a"}').toString("base64url")],
    ["a number that isn't exact", encoded({ at: 2 ** 60, id: "a" })],
    ["an empty id", encoded({ at: 1, id: "" })],
    ["a long id", encoded({ at: 1, id: "a".repeat(65) })],
    ["a long cursor", encoded({ at: 1, id: "a", more: "x".repeat(200) })],
    ["a deep value", Buffer.from("[".repeat(150)).toString("base64url")],
    ["a former cursor", "mfyz1k2a.per_0k3"],
  ];

  it.each(odd)("is refused: %s", (_, cursor) => {
    const decode = () => pages.decode(cursor);
    expect(decode).toThrow(AppError);
    expect(decode).toThrow("The cursor is not valid for this list. Start from the first page.");
    expect(decode).toThrow(expect.objectContaining({ code: "invalid" }));
  });

  it("can't hold half a character, nor reach a prototype", () => {
    const half = Buffer.from('{"at":1,"id":"\\ud800"}').toString("base64url");
    expect(pages.decode(half)).toEqual({ at: 1, id: "\ufffd" });
    const named = Buffer.from('{"at":1,"id":"a","__proto__":{"b":1}}').toString("base64url");
    expect(pages.decode(named)).toEqual({ at: 1, id: "a" });
  });
});
