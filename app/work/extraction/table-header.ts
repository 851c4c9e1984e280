/** In characters. */
const MAX_NAME_LENGTH = 80;

/** Guesses whether the first row is a header: short, distinct words. */
export function seemsHeader(rows: readonly (readonly string[])[]): boolean {
  const [first, second] = rows;
  if (!first || !second) return false;
  const names = first.map((cell) => cell.trim());
  while (names.at(-1) === "") names.pop();
  return (
    names.length > 1 &&
    new Set(names).size === names.length &&
    names.every((name) => name !== "" && name.length <= MAX_NAME_LENGTH && /\p{L}/u.test(name))
  );
}
