import { createHash } from "node:crypto";

// A tool's own name is dotted; model APIs allow [A-Za-z0-9_-], at most 64 characters, beginning with a letter or "_"
// (https://ai.google.dev/api/caching#FunctionDeclaration). Two tools never share a wire name:
// - plain: `group__rest`. The group has no "__" and doesn't end in "_", so the first "__" is the separator.
// - hashed: `group12__rest31_hash16`, for everything else. No plain name has its ending, so the forms never meet.

const MAX_LENGTH = 64;
const GROUP = /^[A-Za-z](?:[A-Za-z0-9-]|_(?!_|$))*$/;
const REST = /^[A-Za-z0-9_-]+$/;
/** 80 bits in base32: collisions are infeasible. */
const HASHED = /_[a-z2-7]{16}$/;
const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";

function hashOf(name: string): string {
  const bytes = createHash("sha256").update(Buffer.from(name, "utf16le")).digest();
  let bits = bytes.readBigUInt64BE(0) * 65_536n + BigInt(bytes.readUInt16BE(8));
  let text = "";
  for (let digit = 0; digit < 16; digit++) {
    text += BASE32[Number(bits % 32n)];
    bits /= 32n;
  }
  return text;
}

const readable = (text: string, length: number) => text.replaceAll(/[^A-Za-z0-9-]+/g, "_").slice(0, length);

/** A tool's name on the wire to a model API. Injective, at most 64 characters. */
export function wireName(name: string): string {
  const dot = name.indexOf(".");
  const [group, rest] = dot < 0 ? ["", name] : [name.slice(0, dot), name.slice(dot + 1)];
  const plain = `${group}__${rest}`;
  if (plain.length <= MAX_LENGTH && GROUP.test(group) && REST.test(rest) && !HASHED.test(plain)) return plain;
  return `t${readable(group, 11)}__${readable(rest, 31)}_${hashOf(name)}`;
}

/** `kv__set` is `kv.set`; hashed names are unchanged. */
export function writtenName(wire: string): string {
  return HASHED.test(wire) ? wire : wire.replace("__", ".");
}
