import { MessageChannel, receiveMessageOnPort } from "node:worker_threads";
import { expect, it, vi } from "vitest";
import { pack, transferOf, unpack } from "./packs";

const items = Array.from({ length: 500 }, (_, n) => ({ n, text: `é€🙂 "${"x".repeat(1000)}"`, page: null }));

it("unpacks items in order, including lone surrogates", () => {
  const odd = [{ text: "\ud800 half" }, { text: "" }, { text: "\u0000\u2028" }];
  expect([...unpack(pack([...items, ...odd]))]).toEqual([...items, ...odd]);
  expect([...unpack(pack([]))]).toEqual([]);
});

it("parses a pack when its first item is read", () => {
  const packs = pack(items);
  expect(packs.length).toBeGreaterThan(4);
  const parse = vi.spyOn(JSON, "parse");
  const opened = unpack<{ n: number }>(packs);
  expect(opened.next().value?.n).toBe(0);
  expect(parse).toHaveBeenCalledTimes(1);
  expect([...opened]).toHaveLength(499);
  expect(parse).toHaveBeenCalledTimes(packs.length);
});

it("transfers packs without copying", () => {
  const packs = pack(items);
  const { port1, port2 } = new MessageChannel();
  port1.postMessage(packs, transferOf(packs));
  expect(packs.every(({ byteLength }) => byteLength === 0)).toBe(true);
  expect([...unpack(receiveMessageOnPort(port2)?.message)]).toEqual(items);
  port1.close();
});
