import { CFB } from "@e965/xlsx";
import { describe, expect, it } from "vitest";
import { readDocument } from "../index";

const CONTAINER = 0xf;
function record(kind: number, content: Uint8Array | Uint8Array[], version = 0, instance = 0): Buffer {
  const body = Array.isArray(content) ? Buffer.concat(content) : Buffer.from(content);
  const head = Buffer.alloc(8);
  head.writeUInt16LE((instance << 4) | version, 0);
  head.writeUInt16LE(kind, 2);
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
}
function numbers(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [at, value] of values.entries()) bytes.writeUInt32LE(value, at * 4);
  return bytes;
}
const container = (kind: number, content: Uint8Array[], instance = 0) =>
  record(kind, content, CONTAINER, instance);
const header = (kind: number) => record(0x0f9f, numbers(kind));
const wide = (text: string) => record(0x0fa0, Buffer.from(text, "utf16le"));
const narrow = (text: string) => record(0x0fa8, Buffer.from(text, "latin1"));
const string = (text: string, instance: number) => record(0x0fba, Buffer.from(text, "utf16le"), 0, instance);
const slideAtom = (notes: number) => record(0x03ef, numbers(0, 0, 0, 0, notes, 0));
const listed = (object: number, id: number) => record(0x03f3, numbers(object, 0, 0, id, 0));

function makePpt(objects: Record<number, Buffer>, { token = 0xe391c05f, loop = false } = {}): Uint8Array {
  const offsets: number[] = [];
  const pieces: Buffer[] = [];
  let length = 0;
  for (const [number, object] of Object.entries(objects)) {
    offsets.push((1 << 20) | Number(number), length);
    pieces.push(object);
    length += object.length;
  }
  const directory = record(0x1772, numbers(...offsets));
  const edit = length + directory.length;
  pieces.push(directory, record(0x0ff5, numbers(0, 0, loop ? edit : 0, length, 1, 9, 0)));
  const file = CFB.utils.cfb_new();
  CFB.utils.cfb_add(file, "/PowerPoint Document", Buffer.concat(pieces));
  CFB.utils.cfb_add(file, "/Current User", record(0x0ff6, numbers(20, token, edit, 0, 0)));
  return new Uint8Array(CFB.write(file, { type: "buffer" }) as Buffer);
}
const read = (bytes: Uint8Array) => readDocument({ bytes, name: "a.ppt", contentType: "" });

describe("an old PowerPoint file", () => {
  const hidden = Buffer.alloc(12);
  hidden.writeUInt16LE(4, 10);
  const objects = {
    1: container(0x03e8, [
      container(0x0ff0, [listed(9, 90), header(0), narrow("Click to edit")], 1),
      container(0x0ff0, [
        listed(3, 30),
        header(0),
        wide("Gezeiten „Ebbe“"),
        header(1),
        narrow("High\rLow\x0btide"),
        listed(4, 40),
      ]),
      container(0x0ff0, [listed(5, 50)], 2),
    ]),
    3: container(0x03ee, [
      slideAtom(50),
      container(0xf00d, [record(0x0f9e, numbers(0))]),
      container(0xf00d, [record(0x0f9e, numbers(1))]),
      container(0xf00d, [header(4), wide("*")]),
      container(0x0fd9, [string("Confidential", 2)]),
      container(0x1388, [record(0x138b, container(0x2ee0, [string("Ada", 0), string("June?", 1)]))]),
    ]),
    4: container(0x03ee, [
      slideAtom(0),
      record(0x03f9, hidden),
      container(0xf00d, [header(4), narrow("Box")]),
    ]),
    5: container(0x03f0, [container(0xf00d, [header(2), narrow("Say it slowly.")])]),
    9: container(0x03f8, [container(0xf00d, [header(0), narrow("Master title")])]),
  };

  it("is read slide by slide with notes, comments and footers, without its master", async () => {
    const { text, facts } = await read(makePpt(objects));
    expect(text).toBe(
      "Gezeiten „Ebbe“\n\n- High\n- Low tide\n\nConfidential\n\nNotes: Say it slowly.\n\nComment by Ada: June?\n\nSlide 2\n\nBox",
    );
    expect(facts).toEqual({ format: "PowerPoint 97", pages: 2, notes: ["Hidden slides were read, too: 2."] });
  });

  it("whose edits lead back to themselves is read", async () => {
    expect((await read(makePpt(objects, { loop: true }))).text).toContain("Box");
  });

  it("with a password is refused", async () => {
    await expect(read(makePpt(objects, { token: 0xf3d1c4df }))).rejects.toThrow("password-protected");
  });

  it("without a document is reported as damaged", async () => {
    await expect(read(makePpt({ 1: objects[3] }))).rejects.toThrow(
      "This PowerPoint 97 file is damaged. Repair it or export it again.",
    );
  });
});
