/** Longer than this, in characters, and a cell is no column's name. */
const LONGEST_NAME = 80;

/** Whether the first of some rows, of which nothing is known, seems to name the columns: short words, none twice. */
export function seemsHeader(rows: readonly (readonly string[])[]): boolean {
  const [first, second] = rows;
  if (!first || !second) return false;
  const names = first.map((cell) => cell.trim());
  while (names.at(-1) === "") names.pop();
  return (
    names.length > 1 &&
    new Set(names).size === names.length &&
    names.every((name) => name !== "" && name.length <= LONGEST_NAME && /\p{L}/u.test(name))
  );
}
