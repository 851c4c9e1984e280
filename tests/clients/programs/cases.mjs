/** The console's address without a slash, its token, and the models to ask, as the test gives them. */
export const {
  CONSOLE,
  TOKEN,
  MODEL,
  RESPONSES_MODEL,
  MESSAGES_MODEL,
  LIMITED_MODEL,
  BUSY_MODEL,
  IMAGE_MODEL,
} = process.env;
export const V1 = `${CONSOLE}/v1`;

export const GREETING = "Hello from the other end.";
export const WEATHER = "It is 21 degrees.";
export const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
export const HEARD = "The red ships arrive on Monday.";
/** A second of silence as WAV. */
export const SILENCE = Buffer.concat([
  Buffer.from("UklGRmQfAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YUAfAAA=", "base64"),
  Buffer.alloc(8000, 0x80),
]);
export const CITY = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};

export function assert(condition, seen) {
  if (!condition) throw new Error(`Not as expected: ${JSON.stringify(seen)?.slice(0, 1000)}`);
}

export const equal = (seen, wanted) =>
  assert(JSON.stringify(seen) === JSON.stringify(wanted), { seen, wanted });

/** @returns what the work throws */
export async function thrownBy(work) {
  try {
    const value = await work();
    throw new TypeError(`Nothing was thrown, but returned ${JSON.stringify(value)?.slice(0, 300)}`);
  } catch (error) {
    if (error instanceof TypeError && error.message.startsWith("Nothing was thrown")) throw error;
    return error;
  }
}

/** Runs cases by their features, and prints a line of JSON for each. */
export async function runCases(cases) {
  for (const [feature, work] of Object.entries(cases)) {
    const result = await work().then(
      () => ({ feature, ok: true }),
      (error) => ({ feature, ok: false, reason: String(error?.stack ?? error).slice(0, 2000) }),
    );
    process.stdout.write(`${JSON.stringify(result)}\n`);
  }
  // Some clients keep a connection or a timer.
  process.exit(0);
}
