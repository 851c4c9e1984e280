import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

const POOL = 8192;
let pool = Buffer.alloc(0);
let used = 0;

function randomHex(bytes: number): string {
  if (used + bytes > pool.length) {
    pool = randomBytes(POOL);
    used = 0;
  }
  used += bytes;
  return pool.toString("hex", used - bytes, used);
}

let lastTime = 0;
let sequence = 0;

/**
 * An opaque, sortable id such as `msg_0k3…`: 48 bits of time, a counter within the millisecond, then 64 random bits.
 */
export function newId(prefix: string): string {
  const now = Date.now();
  sequence = now === lastTime ? sequence + 1 : 0;
  lastTime = now;
  const time = now.toString(36).padStart(9, "0");
  return `${prefix}_${time}${sequence.toString(16).padStart(4, "0")}${randomHex(8)}`;
}

/** An id that follows from what it names, so that a copy of the console gives the same thing the same one. */
export function derivedId(prefix: string, ...parts: readonly (string | number)[]): string {
  const hash = createHash("sha256").update(JSON.stringify(parts)).digest("hex");
  return `${prefix}_${hash.slice(0, 32)}`;
}

/** A secret for a link, cookie or token: 256 random bits in base64url. */
export function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

/** For secrets of 256 random bits, which need no slow hash. */
export function hashSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}

export function sameSecret(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
