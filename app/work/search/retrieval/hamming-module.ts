/** LEB128. */
function leb(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...leb(value >>> 7)];
}

/** Opcodes by text-format name (https://webassembly.github.io/spec/core/appendix/index-instructions.html). */
const i32 = { const: (value: number) => [0x41, ...leb(value)], add: [0x6a], sub: [0x6b], ltU: [0x49] };
const store16 = [0x3b, 1, 0];
const local = {
  get: (at: number) => [0x20, at],
  set: (at: number) => [0x21, at],
  tee: (at: number) => [0x22, at],
};
const loop = (...body: number[][]) => [0x03, 0x40, ...body.flat(), 0x0b];
/** br_if 0: repeats the innermost loop. */
const again = [0x0d, 0];
const simd = (code: number, ...more: number[]) => [0xfd, ...leb(code), ...more];
const v128 = { load: simd(0, 0, 0), zero: simd(12, ...new Array<number>(16).fill(0)), xor: simd(81) };
const i8x16Popcnt = simd(98);
const i16x8 = { extaddPairwise: simd(125), add: simd(142) };
const i32x4 = { extaddPairwise: simd(127), lane: (at: number) => simd(27, at) };

/** Parameters and locals of `compare`; positions are byte offsets. */
const [QUERY, VECTOR, COUNT, LENGTH, DISTANCE, AT, SUM] = [0, 1, 2, 3, 4, 5, 6] as const;

/**
 * `compare(query, vector, count, length, distance)`: Hamming distances of `count` ≥ 1 consecutive vectors
 * to the query, as 16-bit numbers from `distance` on. `length` in bytes is a multiple of 16.
 */
const compare = loop(
  v128.zero,
  local.set(SUM),
  i32.const(0),
  local.set(AT),
  loop(
    // sum += popcount(vector[at..] ^ query[at..]), two bytes to a number
    ...[local.get(SUM)],
    ...[local.get(VECTOR), local.get(AT), i32.add, v128.load],
    ...[local.get(QUERY), local.get(AT), i32.add, v128.load],
    ...[v128.xor, i8x16Popcnt, i16x8.extaddPairwise, i16x8.add, local.set(SUM)],
    // at += 16, until the end of the vector
    ...[local.get(AT), i32.const(16), i32.add, local.tee(AT), local.get(LENGTH), i32.ltU, again],
  ),
  // memory[distance] = the sum of its lanes
  ...[local.get(DISTANCE), local.get(SUM), i32x4.extaddPairwise, local.tee(SUM), i32x4.lane(0)],
  ...[1, 2, 3].flatMap((lane) => [local.get(SUM), i32x4.lane(lane), i32.add]),
  store16,
  ...[local.get(DISTANCE), i32.const(2), i32.add, local.set(DISTANCE)],
  ...[local.get(VECTOR), local.get(LENGTH), i32.add, local.set(VECTOR)],
  ...[local.get(COUNT), i32.const(1), i32.sub, local.tee(COUNT), again],
);

const I32 = 0x7f;
const V128 = 0x7b;
const text = (value: string) => [value.length, ...Buffer.from(value)];
const section = (id: number, body: number[]) => [id, ...leb(body.length), ...body];
const body = [2, 1, I32, 1, V128, ...compare, 0x0b];

export const hammingModule = new Uint8Array([
  ...[0, ...Buffer.from("asm"), 1, 0, 0, 0],
  ...section(1, [1, 0x60, 5, I32, I32, I32, I32, I32, 0]),
  ...section(3, [1, 0]),
  ...section(5, [1, 0, 1]),
  ...section(7, [2, ...text("memory"), 2, 0, ...text("compare"), 0, 0]),
  ...section(10, [1, ...leb(body.length), ...body]),
]);
