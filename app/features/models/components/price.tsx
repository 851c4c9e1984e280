import { formatPrice } from "./format";

/** Decimals that every price of a column shows, and those that the smallest prices need. */
const LEAST = 4;
const MOST = 6;

/** A price per 1,000 tokens in a column: the decimal points stand below each other. */
export function Price({ value }: { value: number | null | undefined }) {
  if (value === null || value === undefined) return formatPrice(value);
  const fixed = value.toFixed(MOST);
  const end = fixed.length - (MOST - LEAST);
  const tail = fixed.slice(end).replace(/0+$/, "");
  return (
    <span className="whitespace-nowrap tabular-nums">
      ${fixed.slice(0, end)}
      {tail}
      <span aria-hidden="true" className="invisible select-none">
        {fixed.slice(end + tail.length)}
      </span>
    </span>
  );
}
