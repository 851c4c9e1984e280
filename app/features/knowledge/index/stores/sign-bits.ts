/**
 * The signs of a vector's numbers, one bit each: what the coarse search compares. The same bits as sqlite-vec's
 * vec_quantize_binary makes, which refuses dimensions that fill no whole bytes.
 */
export function signBits(vector: Float32Array): Uint8Array {
  const bits = new Uint8Array(Math.ceil(vector.length / 8));
  for (let index = 0; index < vector.length; index++) {
    if ((vector[index] ?? 0) > 0) bits[index >> 3] = (bits[index >> 3] ?? 0) | (1 << (index & 7));
  }
  return bits;
}

/** A vector as it is kept: float32, little-endian. */
export function toBlob(vector: Float32Array): Buffer {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** A kept vector; copied, since a blob needn't begin where a number may. */
export function fromBlob(blob: Uint8Array): Float32Array {
  return new Float32Array(blob.slice().buffer);
}
